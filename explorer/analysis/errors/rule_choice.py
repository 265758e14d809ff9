"""Choose the rule that explains a failure."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.trace import Failure, Trace

MOST_READ = 2_000  # characters of a message


def explain(trace: Trace, cell: int, failure: Failure) -> Explanation | None:
    """The explanation of this output of this cell (from 0); None for one without a place, or that no rule knows."""
    # a process that explains nothing imports no rules
    from explorer.analysis.errors.failure_context import FailureContext
    from explorer.analysis.errors.rules import RULES

    if failure.span < 0 or re.match(r"raise\b", trace.text(failure.span)):
        return None  # the program's own message, even if it looks like torch's
    for rule in RULES:
        if failure.type in rule.types and (found := rule.message.search(failure.text[:MOST_READ])):
            explanation = rule.explain(FailureContext(trace, cell, failure, found))
            if explanation is not None:
                return explanation
    return None

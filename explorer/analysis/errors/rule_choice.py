"""Choose the rule that explains a failure."""

import re
from collections.abc import Iterator

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.findings import findings
from explorer.trace import Failure, Trace


def explain(trace: Trace, cell: int, failure: Failure) -> Explanation | None:
    """The explanation of this output of this cell (from 0); None for one without a place, or that no rule knows."""
    # a process that explains nothing imports no rules
    from explorer.analysis.errors.failure_context import FailureContext
    from explorer.analysis.errors.rules import RULES

    def first_that_applies(at: FailureContext) -> Iterator[Explanation]:
        return (explanation for rule in RULES for explanation in rule(at))

    if failure.span < 0 or re.match(r"raise\b", trace.text(failure.span)):
        return None  # the program's own message, even if it looks like torch's
    return next(iter(findings((first_that_applies,), FailureContext(trace, cell, failure))), None)

"""Choose the rule that explains a failure."""

import re

from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation
from explorer.trace import Failure, Trace

MOST_READ = 2_000  # characters of a message


def explain(trace: Trace, cell: int, failure: Failure) -> Explanation | None:
    """The explanation of this output of this cell (from 0); None for an error that no rule knows."""
    from explorer.analysis.errors.rules import RULES  # a process that explains nothing imports no rules

    stopped = Stopped(trace, cell, failure)
    if re.match(r"raise\b", stopped.code):
        return None  # the program's own message, even if it looks like torch's
    for rule in RULES:
        if failure.type in rule.types.split("|") and (found := rule.message.search(failure.text[:MOST_READ])):
            explanation = rule.explain(stopped, found)
            if explanation is not None:
                return explanation
    return None

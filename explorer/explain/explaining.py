"""Which rule explains a failure."""

import re

from explorer.explain.rule import Explanation
from explorer.explain.rules import RULES
from explorer.explain.stopped import Stopped
from explorer.trace import Failure, Trace

MOST_READ = 2_000  # characters of a message


def explain(trace: Trace, cell: int, failure: Failure) -> Explanation | None:
    """Why this output of this cell (from 0) says that the program stopped; None for an error that no rule knows."""
    stopped = Stopped(trace, cell, failure)
    if re.match(r"raise\b", stopped.code):
        return None  # the program's own words, however much they look like torch's
    for one in RULES:
        if failure.type in one.types.split("|") and (found := one.message.search(failure.text[:MOST_READ])):
            told = one.told(stopped, found)
            if told is not None:
                return told
    return None

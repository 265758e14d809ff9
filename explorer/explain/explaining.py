"""Which rule explains a failure, and what a rule is."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from explorer.explain.stopped import Stopped
from explorer.trace import Failure, Trace

MOST_READ = 2_000  # characters of a message


@dataclass(frozen=True)
class Explanation:
    """Why a program stopped.

    Attributes:
        kind: names the sentences: error-<kind> is a short title, .cause and .repair are a sentence or two each.
        values: for the sentences; texts of the program are as they stand there, shapes are written (2, 3).
        mended: the whole text of `cell` with the mistake mended, or "" where no change is sure.
        cell: the cell that `mended` is of, from 0.
    """

    kind: str
    values: dict[str, str | int] = field(default_factory=dict)
    mended: str = ""
    cell: int = 0


@dataclass(frozen=True)
class Rule:
    """One error that is known.

    Attributes:
        types: names of the exceptions, with | between them.
        message: a pattern that torch's or Python's words contain.
        told: the explanation, or None where the rule sees that it is not meant; the next one is then asked.
    """

    types: str
    message: re.Pattern[str]
    told: Callable[[Stopped, re.Match[str]], Explanation | None]


def explain(trace: Trace, cell: int, failure: Failure) -> Explanation | None:
    """Why this output of this cell (from 0) says that the program stopped; None for an error that no rule knows."""
    stopped = Stopped(trace, cell, failure)
    if re.match(r"raise\b", stopped.code):
        return None  # the program's own words, however much they look like torch's
    for one in _rules():
        if failure.type in one.types.split("|") and (found := one.message.search(failure.text[:MOST_READ])):
            told = one.told(stopped, found)
            if told is not None:
                return told
    return None


def rule(types: str, message: str) -> Callable[[Callable], Rule]:
    """Makes a Rule of a function: `@rule("RuntimeError", r"shape '(.*?)' is invalid")`."""
    return lambda told: Rule(types, re.compile(message, re.DOTALL), told)


@cache
def _rules() -> tuple[Rule, ...]:
    from explorer.explain import gradients, language, modules, tensors  # they name Explanation and rule

    return (*gradients.RULES, *modules.RULES, *tensors.RULES, *language.RULES)

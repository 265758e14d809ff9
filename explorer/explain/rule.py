"""What a rule for an error is, and what it tells."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from explorer.explain.stopped import Stopped


@dataclass(frozen=True)
class Explanation:
    """Why a program stopped.

    Attributes:
        kind: names the sentences: error-<kind> is a short title, .cause and .repair are a sentence or two each.
        values: for the sentences; texts of the program are as they stand there, shapes are written (2, 3).
        mended: the whole text of `cell` with a change that may mend, worth running, or "".
        cell: the cell that `mended` is of, from 0.
        proof: what the program showed when it ran with that change, "" for nothing in particular; None before it was
            run: then it is not offered.
        further: the line at which the program with that change stops for another reason, 0 where it ends well.
    """

    kind: str
    values: Mapping[str, str | int] = field(default_factory=dict)
    mended: str = ""
    cell: int = 0
    proof: str | None = None
    further: int = 0

    @property
    def offered(self) -> str:
        """The mended text of a change that was run and mends, otherwise ""."""
        return self.mended if self.proof is not None else ""


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


def rule(types: str, message: str) -> Callable[[Callable], Rule]:
    """Makes a Rule of a function: `@rule("RuntimeError", r"shape '(.*?)' is invalid")`."""
    return lambda told: Rule(types, re.compile(message, re.DOTALL), told)

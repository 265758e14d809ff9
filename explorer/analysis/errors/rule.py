"""A rule for an error, and its result."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from explorer.analysis.errors.failure_facts import Stopped


@dataclass(frozen=True)
class Explanation:
    """Why a program stopped.

    Attributes:
        kind: names the sentences: error-<kind> is a short title, .cause and .repair are a sentence or two each.
        values: for the sentences; program texts are verbatim, shapes are written (2, 3).
        mended: the whole text of `cell` with a change worth running, or "".
        cell: the cell of `mended`, from 0.
        proof: the effect of the change when it was run, "" for nothing in particular; None before it was run: then it
            is not offered.
        further: the line at which the changed program stops for another reason, 0 if it ends well.
    """

    kind: str
    values: Mapping[str, str | int] = field(default_factory=dict)
    mended: str = ""
    cell: int = 0
    proof: str | None = None
    further: int = 0

    @property
    def offered(self) -> str:
        """The repaired text of a change that was run and helps, otherwise ""."""
        return self.mended if self.proof is not None else ""


@dataclass(frozen=True)
class Rule:
    """A rule for one kind of error.

    Attributes:
        types: names of the exceptions, separated by |.
        message: a pattern in torch's or Python's message.
        explain: returns the explanation, or None if the rule does not apply; the next rule is tried then.
    """

    types: str
    message: re.Pattern[str]
    explain: Callable[[Stopped, re.Match[str]], Explanation | None]


def rule(types: str, message: str) -> Callable[[Callable], Rule]:
    """Make a Rule from a function: `@rule("RuntimeError", r"shape '(.*?)' is invalid")`."""
    return lambda explain: Rule(types, re.compile(message, re.DOTALL), explain)

"""Rules for errors: each is a function from a failure with its surroundings to an explanation."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from explorer.analysis.errors.failure_context import Explanation, FailureContext, numbers, sizes

__all__ = ["Explanation", "FailureContext", "Rule", "Rules", "numbers", "sizes", "table_of_messages"]

MOST_READ = 2_000  # characters of a message
Explain = Callable[[FailureContext], Explanation | None]


@dataclass(frozen=True)
class Rule:
    """A rule for one kind of error.

    Attributes:
        types: names of the exceptions.
        message: a pattern in torch's or Python's message; `at["name"]` is what its group of that name found.
        explain: returns the explanation, or None if the rule does not apply; the next rule is tried then.
        operands: how many recorded tensors the call that raised must have.
    """

    types: frozenset[str]
    message: re.Pattern[str]
    explain: Explain
    operands: int = 0

    def __call__(self, at: FailureContext) -> Iterator[Explanation]:
        """The explanation of a failure, if the rule applies to it."""
        if at.failure.type in self.types and (match := self.message.search(at.failure.text[:MOST_READ])):
            at = replace(at, found=match)
            fits = not self.operands or len(at.inputs) >= self.operands
            explanation = self.explain(at) if fits else None
            yield from [explanation] if explanation is not None else []


class Rules:
    """The rules of one subject, in the order in which they are tried."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def rule(self, error: str, operands: int = 0) -> Callable[[Explain], Explain]:
        """Make a function a rule: `@RULES.rule(r"RuntimeError: shape '(?P<shape>.*?)' is invalid")`.

        Args:
            error: the type and a pattern of the message, as Python prints both; of several types with | between them.
            operands: how many tensors the call that raised must have been given; with fewer the rule does not apply.
        """
        types, _, message = error.partition(": ")

        def added(explain: Explain) -> Explain:
            self._rules.append(Rule(frozenset(types.split("|")), re.compile(message, re.DOTALL), explain, operands))
            return explain

        return added


def table_of_messages() -> Rules:
    """The rules of the kinds that need no more than the message: a line of `messages.txt` has a kind and its error."""
    rules, text = Rules(), Path(__file__).with_name("messages.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        kind, _, error = line.partition(" ")
        if kind != "#":
            rules.rule(error)(_of_kind(kind))
    return rules


def _of_kind(kind: str) -> Explain:
    return lambda at: at.explain(kind)

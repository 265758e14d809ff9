"""Rules for errors: functions from a failure in context to an explanation."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from explorer.analysis.diagnose.errors.failure_context import Explanation, FailureContext, numbers, sizes
from explorer.analysis.run.source.expressions import shorten_code

__all__ = ["Explanation", "FailureContext", "Rule", "Rules", "numbers", "rows", "sizes"]

MOST_READ, MOST_CODE = 2_000, 400  # most characters read of a message, and of the code
Explain = Callable[[FailureContext], Explanation | None]


@dataclass(frozen=True)
class Rule:
    """A rule for a kind of error.

    Attributes: types: names of the exceptions. message: a pattern in torch's or Python's message. `at["name"]` is the
    text of that group. explain: returns the explanation, or None if the rule does not apply. The next rule follows
    then. operands: minimum number of recorded tensors of the failing call.
    """

    types: frozenset[str]
    message: re.Pattern[str]
    explain: Explain
    operands: int = 0

    def __call__(self, at: FailureContext) -> Iterator[Explanation]:
        """Explain a failure, if the rule applies to it."""
        if self._types_of(at.failure.type) & self.types and (match := self.message.search(at.failure.text[:MOST_READ])):
            at = replace(at, found=match)
            fits = not self.operands or len(at.inputs) >= self.operands
            explanation = self.explain(at) if fits else None
            yield from [explanation] if explanation is not None else []

    @staticmethod
    def _types_of(type: str) -> frozenset[str]:
        """Return an exception's type and its base: torch changes between the two from version to version."""
        return frozenset((type, "RuntimeError") if type == "NotImplementedError" else (type,))


class Rules(list[Rule]):
    """The rules of one subject, in the order in which they are tried."""

    def rule(self, error: str, operands: int = 0) -> Callable[[Explain], Explain]:
        """Register a function as a rule.

        Example: `@RULES.rule(r"RuntimeError: shape '(?P<shape>.*?)' is invalid")`.

        Args: error: type and pattern of the message, as Python prints both. Several types are separated by |. operands:
        minimum number of tensors of the failing call.
        """
        types, _, message = error.partition(": ")

        def added(explain: Explain) -> Explain:
            self.append(Rule(frozenset(types.split("|")), re.compile(message, re.DOTALL), explain, operands))
            return explain

        return added


def rows() -> Rules:
    """Return the rules written as rows of `kinds.txt`."""
    rules, text = Rules(), Path(__file__).with_name("kinds.txt").read_text(encoding="utf-8")
    for row in re.findall(r"^[^#\s].*(?:\n .*)*", text, re.MULTILINE):
        (kind, _, error), *below = (line.strip().partition(" ") for line in row.split("\n"))
        rules.rule(error)(_row(kind, [(word, rest) for word, _, rest in below]))
    return rules


def _row(kind: str, below: list[tuple[str, str]]) -> Explain:
    """Create a row's function from the lines below it."""
    facts = [fact for word, rest in below if word == "with" for fact in rest.split()]
    changes = [rest.partition(" -> ") for word, rest in below if word != "with"]
    codes = [(re.compile(pattern, re.DOTALL), new) for pattern, _, new in changes]
    is_choosy = any(word == "only" for word, _ in below)

    def explain(at: FailureContext) -> Explanation | None:
        values: dict[str, str] = {}
        for fact in facts:
            found = getattr(at, fact)
            if not found:
                return None
            values |= found if isinstance(found, dict) else {fact: found}
        written = at.code if len(at.code) <= MOST_CODE else ""
        code, new = next(((code, new) for pattern, new in codes if (code := pattern.fullmatch(written))), (None, ""))
        if code is None:
            return None if is_choosy else at.explain(kind, **values)
        parts = {name: shorten_code(part) for name, part in code.groupdict().items()}
        return at.explain(kind, code.expand(new), **values | parts)

    return explain

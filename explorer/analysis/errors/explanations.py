"""The usual ways to make an Explanation, and a Rule that needs no more than its pattern."""

import re
from collections.abc import Mapping

from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.text_edits import replaced


def explanation(stopped: Stopped, kind: str, mended: str = "", **values: str | int) -> Explanation | None:
    """An explanation with the failing code and its line among the values; None without a place."""
    if stopped.span is None:
        return None
    facts: dict[str, str | int] = {"line": stopped.span.line, "code": shown(stopped.code)}
    return Explanation(kind, facts | values, mended, stopped.place)


def known(types: str, message: str, kind: str) -> Rule:
    """A rule without a change: its values are the groups of the pattern, the code and its line."""

    @rule(types, message)
    def explained(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
        return explanation(stopped, kind, **{name: shown(text or "") for name, text in found.groupdict().items()})

    return explained


def changed(
    stopped: Stopped, kind: str, values: Mapping[str, str], new: str | None = None, span: int = -1
) -> Explanation:
    """An explanation whose change, if any, puts `new` where the program stopped (or at a span)."""
    place = stopped.trace.spans[span] if span >= 0 else stopped.span
    if not new or place is None:
        return Explanation(kind, values)
    return Explanation(kind, values, replaced(stopped.trace.cells[place.cell].source, place, new), place.cell)

"""The diagnoses of a program, as cards beside its problems, and in one sentence."""

from collections.abc import Iterable
from html import escape

from explorer.analysis.autograd import Card
from explorer.analysis.findings import Finding
from explorer.analysis.levels import ORDER
from explorer.analysis.messages import place_text, told_text
from explorer.drawing.sentences import messages_html
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.panels.problems import Problem, told_fields


def faults(trace: Trace, told: Iterable[Finding], lang: str) -> list[Problem]:
    """A card each, the gravest first."""
    return [_card(trace, found, lang) for found in sorted(told, key=lambda found: ORDER.index(found.level))]


def _card(trace: Trace, found: Finding, lang: str) -> Problem:
    place, words = found.place, told_text(lang, found, "title")
    span = place.line, place.column, place.end_line, place.end_column
    code = trace.cells[place.cell].lines[place.line - 1].strip()
    stop = title(trace, found, lang), place.cell, place.line, span, code, words, ""
    return Problem(*stop, level=found.level, **told_fields(trace, found, lang) | {"tried": 0})


def title(trace: Trace, found: Finding, lang: str) -> str:
    """Its level and place."""
    where = place_text(trace, found.place.cell, found.place.line, lang)
    return f"{say(lang, f'diagnosis-{found.level}')} · {where}"


def leading(trace: Trace, told: Iterable[Finding], lang: str) -> str:
    """The sentence of the first fault, which replaces the picture's, or ""."""
    first = next((found for found in told if found.level == "fault"), None)
    if first is None:
        return ""
    return say(lang, "diagnosis-at", place=title(trace, first, lang), what=told_text(lang, first, "title"))


def card_html(trace: Trace, card: Card, told: Iterable[Finding], lang: str) -> str:
    """The diagnoses about the tensor or the node of one card, each with its place."""
    own = [found for found in told if found.tensor in card.tensors or found.node in card.nodes]
    rows = [(one.level, messages_html(lang, one.messages("title")), escape(title(trace, one, lang))) for one in own]
    return "".join(f'<p class="silent is-{grave}"><b>{name}</b> {where}</p>' for grave, name, where in rows)

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


def faults(trace: Trace, findings: Iterable[Finding], lang: str) -> list[Problem]:
    """A card each, the gravest first."""
    return [_card(trace, finding, lang) for finding in sorted(findings, key=lambda finding: ORDER.index(finding.level))]


def _card(trace: Trace, finding: Finding, lang: str) -> Problem:
    place, words = finding.place, told_text(lang, finding, "title")
    span = place.line, place.column, place.end_line, place.end_column
    code = trace.cells[place.cell].lines[place.line - 1].strip()
    stop = title(trace, finding, lang), place.cell, place.line, span, code, words, ""
    return Problem(*stop, level=finding.level, **told_fields(trace, finding, lang) | {"tried": 0})


def title(trace: Trace, finding: Finding, lang: str) -> str:
    """Its level and place."""
    where = place_text(trace, finding.place.cell, finding.place.line, lang)
    return f"{say(lang, f'diagnosis-{finding.level}')} · {where}"


def leading(trace: Trace, findings: Iterable[Finding], lang: str) -> str:
    """The sentence of the first fault, which replaces the picture's, or ""."""
    first = next((finding for finding in findings if finding.level == "fault"), None)
    if first is None:
        return ""
    return say(lang, "diagnosis-at", place=title(trace, first, lang), what=told_text(lang, first, "title"))


def card_html(trace: Trace, card: Card, findings: Iterable[Finding], lang: str) -> str:
    """The diagnoses about the tensor or the node of one card, each with its place."""
    own = [finding for finding in findings if finding.tensor in card.tensors or finding.node in card.nodes]
    rows = [(one.level, messages_html(lang, one.messages("title")), escape(title(trace, one, lang))) for one in own]
    return "".join(f'<p class="silent is-{grave}"><b>{name}</b> {where}</p>' for grave, name, where in rows)

"""The diagnoses of a program, as cards beside its problems, and in one sentence."""

from collections.abc import Iterable
from dataclasses import replace
from html import escape

from explorer.analysis.autograd import Card
from explorer.analysis.errors import changed_lines
from explorer.analysis.faults import ORDER, Finding
from explorer.analysis.messages import place_text, told_text
from explorer.drawing.sentences import messages_html
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.panels.problems import Problem
from explorer.workers.diagnoses import Diagnosis


def faults(trace: Trace, told: Iterable[Diagnosis], lang: str) -> list[Problem]:
    """A card each, the gravest first."""
    ranked = sorted(told, key=lambda diagnosis: ORDER.index(diagnosis.found.level))
    return [_card(trace, diagnosis, lang) for diagnosis in ranked]


def _card(trace: Trace, diagnosis: Diagnosis, lang: str) -> Problem:
    found, place = diagnosis.found, diagnosis.found.place
    span = place.line, place.column, place.end_line, place.end_column
    code = trace.cells[place.cell].lines[place.line - 1].strip()
    name, cause, repair = (messages_html(lang, found.messages(part)) for part in ("title", "cause", "repair"))
    words = told_text(lang, found, "title")
    card = Problem(
        *(title(trace, found, lang), place.cell, place.line, span, code, words, ""),
        name=name,
        cause=cause,
        repair=repair,
        level=found.level,
        proof=diagnosis.proof,
    )
    if diagnosis.repair is None or diagnosis.repair.cell >= len(trace.own_cells):  # an imported file is in no editor
        return card
    mended, of = diagnosis.repair.source, diagnosis.repair.cell
    return replace(card, changes=tuple(changed_lines(trace.cells[of].source, mended)), mended=mended, of=of)


def title(trace: Trace, found: Finding, lang: str) -> str:
    """Its level and place."""
    where = place_text(trace, found.place.cell, found.place.line, lang)
    return f"{say(lang, f'diagnosis-{found.level}')} · {where}"


def leading(trace: Trace, told: Iterable[Diagnosis], lang: str) -> str:
    """The sentence of the first fault, which replaces the picture's, or ""."""
    first = next((diagnosis.found for diagnosis in told if diagnosis.found.level == "fault"), None)
    if first is None:
        return ""
    return say(lang, "diagnosis-at", place=title(trace, first, lang), what=told_text(lang, first, "title"))


def card_html(trace: Trace, card: Card, told: Iterable[Diagnosis], lang: str) -> str:
    """The diagnoses about the tensor or the node of one card, each with its place."""
    own = [
        diagnosis.found
        for diagnosis in told
        if diagnosis.found.tensor in card.tensors or diagnosis.found.node in card.nodes
    ]
    rows = [(one.level, messages_html(lang, one.messages("title")), escape(title(trace, one, lang))) for one in own]
    return "".join(f'<p class="silent is-{grave}"><b>{name}</b> {where}</p>' for grave, name, where in rows)

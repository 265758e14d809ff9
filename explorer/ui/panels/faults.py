"""What is wrong in a program although nothing failed, as cards beside its problems, and in one sentence."""

from collections.abc import Iterable
from dataclasses import replace
from html import escape

from explorer.autograd import Card
from explorer.diagnose import Finding, level
from explorer.diagnosed import Diagnosis
from explorer.drawing.saying import said_html
from explorer.explain import changed_lines
from explorer.reports import diagnosis_text, place_text
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.panels.problems import Problem


def faults(trace: Trace, told: Iterable[Diagnosis], lang: str) -> list[Problem]:
    """A card each, the faults before the notes."""
    return sorted((_card(trace, one, lang) for one in told), key=lambda card: card.level == "note")


def _card(trace: Trace, one: Diagnosis, lang: str) -> Problem:
    found, place = one.found, one.found.place
    span = place.line, place.column, place.end_line, place.end_column
    code = trace.cells[place.cell].lines[place.line - 1].strip()
    name, cause, repair = sentences_html(found, lang)
    words = diagnosis_text(lang, found, "title")
    card = Problem(
        *(title(trace, found, lang), place.cell, place.line, span, code, words, ""),
        name=name,
        cause=cause,
        repair=repair,
        level=level(found.kind),
        proof=one.proof,
    )
    if one.repair is None or one.repair.cell >= len(trace.own_cells):  # a file that is imported stands in no editor
        return card
    mended, of = one.repair.text, one.repair.cell
    return replace(card, changes=tuple(changed_lines(trace.cells[of].source, mended)), mended=mended, of=of)


def title(trace: Trace, found: Finding, lang: str) -> str:
    """How grave it is, and where."""
    where = place_text(trace, found.place.cell, found.place.line, lang)
    return f"{say(lang, f'diagnosis-{level(found.kind)}')} · {where}"


def sentences_html(found: Finding, lang: str) -> tuple[str, str, str]:
    """Title, cause and repair as HTML, the program's words in code."""
    kind = found.kind.replace("_", "-")
    parts = (f"diagnosis-{kind}", f"diagnosis-{kind}.cause", f"diagnosis-{kind}.repair")
    title, cause, repair = (said_html(lang, part, **found.values) for part in parts)
    return title, cause, repair


def leading(trace: Trace, told: Iterable[Diagnosis], lang: str) -> str:
    """The sentence of the first fault, which stands in place of the picture's; "" where there is none."""
    first = next((one.found for one in told if level(one.found.kind) == "fault"), None)
    if first is None:
        return ""
    return say(lang, "diagnosis-at", place=title(trace, first, lang), what=diagnosis_text(lang, first, "title"))


def card_html(trace: Trace, card: Card, told: Iterable[Diagnosis], lang: str) -> str:
    """What is told of the tensor or the node of one card, each with its place."""
    own = [one.found for one in told if one.found.tensor in card.tensors or one.found.node in card.nodes]
    names = [(level(one.kind), sentences_html(one, lang)[0], escape(title(trace, one, lang))) for one in own]
    return "".join(f'<p class="silent is-{grave}"><b>{name}</b> {where}</p>' for grave, name, where in names)

"""The kernel's answers to a notebook picture: cards, *Why?*, opened modules."""

from typing import Any, Protocol

from msgspec.structs import replace

from explorer.analysis.autograd import Card
from explorer.analysis.autograd.folds import Opened
from explorer.analysis.autograd.inspection import card_of_node, inspection
from explorer.analysis.why import UnknownName, derivation, unfolded
from explorer.analysis.why.derivation_steps import DerivationStep
from explorer.analysis.why.questions import asked_of, coded, nothing_of, read, subject_of
from explorer.drawing.graph.inspector import inspector_parts
from explorer.drawing.graph.why import why_html
from explorer.drawing.marks import quoted
from explorer.drawing.moments import Drawn
from explorer.drawing.offline.page import page_words
from explorer.text import say

STEPS = 40  # steps of an answer
EXAMPLE = "w.grad[0, 1]"  # example of a question


class AskedPicture(Drawn, Protocol):
    """A picture whose clicks ask."""

    @property
    def opened(self) -> Opened: ...
    def svg(self) -> str: ...
    def sentence(self) -> str: ...
    def root(self) -> str: ...
    def opening(self, opened: Opened) -> "AskedPicture": ...


def shown(picture: AskedPicture) -> dict[str, Any]:
    """Return the script's drawing data."""
    lang, title = picture.lang, picture.view.of or "Autograd Explorer"
    return {
        "svg": picture.svg(),
        "words": page_words(lang),
        "title": quoted(title),
        "fold": True,
        "foldable": False,
        "opened": bool(picture.opened),
        "legend": picture.legend(),
        "sentence": picture.sentence(),
        "root": picture.root(),
        "card": card_html(picture, picture.root()),
        "ask": say(lang, "why-ask", word=EXAMPLE),
    }


def answer(picture: AskedPicture, message: object) -> tuple[AskedPicture, dict[str, str]]:
    """Return the picture after a script message, and the requested HTML."""
    match message:
        case {"selected": None}:
            return picture, {"card": card_html(picture, picture.root())}
        case {"selected": str(card)}:
            return picture, {"card": card_html(picture, card)}
        case {"module": {"path": str(path), "open": bool(is_open)}}:
            return picture.opening(picture.opened.moved(path, is_open)), {}
        case {"why": {"card": str(card), "of": "value" | "gradient" as of, "entry": int(entry)}} if entry >= 0:
            return picture, {"why": _why_card(picture, card, of, entry)}
        case {"why": {"card": str(card), "of": "value" | "gradient" | "" as of}}:
            return picture, {"why": _why_card(picture, card, of)}
        case {"code": str(code)}:
            subject = coded(picture.trace, picture.view.backward, code)
            return picture, {"why": "" if subject is None else _answer_html(picture, unfolded(picture.trace, subject))}
        case {"name": str(name)}:
            return picture, {"why": _why_name(picture, name)}
    return picture, {}


def card_html(picture: AskedPicture, card: str) -> str:
    """Render a card in full, "" if it does not exist."""
    view, trace, lang = picture.view, picture.trace, picture.lang
    if all(card != one.id for one in view.cards):
        return ""
    line = trace.line(-1 if view.backward is None else trace.backwards[view.backward].span)
    chosen = card != picture.root()
    parts = inspector_parts(inspection(trace, view, card, lang), view, lang, chosen, line, asks=True)
    return f'<div class="inspection" aria-live="polite">{"".join(parts)}</div>'


def _why_card(picture: AskedPicture, card_id: str, of: str, entry: int = -1) -> str:
    """Explain a card's value or gradient, by default its gradient if any.

    Args:
        entry: index of the entry, -1 for the most informative.
    """
    card = next((card for card in picture.view.cards if card.id == card_id), None)
    if card is None:
        return ""
    gradient = of == "gradient" or (not of and (card.gradient is not None or card.kind != "data"))
    step = _step(picture, card, gradient, entry)
    return "" if step is None else _answer_html(picture, step)


def _step(picture: AskedPicture, card: Card, gradient: bool, entry: int) -> DerivationStep | None:
    subject = subject_of(picture.trace, picture.view, card, gradient)
    if subject is not None:
        subject = subject if entry < 0 else replace(subject, place=entry)
        return unfolded(picture.trace, subject)
    return nothing_of(picture.trace, picture.view, card) if gradient else None


def _why_name(picture: AskedPicture, name: str) -> str:
    """Explain a number by its name in the program, such as "w.grad[0, 1]"."""
    lang = picture.lang
    try:
        return _answer_html(picture, asked_of(picture.trace, read(picture.trace, name)))
    except UnknownName as unknown:
        return why_html([], {}, lang, unknown.message.text(lang))


def _answer_html(picture: AskedPicture, step: DerivationStep) -> str:
    steps = derivation(picture.trace, step, STEPS)
    return why_html([steps], card_of_node(picture.view), picture.lang)

"""*Why?*: questions by key, touch or click, with answers above the inspector.

The followed gradient entry is chosen in the inspector and kept there too.
"""

import math
from concurrent.futures import wait
from dataclasses import replace
from typing import Any

import streamlit as st
from msgspec import structs

from explorer.analysis.explain.autograd import Card
from explorer.analysis.explain.autograd.inspection import card_of_node
from explorer.analysis.explain.autograd.view_records import FollowedEntry
from explorer.analysis.explain.why import Derivation, derivation, unfolded
from explorer.analysis.explain.why.derivation import path
from explorer.analysis.explain.why.derivation_steps import Arrived, Stored
from explorer.analysis.explain.why.leaf_history import account
from explorer.analysis.explain.why.questions import code_of, coded, nothing_of, subject_of
from explorer.analysis.explain.why.second_run import second_run_options
from explorer.drawing.graph.why import Stop, cards_showing, path_stops, why_html
from explorer.drawing.marks import quoted
from explorer.drawing.picture import Picture
from explorer.safe_regex import plain
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox
from explorer.ui.pages.autograd.numbers import ask, pending, waiting
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.session.given_files import given
from explorer.ui.session.links import session_name
from explorer.ui.session.memo import memoize
from explorer.ui.session.saved_run import is_saved
from explorer.ui.session.state import STATE
from explorer.workers.why import explained

BESIDE = "_why_beside"  # session state: the answer's code, and its card's id and name
NONE = "none-"  # prefix of the id of a card without a gradient
STEPS = 40
SECOND = "_why_second"  # session state: the second run that explains an entry of a large tensor
AT_ONCE = 0.6  # seconds that the page waits, so that the whole answer appears at once

_events = component("explorer_inspector", "<i hidden></i>", "pages/autograd/inspector.js")
_questions, _choices = Inbox("_why_answered"), Inbox("_followed_answered")
_WRITTEN = plain(r"([a-z]\w{0,40}+):(\d{1,6}+)")

INSPECTOR = "inspector_events"  # key of the component that listens to the inspector


def why(picture: Picture, card: Card, lang: str) -> bool:
    """Handle questions and draw the answer. Return whether the address changes.

    An answer belongs to a card: a question about another card selects that card, and choosing another card closes the
    answer.

    Args:
        card: the inspected card, which the key `?` asks about.
    """
    meant = _meant(picture, card)
    state = {"session": session_name(), "card": card.id, "open": bool(STATE["why"]), "choose": meant or ""}
    event = _events(data=state, key=INSPECTOR, default={"asked": None, "entry": None}).asked
    if isinstance(event, dict) and _is_new(_questions, event):
        code = _question_code(picture, event)
        if code is not None and code != STATE["why"]:
            STATE["why"] = code
            return True
    before = STATE["why"]
    if before and not meant:
        STATE["why"] = _followed(picture, card, before)
        st.session_state[BESIDE] = STATE["why"], card.id, card.name
    if (code := STATE["why"]) and not meant:
        trace = _explained(picture, code)
        of = picture.view, trace
        if html := memoize("why", of, lambda: _html(picture, trace, code, lang), code, lang, predicting()):
            st.html(html)
            second = pending(SECOND, picture, code)
            if second is not None and not second.done():
                waiting(SECOND, say(lang, "why-again"))
            elif second is not None and trace is picture.trace:
                st.html(f'<p class="numbers" role="status">{quoted(say(lang, "why-again-other"))}</p>')
        else:
            STATE["why"] = ""
    return before != STATE["why"]


def ask_about(picture: Picture, card: Card) -> None:
    """Ask about a card's followed gradient entry, or close the answer if there is none."""
    STATE["why"] = _code(picture, card, True) if picture.view.followed(card) is not None else ""


def path_shown(picture: Picture, lang: str) -> list[Stop]:
    """Return the explained gradient's path to the root, empty without an answer."""
    code = STATE["why"]
    if not code or code.startswith(NONE) or predicting() or picture.view.backward is None:
        return []
    trace = _explained(picture, code)

    def found() -> list[Stop]:
        subject = coded(trace, picture.view.backward, code)
        return [] if subject is None else path_stops(picture.view, path(trace, subject), lang)

    return memoize("path", (picture.view, trace), found, code, lang)


def _meant(picture: Picture, card: Card) -> str | None:
    """Return the card to select for an answer from elsewhere: a line, an address."""
    code = STATE["why"]
    if not code or st.session_state.get(BESIDE, ("",))[0] == code:
        return None
    shown = _cards(picture, code)
    return None if card.id in shown else min(shown, default=None)


def _followed(picture: Picture, card: Card, code: str) -> str:
    """Return the answer's updated code next to a card. "" closes it."""
    if card.id in _cards(picture, code):
        return code
    if st.session_state.get(BESIDE) != (code, card.id, card.name):
        return ""
    value = code.startswith("v")
    return _code(picture, card, not value)


def _cards(picture: Picture, code: str) -> frozenset[str]:
    """Return the card ids of an answer."""
    if code.startswith(NONE):
        return frozenset(card.id for card in picture.view.cards if f"{NONE}{card.id}" == code)
    subject = coded(picture.trace, picture.view.backward, code)
    return frozenset() if subject is None else cards_showing(picture.trace, picture.view, subject)


def _question_code(picture: Picture, event: dict[str, Any]) -> str | None:
    """Return the code in the browser's question, "" to close, None if invalid."""
    match event:
        case {"code": str(code)} if len(code) <= 60:
            return code
        case {"card": str(of), "of": ("gradient" | "value" | "") as what, **more}:
            card = next((card for card in picture.view.cards if card.id == of), None)
            match more.get("entry"):
                case int(entry) if card is not None and what == "gradient" and 0 <= entry < 1_000_000:
                    STATE["entry"] = f"{card.id}:{entry}"  # one of its squares was clicked
                    return _code(following(picture), card, True)
        case {"cell": int(cell), "line": int(line), "of": ("gradient" | "value") as what}:
            there = [
                card for card in picture.view.cards if card.place and (card.place.cell, card.place.line) == (cell, line)
            ]
            card = there[-1] if there else None
        case _:
            return None
    if card is None:
        return None
    return _code(picture, card, what == "gradient" or (not what and (card.gradient is not None or card.kind != "data")))


def _code(picture: Picture, card: Card, gradient: bool) -> str:
    """Return the code of the question about a card's gradient or value, or ""."""
    subject = subject_of(picture.trace, picture.view, card, gradient)
    if subject is None and gradient and card.tensors:
        return f"{NONE}{card.id}"
    return "" if subject is None else code_of(subject)


def _explained(picture: Picture, code: str) -> Trace:
    """Return the picture's Trace, with a second run's explanations once available."""
    trace = picture.trace
    answer = pending(SECOND, picture, code)
    if answer is None and not (code.startswith(NONE) or predicting()):
        subject = coded(trace, picture.view.backward, code)
        tree = None if subject is None else derivation(trace, unfolded(trace, subject), STEPS)
        if tree is None or second_run_options(trace, tree) is None or is_saved(trace):
            return trace
        files, who = given(), visitor(st.context.ip_address)
        answer = ask(SECOND, picture, lambda: explained(trace, tree, files, visitor=who), code)
        wait([answer], AT_ONCE)
    more = answer.result() if answer is not None and answer.done() and answer.exception() is None else None
    return more or trace


def _html(picture: Picture, trace: Trace, code: str, lang: str) -> str:
    view = picture.view
    if code.startswith(NONE):
        return _nothing(picture, code.removeprefix(NONE), lang)
    subject = coded(trace, view.backward, code)
    if subject is None:
        return ""
    if predicting() and isinstance(subject, Stored):  # `.grad` at the end must stay hidden
        return _not_yet(lang)
    tree = derivation(trace, unfolded(trace, subject), STEPS)
    answers = [tree, *_stored(trace, subject)]
    step = tree.step
    chosen = ""
    if math.prod(step.shape) > 1 and step.amount is not None and view.entry is None:
        chosen = say(lang, "why-entry", index=step.index)
    if is_saved(trace) and second_run_options(trace, tree) is not None:
        chosen = f"{chosen} {say(lang, 'why-again-saved')}".strip()
    return why_html(answers, card_of_node(view), lang, chosen)


def _stored(trace: Trace, subject: object) -> list[Derivation]:
    """Return the derivation of a leaf's `.grad`, if more than the gradient in question."""
    if predicting() or not isinstance(subject, Arrived):
        return []
    leaf = trace.nodes.variable[subject.node]
    if leaf < 0 or not trace.tensors.is_leaf[leaf]:
        return []
    held = account(trace, leaf)
    if held.known and len(held.added) == 1 and held.base is None and held.added[0].backward == subject.backward:
        return []
    return [derivation(trace, unfolded(trace, Stored(leaf, subject.place)), STEPS // 2)]


def _not_yet(lang: str) -> str:
    return why_html([], {}, lang, say(lang, "why-not-yet"))


def _nothing(picture: Picture, card_id: str, lang: str) -> str:
    """Explain why a card has no gradient."""
    card = next((card for card in picture.view.cards if card.id == card_id), None)
    if card is None:
        return ""
    if predicting():
        return _not_yet(lang)
    step = nothing_of(picture.trace, picture.view, card)
    return "" if step is None else why_html([derivation(picture.trace, step)], card_of_node(picture.view), lang)


def following(drawn: Picture) -> Picture:
    """Return the picture with the followed entry if present, the same object if unchanged."""
    entry = _entry(STATE["entry"])
    if entry is None:
        return drawn
    view = structs.replace(drawn.view, entry=entry)
    card = next((card for card in view.cards if card.id == entry.card), None)
    if card is None or view.followed(card) is None:
        return drawn
    return memoize("followed", drawn, lambda: replace(drawn, view=view), entry)


def _is_new(handled: Inbox, event: dict[Any, Any]) -> bool:
    """Return whether the browser says this now, not to a session before."""
    return event.get("session", session_name()) == session_name() and handled.accept(event.get("count"))


def chosen() -> bool:
    """Handle clicks on entries in the inspector. Return whether the choice changed."""
    match component_state(INSPECTOR, "entry"):
        case {"card": str(of), "entry": int(position), **event} if len(of) < 60 and _is_new(_choices, event):
            STATE["entry"] = f"{of}:{position}" if position >= 0 else ""
            return True
    return False


def _entry(text: str) -> FollowedEntry | None:
    """Return the entry in the page's state, such as "t0:5"."""
    match = _WRITTEN.fullmatch(text)
    return FollowedEntry(match[1], int(match[2])) if match else None

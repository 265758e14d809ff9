"""Why?: asked of a number by key, finger or click, answered above the inspector; kept in the state of the page."""

import math
from typing import Any

import streamlit as st

from explorer.autograd import Card
from explorer.autograd.hidden import hidden_leaves
from explorer.autograd.inspection import card_of_node
from explorer.drawing.graph.why import why_html
from explorer.drawing.tables import leaf_cards, node_cards
from explorer.picture import Picture
from explorer.reasoning import Derivation, derivation, unfolded
from explorer.reasoning.codes import code_of, coded, nothing_of, subject_of
from explorer.reasoning.steps import Arrived, Stored
from explorer.reasoning.tape import account
from explorer.text import say
from explorer.ui.components.script import component
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.session.memo import once
from explorer.ui.session.state import STATE

ANSWERED = "_why_answered"  # session state: how many questions were answered
NONE = "none-"  # before the id of a card whose missing gradient is asked for
STEPS = 40

_why = component("explorer_why", "<i hidden></i>", "pages/autograd/why.js")


def why(picture: Picture, card: Card, lang: str) -> bool:
    """Listen to what is asked, and draw the answer into the current container; whether the reader asked anew.

    Args:
        card: the one that the inspector tells of, which the key `?` asks about.
    """
    answered = st.session_state.get(ANSWERED, 0)
    told = _why(
        data={"card": card.id, "count": answered, "open": bool(STATE["why"])},
        key="why", default={"asked": None}, on_asked_change=lambda: None,
    ).asked  # fmt: skip
    if isinstance(told, dict) and told.get("count") == answered + 1:
        st.session_state[ANSWERED] = answered + 1
        code = _asked(picture, told)
        if code is not None and code != STATE["why"]:
            STATE["why"] = code
            return True
    if code := STATE["why"]:
        st.html(once("why", picture, lambda: _html(picture, code, lang), code, lang, predicting()))
    return False


def _asked(picture: Picture, told: dict[str, Any]) -> str | None:
    """What the browser asks as a code, "" to close the answer; None for what it cannot ask."""
    match told:
        case {"code": str(code)} if len(code) <= 60:
            return code
        case {"card": str(of), "of": ("gradient" | "value" | "") as what}:
            card = next((card for card in picture.view.cards if card.id == of), None)
        case {"cell": int(cell), "line": int(line), "of": ("gradient" | "value") as what}:
            there = [
                one for one in picture.view.cards if one.place and (one.place.cell, one.place.line) == (cell, line)
            ]
            card = there[-1] if there else None
        case {"table": int(table), "row": int(row), "of": ("gradient" | "value") as what}:
            view = picture.view
            rows = node_cards(view) if table % 2 else [*leaf_cards(view), *hidden_leaves(picture.trace, view)]
            card = rows[row] if 0 <= row < len(rows) else None
        case _:
            return None
    if card is None:
        return None
    gradient = what == "gradient" or (not what and (card.gradient is not None or card.kind != "data"))
    subject = subject_of(picture.trace, picture.view, card, gradient)
    if subject is None and gradient and card.tensors:
        return f"{NONE}{card.id}"
    return None if subject is None else code_of(subject)


def _html(picture: Picture, code: str, lang: str) -> str:
    trace, view = picture.trace, picture.view
    if code.startswith(NONE):
        return _nothing(picture, code.removeprefix(NONE), lang)
    subject = coded(trace, view.backward, code)
    if subject is None:
        return ""
    if predicting() and isinstance(subject, Stored):  # what `.grad` holds in the end is not to be known yet
        return _not_yet(lang)
    found = derivation(trace, unfolded(trace, subject), STEPS)
    answers = [found, *_stored(picture, subject)]
    step = found.step
    chosen = ""
    if math.prod(step.shape) > 1 and step.amount is not None and view.entry is None:
        chosen = say(lang, "why-entry", index=step.index)
    return why_html(answers, card_of_node(view), lang, chosen)


def _stored(picture: Picture, subject: object) -> list[Derivation]:
    """What a leaf's `.grad` holds, where that is more than the gradient that was asked for."""
    trace = picture.trace
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
    """Why a card has no gradient."""
    card = next((card for card in picture.view.cards if card.id == card_id), None)
    if card is None:
        return ""
    if predicting():
        return _not_yet(lang)
    step = nothing_of(picture.trace, picture.view, card)
    return "" if step is None else why_html([derivation(picture.trace, step)], card_of_node(picture.view), lang)

"""Predict: the reader is asked for a gradient before it is shown, and until then the page holds it nowhere.

What the browser says stands in the player's state, numbered by `count`; the answers never leave the server.
"""

from typing import Any, Literal

import streamlit as st
from msgspec import Struct
from msgspec.structs import replace

from explorer.autograd import NOTHING_OPENED, Opened
from explorer.autograd.questions import Question
from explorer.autograd.reached import trace_so_far
from explorer.autograd.steps import BackwardSteps, steps
from explorer.picture import Picture
from explorer.trace import Trace
from explorer.ui.components.script import told_by
from explorer.ui.session.memo import once

KEY = "player"  # of the component
# Session state: what is under way, the number of the browser's message handled last, how far an address says it was.
KEPT, HANDLED, ARRIVED = "_predict", "_predict_handled", "_predict_arrived"
TRIES = 2  # answers to one question, before it is told


class Prediction(Struct, frozen=True):
    """How far the reader is.

    Attributes:
        reached: steps that are shown.
        asking: whether the question of the next one is open; tries: wrong answers to it.
        verdict: on the last answer: right, wrong (and told), hint (another try), unread (it said nothing), or "".
        guess: that answer.
    """

    reached: int = 0
    asking: bool = False
    tries: int = 0
    verdict: Literal["", "right", "wrong", "hint", "unread"] = ""
    guess: str = ""


class CardAnswer(Struct, frozen=True):
    """What the reader said of one card's gradient. Attributes: as those of Prediction."""

    card: str
    tries: int
    verdict: Literal["right", "wrong", "hint", "unread"]
    guess: str


class _Kept(Struct, frozen=True):
    """A prediction and the picture it is about.

    Attributes:
        number: how many there were before in this session.
        shown: ids of cards whose gradient the reader said or had shown.
        said: the last answer to one of them.
    """

    trace: Trace
    backward: int | None
    opened: tuple[bool, Opened]
    now: Prediction
    number: int
    shown: frozenset[str] = frozenset()
    said: CardAnswer | None = None


def moved(now: Prediction, found: BackwardSteps, do: str, guess: str = "") -> Prediction:
    """What becomes of a prediction when the reader goes on (next), answers (guess), or wants to see it all (all)."""
    if do == "all":
        return Prediction(len(found.steps))
    if do == "guess" and now.asking:
        return _answered(now, found.steps[now.reached].question, guess)
    if do != "next" or now.reached >= len(found.steps):
        return now
    if now.asking or found.steps[now.reached].question is None:  # shown without an answer, or nothing to ask
        return Prediction(now.reached + 1)
    return Prediction(now.reached, asking=True)


def _answered(now: Prediction, question: Question, guess: str) -> Prediction:
    right = question.judge(guess)
    if right is None:
        return Prediction(now.reached, True, now.tries, "unread", guess)
    if not right and now.tries + 1 < TRIES:
        return Prediction(now.reached, True, now.tries + 1, "hint", guess)
    return Prediction(now.reached + 1, verdict="right" if right else "wrong", guess=guess)


def predicting() -> bool:
    """Whether the switch is on."""
    return KEPT in st.session_state


def link(hide: str, place: int) -> None:
    """Take from an address whether gradients are hidden and how far the reader was: what `in_address` said."""
    st.session_state.pop(KEPT, None)
    if hide or place > 0:
        st.session_state[KEPT] = None
        st.session_state[ARRIVED] = max(place - 1, 0)


def in_address() -> dict[str, str | int]:
    """What the address says: nothing while Predict is off, otherwise so, and one more than the steps that are shown."""
    if not predicting():
        return {"hide": "", "predict": 0}
    kept = st.session_state[KEPT]
    reached = st.session_state.get(ARRIVED, 0) if kept is None else kept.now.reached
    return {"hide": "grad", "predict": reached + 1 if reached else 0}


def steps_of(picture: Picture) -> BackwardSteps:
    """The steps of a whole picture."""
    return once("told", picture, lambda: steps(picture.trace, picture.view, picture.lang))


def hear(picture: Picture) -> bool:
    """Take in what the browser said of a picture's player, once; whether that changes what the page may show."""
    told = _told()
    if told is None or told["count"] == st.session_state.get(HANDLED):
        return False
    st.session_state[HANDLED] = told["count"]
    match told:
        case {"do": "on"} if not predicting():
            st.session_state[KEPT] = None
            st.session_state.pop(ARRIVED, None)
        case {"do": "off"}:
            st.session_state.pop(KEPT, None)
        case {"do": str(do)} if predicting():
            kept, guess = _kept(picture), told.get("guess")
            now = moved(kept.now, steps_of(picture), do, guess[:200] if isinstance(guess, str) else "")
            st.session_state[KEPT] = replace(kept, now=now)
    return True


def prediction(picture: Picture) -> tuple[Prediction, int]:
    """How far the reader is with a picture, and a number that is another one for another picture."""
    kept = _kept(picture)
    return kept.now, kept.number


def held(picture: Picture) -> Picture:
    """What the page may show of a picture now: all of it while Predict is off."""
    if not predicting():
        return picture
    count, shown = _kept(picture).now.reached, _kept(picture).shown
    return once("held", picture, lambda: picture.so_far(steps_of(picture), count, shown), count, shown)


def said_of(picture: Picture, card: str) -> CardAnswer | None:
    """What the reader said last of this card's gradient, None for nothing."""
    said = _kept(picture).said if predicting() else None
    return said if said is not None and said.card == card else None


def show_card(picture: Picture, card: str) -> None:
    """Show the gradient of one card from now on."""
    kept = _kept(picture)
    st.session_state[KEPT] = replace(kept, shown=kept.shown | {card})


def answer(picture: Picture, card: str, question: Question, guess: str) -> None:
    """Judge what the reader says of one card's gradient; it is shown when that is right, or wrong TRIES times."""
    kept, before = _kept(picture), said_of(picture, card)
    right, tries = question.judge(guess), 0 if before is None else before.tries
    if right is None:
        st.session_state[KEPT] = replace(kept, said=CardAnswer(card, tries, "unread", guess))
    elif right or tries + 1 >= TRIES:
        said = CardAnswer(card, tries, "right" if right else "wrong", guess)
        st.session_state[KEPT] = replace(kept, shown=kept.shown | {card}, said=said)
    else:
        st.session_state[KEPT] = replace(kept, said=CardAnswer(card, tries + 1, "hint", guess))


def held_trace(trace: Trace, backward: int | None) -> Trace:
    """What the page may show of a run whose picture it does not show: nothing that this backward brought."""
    return trace if backward is None or not predicting() else trace_so_far(trace, backward, frozenset())


def _kept(picture: Picture) -> _Kept:
    """What is under way about a picture; of another one than before it begins anew."""
    kept, backward = st.session_state[KEPT], picture.view.backward
    opened = (picture.fold, picture.opened or NOTHING_OPENED)
    if kept is None or kept.trace is not picture.trace or (kept.backward, kept.opened) != (backward, opened):
        most = len(steps_of(picture).steps)
        reached = min(st.session_state.pop(ARRIVED, 0), most)
        number = 0 if kept is None else kept.number + 1
        kept = _Kept(picture.trace, backward, opened, Prediction(reached), number)
        st.session_state[KEPT] = kept
    return kept


def _told() -> dict[str, Any] | None:
    """What the browser said last, None when it is no message."""
    told = told_by(KEY, "act")
    return told if isinstance(told, dict) and isinstance(told.get("count"), int | float) else None

"""Predict: the reader is asked for a gradient before it is shown, and until then the page holds it nowhere.

What the browser says stands in the player's state, numbered by `count`; the answers never leave the server.
"""

from typing import Any, Literal

import streamlit as st
from msgspec import Struct

from explorer.autograd import NOTHING_OPENED, Opened
from explorer.autograd.questions import Question
from explorer.autograd.reached import trace_so_far
from explorer.autograd.steps import BackwardSteps, steps
from explorer.picture import Picture
from explorer.trace import Trace
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


class _Kept(Struct, frozen=True):
    """A prediction and the picture it is about; number: how many there were before in this session."""

    trace: Trace
    backward: int | None
    opened: tuple[bool, Opened]
    now: Prediction
    number: int


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


def link(place: int) -> None:
    """Take from an address whether Predict is on and how far the reader was: `place` is what `in_address` said."""
    st.session_state.pop(KEPT, None)
    if place > 0:
        st.session_state[KEPT] = None
        st.session_state[ARRIVED] = place - 1


def in_address() -> int:
    """What the address says: 0 while Predict is off, otherwise one more than the steps that are shown."""
    if not predicting():
        return 0
    kept = st.session_state[KEPT]
    return 1 + (st.session_state.get(ARRIVED, 0) if kept is None else kept.now.reached)


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
            st.session_state[KEPT] = _Kept(kept.trace, kept.backward, kept.opened, now, kept.number)
    return True


def prediction(picture: Picture) -> tuple[Prediction, int]:
    """How far the reader is with a picture, and a number that is another one for another picture."""
    kept = _kept(picture)
    return kept.now, kept.number


def held(picture: Picture) -> Picture:
    """What the page may show of a picture now: all of it while Predict is off."""
    if not predicting():
        return picture
    count = _kept(picture).now.reached
    return once("held", picture, lambda: picture.so_far(steps_of(picture), count), count)


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
    state = st.session_state.get(KEY)
    told = state.get("act") if state is not None else None
    return told if isinstance(told, dict) and isinstance(told.get("count"), int | float) else None

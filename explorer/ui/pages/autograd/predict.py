"""Predict: ask for values and gradients before the page contains them.

The browser's message is in the player's state, numbered by `count`. The answers never leave the server.
"""

from typing import Any, Literal

import streamlit as st
from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd import NOTHING_OPENED, Opened, graph_view
from explorer.analysis.explain.autograd.backward_steps import BackwardSteps, Step, steps
from explorer.analysis.explain.autograd.gradient_questions import Question
from explorer.analysis.explain.autograd.partial_runs import trace_before, trace_so_far
from explorer.analysis.views.timeline.forward_steps import ForwardStep, ForwardSteps, forward_steps
from explorer.drawing.picture import Picture
from explorer.trace import Trace
from explorer.ui.components.script import component_state
from explorer.ui.components.session_values import Inbox
from explorer.ui.session.memo import memoize

KEY = "player"  # key of the component
# Session state: progress, number of the last handled browser message, and progress in an address.
KEPT, ARRIVED = "_predict", "_predict_arrived"
FORWARD = "_predict_forward"  # session state: whether the user also predicts values
_events = Inbox("_predict_handled")
TRIES = 2  # wrong answers before the solution is shown


class Prediction(Struct, frozen=True):
    """The user's progress.

    Attributes:
        reached: number of shown steps.
        asking: whether the next step's question is open. tries: wrong answers to it.
        verdict: on the last answer: right, wrong (and shown), hint (another try), unread (not a number), or "".
        guess: that answer.
    """

    reached: int = 0
    asking: bool = False
    tries: int = 0
    verdict: Literal["", "right", "wrong", "hint", "unread"] = ""
    guess: str = ""


class PredictedSteps(Struct, frozen=True):
    """Questions about a picture. Attributes: forward: questions about values, empty for gradients only."""

    forward: ForwardSteps
    backward: BackwardSteps

    @property
    def steps(self) -> tuple[ForwardStep | Step, ...]:
        """All steps, in order."""
        return (*self.forward.steps, *self.backward.steps)


class CardAnswer(Struct, frozen=True):
    """The user's answer about one card's gradient. Attributes: as in Prediction."""

    card: str
    tries: int
    verdict: Literal["right", "wrong", "hint", "unread"]
    guess: str


class _Kept(Struct, frozen=True):
    """A prediction and its picture.

    Attributes:
        forward: number of asked forward steps.
        number: number of earlier predictions in this session.
        shown: ids of cards whose gradient was guessed or shown.
        last: the last answer to one of them.
    """

    trace: Trace
    backward: int | None
    opened: tuple[bool, Opened]
    forward: int
    now: Prediction
    number: int
    shown: frozenset[str] = frozenset()
    last: CardAnswer | None = None


def moved(now: Prediction, walk: PredictedSteps | BackwardSteps, do: str, guess: str = "") -> Prediction:
    """Return the prediction after next, a guess, or showing all values or everything (all)."""
    if do == "all":
        return Prediction(len(walk.steps))
    if do == "values" and isinstance(walk, PredictedSteps):
        return Prediction(max(now.reached, len(walk.forward.steps)))
    if now.reached >= len(walk.steps):
        return now
    question = walk.steps[now.reached].question
    if do == "guess" and now.asking and question is not None:
        return _answered(now, question, guess)
    if do != "next":
        return now
    if now.asking or question is None:  # shown without an answer, or no question
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
    """Return whether Predict is on."""
    return KEPT in st.session_state


def link(hide: str, place: int) -> None:
    """Read the hidden parts and the progress from an address, as written by `in_address`."""
    st.session_state.pop(KEPT, None)
    if hide or place > 0:
        st.session_state[KEPT] = None
        st.session_state[FORWARD] = hide == "all"
        st.session_state[ARRIVED] = max(place - 1, 0)


def in_address() -> dict[str, str | int]:
    """Return the address's values: 0 while Predict is off, otherwise shown steps plus one."""
    if not predicting():
        return {"hide": "", "predict": 0}
    state = st.session_state[KEPT]
    reached = st.session_state.get(ARRIVED, 0) if state is None else state.now.reached
    hide = "all" if _are_values_asked() else "grad"
    return {"hide": hide, "predict": reached + 1 if reached else 0}


def _are_values_asked() -> bool:
    """Return whether to ask for values as well as gradients."""
    return bool(st.session_state.get(FORWARD))


def hides_values() -> bool:
    """Return whether a forward value may still be hidden."""
    if not predicting() or not _are_values_asked():
        return False
    state = st.session_state[KEPT]
    return state is None or state.now.reached < state.forward


def steps_of(picture: Picture) -> BackwardSteps:
    """Return the steps of a whole picture."""
    return memoize("steps", picture, lambda: steps(picture.trace, picture.view, picture.lang))


def predicted(picture: Picture) -> PredictedSteps:
    """Return the questions about a whole picture."""

    def found() -> PredictedSteps:
        forward = forward_steps(picture.trace, picture.view, picture.lang) if _are_values_asked() else ForwardSteps()
        return PredictedSteps(forward, steps_of(picture))

    return memoize("predicted", picture, found, _are_values_asked())


def consume_event(picture: Picture) -> bool:
    """Handle the player's browser message once. Return whether the page may change."""
    event = _event()
    if event is None or not _events.accept(event["count"]):
        return False
    match event:
        case {"do": "on"} if not predicting():
            st.session_state[KEPT] = None
            st.session_state[FORWARD] = True
            st.session_state.pop(ARRIVED, None)
        case {"do": "off"}:
            st.session_state.pop(KEPT, None)
        case {"do": str(do)} if predicting():
            state, guess = _kept(picture), event.get("guess")
            now = moved(state.now, predicted(picture), do, guess[:200] if isinstance(guess, str) else "")
            st.session_state[KEPT] = replace(state, now=now)
    return True


def prediction(picture: Picture) -> tuple[Prediction, int]:
    """Return the progress with a picture, and a number that changes with the picture."""
    state = _kept(picture)
    return state.now, state.number


def masked_picture(picture: Picture) -> Picture:
    """Return the visible part of a picture, all of it while Predict is off."""
    if not predicting():
        return picture
    reached, shown, forward = _kept(picture).now.reached, _kept(picture).shown, predicted(picture).forward

    def known() -> Picture:
        if reached < len(forward.steps):
            return picture.before(forward, reached)
        return picture.so_far(steps_of(picture), reached - len(forward.steps), shown)

    return memoize("held", picture, known, reached, shown, len(forward.steps))


def last_answer(picture: Picture, card: str) -> CardAnswer | None:
    """Return the user's last answer about this card's gradient, or None."""
    verdict = _kept(picture).last if predicting() else None
    return verdict if verdict is not None and verdict.card == card else None


def show_card(picture: Picture, card: str) -> None:
    """Show the gradient of one card from now on."""
    state = _kept(picture)
    st.session_state[KEPT] = replace(state, shown=state.shown | {card})


def answer(picture: Picture, card: str, question: Question, guess: str) -> None:
    """Judge a card's gradient answer. Show it if right or after TRIES wrong answers."""
    state, before = _kept(picture), last_answer(picture, card)
    right, tries = question.judge(guess), 0 if before is None else before.tries
    if right is None:
        st.session_state[KEPT] = replace(state, last=CardAnswer(card, tries, "unread", guess))
    elif right or tries + 1 >= TRIES:
        verdict = CardAnswer(card, tries, "right" if right else "wrong", guess)
        st.session_state[KEPT] = replace(state, shown=state.shown | {card}, last=verdict)
    else:
        st.session_state[KEPT] = replace(state, last=CardAnswer(card, tries + 1, "hint", guess))


def masked_trace(trace: Trace, backward: int | None, lang: str) -> Trace:
    """Return a run without the gradients that Predict hides."""
    if not predicting():
        return trace
    if hides_values():
        state = st.session_state[KEPT]
        reached = state.now.reached if state is not None and state.trace is trace else 0
        asked = memoize("asked", trace, lambda: forward_steps(trace, graph_view(trace, backward), lang), backward, lang)
        if reached < len(asked.steps):
            return trace_before(trace, asked.steps[reached].operation)
    return trace if backward is None else trace_so_far(trace, backward, frozenset())


def _kept(picture: Picture) -> _Kept:
    """Return a picture's state, new for another picture."""
    state, backward = st.session_state[KEPT], picture.view.backward
    opened = (picture.fold, picture.opened or NOTHING_OPENED)
    same = state is not None and state.trace is picture.trace and state.backward == backward
    if not same or state.opened != opened:
        walk = predicted(picture)
        reached, forward = st.session_state.pop(ARRIVED, 0), len(walk.forward.steps)
        if same and state.forward == forward:
            reached = min(state.now.reached, forward)  # other modules are open: the forward pass is the same
        number = 0 if state is None else state.number + 1
        now = Prediction(min(reached, len(walk.steps)))
        state = st.session_state[KEPT] = _Kept(picture.trace, backward, opened, forward, now, number)
    return state


def _event() -> dict[str, Any] | None:
    """Return the browser's last message, None if invalid."""
    event = component_state(KEY, "act")
    return event if isinstance(event, dict) and isinstance(event.get("count"), int | float) else None

"""*Check with numbers*, run on request next to a card.

The run continues in the background while the page is redrawn.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from html import escape

import streamlit as st

from explorer.analysis.diagnose.gradcheck.subjects import leaf_name
from explorer.analysis.diagnose.gradcheck.verdicts import Check
from explorer.analysis.diagnose.messages import check_messages
from explorer.analysis.explain.autograd import Card
from explorer.drawing.graph.badges import SIGNS, Badge
from explorer.drawing.marks import messages_html
from explorer.drawing.picture import Picture
from explorer.drawing.tensors.memory import list_of
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.session.given_files import given
from explorer.ui.session.run_wait import draw_anew
from explorer.workers.gradcheck import check_gradients

CHECKED = "_checked"  # session state: the request
POLL = 0.4  # seconds between checks for ended runs


def badges(picture: Picture, lang: str) -> dict[str, Badge]:
    """Return each leaf's result by its cards."""
    verdicts = {check.leaf: check.verdict for check in _found(picture)}
    shown = {}
    for card in picture.view.cards if verdicts else ():
        verdict = next((verdicts[tensor] for tensor in card.tensors if tensor in verdicts), "")
        if card.kind == "leaf" and verdict in SIGNS:
            shown[card.id] = Badge(verdict, say(lang, f"check-{verdict}.badge"))
    return shown


def numbers(picture: Picture, card: Card, lang: str) -> None:
    """Draw the button and its result, if any."""
    if picture.view.backward is None or predicting():
        return
    checked = pending(CHECKED, picture)
    if checked is None:
        if st.button(say(lang, "check-numbers"), key="check", help=say(lang, "check-hint")):
            _check(picture)
    elif checked.done():
        st.html(_found_html(picture, card, lang))
    else:
        waiting(CHECKED, say(lang, "check-running"))


def _check(picture: Picture) -> None:
    trace, backward, files, who = picture.trace, picture.view.backward, given(), visitor(st.context.ip_address)
    ask(CHECKED, picture, lambda: check_gradients(trace, backward, files, visitor=who))
    draw_anew()


def _found_html(picture: Picture, card: Card, lang: str) -> str:
    """Render a leaf's result or, for another card, all leaves' results, without duplicates."""
    checks = _found(picture)
    own = [check for check in checks if check.leaf in card.tensors] if card.kind == "leaf" else []
    leaves: dict[str, list[str]] = {}
    for check in own or checks:
        leaves.setdefault(messages_html(lang, check_messages(check)), []).append(leaf_name(picture.trace, check.leaf))
    head = f"<h4>{escape(say(lang, 'check-numbers'))}</h4>"
    rows = "".join(
        f'<p class="numbers">{words if own else f"<b>{escape(list_of(names))}</b> {words}"}</p>'
        for words, names in leaves.items()
    )
    return f'<div class="inspection checked" role="status">{head}{rows}</div>'


def _found(picture: Picture) -> list[Check]:
    """Return the shown backward's result, empty if unknown."""
    answer = None if predicting() else pending(CHECKED, picture)
    if answer is None or not answer.done() or answer.exception() is not None:
        return []
    return [check for check in answer.result() if check.backward == picture.view.backward]


def pending(key: str, picture: Picture, *more: object) -> Future | None:
    """Return the request for this run and backward, or None.

    Args:
        key: session state key for the request: picture, subject and pending answer.
    """
    trace, about, answer = st.session_state.get(key, (None, (), None))
    return answer if trace is picture.trace and about == (picture.view.backward, *more) else None


def ask(key: str, picture: Picture, work: Callable[[], object], *more: object) -> Future:
    """Start the runs in the background."""
    answer: Future = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as problem:
            answer.set_exception(problem)

    st.session_state[key] = picture.trace, (picture.view.backward, *more), answer
    threading.Thread(target=run, name=key.strip("_"), daemon=True).start()
    return answer


@st.fragment(run_every=POLL)
def waiting(key: str, words: str) -> None:
    """Show a progress note until the runs end, then redraw the page."""
    answer = st.session_state.get(key, (None, (), None))[2]
    if answer is None or answer.done():
        st.rerun()
    st.html(f'<p class="numbers" role="status">{escape(words)}</p>')

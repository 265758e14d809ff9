"""*Check with numbers* and *What if*: runs on request, beside the card."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from html import escape

import streamlit as st

from explorer.analysis.autograd import Card
from explorer.analysis.autograd.entry_texts import index_text
from explorer.analysis.gradcheck import Check
from explorer.analysis.gradcheck.subjects import places_of
from explorer.analysis.messages import check_messages
from explorer.drawing.graph.badges import SIGNS, Badge
from explorer.drawing.picture import Picture
from explorer.drawing.sentences import said_html
from explorer.sandbox.hosting import visitor
from explorer.text import KNOWN, say
from explorer.text.numbers import number
from explorer.trace import index_at
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.session.given_files import given
from explorer.ui.session.run_wait import draw_anew
from explorer.workers.gradcheck import WhatIf, check_gradients, what_if

CHECKED, GROWN = "_checked", "_grown"  # session state: what was requested, for which picture, and its pending answer
BY = 0.01  # by how much an entry grows
POLL = 0.4  # seconds between two checks whether the runs have ended


def badges(picture: Picture, lang: str) -> dict[str, Badge]:
    """The result for each leaf, by its cards."""
    found = {check.leaf: check.verdict for check in _found(picture)}
    shown = {}
    for card in picture.view.cards if found else ():
        verdict = next((found[tensor] for tensor in card.tensors if tensor in found), "")
        if card.kind == "leaf" and verdict in SIGNS:
            shown[card.id] = Badge(verdict, say(lang, f"check-badge-{verdict}"))
    return shown


def numbers(picture: Picture, card: Card, lang: str) -> None:
    """Draw the buttons and the results of their runs, if there is a backward and nothing is hidden."""
    view = picture.view
    if view.backward is None or predicting():
        return
    pending = _pending(CHECKED, picture)
    if pending is None:
        if st.button(say(lang, "check-numbers"), key="check", help=say(lang, "check-hint")):
            trace, files, who = picture.trace, given(), visitor(st.context.ip_address)
            _ask(CHECKED, picture, lambda: check_gradients(trace, view.backward, files, visitor=who))
            draw_anew()
    elif not pending.done():
        _waiting(CHECKED, say(lang, "check-running"))
    else:
        st.html(_found_html(picture, card, lang))
    if card.kind == "leaf" and card.gradient is not None:
        _growing(picture, card, lang)


def _growing(picture: Picture, card: Card, lang: str) -> None:
    """What if: for the followed entry, or the only one."""
    position = picture.view.followed(card)
    if position is None and len(card.gradient.entries) == 1:
        position = 0
    if position is None:
        return
    entry = places_of(card.gradient)[position]
    pending = _pending(GROWN, picture, card.tensors, entry)
    if pending is None:
        if st.button(say(lang, "whatif"), key="whatif", help=say(lang, "whatif-hint")):
            trace, files, who = picture.trace, given(), visitor(st.context.ip_address)
            leaf, backward = card.tensors[0], picture.view.backward
            run = lambda: what_if(trace, leaf, entry, BY, backward, files, visitor=who)  # noqa: E731
            _ask(GROWN, picture, run, card.tensors, entry)
            draw_anew()
    elif not pending.done():
        _waiting(GROWN, say(lang, "check-running"))
    else:
        name = f"{card.name}{index_text(index_at(entry, card.gradient.shape))}"
        st.html(_grown_html(pending.result(), name, picture, lang))


def _grown_html(found: WhatIf | None, name: str, picture: Picture, lang: str) -> str:
    if found is None:
        return f'<p class="numbers">{said_html(lang, "whatif-untold", name=name)}</p>'
    cards = [card for card in picture.view.cards if card.id in picture.view.roots]
    root = (cards[0].name or cards[0].title) if cards else picture.view.of
    values = {"by": number(found.by), "expected": number(found.expected), "grown": number(found.grown)}
    sentence = said_html(lang, "whatif-entry", name=name, root=root, **values)
    return f'<p class="numbers" role="status">{sentence}</p>'


def _found_html(picture: Picture, card: Card, lang: str) -> str:
    """The result for a leaf; for any other card all leaves, a line each."""
    found = _found(picture)
    own = [check for check in found if check.leaf in card.tensors] if card.kind == "leaf" else []
    lines = [_check_text(check, lang) for check in own]
    if not own:
        names = {tensor: each.name for each in picture.view.cards if each.kind == "leaf" for tensor in each.tensors}
        lines = [
            f"<b>{escape(names[check.leaf])}</b> {_check_text(check, lang)}" for check in found if names.get(check.leaf)
        ]
    head = f"<h4>{escape(say(lang, 'check-numbers'))}</h4>"
    rows = "".join(f'<p class="numbers">{line}</p>' for line in lines)
    return f'<div class="inspection checked" role="status">{head}{rows}</div>'


def _check_text(check: Check, lang: str) -> str:
    return KNOWN[lang].gap.join(said_html(lang, message, **values) for message, values in check_messages(check))


def _found(picture: Picture) -> list[Check]:
    """The result for the shown backward; empty if unknown."""
    pending = None if predicting() else _pending(CHECKED, picture)
    if pending is None or not pending.done() or pending.exception() is not None:
        return []
    return [check for check in pending.result() if check.backward == picture.view.backward]


def _pending(key: str, picture: Picture, *more: object) -> Future | None:
    """The request for this run and backward, or None."""
    trace, about, answer = st.session_state.get(key, (None, (), None))
    return answer if trace is picture.trace and about == (picture.view.backward, *more) else None


def _ask(key: str, picture: Picture, work: Callable[[], object], *more: object) -> None:
    """Start the runs in the background."""
    answer: Future = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as problem:
            answer.set_exception(problem)

    st.session_state[key] = picture.trace, (picture.view.backward, *more), answer
    threading.Thread(target=run, name="numbers", daemon=True).start()


@st.fragment(run_every=POLL)
def _waiting(key: str, words: str) -> None:
    """Show that the runs are in progress, until they end."""
    answer = st.session_state.get(key, (None, (), None))[2]
    if answer is None or answer.done():
        st.rerun()
    st.html(f'<p class="numbers" role="status">{escape(words)}</p>')

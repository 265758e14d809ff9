"""*Check with numbers*, which is run on request beside a card."""

from html import escape

import streamlit as st

from explorer.analysis.autograd import Card
from explorer.analysis.gradcheck.verdicts import Check
from explorer.analysis.messages import check_messages
from explorer.drawing.graph.badges import SIGNS, Badge, checked_entries
from explorer.drawing.picture import Picture
from explorer.drawing.sentences import messages_html
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.pages.autograd.requested_runs import ask, pending, waiting
from explorer.ui.session.given_files import given
from explorer.ui.session.run_wait import draw_anew
from explorer.workers.gradcheck import check_gradients

CHECKED = "_checked"  # session state: the request


def badges(picture: Picture, lang: str) -> dict[str, Badge]:
    """The result for each leaf, by its cards."""
    verdicts = {check.leaf: check.verdict for check in _found(picture)}
    shown = {}
    for card in picture.view.cards if verdicts else ():
        verdict = next((verdicts[tensor] for tensor in card.tensors if tensor in verdicts), "")
        if card.kind == "leaf" and verdict in SIGNS:
            shown[card.id] = Badge(verdict, say(lang, f"check-badge-{verdict}"))
    return shown


def numbers(picture: Picture, card: Card, lang: str) -> None:
    """Draw the button and the result of its runs, if there is a backward and nothing is hidden."""
    if picture.view.backward is None or predicting():
        return
    checked = pending(CHECKED, picture)
    with st.container(key="requests", horizontal=True, gap="small"):
        if checked is None and st.button(say(lang, "check-numbers"), key="check", help=say(lang, "check-hint")):
            _check(picture)
    if checked is not None:
        if checked.done():
            st.html(_found_html(picture, card, lang))
        else:
            waiting(CHECKED, say(lang, "check-running"))


def _check(picture: Picture) -> None:
    trace, backward, files, who = picture.trace, picture.view.backward, given(), visitor(st.context.ip_address)
    ask(CHECKED, picture, lambda: check_gradients(trace, backward, files, visitor=who))
    draw_anew()


def _found_html(picture: Picture, card: Card, lang: str) -> str:
    """The result for a leaf; for any other card all leaves, a line each."""
    checks = _found(picture)
    own = [check for check in checks if check.leaf in card.tensors] if card.kind == "leaf" else []
    lines = [messages_html(lang, check_messages(check)) for check in own]
    if not own:
        names = {tensor: each.name for each in picture.view.cards if each.kind == "leaf" for tensor in each.tensors}
        lines = [
            f"<b>{escape(names[check.leaf])}</b> {messages_html(lang, check_messages(check))}"
            for check in checks
            if names.get(check.leaf)
        ]
    head = f"<h4>{escape(say(lang, 'check-numbers'))}</h4>"
    rows = "".join(f'<p class="numbers">{line}</p>' for line in lines)
    rows += "".join(checked_entries(check, card.name, card.shape, lang) for check in own)
    return f'<div class="inspection checked" role="status">{head}{rows}</div>'


def _found(picture: Picture) -> list[Check]:
    """The result for the shown backward; nothing if unknown."""
    answer = None if predicting() else pending(CHECKED, picture)
    if answer is None or not answer.done() or answer.exception() is not None:
        return []
    return [check for check in answer.result() if check.backward == picture.view.backward]

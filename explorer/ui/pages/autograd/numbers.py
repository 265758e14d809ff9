"""*Check with numbers*, *What if* and the plot of a leaf: runs on request, beside the card."""

import math
from html import escape

import streamlit as st

from explorer.analysis.autograd import Card
from explorer.analysis.autograd.entry_texts import index_text
from explorer.analysis.gradcheck import Check, Mixed
from explorer.analysis.gradcheck.subjects import places_of
from explorer.analysis.messages import check_messages, mixed_text
from explorer.drawing.graph.badges import SIGNS, Badge
from explorer.drawing.graph.checked import checked_entries
from explorer.drawing.picture import Picture
from explorer.drawing.sentences import messages_html, said_html
from explorer.sandbox.hosting import visitor
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import index_at
from explorer.ui.pages.autograd.leaf_plot import plot, plot_button
from explorer.ui.pages.autograd.predict import predicting
from explorer.ui.pages.autograd.requested_runs import ask, pending, waiting
from explorer.ui.session.given_files import given, unmarked
from explorer.ui.session.run_wait import draw_anew
from explorer.workers.gradcheck import WhatIf, check_gradients, mixed_examples, what_if

CHECKED, GROWN = "_checked", "_grown"  # session state: the requests
BY = 0.01  # by how much an entry grows


def badges(picture: Picture, lang: str) -> dict[str, Badge]:
    """The result for each leaf, by its cards."""
    found = {check.leaf: check.verdict for check in _found(picture)[0]}
    shown = {}
    for card in picture.view.cards if found else ():
        verdict = next((found[tensor] for tensor in card.tensors if tensor in found), "")
        if card.kind == "leaf" and verdict in SIGNS:
            shown[card.id] = Badge(verdict, say(lang, f"check-badge-{verdict}"))
    return shown


def numbers(picture: Picture, card: Card, lang: str) -> None:
    """Draw the buttons and the results of their runs, if there is a backward and nothing is hidden."""
    if picture.view.backward is None or predicting():
        return
    entry = _entry(picture, card)
    checked = pending(CHECKED, picture)
    grown = None if entry is None else pending(GROWN, picture, card.tensors, entry)
    name, root = _entry_name(card, entry), _root_name(picture, lang)
    with st.container(key="requests", horizontal=True, gap="small"):
        if entry is not None:
            plot_button(root, name, lang)
            words, hint = (unmarked(say(lang, label, name=name)) for label in ("whatif", "whatif-hint"))
            if grown is None and st.button(words, key="whatif", help=hint):
                _grow(picture, card, entry)
        if checked is None and st.button(say(lang, "check-numbers"), key="check", help=say(lang, "check-hint")):
            _check(picture)
    if entry is not None:
        plot(picture, card.tensors[0], entry, root, name, lang)
    if grown is not None:
        if grown.done():
            st.html(_grown_html(grown.result(), name, root, lang))
        else:
            waiting(GROWN, say(lang, "check-running"))
    if checked is not None:
        if checked.done():
            st.html(_found_html(picture, card, lang))
        else:
            waiting(CHECKED, say(lang, "check-running"))


def _check(picture: Picture) -> None:
    trace, backward, files, who = picture.trace, picture.view.backward, given(), visitor(st.context.ip_address)
    run = lambda: (  # noqa: E731
        check_gradients(trace, backward, files, visitor=who),
        mixed_examples(trace, files, visitor=who),
    )
    ask(CHECKED, picture, run)
    draw_anew()


def _grow(picture: Picture, card: Card, entry: int) -> None:
    trace, backward, files, who = picture.trace, picture.view.backward, given(), visitor(st.context.ip_address)
    leaf = card.tensors[0]
    run = lambda: what_if(trace, leaf, entry, BY, backward, files, visitor=who)  # noqa: E731
    ask(GROWN, picture, run, card.tensors, entry)
    draw_anew()


def _entry(picture: Picture, card: Card) -> int | None:
    """The flat index of the followed entry of a leaf, otherwise of that with the largest gradient; None for no leaf."""
    if card.kind != "leaf" or card.gradient is None or not card.gradient.entries:
        return None
    position = picture.view.followed(card)
    if position is None:
        sizes = [abs(entry) if math.isfinite(abs(entry)) else -1.0 for entry in card.gradient.entries]
        position = sizes.index(max(sizes))
    return places_of(card.gradient)[position]


def _entry_name(card: Card, entry: int | None) -> str:
    """The entry as the program would write it, such as w[0, 1]."""
    if entry is None or card.gradient is None:
        return card.name
    return f"{card.name}{index_text(index_at(entry, card.gradient.shape))}"


def _root_name(picture: Picture, lang: str) -> str:
    """What the gradients are derivatives of: the root, or the sum of its entries times the starting gradient."""
    cards = [card for card in picture.view.cards if card.id in picture.view.roots]
    name = (cards[0].name or cards[0].title) if cards else picture.view.of
    seeds = [entry for card in cards if card.gradient is not None for entry in card.gradient.entries]
    return name if seeds == [1.0] else say(lang, "plot-sum", root=name)


def _grown_html(found: WhatIf | None, name: str, root: str, lang: str) -> str:
    if found is None:
        return f'<p class="numbers">{said_html(lang, "whatif-untold", name=name)}</p>'
    values = {"by": number(found.by), "expected": number(found.expected), "grown": number(found.grown)}
    sentence = said_html(lang, "whatif-entry", name=name, root=root, **values)
    return f'<p class="numbers" role="status">{sentence}</p>'


def _found_html(picture: Picture, card: Card, lang: str) -> str:
    """The result for a leaf; for any other card all leaves, a line each."""
    found, mixed = _found(picture)
    own = [check for check in found if check.leaf in card.tensors] if card.kind == "leaf" else []
    lines = [messages_html(lang, check_messages(check)) for check in own]
    if not own:
        names = {tensor: each.name for each in picture.view.cards if each.kind == "leaf" for tensor in each.tensors}
        lines = [
            f"<b>{escape(names[check.leaf])}</b> {messages_html(lang, check_messages(check))}"
            for check in found
            if names.get(check.leaf)
        ]
    if mixed is not None:
        lines.append(escape(mixed_text(lang, mixed)))
    head = f"<h4>{escape(say(lang, 'check-numbers'))}</h4>"
    rows = "".join(f'<p class="numbers">{line}</p>' for line in lines)
    rows += "".join(checked_entries(check, card.name, card.shape, lang) for check in own)
    return f'<div class="inspection checked" role="status">{head}{rows}</div>'


def _found(picture: Picture) -> tuple[list[Check], Mixed | None]:
    """The result for the shown backward, and what mixes examples; nothing if unknown."""
    answer = None if predicting() else pending(CHECKED, picture)
    if answer is None or not answer.done() or answer.exception() is not None:
        return [], None
    checks, mixed = answer.result()
    return [check for check in checks if check.backward == picture.view.backward], mixed

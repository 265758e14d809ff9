"""The entry of a gradient that the reader follows: chosen in the inspector, kept in the session and in the address."""

from dataclasses import replace

import streamlit as st
from msgspec import structs

from explorer.autograd.view import Entry
from explorer.patterns import plain
from explorer.picture import Picture
from explorer.ui.components.script import component
from explorer.ui.session.memo import once

FOLLOWED, ANSWERED = "_followed", "_followed_answered"  # session state: the entry, how many choices were answered
_WRITTEN = plain(r"([a-z]\w{0,40}+):(\d{1,6}+)")

_entries = component("explorer_entries", "<i hidden></i>", "pages/autograd/entries.js")


def following(drawn: Picture) -> Picture:
    """The picture with the entry that the reader follows, where it has that one; for equal ones the same object."""
    entry = st.session_state.get(FOLLOWED)
    if entry is None:
        return drawn
    view = structs.replace(drawn.view, entry=entry)
    card = next((card for card in view.cards if card.id == entry.card), None)
    if card is None or view.followed(card) is None:
        return drawn
    return once("followed", drawn, lambda: replace(drawn, view=view), entry)


def chosen(card: str) -> bool:
    """Listen to the entries of the card in the inspector; whether the reader chose another one."""
    answered = st.session_state.get(ANSWERED, 0)
    asked = _entries(
        data={"card": card, "count": answered}, key="entries", default={"entry": None}, on_entry_change=lambda: None
    ).entry
    match asked:
        case {"card": str(of), "entry": int(position), "count": int(count)} if count == answered + 1 and len(of) < 60:
            st.session_state[ANSWERED] = count
            st.session_state[FOLLOWED] = Entry(of, position) if position >= 0 else None
            return True
    return False


def in_address() -> str:
    """The chosen entry as an address has it, such as "t0:5"; "" for none."""
    entry = st.session_state.get(FOLLOWED)
    return f"{entry.card}:{entry.position}" if entry is not None else ""


def take_address(said: str) -> None:
    """Follow the entry that an address names."""
    found = _WRITTEN.fullmatch(said)
    st.session_state[FOLLOWED] = Entry(found[1], int(found[2])) if found else None

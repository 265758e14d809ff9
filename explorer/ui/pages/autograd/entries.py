"""The entry of a gradient that the reader follows: chosen in the inspector, kept in the state of the page."""

from dataclasses import replace

import streamlit as st
from msgspec import structs

from explorer.autograd.view import FollowedEntry
from explorer.patterns import plain
from explorer.picture import Picture
from explorer.ui.components.script import component
from explorer.ui.session.memo import once
from explorer.ui.session.state import STATE

ANSWERED = "_followed_answered"  # session state: how many choices were answered
_WRITTEN = plain(r"([a-z]\w{0,40}+):(\d{1,6}+)")

_entries = component("explorer_entries", "<i hidden></i>", "pages/autograd/entries.js")


def following(drawn: Picture) -> Picture:
    """The picture with the entry that the reader follows, where it has that one; for equal ones the same object."""
    entry = _entry(STATE["entry"])
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
            STATE["entry"] = f"{of}:{position}" if position >= 0 else ""
            return True
    return False


def _entry(said: str) -> FollowedEntry | None:
    """The entry that the page's state names, such as "t0:5"."""
    found = _WRITTEN.fullmatch(said)
    return FollowedEntry(found[1], int(found[2])) if found else None

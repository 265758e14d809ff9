"""The entry of a gradient that the user follows: chosen in the inspector, kept in the page's state."""

from dataclasses import replace

import streamlit as st
from msgspec import structs

from explorer.analysis.autograd.view import FollowedEntry
from explorer.drawing.picture import Picture
from explorer.safe_regex import plain
from explorer.ui.components.script import component
from explorer.ui.session.memo import memoize
from explorer.ui.session.state import STATE

ANSWERED = "_followed_answered"  # session state: number of handled choices
_WRITTEN = plain(r"([a-z]\w{0,40}+):(\d{1,6}+)")

_entries = component("explorer_entries", "<i hidden></i>", "pages/autograd/entries.js")


def following(drawn: Picture) -> Picture:
    """The picture with the followed entry, if it has that one; the same object if unchanged."""
    entry = _entry(STATE["entry"])
    if entry is None:
        return drawn
    view = structs.replace(drawn.view, entry=entry)
    card = next((card for card in view.cards if card.id == entry.card), None)
    if card is None or view.followed(card) is None:
        return drawn
    return memoize("followed", drawn, lambda: replace(drawn, view=view), entry)


def chosen(card: str) -> bool:
    """Handle clicks on entries in the inspector; return whether the user chose another one."""
    answered = st.session_state.get(ANSWERED, 0)
    event = _entries(
        data={"card": card, "count": answered}, key="entries", default={"entry": None}, on_entry_change=lambda: None
    ).entry
    match event:
        case {"card": str(of), "entry": int(position), "count": int(count)} if count == answered + 1 and len(of) < 60:
            st.session_state[ANSWERED] = count
            STATE["entry"] = f"{of}:{position}" if position >= 0 else ""
            return True
    return False


def _entry(text: str) -> FollowedEntry | None:
    """The entry in the page's state, such as "t0:5"."""
    found = _WRITTEN.fullmatch(text)
    return FollowedEntry(found[1], int(found[2])) if found else None

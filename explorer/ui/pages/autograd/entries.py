"""The entry of a gradient that the user follows: chosen in the inspector, kept in the page's state."""

from dataclasses import replace

import streamlit as st
from msgspec import structs

from explorer.analysis.autograd.view import FollowedEntry
from explorer.drawing.picture import Picture
from explorer.safe_regex import plain
from explorer.ui.components.script import component_state
from explorer.ui.session.memo import memoize
from explorer.ui.session.state import STATE

ANSWERED = "_followed_answered"  # session state: number of handled choices
_WRITTEN = plain(r"([a-z]\w{0,40}+):(\d{1,6}+)")

INSPECTOR = "inspector_events"  # key of the component that listens to the inspector


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


def answered_choices() -> int:
    """How many choices of an entry were handled."""
    return st.session_state.get(ANSWERED, 0)


def chosen() -> bool:
    """Handle clicks on entries in the inspector; return whether the user chose another one."""
    answered = answered_choices()
    match component_state(INSPECTOR, "entry"):
        case {"card": str(of), "entry": int(position), "count": int(count)} if count == answered + 1 and len(of) < 60:
            st.session_state[ANSWERED] = count
            STATE["entry"] = f"{of}:{position}" if position >= 0 else ""
            return True
    return False


def _entry(text: str) -> FollowedEntry | None:
    """The entry in the page's state, such as "t0:5"."""
    match = _WRITTEN.fullmatch(text)
    return FollowedEntry(match[1], int(match[2])) if match else None

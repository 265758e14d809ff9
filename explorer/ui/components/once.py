"""What is made from a picture, made once for as long as this session shows it."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from explorer.picture import Picture

Made = TypeVar("Made")


def once(what: str, picture: Picture, make: Callable[[], Made]) -> Made:
    """What `make` makes of a picture, or made of the same one at the last look; `what` names it."""
    key = f"_once_{what}"
    about = (picture.view, picture.positions, picture.lang, picture.direction)
    known = st.session_state.get(key)
    if known is None or any(a is not b for a, b in zip(known[0], about, strict=True)):
        known = (about, make())
        st.session_state[key] = known
    return known[1]

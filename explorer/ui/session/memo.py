"""Remember what is computed from a Trace or a picture while this session shows it."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from explorer.drawing.picture import Picture

Made = TypeVar("Made")
MADE = "_made"  # session state: by name the last result and its inputs
MOST = 100  # names that are kept: a page has up to sixty plots, and a few other things


def memoize(what: str, of: object, make: Callable[[], Made], *asked: Any) -> Made:
    """What `make` makes, or made when it was asked for last, if that was of the same; `what` names it.

    Args:
        of: the object it is made of, or a tuple of several, or None. Another one that is equal counts as another:
            to compare two Traces takes as long as to make anything of them.
        asked: what else it depends on, compared by value.
    """
    results: dict[str, tuple[tuple[object, ...], tuple, Any]] = st.session_state.setdefault(MADE, {})
    parts = _parts(of)
    made_of, made_for, made = results.get(what, ((), (), None))
    if made_for != asked or list(map(id, made_of)) != list(map(id, parts)):
        made = make()
    results.pop(what, None)  # least recently used results are dropped first
    results[what] = parts, asked, made
    while len(results) > MOST:
        results.pop(next(iter(results)))
    return made


def _parts(of: object) -> tuple[object, ...]:
    """The objects that tell it from others: a picture may be copied and still be the same drawing."""
    if isinstance(of, Picture):
        return (of.view, of.positions, of.lang)
    return of if type(of) is tuple else (of,)

"""HTML of `drawing` whose parts light each other: an entry wherever it is shown, an axis, a cell of a storage."""

import streamlit as st

from explorer.ui.components.script import component, told_by

_linked = component("explorer_linked", '<div class="linked"></div>', "components/linked.js")


def linked(html: str, key: str, run: str = "") -> str | None:
    """Show the HTML; the data-choose of the button that was pressed last while `run` was the same, or None.

    Args:
        html: from `drawing`, every text in it escaped.
        run: what the buttons belong to; a choice made for another one is forgotten.
    """
    result = _linked(data={"html": html, "run": run}, key=key, default={"chosen": None}, on_chosen_change=lambda: None)
    return _chosen(result.chosen, run)


def chosen(key: str, run: str) -> str | None:
    """What was pressed in the element with this key, before it is drawn again."""
    return _chosen(told_by(key, "chosen"), run)


def pressed(key: str, run: str) -> str | None:
    """What was pressed in the element with this key since the last call, None when nothing was."""
    told, seen = told_by(key, "chosen"), f"_seen_{key}"
    if told == st.session_state.get(seen):
        return None
    st.session_state[seen] = told
    return _chosen(told, run)


def _chosen(told: object, run: str) -> str | None:
    match told:
        case {"key": str(pressed), "run": str(of)} if of == run:
            return pressed
    return None

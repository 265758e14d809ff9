"""HTML from `drawing` with linked highlights: entries, axes, storage cells."""

import streamlit as st

from explorer.ui.components.script import component, component_state

_linked = component("explorer_linked", '<div class="linked"></div>', "components/linked.js")


def linked(html: str, key: str, run: str = "") -> str | None:
    """Show HTML. Return the data-choose of the last pressed button, or None.

    Args:
        html: from `drawing`, every text in it escaped.
        run: key of the run. Choices for other runs are forgotten.
    """
    result = _linked(data={"html": html, "run": run}, key=key, default={"chosen": None})
    return _chosen(result.chosen, run)


def chosen(key: str, run: str) -> str | None:
    """Return the pressed button of an element before it is redrawn."""
    return _chosen(component_state(key, "chosen"), run)


def pressed(key: str, run: str) -> str | None:
    """Return the button pressed in an element since the last call, or None."""
    choice, seen = component_state(key, "chosen"), f"_seen_{key}"
    if choice == st.session_state.get(seen):
        return None
    st.session_state[seen] = choice
    return _chosen(choice, run)


def _chosen(choice: object, run: str) -> str | None:
    match choice:
        case {"key": str(pressed), "run": str(of)} if of == run:
            return pressed
    return None

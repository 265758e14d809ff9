"""The graph as a component of the page: an SVG of `drawing` that scrolls, zooms and says which card is selected."""

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent


# The style of the page is the style of the picture: styles are not isolated.
_graph = st.components.v2.component(
    "explorer_graph",
    html='<div class="stage"></div>',
    js=(HERE / "graph.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def graph(svg: str, words: dict[str, str], stale: bool, key: str) -> str | None:
    """Show a picture.

    Args:
        svg: from `drawing`, every text in it escaped.
        words: labels of the buttons: bigger, smaller, fit.
        stale: whether it is the picture of an earlier program, drawn dimmed.

    Returns:
        the id of the selected card, None when there is none.
    """
    result = _graph(
        data={"svg": svg, "words": words, "stale": stale},
        key=key,
        default={"selected": None},
        on_selected_change=lambda: None,
    )
    return result.selected

"""The plots of a program as the page's own elements: under a single cell, or laid over their places in the editor."""

from functools import lru_cache

import streamlit as st
from plotly.basedatatypes import BaseFigure

from explorer.drawing.notebook.outputs import figures
from explorer.drawing.plots.digraph import digraph_svg
from explorer.drawing.plots.programs import picture_html, plotly_figure
from explorer.program import Unusable
from explorer.sandbox import layout
from explorer.trace import Figure, Trace
from explorer.ui.session.document import Document
from explorer.ui.session.memo import memoize

MOST = 60  # plots of one program that are drawn
CONFIG = {"displayModeBar": False, "showTips": False}


def plots(result: Trace | Unusable, document: Document, lang: str) -> None:
    """Draw the plots of a program with several cells; the editor seats each on its place (data-figure)."""
    if isinstance(result, Unusable) or len(document.texts) == 1:
        return
    for cell, place, figure in figures(result)[:MOST]:
        plot(figure, f"{cell}-{place}", lang)


def plot(figure: Figure, name: str, lang: str) -> None:
    """Draw one plot, in a container with the key figure-<name>."""
    with st.container(key=f"figure-{name}"):
        if figure.format == "dot":
            st.html(_graphviz(figure.data.decode()))
        elif figure.format == "plotly":
            drawn = memoize(f"plot-{name}", figure, lambda: plotly_figure(figure))
            if drawn is not None:
                st.plotly_chart(_Drawn(drawn), key=f"plot-{name}", theme=None, config=CONFIG)
        else:
            st.html(picture_html(figure, lang))


class _Drawn(BaseFigure):
    """A plotly figure that Streamlit sends as it is: plotly's checks need seconds for a name that they do not know."""

    def __init__(self, figure: dict):
        self._figure = figure

    def to_dict(self) -> dict:
        """The figure as plain data."""
        return self._figure


@lru_cache(maxsize=64)
def _graphviz(source: str) -> str:
    return digraph_svg(layout(source), source)

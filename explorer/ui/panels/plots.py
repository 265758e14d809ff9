"""Plots drawn by pages, and a program's own plots, placed over the editor."""

import json
import math
from collections.abc import Callable
from typing import Any

import streamlit as st
from plotly.basedatatypes import BaseFigure

from explorer.drawing.notebook.outputs import figures
from explorer.drawing.plots.plotly_look import CONFIG
from explorer.drawing.plots.programs import picture_html, plotly_figure
from explorer.program import Unusable
from explorer.trace import Figure, Trace
from explorer.ui.components.script import component, component_state
from explorer.ui.session.document import Document
from explorer.ui.session.memo import memoize

MOST = 60  # plots of one program that are drawn

_idle = component("explorer_idle", "<i hidden></i>", "panels/idle.js")
_plot = component("explorer_plot", '<div class="plot" role="figure"></div>', "panels/plot.js")


@st.fragment
def bring_plotly(at_once: bool = False) -> None:
    """Make the browser load plotly once, by drawing an invisible empty chart.

    Args:
        at_once: whether the page is about plots; otherwise plotly loads when the browser is idle.
    """
    with st.container(key="plotly"):
        if not at_once:
            _idle(data={}, key="plotly_idle", default={"idle": None}, on_idle_change=lambda: None)
        if at_once or component_state("plotly_idle", "idle"):
            st.plotly_chart(_Drawn({"data": [], "layout": {}}), key="plotly_empty", theme=None)


def figure(drawn: dict[str, Any], alt: str, key: str, lang: str, on_slid: Callable[[], None] = lambda: None) -> None:
    """Draw a plotly figure in place of the previous one.

    Args:
        drawn: data, layout and frames.
        alt: description for screen readers.
        on_slid: called when a slider was released; read it with `slid`.
    """
    height = drawn["layout"]["height"]
    with st.container(key=key):
        st.html(f"<style>.st-key-{key} {{ min-height: {height}px; }}</style>")  # before its script arrives
        _plot(
            data={"figure": json.dumps(drawn, separators=(",", ":")), "config": CONFIG, "alt": alt},
            key=f"{key}_plot",
            default={"slid": None},
            on_slid_change=on_slid,
        )


def slid(key: str) -> tuple[int, int, float] | None:
    """Return the slider of a figure moved last, its position and its value."""
    match component_state(f"{key}_plot", "slid"):
        case {"which": int(which), "place": int(place), "value": int() | float() as value} if math.isfinite(value):
            return which, place, float(value)
    return None


def plots(result: Trace | Unusable, document: Document, lang: str) -> None:
    """Draw the plots of a program with several cells; the editor places each one (data-figure)."""
    if isinstance(result, Unusable) or len(document.texts) == 1:
        return
    for cell, place, figure in figures(result)[:MOST]:
        plot(figure, f"{cell}-{place}", lang)


def plot(figure: Figure, name: str, lang: str) -> None:
    """Draw one plot, in a container with the key figure-<name>."""
    with st.container(key=f"figure-{name}"):
        if figure.format == "plotly":
            drawn = memoize(f"plot-{name}", figure, lambda: plotly_figure(figure))
            if drawn is not None:
                st.plotly_chart(_Drawn(drawn), key=f"plot-{name}", theme=None, config=CONFIG)
        else:
            st.html(picture_html(figure, lang))


class _Drawn(BaseFigure):
    """A plotly figure sent without plotly's checks, which take seconds for unknown names."""

    def __init__(self, figure: dict):
        self._figure = figure

    def to_dict(self) -> dict:
        """The figure as plain data."""
        return self._figure

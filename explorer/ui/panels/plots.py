"""Plots drawn by pages, and a program's own plots, placed over the editor."""

import json
import math
from collections.abc import Callable
from typing import Any

import plotly.io
import streamlit as st
from plotly.graph_objects import Figure as PlotlyFigure

from explorer.drawing.plots.plotly_look import CONFIG
from explorer.drawing.plots.programs import described, picture_html, plotly_figure
from explorer.program import Unusable
from explorer.trace import Figure, Trace
from explorer.ui.components.script import component, component_state
from explorer.ui.session.document import Document
from explorer.ui.session.memo import memoize

MOST = 60  # plots drawn per program

_plot = component("explorer_plot", '<div class="plot" role="figure"></div>', "panels/plot.js")


def figure(
    drawn: dict[str, Any] | PlotlyFigure, alt: str, key: str, lang: str, on_slid: Callable[[], None] = lambda: None
) -> None:
    """Draw a plotly figure in place of the previous one.

    Args:
        drawn: data, layout with its height, and frames.
        alt: description for screen readers.
        on_slid: called when a slider was released. Read it with `slid`.
    """
    if isinstance(drawn, PlotlyFigure):
        height, text = drawn.layout.height, plotly.io.to_json(drawn, validate=False)
    else:
        height, text = drawn["layout"]["height"], json.dumps(drawn, separators=(",", ":"))
    with st.container(key=key):
        st.html(f"<style>.st-key-{key} {{ min-height: {height}px; }}</style>")  # keeps space for the plot
        _plot(
            data={"figure": text, "config": CONFIG, "alt": alt},
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
    """Draw the plots of a program with several cells."""
    if isinstance(result, Unusable) or len(document.texts) == 1:
        return
    for cell, place, shown in result.shown(Figure)[:MOST]:
        plot(shown, f"{cell}-{place}", lang)


def plot(shown: Figure, name: str, lang: str) -> None:
    """Draw one plot, in a container with the key figure-<name>."""
    with st.container(key=f"figure-{name}"):
        if shown.format == "plotly":
            drawn = memoize(f"plot-{name}", shown, lambda: plotly_figure(shown))
            if drawn is not None:
                figure(drawn, described(shown, lang), f"plot-{name}", lang)
        else:
            st.html(picture_html(shown, lang))

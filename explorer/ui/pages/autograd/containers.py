"""The containers of the Autograd page below the welcome, from top to bottom."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.ui.pages.autograd.leaf_plot import PLACE


@dataclass(frozen=True)
class Containers:
    """The place of each part of the page; they may be filled in any order.

    Attributes:
        bar: above the editor: the program's name, Run, the menus, how the run ended.
        notices: sentences about the whole run.
        program: the editor.
        hint: below the editor.
        panel: output, problems and tables.
        above_graph: the choice of a backward, and what is wrong in a training loop.
        graph: the picture, its time line and its inspector.
        picture_meanwhile: stands in the picture's place while the run goes on.
    """

    bar: DeltaGenerator
    notices: DeltaGenerator
    program: DeltaGenerator
    hint: DeltaGenerator
    panel: DeltaGenerator
    above_graph: DeltaGenerator
    graph: DeltaGenerator
    picture_meanwhile: DeltaGenerator


def containers() -> Containers:
    """Put the empty containers on the page."""
    left, right = st.columns([45, 55], gap=None)
    with left, st.container(key="editor", gap=None):
        bar = st.container(key="editor_bar", horizontal=True, vertical_alignment="center")
        notices = st.container(key="notices", gap=None)
        program = st.container(key="program", gap=None)
        program.empty()  # Streamlit draws no empty container, and the graph below may come before the text
        hint = st.container(key="hint", gap=None)
        st.container(key="slope", gap=None).html(PLACE)  # slope.js draws there if the program leaves room
    panel = left.container(key="panel", gap=None)
    above_graph, graph = right.container(key="above_graph", gap=None), right.container(key="right", gap=None)
    return Containers(bar, notices, program, hint, panel, above_graph, graph, graph.empty())

"""Slope plot: a backward's root over one leaf entry.

It is drawn where torch can make the recorded calls again. It follows every run, and its point turns the number in the
code (slope.js).
"""

import math
from dataclasses import dataclass
from typing import Any

import msgspec
import streamlit as st
from msgspec.structs import astuple

from explorer.analysis.diagnose.gradcheck.leaf_curve import LeafCurve
from explorer.analysis.diagnose.gradcheck.subjects import CheckedLeaf, places_of, subjects
from explorer.analysis.explain.autograd import Card
from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.drawing.derivatives.leaf_plot import Heights, heights_of, leaf_plot, leaf_title, leaf_words
from explorer.drawing.picture import Picture
from explorer.drawing.plots.plotly_look import CONFIG
from explorer.safe_regex import plain
from explorer.text import say
from explorer.trace import index_at
from explorer.ui.components.place import Place
from explorer.ui.components.script import component
from explorer.ui.components.session_values import SessionValue
from explorer.ui.session.memo import memoize
from explorer.workers.gradcheck import repeated_curve

LONGEST = 3_000  # most operations of a run that gets a plot
REACH, INSIDE = 3.0, 0.06  # smallest half-width of a plot; share kept free on each side of the point
_WRITTEN = plain(r"(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?+\d++)?+")
PLACE = '<div class="slope-place"></div>'

_slope = component("explorer_slope", "<i hidden></i>", "pages/autograd/slope.js")
_frame = SessionValue[tuple[str, str, float, float, Heights] | None]("_plot_frame")


def slope(picture: Picture, card: Card, stale: bool, lang: str) -> None:
    """Send the plot of the chosen or first plottable leaf."""
    root, curve = root_name(picture, lang), None
    leaves = [card] if card.kind == "leaf" else [each for each in picture.view.cards if each.kind == "leaf"]
    for leaf in sorted(leaves, key=lambda each: (each.place.cell if each.place else 0, each.line))[:4]:
        if (entry := entry_of(picture, leaf)) is not None and curve is None:
            name = entry_name(leaf, entry)
            low, high, before = _ends(leaf, entry, root, name)
            key = picture.view.backward, leaf.tensors[0], entry, low, high
            curve = memoize("slope", picture.trace, lambda: _computed(picture, *key[1:]), *key)  # noqa: B023
            if curve is not None:
                heights = heights_of(curve, before)
                _frame.put((root, name, low, high, heights))
                _send(picture, curve, heights, leaf, stale, root, name, lang)
    if curve is None:
        _slope(data={"figure": "", "stale": False}, key="slope_plot")


def entry_of(picture: Picture, card: Card) -> int | None:
    """Return the flat index of a leaf's followed entry, or of its largest gradient."""
    if card.kind != "leaf" or card.gradient is None or not card.gradient.entries:
        return None
    position = picture.view.followed(card)
    if position is None:
        sizes = [abs(entry) if math.isfinite(abs(entry)) else -1.0 for entry in card.gradient.entries]
        position = sizes.index(max(sizes))
    return places_of(card.gradient)[position]


def entry_name(card: Card, entry: int | None) -> str:
    """Return the entry as the program would write it, such as w[0, 1]."""
    if entry is None or card.gradient is None:
        return card.name
    return f"{card.name}{index_text(index_at(entry, card.gradient.shape))}"


def only_plot(picture: Picture, dark: bool, lang: str) -> tuple[dict[str, Any], str] | None:
    """Return plot and description of a program whose only leaf is one number."""
    leaves = [card for card in picture.view.cards if card.kind == "leaf"]
    if len(leaves) != 1 or leaves[0].shape or (entry := entry_of(picture, leaves[0])) is None:
        return None
    root, name = root_name(picture, lang), entry_name(leaves[0], entry)
    low, high, before = _ends(leaves[0], entry, root, name)
    curve = _computed(picture, leaves[0].tensors[0], entry, low, high)
    if curve is None:
        return None
    heights = heights_of(curve, before)
    _frame.put((root, name, low, high, heights))
    return leaf_plot(curve, heights, root, name, False, dark, lang), leaf_title(curve, root, name, lang)


def root_name(picture: Picture, lang: str) -> str:
    """Name the differentiated quantity: the root, or its entries weighted by the starting gradient.

    A root with the name of a leaf has its line beside its name.
    """
    cards = [card for card in picture.view.cards if card.id in picture.view.roots]
    name = (cards[0].name or cards[0].title) if cards else picture.view.of
    if cards and any(name == card.name for card in picture.view.cards if card.kind == "leaf"):
        name = f"{name} ({say(lang, 'line', line=cards[0].line)})"
    seeds = [entry for card in cards if card.gradient is not None for entry in card.gradient.entries]
    return name if seeds == [1.0] else say(lang, "plot-sum", root=name)


def _ends(leaf: Card, entry: int, root: str, name: str) -> tuple[float, float, Heights | None]:
    """Return the axis limits. Y keeps the previous limits while its point stays inside."""
    at, frame = _value(leaf, entry), _frame.get()
    if frame is not None and frame[:2] == (root, name):
        *_, low, high, heights = frame
        room = INSIDE * (high - low)
        if low + room <= at <= high - room:
            return low, high, heights
    reach = max(REACH, 2 * abs(at))
    return at - reach, at + reach, None


def _value(leaf: Card, entry: int) -> float:
    """Return a leaf's recorded entry, 0 if unusable."""
    data = leaf.value.data if leaf.value is not None else None
    number = data[entry] if data is not None and entry < len(data) else 0.0
    return float(number) if isinstance(number, int | float) and math.isfinite(number) else 0.0


def _computed(picture: Picture, leaf: int, entry: int, low: float, high: float) -> LeafCurve | None:
    trace = picture.trace
    if len(trace.operations) > LONGEST or picture.view.backward is None:
        return None
    asked = subjects(trace, picture.view.backward, only=(leaf, entry))
    return next((repeated_curve(trace, one, low, high) for one in asked if isinstance(one, CheckedLeaf)), None)


def _send(
    picture: Picture, curve: LeafCurve, heights: Heights, leaf: Card, stale: bool, root: str, name: str, lang: str
) -> None:
    drags = leaf.place is not None and _is_written(picture.trace.text(leaf.span), curve.at)
    dark = st.context.theme.type == "dark"
    drawn = (curve, heights, root, name, drags, dark, lang)
    made = memoize("slope drawn", curve, lambda: msgspec.json.encode(leaf_plot(*drawn)).decode(), *drawn[1:])
    _slope(
        data={
            "figure": made, "config": CONFIG, "stale": stale, "at": curve.at, "entry": curve.entry,
            "alt": leaf_title(curve, root, name, lang), "words": leaf_words(curve, root, name, drags, lang),
            "span": list(astuple(leaf.place)) if drags and leaf.place else None,
        },
        key="slope_plot",
    )  # fmt: skip


def _is_written(text: str, at: float) -> bool:
    """Return whether a number is in the program's text."""
    return any(math.isclose(float(match[0]), abs(at), rel_tol=1e-6) for match in _WRITTEN.finditer(text[:2000]))


@dataclass(frozen=True)
class Containers:
    """The place of each part of the page.

    Attributes:
        bar: above the editor: the program's name, Run, the menus, how the run ended.
        notices: sentences about the whole run.
        program: the editor.
        panel: output, problems and tables.
        above_graph: the choice of a backward, and what is wrong in a training loop.
        graph: the picture, its time line and its inspector.
        picture_meanwhile: stands in the picture's place while the run goes on.
    """

    bar: Place
    notices: Place
    program: Place
    panel: Place
    above_graph: Place
    graph: Place
    picture_meanwhile: Place


def containers(hint: str) -> Containers:
    """Put the empty containers on the page. `hint`: HTML below the editor."""
    left, right = st.columns([45, 55], gap=None)
    with left, st.container(key="editor", gap=None):
        bar = st.container(key="editor_bar", horizontal=True, vertical_alignment="center")
        notices = st.container(key="notices", gap=None)
        program = st.container(key="program", gap=None)
        program.empty()  # Streamlit draws no empty container, and the graph below may come before the text
        st.html(f'<div class="st-key-hint">{hint}</div>')
    panel = left.container(key="panel", gap=None)
    above_graph, graph = right.container(key="above_graph", gap=None), right.container(key="right", gap=None)
    return Containers(bar, notices, program, panel, above_graph, graph, graph.empty())

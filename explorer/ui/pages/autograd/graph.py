"""The graph component: an SVG that scrolls, zooms and reports the selected card."""

from collections.abc import Sequence

import streamlit as st
from msgspec import Struct, to_builtins

from explorer.ui.components.script import component
from explorer.ui.session.gradient_target import GradientTarget

_graph = component("explorer_graph", '<div class="stage"></div>', "../drawing/graph/graph.js")
_ENDED = "_choices_ended"  # session state: how many choices were forgotten


class Roots(Struct, frozen=True):
    """The possible roots of a picture.

    Attributes:
        of, start: the present choice.
        names: the possible roots, each with its shape in words.
        words: labels: menu, own, of, start, one, many, show.
    """

    of: str
    start: str
    names: Sequence[tuple[str, str]]
    words: dict[str, str]


class ModuleAsked(Struct, frozen=True):
    """A request to open or close a module.

    Attributes:
        path: "" for closing all opened ones.
        at: its time in ms: the same request may come twice.
    """

    path: str
    open: bool
    at: int = 0


class GraphEvent(Struct, frozen=True):
    """The user's actions in the graph.

    Attributes:
        selected: id of a card or None.
        fold: whether loops are to be one card, None without a request.
        root: the requested root, or None.
        module: the module to open or close, or None.
    """

    selected: str | None
    fold: bool | None
    root: GradientTarget | None = None
    module: ModuleAsked | None = None


class ShownGraph(Struct, frozen=True, kw_only=True):
    """Data that the component shows, as its script reads it.

    Attributes:
        svg: from `drawing`, every text in it escaped.
        words: labels of the buttons: bigger, smaller, fit. And for the bar above search, unfold, foldUp,
            more (with {seen} and {all}).
        stale: whether it belongs to an earlier program. Then it is dimmed.
        title: HTML of the bar above the picture, escaped.
        fold: whether loops are one card.
        foldable: whether folding makes a difference.
        roots: the possible roots, None if there is no choice.
        failed: ids of the cards where the program stopped.
        opened: whether modules were opened or closed.
        deaf: whether it belongs to another program than the editor's, and so has no links to it.
        moment: a new value redraws an equal picture: a film may have replaced it.
        film: the key of the film whose frames may replace it, or "".
        came: id of the card that is chosen because another lens chose its line, or "".
        path: the way of one entry to the root (`drawing.graph.path`). All else is dimmed.
    """

    svg: str
    words: dict[str, str]
    stale: bool = False
    title: str = ""
    fold: bool = True
    foldable: bool = False
    roots: Roots | None = None
    failed: Sequence[str] = ()
    opened: bool = False
    deaf: bool = False
    moment: int = 0
    film: str = ""
    came: str = ""
    path: Sequence[tuple[str, str, str, str]] = ()


def graph(key: str, shown: ShownGraph) -> GraphEvent:
    """Show a picture, and return the user's action."""
    asked = ("selected", "fold", "root", "module")
    ended = st.session_state.get(_ENDED, 0)
    result = _graph(data={**to_builtins(shown), "ended": ended}, key=key, default=dict.fromkeys(asked))
    selected = read_selected(result.selected, ended)
    fold = result.fold if isinstance(result.fold, bool) else None
    return GraphEvent(selected, fold, read_root(result.root), read_module(result.module))


def read_selected(message: object, ended: int) -> str | None:
    """Return the chosen card, or None if none is chosen or the graph that it belongs to is gone."""
    match message:
        case str(card) if not ended:
            return card
        case [int(before), str(card)] if before == ended:
            return card
    return None


def forget_choice() -> None:
    """Forget the selected card, because a new graph has none and Streamlit keeps the state of inner fragments.

    A browser that has not seen this drawing's end still sends the card with its next message. So a choice names how
    many had ended before it.
    """
    before = st.session_state.pop("picture", None)
    if before and before.get("selected"):
        st.session_state[_ENDED] = st.session_state.get(_ENDED, 0) + 1


def is_new_request(what: str, request: object) -> bool:
    """Return whether this request of the browser is new."""
    key = f"_asked_{what}"
    before = st.session_state.get(key)
    st.session_state[key] = request
    return before != request


def read_module(message: object) -> ModuleAsked | None:
    """Return the module in the browser's message, or None if it is invalid."""
    match message:
        case {"path": str(path), "open": bool(opened), "at": int(at)} if len(path) <= 10_000:
            return ModuleAsked(path, opened, at)
    return None


def read_root(message: object) -> GradientTarget | None:
    """Return the root in the browser's message, or None if it is invalid."""
    match message:
        case {"of": str(of), "start": str(start)} if len(of) <= 200 and len(start) <= 2_000:
            return GradientTarget(of, start)
    return None

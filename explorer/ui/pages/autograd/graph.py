"""The graph as a component of the page: an SVG of `drawing` that scrolls, zooms and says which card is selected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from explorer.drawing.graph.page import SCRIPT
from explorer.ui.components.script import component
from explorer.ui.session.wish import Wish

_graph = component("explorer_graph", '<div class="stage"></div>', str(SCRIPT))


class Turn(Struct, frozen=True):
    """How a picture is laid out. Attributes: direction: TB or LR; fold: whether loops are one card."""

    direction: Literal["TB", "LR"] = "TB"
    fold: bool = True


@dataclass(frozen=True)
class Roots:
    """Whose gradient a picture may show.

    Attributes:
        names: what can be differentiated, each with its shape in words.
        wish: what is asked for now.
        words: labels: menu, own, of, start, one, many, show.
    """

    names: Sequence[tuple[str, str]]
    wish: Wish
    words: dict[str, str]


class ModuleAsked(Struct, frozen=True):
    """A module that is to be opened or closed.

    Attributes:
        path: "" for closing all that were opened.
        at: when that was asked, in ms: the same may be asked twice.
    """

    path: str
    open: bool
    at: int = 0


class GraphEvent(Struct, frozen=True):
    """What the reader did.

    Attributes:
        selected: id of a card or None.
        view: the layout asked for, None: none yet.
        root: whose gradient was asked for, None: none yet.
        module: which module is to be opened or closed, None: none yet.
    """

    selected: str | None
    view: Turn | None
    root: Wish | None = None
    module: ModuleAsked | None = None


def graph(
    svg: str,
    words: dict[str, str],
    stale: bool,
    key: str,
    title: str = "",
    view: Turn | None = None,
    foldable: bool = False,
    roots: Roots | None = None,
    failed: Sequence[str] = (),
    opened: bool = False,
    deaf: bool = False,
    moment: int = 0,
) -> GraphEvent:
    """Show a picture.

    Args:
        svg: from `drawing`, every text in it escaped.
        words: labels of the buttons: bigger, smaller, fit; and for the bar above search, turn, unfold, foldUp,
            contributions, more (with {seen} and {all}).
        stale: whether it is the picture of an earlier program, drawn dimmed.
        title: HTML of the bar above the picture, escaped.
        view: how it is laid out now.
        foldable: whether folding makes a difference.
        roots: what else could be differentiated, None where nothing can be chosen.
        failed: ids of the cards where the program stopped.
        opened: whether modules were opened or closed.
        deaf: whether it is of another program than the one in the editor, and neither points there nor is pointed at.
        moment: another one lets the picture be drawn again although it is equal: a film may stand in its place.
    """
    turn = view or Turn()
    data = {"svg": svg, "words": words, "stale": stale, "title": title, "foldable": foldable, "failed": list(failed)}
    data |= {"opened": opened, "deaf": deaf, "moment": moment}
    data["view"] = {"direction": turn.direction, "fold": turn.fold}
    if roots is not None:
        asked = {"of": roots.wish.of, "start": roots.wish.start}
        data["roots"] = asked | {"names": list(roots.names), "words": roots.words}
    result = _graph(
        data=data,
        key=key,
        default={"selected": None, "view": None, "root": None, "module": None},
        on_selected_change=lambda: None,
        on_view_change=lambda: None,
        on_root_change=lambda: None,
        on_module_change=lambda: None,
    )
    return GraphEvent(result.selected, asked_turn(result.view), asked_root(result.root), asked_module(result.module))


def asked_module(said: object) -> ModuleAsked | None:
    """The module that the browser asks for; None for anything that is none."""
    match said:
        case {"path": str(path), "open": bool(opened), "at": int(at)} if len(path) <= 10_000:
            return ModuleAsked(path, opened, at)
    return None


def asked_turn(said: object) -> Turn | None:
    """The layout that the browser asks for; None for anything that is none."""
    match said:
        case {"direction": "TB" | "LR" as direction, "fold": bool(fold)}:
            return Turn(direction, fold)
    return None


def asked_root(said: object) -> Wish | None:
    """Whose gradient the browser asks for; None for anything that is none."""
    match said:
        case {"of": str(of), "start": str(start)} if len(of) <= 200 and len(start) <= 2_000:
            return Wish(of, start)
    return None

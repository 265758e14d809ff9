"""The graph as a component of the page: an SVG of `drawing` that scrolls, zooms and says which card is selected."""

from msgspec import Struct

from explorer.ui.script import component

_graph = component("explorer_graph", '<div class="stage"></div>', "graph.js")


class Turn(Struct, frozen=True):
    """How a picture is laid out. Attributes: direction: TB or LR; fold: whether loops are one card."""

    direction: str = "TB"
    fold: bool = True


class Asked(Struct, frozen=True):
    """What the reader did. Attributes: selected: id of a card or None; view: the layout asked for, None: none yet."""

    selected: str | None
    view: Turn | None


def graph(
    svg: str,
    words: dict[str, str],
    stale: bool,
    key: str,
    title: str = "",
    view: Turn | None = None,
    foldable: bool = False,
) -> Asked:
    """Show a picture.

    Args:
        svg: from `drawing`, every text in it escaped.
        words: labels of the buttons: bigger, smaller, fit; and for the bar above search, turn, unfold, foldUp,
            contributions.
        stale: whether it is the picture of an earlier program, drawn dimmed.
        title: HTML of the bar above the picture, escaped.
        view: how it is laid out now.
        foldable: whether folding makes a difference.
    """
    turn = view or Turn()
    shown = {"direction": turn.direction, "fold": turn.fold}
    result = _graph(
        data={"svg": svg, "words": words, "stale": stale, "title": title, "view": shown, "foldable": foldable},
        key=key,
        default={"selected": None, "view": None},
        on_selected_change=lambda: None,
        on_view_change=lambda: None,
    )
    return Asked(result.selected, asked_turn(result.view))


def asked_turn(said: object) -> Turn | None:
    """The layout that the browser asks for; None for anything that is none."""
    match said:
        case {"direction": "TB" | "LR" as direction, "fold": bool(fold)}:
            return Turn(direction, fold)
    return None

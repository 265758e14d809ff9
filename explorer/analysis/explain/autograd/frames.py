"""Frames around the cards of an open module in an outline."""

from collections import defaultdict
from collections.abc import Collection

from msgspec import Struct

from explorer.analysis.explain.autograd.outline import DEPTH
from explorer.analysis.explain.autograd.view_records import GraphView
from explorer.analysis.run.model import reachable
from explorer.analysis.run.names import common_path

Path = tuple[str, ...]


class ModuleFrame(Struct, frozen=True):
    """An open module. Attributes: path. cards: ids outside inner frames. inside: inner frames."""

    path: str
    cards: tuple[str, ...]
    inside: tuple["ModuleFrame", ...] = ()


def module_frames(view: GraphView) -> tuple[ModuleFrame, ...]:
    """Return the outermost frames, none without closed modules.

    No frame is drawn around everything (every title begins with its name), around a single card or frame, or for a
    module called twice with something between. A parameter belongs to its reader's frame.
    """
    if not any(card.module for card in view.cards):
        return ()
    homes = _card_modules(view)
    inside: dict[Path, list[str]] = defaultdict(list)
    for card, home in homes.items():
        for end in range(1, len(home) + 1):
            inside[home[:end]].append(card)
    own = {card.id for card in view.cards if card.within or card.module}
    framed = {path for path, cards in inside.items() if len(cards) > 1 and not own <= set(cards)}
    readers = _readers(view)
    framed = {path for path in framed if _is_whole(set(inside[path]), readers)}
    framed -= {path[:-1] for path in framed if len(inside[path[:-1]]) == len(inside[path])}
    return _within((), framed, {card: home for card, home in homes.items() if home})


def _within(around: Path, framed: set[Path], homes: dict[str, Path]) -> tuple[ModuleFrame, ...]:
    """Return the frames directly inside a module, in the order of their first cards."""
    groups: dict[Path, dict[str, Path]] = defaultdict(dict)
    for card, home in homes.items():
        path = next((home[:end] for end in range(len(around) + 1, len(home) + 1) if home[:end] in framed), None)
        if path:
            groups[path][card] = home
    frames = []
    for path, cards in groups.items():
        deeper = _within(path, framed, cards)
        taken = {card for frame in deeper for card in all_cards(frame)}
        frames.append(ModuleFrame(".".join(path), tuple(card for card in cards if card not in taken), deeper))
    return tuple(frames)


def all_cards(frame: ModuleFrame) -> list[str]:
    """Return the ids of all cards in a frame."""
    return [*frame.cards, *(card for frame in frame.inside for card in all_cards(frame))]


def frames_of_cards(view: GraphView) -> dict[str, str]:
    """Map card ids to the path of the innermost frame, if any."""
    todo = list(module_frames(view))
    paths: dict[str, str] = {}
    for frame in todo:
        paths |= dict.fromkeys(frame.cards, frame.path)
        todo += frame.inside
    return paths


def short_title(title: str, frame: str) -> str:
    """Return a card's title without its frame's path.

    >>> short_title("model.h.0.attn.c_proj", "model.h.0.attn"), short_title("y = model.h.0: add (1)", "model.h.0")
    ('c_proj', 'y = add (1)')
    >>> short_title("model.h.0 … 3", "model.h")
    'h.0 … 3'
    """
    before, _, rest = title.rpartition(frame) if frame else ("", "", "")
    if (before and not before.endswith(" = ")) or not rest.startswith((".", ": ")):
        return title
    rest = rest.lstrip(".: ")
    return f"{before}{frame.rpartition('.')[2]}.{rest}" if rest[:1].isdigit() else f"{before}{rest}"


def _readers(view: GraphView) -> dict[str, list[str]]:
    readers: dict[str, list[str]] = defaultdict(list)
    for edge in view.edges:
        if not edge.again:
            readers[edge.source].append(edge.target)
    return readers


def _is_whole(cards: Collection[str], readers: dict[str, list[str]]) -> bool:
    """Return whether no edge path leads out of these cards and back."""
    out = (reader for card in cards for reader in readers.get(card, ()) if reader not in cards)
    return not any(card in cards for card in reachable(out, lambda card: readers.get(card, ())))


def _card_modules(view: GraphView) -> dict[str, Path]:
    """Return each card's module, or its readers' common module."""
    homes = {card.id: tuple(card.within.split(".", DEPTH - 1)) if card.within else () for card in view.cards}
    readers = _readers(view)
    for card in view.cards:
        if card.kind in ("leaf", "data") and not card.within and readers[card.id]:
            home = common_path([homes[reader] for reader in readers[card.id]])
            given = card.name and not card.name.startswith(f"{home[0]}.") if home else False
            homes[card.id] = () if given else home
    return homes

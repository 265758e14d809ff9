"""Lay out and draw the view of a Trace.

The page, the command line and `explorer.draw` all use this module.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.analysis.explain.autograd import (
    NOTHING_OPENED,
    Card,
    GraphView,
    Opened,
    ending_operation,
    graph_view,
    selected_backward,
    sentence,
)
from explorer.analysis.explain.autograd.backward_steps import BackwardSteps
from explorer.analysis.explain.autograd.gradients import numbered_backward
from explorer.analysis.explain.autograd.inspection import inspection
from explorer.analysis.explain.autograd.outline import module_path
from explorer.analysis.explain.autograd.partial_runs import (
    ran_until,
    trace_before,
    trace_so_far,
    view_before,
    view_so_far,
)
from explorer.analysis.run.curves import Curves
from explorer.analysis.views.timeline.forward_steps import ForwardSteps
from explorer.analysis.views.training.film import end_of_round, film_at, step_view
from explorer.drawing.graph.badges import Badge, legend
from explorer.drawing.graph.cards import boxes_of
from explorer.drawing.graph.dot import boxes_to_dot, to_dot
from explorer.drawing.graph.dotfile import labelled_graph
from explorer.drawing.graph.inspector import inspector_html
from explorer.drawing.graph.sizes import Room, in_room, joined, room_of
from explorer.drawing.graph.svg import card_redrawer, svg_parts
from explorer.drawing.offline.page import html_page, packed_openings
from explorer.drawing.offline.run_data import Played, played
from explorer.drawing.scripts import page_frame
from explorer.sandbox import layout, layouts
from explorer.text import say
from explorer.trace import Trace, thinned

if TYPE_CHECKING:
    from graphviz import Digraph

MEASURED = 3  # film steps measured for the card sizes
FRAME = 640  # px of height in a notebook
CARDS = 96  # total cards of the opened-module pictures on a standalone page


@dataclass(frozen=True, repr=False)
class Picture:
    """A graph with the positions of its cards. It displays itself in Jupyter.

    Attributes:
        positions: Graphviz's JSON, None if the layout was late: cards are then placed by rank.
        fold, opened: as in `picture`.
        room: sizes of cards and labels shared by its layout. None: its own.
        film: for a training step, its film and its position there.
    """

    trace: Trace
    view: GraphView
    positions: str | None
    lang: str
    fold: bool = True
    opened: Opened = NOTHING_OPENED
    room: Room | None = None
    film: "tuple[FilmPictures, int] | None" = None

    @property
    def position(self) -> int | None:
        """Film position of its step, or None."""
        return None if self.film is None else self.film[1]

    def so_far(self, backward_steps: BackwardSteps, count: int, shown: Set[str] = frozenset()) -> "Picture":
        """Return the picture after some backward steps, without later gradients."""
        backward = self.view.backward
        if count >= len(backward_steps.steps) or backward is None:
            return self
        nodes = frozenset(node for card in self.view.cards if card.id in shown for node in card.nodes)
        trace = trace_so_far(self.trace, backward, ran_until(self.trace, backward, backward_steps, count), nodes)
        reached = graph_view(trace, backward, self.fold, self.opened)
        return replace(self, trace=trace, view=view_so_far(self.view, reached), room=self._own_room())

    def before(self, forward_steps: ForwardSteps, count: int) -> "Picture":
        """Return the picture after some forward steps, without later values."""
        operation = forward_steps.steps[count].operation
        unborn = {card for card, made in forward_steps.born.items() if made > count}
        growing = {card for card, done in forward_steps.settled.items() if done > count} - unborn
        trace = trace_before(self.trace, operation)
        view = view_before(self.view, self.trace, operation, unborn, growing)
        return replace(self, trace=trace, view=view, room=self._own_room())

    def _own_room(self) -> Room:
        """Return the sizes needed by the complete view and any shared layout."""
        room = room_of(self.view, self.lang)
        return room if self.room is None else joined([self.room, room])

    def svg(self, standalone: bool = False, badges: Mapping[str, Badge] | None = None) -> str:
        """Return the SVG. standalone: with its style, for a file. badges: check results by card id."""
        return "\n".join(self.svg_parts(standalone, badges))

    def svg_parts(self, standalone: bool = False, badges: Mapping[str, Badge] | None = None) -> list[str]:
        """Return the SVG in parts. Pictures of one layout have equally many."""
        return svg_parts(self.view, self.positions, self.lang, standalone, self.room, badges or {})

    def card_redrawer(self) -> Callable[[Card], str]:
        """Return a function that redraws a card with other numbers."""
        return card_redrawer(self.view, self.positions, self.lang, self.room)

    @property
    def graph(self) -> "Digraph":
        """Graph with titles, values and gradients, for restyling or your own Graphviz."""
        return labelled_graph(self.view, self.lang)

    def dot(self) -> str:
        """Return the same graph as DOT."""
        return self.graph.source

    def html(self, watched: Trace | None = None, plays: bool = True) -> str:
        """Return a standalone page in which cards and modules can be opened.

        Args:
            watched: the same run with every statement recorded.
            plays: whether to include the program and the player.
        """
        if plays and self.film is None and (filmed := self._filmed()) is not None:
            return filmed.html(watched)
        film = self._played(watched or self.trace) if plays and self.view.kind != "counted" else None
        openings = self._openings()
        cards = {card.id: self._in_full(card.id) for card in self.view.cards}
        more: dict[str, str] = {}
        for picture, _ in openings.values():
            known = cards.keys() | more.keys()
            more |= {card.id: picture._in_full(card.id) for card in picture.view.cards if card.id not in known}
        drawn = {
            path: {"svg": picture.svg(), "root": picture.root(), "within": around}
            for path, (picture, around) in openings.items()
        }
        packed_cards = packed_openings(drawn, more)
        title = self.view.of or "Autograd Explorer"
        return html_page(
            self.svg(), self.lang, title, self.legend(), self.sentence(), cards, self.root(), packed_cards, film
        )

    def _filmed(self) -> "Picture | None":
        """Return this picture in its training loop's shared layout, or None."""
        at = None if self.view.backward is None else film_at(self.trace, self.view.backward)
        if at is None or at[0].base < 0:
            return None
        films = film_pictures(self.trace, self.lang, at[0], self.fold, self.opened)
        return films.at(at[1])

    def _played(self, trace: Trace) -> Played:
        """Collect the data that its page needs to play the run."""
        film = None if self.film is None else self.film[0].film

        def other(backward: int) -> Picture | None:
            if self.film is not None and (position := self.film[0].film.at(backward)) >= 0:
                return self.film[0].at(position, explained=False)
            return picture(self.trace, self.lang, backward, self.fold, self.opened)

        backward, until = self.view.backward, None
        if film is not None and backward is not None and self.position != len(film) - 1:
            until = end_of_round(self.trace, backward)
        return played(trace, self, other, self.sentence(), until)

    def _openings(self) -> dict[str, tuple["Picture", str]]:
        """Return the pictures with one module opened, and their parents, by path.

        Outermost first, then largest. None is added beyond CARDS cards, because every card is rendered in full.
        """
        openings: dict[str, tuple[Picture, str]] = {}
        level, drawn = [(self, "")], 0
        while level and drawn < CARDS:
            closed = [
                (card.module.operations, card.module.path, around, within)
                for around, within in level
                for card in around.view.cards
                if card.module and card.module.path not in openings
            ]
            level = []
            for _, path, around, within in sorted(closed, key=lambda module: -module[0]):
                if path not in openings and drawn < CARDS:
                    opened = self._unlaid(around.opened.open(path))
                    openings[path] = opened, within
                    level.append((opened, path))
                    drawn += len(opened.view.cards)
        laid = _laid_out([opened for opened, _ in openings.values()])
        return {path: (opened, openings[path][1]) for path, opened in zip(openings, laid, strict=True)}

    def _unlaid(self, opened: Opened) -> "Picture":
        """Return the same picture, without a layout unless part of a film."""
        if self.film is not None:
            pictures, position = self.film
            films = film_pictures(self.trace, self.lang, pictures.film, self.fold, opened)
            return films.at(position)
        view = graph_view(self.trace, self.view.backward, self.fold, opened, self.view.stopped)
        return replace(self, view=view, positions=None, opened=opened, room=None)

    def root(self) -> str:
        """Return the card inspected by default."""
        return next(iter(self.view.roots), self.view.cards[-1].id if self.view.cards else "")

    def _in_full(self, card: str) -> str:
        line = self.trace.line(-1 if self.view.backward is None else self.trace.backwards[self.view.backward].span)
        facts = inspection(self.trace, self.view, card, self.lang)
        return inspector_html(facts, self.view, self.lang, card != self.root(), line, chooses=False)

    def save(self, path: str | Path) -> None:
        """Write it as .svg, .html or .dot. Raises ValueError for other suffixes."""
        form = FORMATS.get(Path(path).suffix.lower())
        if form is None:
            raise ValueError(say("en", "draw-suffix", path=str(path), known=", ".join(FORMATS)))
        Path(path).write_text(form.written(self), encoding="utf-8")

    def legend(self) -> str:
        """Return the legend of its marks as HTML."""
        return legend(self.view, self.lang)

    def sentence(self) -> str:
        """Return the sentence under the picture as plain text."""
        if self.view.kind == "counted" and self.film is not None:
            film, position = self.film[0].film, self.film[1]
            return say(self.lang, "film-counted", step=int(film.number[position]) + 1, count=film.calls)
        return sentence(self.view, self.lang)

    def __repr__(self) -> str:
        closed = sum(card.module is not None and not card.module.shaping for card in self.view.cards)
        modules = f", {closed} of them closed modules" if closed else ""
        return f"<Picture of {self.view.of or 'a program'}: {len(self.view.cards)} cards{modules}>"

    def _repr_html_(self) -> str:
        """Return a framed page, isolated from the notebook's style and scripts."""
        return self._frame

    @cached_property
    def _frame(self) -> str:
        return page_frame(self.html(), self.view.of or "Autograd Explorer", FRAME)


@dataclass(frozen=True, eq=False)
class FilmPictures:
    """Pictures of a film's steps in one layout.

    Attributes:
        base: view whose cards they share.
        room: sizes that fit its steps' numbers.
    """

    trace: Trace
    film: Curves
    base: GraphView
    room: Room
    positions: str | None
    lang: str
    fold: bool
    opened: Opened

    def at(self, position: int, explained: bool = True) -> Picture:
        """Return a step's picture, with a separate layout if it does not fit."""
        shared = self.shared(position, explained)
        if shared is not None:
            return shared
        view = step_view(self.trace, self.film, position, self.base, self.fold, self.opened, explained)
        if view is None:
            view = graph_view(self.trace, self.film.graph(position), self.fold, self.opened)
        positions = layout(to_dot(view))
        film = self, position
        return Picture(self.trace, view, positions, self.lang, self.fold, self.opened, None, film)

    def shared(self, position: int, explained: bool = True) -> Picture | None:
        """Return a step's picture in the shared layout, None if it does not fit."""
        view = step_view(self.trace, self.film, position, self.base, self.fold, self.opened, explained)
        if view is None or joined([self.room, room_of(view, self.lang)]).boxes != self.room.boxes:
            return None
        film, room = (self, position), self.room
        return Picture(self.trace, view, self.positions, self.lang, self.fold, self.opened, room, film)


def film_pictures(
    trace: Trace, lang: str, film: Curves, fold: bool = True, opened: Opened = NOTHING_OPENED
) -> FilmPictures:
    """Build the pictures of a training loop. Arguments as in `picture`.

    Raises:
        LookupError: no graph of the film was kept.
    """
    if film.base < 0:
        raise LookupError("no graph of this loop was kept")
    base = graph_view(trace, film.base, fold, opened)
    measured = thinned(len(film), MEASURED)
    views = (step_view(trace, film, step, base, fold, opened, explained=False, judged=False) for step in measured)
    room = joined([room_of(base, lang), *(room_of(view, lang) for view in views if view is not None)])
    boxes = in_room(boxes_of(base, "en"), room)
    positions = layout(boxes_to_dot(base, boxes))
    return FilmPictures(trace, film, base, room, positions, lang, fold, opened)


@dataclass(frozen=True)
class PictureFormat:
    """A file format for pictures."""

    mime: str
    written: Callable[[Picture], str]


# By their suffix, for the command line and the menu. A new format is a method above and a line here.
FORMATS = {
    ".svg": PictureFormat("image/svg+xml", lambda picture: picture.svg(standalone=True)),
    ".html": PictureFormat("text/html", Picture.html),
    ".dot": PictureFormat("text/vnd.graphviz", Picture.dot),
}


def picture(
    trace: Trace,
    lang: str = "en",
    backward: int | None = None,
    fold: bool = True,
    opened: Opened = NOTHING_OPENED,
    stopped: int = -1,
) -> Picture:
    """Draw the picture of a run.

    Args:
        backward: backward to show. None: the selected one.
        fold: whether loops and repeated modules become one card.
        opened: modules opened or closed explicitly.
        stopped: an operation that raised, drawn with its inputs.

    Raises:
        IndexError: no such backward.
    """
    view = graph_view(trace, backward, fold, opened, stopped)
    return _laid_out([Picture(trace, view, None, lang, fold, opened)])[0]


def _laid_out(pictures: list[Picture]) -> list[Picture]:
    """Lay out pictures in one child process, except those of a film."""
    dots = [to_dot(picture.view) for picture in pictures if picture.film is None]
    found = iter(layouts(dots))
    return [replace(one, positions=next(found)) if one.film is None else one for one in pictures]


def numbered_picture(trace: Trace, lang: str, number: int | None, fold: bool, modules: Iterable[str] = ()) -> Picture:
    """Draw the `number`th backward, counted from 1 (None: the selected one).

    Without a backward, the picture ends with the operation that raised. It is built once for each Trace.

    Raises:
        IndexError: no such backward.
        LookupError: no executed module has this path.
    """
    opened = Opened(modules=frozenset(module_path(trace, module) for module in modules))
    backward = numbered_backward(trace, number)
    stopped = -1 if number is not None or selected_backward(trace) is not None else ending_operation(trace)
    asked = ("picture", lang, backward, fold, opened)
    return trace.index.memoize(asked, lambda: picture(trace, lang, backward, fold, opened=opened, stopped=stopped))

"""The time line of a run as plain data for the browser: what each moment changes, everything of the program escaped."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from msgspec import to_builtins
from msgspec.structs import replace

from explorer.analysis.autograd import Card, GraphView
from explorer.analysis.autograd.cells import NamedResult
from explorer.analysis.autograd.steps import BackwardSteps
from explorer.analysis.timeline import Births, Change, Moment, Stored, Timeline, sentences
from explorer.drawing.graph.cards import has_gradient_row
from explorer.drawing.graph.player_data import sentence_html, where_told
from explorer.drawing.notebook.ghosts import VALUE_CELLS, Ghost, ghost_of
from explorer.text.numbers import cells_of, number, shorten
from explorer.trace import Trace

Place = tuple[int, int]  # a cell, and a line of it from 1
# HTML of what a cell has shown when so many of its outputs were whole and so many characters of the next one there.
Shows = Callable[[int, int, int], str]
MOST_SHOWN = 1_500_000  # characters of all outputs so far
TOGETHER = 3  # values that stand beside one line
SECONDS = 1.5  # of the processor that the pictures of other backward calls may take
MOST_SCENES = 40


class Drawn(Protocol):
    """A picture, as far as a line needs it."""

    @property
    def trace(self) -> Trace:
        """The run it is of."""

    @property
    def view(self) -> GraphView:
        """Its cards and wires."""

    @property
    def lang(self) -> str:
        """The language of its words."""

    @property
    def position(self) -> int | None:
        """Of the step of a film that it is of; None for none."""

    def svg_parts(self) -> list[str]:
        """The drawing in parts."""

    def card_redrawer(self) -> Callable[[Card], str]:
        """What draws one of its cards with other numbers."""

    def legend(self) -> str:
        """The legend of its marks, as HTML."""


def line_data(
    trace: Trace,
    own: Drawn,
    line: Timeline,
    told: BackwardSteps,
    shows: Shows,
    others: Callable[[int], Drawn | None],
) -> dict[str, Any]:
    """What the player needs of a run, once.

    Args:
        trace: the run, which may have recorded more than that of the picture.
        own: the picture on the page, whose backward the line has step by step.
        told: the steps of that backward.
        others: the picture of another backward call.
    """
    lang = own.lang
    scenes = _Scenes(trace, own, line, told, others)
    beside, shown, grads = _Beside(trace, lang), _Shown(trace, shows), _Gradients()
    moments = []
    for position, (moment, says) in enumerate(
        zip(line.moments, sentences(trace, line, own.view, lang), strict=True), 1
    ):
        chapter = line.chapters[moment.chapter]
        scene = scenes.of(chapter.backward)
        entry: dict[str, Any] = {"says": sentence_html(says)}
        if changed := beside.changed(moment, chapter.backward, chapter.kind):
            entry["beside"] = changed
        if moment.span >= 0:
            at = trace.spans[moment.span]
            entry["at"] = at.cell, at.line
        if moment.kind == "backward" and moment.step >= 0:
            step = told.steps[moment.step]
            entry |= {"card": step.card, "wires": step.wires, "freed": step.freed}
        elif scene is not None:
            entry["card"] = scene.about(trace, moment, position)
        grads.pass_by(moment, chapter.backward)
        if scene is not None:
            scene.draw(entry, beside.rows, grads)
        if (row := shown.row(moment.shown)) is not None:
            entry["out"] = row
        moments.append(entry)
    return {
        "moments": moments,
        "chapters": [chapter | {"scene": scenes.number(part.backward)}
                     for chapter, part in zip(chapter_data(trace, line), line.chapters, strict=True)],
        "scenes": scenes.told(),
        "own": 0,
        "outs": shown.outs,
    }  # fmt: skip


def chapter_data(trace: Trace, line: Timeline) -> list[dict[str, Any]]:
    """The chapters: what each is, how many moments it has, its backward, and the round of a training loop it is in.

    `loss`: that of a training's round, None if it is no finite number; `told`: the same in words.
    """
    steps = trace.steps
    losses = dict(zip(steps.backward, np.frombuffer(steps.loss, "<f8").tolist(), strict=True))
    found = []
    for chapter in line.chapters:
        data: dict[str, Any] = {"kind": chapter.kind, "count": chapter.end - chapter.start}
        data |= {"round": chapter.round, "backward": chapter.backward}
        if chapter.backward >= 0 and chapter.backward in losses:
            loss = losses[chapter.backward]
            data |= {"loss": loss if math.isfinite(loss) else None, "told": number(loss)}
        found.append(data)
    return found


class _Gradients:
    """`.grad` of each leaf at a moment, and which backward added to it last."""

    def __init__(self) -> None:
        self.now: dict[int, tuple[Stored, int]] = {}

    def pass_by(self, moment: Moment, backward: int) -> None:
        """Take in what a moment changes."""
        by = backward if moment.kind == "backward" else -1
        self.now |= {stored.leaf: (stored, by) for stored in moment.gradients}

    def held(self, card: Card, backward: int) -> int | None:
        """The value that a leaf's `.grad` holds, -1 for none; None: as this backward's picture has it."""
        stored, by = next((self.now[tensor] for tensor in card.tensors if tensor in self.now), (None, backward))
        return None if stored is None or by == backward else stored.value if stored.known else -1


class _Scene:
    """A picture in which moments are shown.

    Attributes:
        reached: from which moment a card has its gradient.
        held: of each leaf the version and the gradient that its card shows.
    """

    def __init__(self, trace: Trace, drawn: Drawn, births: Births, reached: Mapping[str, int]) -> None:
        self.trace, self.drawn, self.reached = trace, drawn, reached
        self.lives = births.of(drawn.view)
        self.made: dict[int, str] = {}
        for card in drawn.view.cards:
            self.made[self.lives[card.id].made] = card.id
        self.of_tensor = {tensor: card.id for card in drawn.view.cards for tensor in card.tensors}
        self.leaves = [card for card in drawn.view.cards if card.kind in ("leaf", "data") and card.tensors]
        self.redraw = cache(drawn.card_redrawer)
        self.held: dict[str, tuple[int, int | None]] = {}

    def draw(self, told: dict[str, Any], rows: Mapping[int, int], grads: _Gradients) -> None:
        """Add to a moment which leaves are drawn with another value or `.grad` from now on.

        `drawn`: the cards, None for one that is as in the picture itself. `held`: whether there is a `.grad`; None: as
        the backward of the picture says.
        """
        drawn: dict[str, str | None] = {}
        held: dict[str, bool | None] = {}
        backward = -1 if self.drawn.view.backward is None else self.drawn.view.backward
        for card in self.leaves:
            row = next((rows[tensor] for tensor in card.tensors if tensor in rows), -1)
            before = self.held.get(card.id, (-1, None))
            now = row, grads.held(card, backward) if has_gradient_row(card) else None
            if row < 0 or now == before:
                continue
            self.held[card.id] = now
            if now[1] != before[1]:
                held[card.id] = None if now[1] is None else now[1] >= 0
            was, fresh = self._other(card, *before), self._other(card, *now)
            if fresh is not was:
                drawn[card.id] = None if fresh is card else self.redraw()(fresh)
        told |= {"drawn": drawn} if drawn else {}
        told |= {"held": held} if held else {}

    def _other(self, card: Card, row: int, gradient: int | None) -> Card:
        """The card with what it held then; the card itself where that is what it shows."""
        value, grad = (
            self.trace.value_at(row) if row >= 0 else None,
            None if gradient is None else self.trace.value(gradient),
        )
        if value is not None and value != card.value:
            card = replace(card, value=value)
        return card if grad is None else replace(card, gradient=grad, stored=(None, grad))

    def about(self, trace: Trace, moment: Moment, position: int) -> str:
        """The card that a moment is about, "" for none."""
        if position in self.made:
            return self.made[position]
        if moment.kind not in ("write", "update"):
            return ""
        written = (self.of_tensor.get(trace.index.tensor_of(row), "") for row in moment.versions)
        return next(filter(None, written), "")

    def told(self) -> dict[str, Any]:
        view = self.drawn.view
        return {
            "cards": [card.id for card in view.cards if card.kind != "data"],
            "lines": where_told(self.drawn.trace, view)["lines"],
            "born": {card: life.made for card, life in self.lives.items()},
            "settled": {card: life.settled for card, life in self.lives.items() if life.settled > life.made},
            "reached": dict(self.reached),
            "legend": self.drawn.legend(),
            "position": self.drawn.position,
        }


class _Scenes:
    """The pictures of a line: that of the page, and as many of the other backward calls as time allows."""

    def __init__(
        self,
        trace: Trace,
        own: Drawn,
        line: Timeline,
        told: BackwardSteps,
        others: Callable[[int], Drawn | None],
    ) -> None:
        first: dict[int, int] = {}  # of each backward its first moment
        reached: dict[str, int] = {}
        for position, moment in enumerate(line.moments, 1):
            if moment.kind != "backward":
                continue
            backward = line.chapters[moment.chapter].backward
            first.setdefault(backward, position)
            if moment.step >= 0:
                if moment.step == 0:
                    reached |= dict.fromkeys(told.start, position)
                reached |= dict.fromkeys(told.steps[moment.step].arrived, position)
        mine = own.view.backward if own.view.backward is not None else -1
        births = Births(trace, line)
        self.scenes = {mine: _Scene(trace, own, births, reached)}
        until = time.thread_time() + SECONDS
        for backward in dict.fromkeys(chapter.backward for chapter in line.chapters):
            if backward in self.scenes or backward not in first:
                continue
            if len(self.scenes) >= MOST_SCENES or time.thread_time() > until:
                break
            if (drawn := others(backward)) is not None:
                cards = (card.id for card in drawn.view.cards if card.gradient is not None)
                self.scenes[backward] = _Scene(trace, drawn, births, dict.fromkeys(cards, first[backward]))
        self.mine = mine
        self.first = first

    def of(self, backward: int) -> _Scene | None:
        """The scene of a chapter; without a backward of its own that of the page. None where there is no picture."""
        return self.scenes.get(backward) or (None if backward in self.first else self.scenes[self.mine])

    def number(self, backward: int) -> int:
        """Its number among those that are told; -1 for none."""
        scene = self.of(backward)
        return -1 if scene is None else list(self.scenes.values()).index(scene)

    def told(self) -> list[dict[str, Any]]:
        """All scenes; of a drawing null stands for a part that is as in the scene before."""
        found = []
        before: Sequence[str] = ()
        for scene in self.scenes.values():
            parts = scene.drawn.svg_parts() if len(self.scenes) > 1 else []
            same = len(parts) == len(before)
            svg = (
                [None if same and part == old else part for part, old in zip(parts, before, strict=True)]
                if same
                else parts
            )
            found.append(scene.told() | {"svg": svg})
            before = parts
        return found


class _Beside:
    """What stands at the ends of the lines, as it changes."""

    def __init__(self, trace: Trace, lang: str) -> None:
        self.trace, self.lang = trace, lang
        self.words: dict[Place, dict[str, str]] = {}  # what each line bound last: names and values
        self.now: dict[Place, Ghost] = {}
        self.tensors: dict[Place, tuple[int, int]] = {}  # the tensor whose value alone stands there, and its version
        self.rows: dict[int, int] = {}  # of each tensor the version that holds
        self.collectors = {leaf: node for node, leaf in enumerate(trace.nodes.variable) if leaf >= 0}
        self.gradients = -1  # the backward whose gradients stand there
        self.stored: set[int] = set()  # leaves whose `.grad` is known
        self.arriving: dict[Place, Ghost] = {}  # with the gradients of leaves that it has not added yet

    def changed(self, moment: Moment, backward: int, chapter: str) -> list[tuple[int, Any]]:
        """What stands elsewhere, or differs, from this moment on: cell and what is told of a line."""
        owner = self.trace.index.tensor_of
        self.rows |= {owner(row): row for row in moment.versions}
        before = dict(self.now)
        if chapter == "forward" and backward != self.gradients >= 0:
            self.gradients = -1
            stays = {place for place, (tensor, _) in self.tensors.items() if tensor in self.stored}
            self.now = {place: ghost if place in stays else _bare(ghost) for place, ghost in self.now.items()}
        if moment.span >= 0 and moment.kind not in ("backward", "clear", "leave"):
            at = self.trace.spans[moment.span]
            place = at.cell, at.line
            for change in moment.names:
                self._named(place, change)
            if moment.kind == "write" and not moment.names and (written := self._written(moment)):
                self._tensor(place, "", owner(written[-1]))
        if moment.kind == "backward" and backward >= 0 and backward != self.gradients:
            self._arrive(backward)
        for stored in moment.gradients:
            self._store(stored, moment.kind == "backward")
        return [(place[0], to_builtins(ghost)) for place, ghost in self.now.items() if before.get(place) != ghost]

    def _written(self, moment: Moment) -> list[int]:
        """The states that the moment's own operations wrote in place."""
        versions, starts, owner = self.trace.versions, self.trace.tensors.version_start, self.trace.index.tensor_of
        made = range(moment.first, moment.operations)
        return [row for row in moment.versions if versions.operation[row] in made and row > starts[owner(row)]]

    def _named(self, place: Place, change: Change) -> None:
        if change.gone:
            return
        if change.tensor >= 0 and set(self.words.get(place, {change.name})) <= {change.name}:
            return self._tensor(place, change.name, change.tensor)
        self.tensors.pop(place, None)
        known = self.words.setdefault(place, {})
        known.pop(change.name, None)
        known[change.name] = change.text or self._value(change.tensor)
        texts = [text for text in known.values() if text][-TOGETHER:]
        text = " · ".join(texts)
        if texts and cells_of(text) > VALUE_CELLS:
            text = shorten(texts[-1], VALUE_CELLS)
        self.now[place] = Ghost(place[1], "", text)

    def _tensor(self, place: Place, name: str, tensor: int) -> None:
        row = self.rows.get(tensor, -1)
        if row < 0:
            return
        self.words[place] = {name: self._value(tensor)}
        self.tensors[place] = tensor, row
        self.now[place] = ghost_of(self.trace, NamedResult(name, *place, tensor, row), None, self.lang)

    def _value(self, tensor: int) -> str:
        row = self.rows.get(tensor, -1)
        return ghost_of(self.trace, NamedResult("", 0, 1, tensor, row), None, self.lang).value if row >= 0 else ""

    def _arrive(self, backward: int) -> None:
        """From a backward on a line has its gradient; the player shows it when it arrives."""
        self.gradients = backward
        self.arriving.clear()
        call = self.trace.backwards[backward]
        arrived = {node: tuple(call.arrived[step]) for step, node in enumerate(call.order)}
        leaves = set(call.accumulated)
        for place, (tensor, row) in self.tensors.items():
            node, output = self.trace.versions.node[row], max(self.trace.versions.output[row], 0)
            found = arrived.get(node if node >= 0 else self.collectors.get(tensor, -1), ())
            value = self.trace.value(found[output]) if output < len(found) and found[output] >= 0 else None
            if value is None:
                continue
            told = ghost_of(self.trace, NamedResult("", *place, tensor, row), value, self.lang)
            if tensor in leaves:
                self.arriving[place] = told
            if tensor not in leaves or not self.now[place].gradient:
                self.now[place] = _with_gradient(self.now[place], told)

    def _store(self, stored: Stored, arrives: bool) -> None:
        """From now on a leaf's `.grad` is another."""
        self.stored.add(stored.leaf)
        value = self.trace.value(stored.value) if stored.value >= 0 else None
        for place, row in [(place, row) for place, (tensor, row) in self.tensors.items() if tensor == stored.leaf]:
            coming = self.arriving.pop(place, None) if arrives else None
            if coming is None and value is not None:
                coming = ghost_of(self.trace, NamedResult("", *place, stored.leaf, row), value, self.lang)
            self.now[place] = _bare(self.now[place]) if coming is None else _with_gradient(self.now[place], coming)


def _bare(ghost: Ghost) -> Ghost:
    return Ghost(ghost.line, ghost.shape, ghost.value)


def _with_gradient(ghost: Ghost, other: Ghost) -> Ghost:
    return replace(ghost, label=other.label, gradient=other.gradient, sign=other.sign)


class _Shown:
    """What the program has shown so far; each state once."""

    def __init__(self, trace: Trace, shows: Shows) -> None:
        self.trace, self.shows = trace, shows
        self.outs: list[tuple[int, str, bool]] = []
        self.before: tuple[int, int, int] | None = None
        self.room = MOST_SHOWN

    def row(self, shown: tuple[int, int, int]) -> int | None:
        """Which row of `outs` holds from now on; None where it is the one before."""
        if shown == self.before or self.room < 0:
            return None
        self.before = shown
        cell, count, characters = shown
        every = cell < len(self.trace.cells) and count >= len(self.trace.cells[cell].outputs)
        html = "" if every else self.shows(cell, count, characters)
        self.room -= len(html)
        if self.room < 0:
            return None
        self.outs.append((cell, html, every))
        return len(self.outs) - 1

"""Write the timeline as escaped plain data for the browser."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from msgspec.structs import replace

from explorer.analysis.explain.autograd import Card, GraphView
from explorer.analysis.explain.autograd.backward_steps import BackwardSteps
from explorer.analysis.run.curves import curves, loss_name, main_place
from explorer.analysis.views.timeline import Births, GradState, Moment, Timeline, sentences
from explorer.drawing.graph.cards import has_gradient_row
from explorer.drawing.graph.player_data import result_lines, sentence_html
from explorer.drawing.line_ends import LineEnds
from explorer.drawing.notebook.outputs import output_html, so_far
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Trace

MOST_SHOWN = 1_500_000  # characters of all outputs so far
SECONDS = 1.5  # CPU seconds for pictures of other backward calls
MOST_SCENES = 40


class Drawn(Protocol):
    """A picture (`explorer.drawing.picture.Picture`), as far as a line needs it."""

    @property
    def trace(self) -> Trace: ...
    @property
    def view(self) -> GraphView: ...
    @property
    def lang(self) -> str: ...
    @property
    def position(self) -> int | None: ...
    def svg_parts(self) -> list[str]: ...
    def card_redrawer(self) -> Callable[[Card], str]: ...
    def legend(self) -> str: ...


Others = Callable[[int], Drawn | None]


def line_data(
    trace: Trace, own: Drawn, line: Timeline, backward_steps: BackwardSteps, others: Others, alone: bool
) -> dict[str, Any]:
    """Return the player's data of a run.

    Args:
        trace: the run, possibly recorded in more detail than the picture's.
        own: the page's picture, whose backward appears step by step.
        others: returns the picture of another backward.
        alone: as in `output_html`.
    """
    lang = own.lang
    scenes = _Scenes(trace, own, line, backward_steps, others)
    beside, shown, grads = LineEnds(trace, lang), _Shown(trace, lang, alone), _Gradients()
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
            step = backward_steps.steps[moment.step]
            entry |= {"card": step.card, "edges": step.edges, "freed": [step.card] if step.freed else []}
        elif scene is not None:
            entry["card"] = scene.about(trace, moment, position)
            if moment.kind == "backward" and (freed := scene.freed(chapter.backward)):
                entry["freed"] = freed
        if scene is not None and (raised := scene.raised(moment)):
            entry["raised"] = raised
        grads.pass_by(moment, chapter.backward)
        if scene is not None:
            scene.draw(entry, beside.rows, grads)
        if (row := shown.row(moment.shown)) is not None:
            entry["out"] = row
        moments.append(entry)
    return {
        "moments": moments,
        "chapters": [chapter | {"scene": scenes.number(part.backward)}
                     for chapter, part in zip(chapter_data(trace, own, line), line.chapters, strict=True)],
        "scenes": scenes.data(),
        "own": 0,
        "outs": shown.outs,
    }  # fmt: skip


def chapter_data(trace: Trace, drawn: Drawn, line: Timeline) -> list[dict[str, Any]]:
    """Return the chapters: kind, number of moments, backward, and training round.

    `data`: the round's loss in words. `loss`: the number, None if not finite. Only rounds of the picture's place have
    one, because several places do not form one curve. `curve`: its name.
    """
    steps = trace.steps
    losses = np.frombuffer(steps.loss, "<f8").tolist()
    rows = {backward: row for row, backward in enumerate(steps.backward) if backward >= 0}
    own = rows.get(-1 if drawn.view.backward is None else drawn.view.backward)
    place = main_place(trace) if own is None else steps.place[own]
    chapters = []
    for chapter in line.chapters:
        data: dict[str, Any] = {"kind": chapter.kind, "count": chapter.end - chapter.start}
        data |= {"round": chapter.round, "backward": chapter.backward}
        if (row := rows.get(chapter.backward)) is not None:
            loss, number_of = losses[row], steps.place[row]
            data["lossText"] = loss_text(trace, number_of, loss, drawn.lang)
            if number_of == place:
                curve = curve_name(trace, number_of, drawn.lang)
                data |= {"loss": loss if math.isfinite(loss) else None, "curve": curve}
        chapters.append(data)
    return chapters


def curve_name(trace: Trace, place: int, lang: str) -> str:
    """Name the losses of a training place if the run has several, otherwise "loss"."""
    loop = curves(trace, place) if len(trace.steps.places) > 1 else None
    return (loss_name(trace, loop) or loop.kind) if loop is not None else say(lang, "player-loss")


def loss_text(trace: Trace, place: int, loss: float, lang: str) -> str:
    """Write a loss with its name."""
    return f"{curve_name(trace, place, lang)} {number(loss)}"


class _Gradients:
    """Each leaf's `.grad` at a moment, and the backward that added to it last."""

    def __init__(self) -> None:
        self.now: dict[int, tuple[GradState, int]] = {}

    def pass_by(self, moment: Moment, backward: int) -> None:
        """Apply a moment's changes."""
        by = backward if moment.kind == "backward" else -1
        self.now |= {stored.leaf: (stored, by) for stored in moment.gradients}

    def held(self, card: Card, backward: int) -> int | None:
        """Return a leaf's `.grad` value, -1 if there is none, None for the picture's own."""
        stored, by = next((self.now[tensor] for tensor in card.tensors if tensor in self.now), (None, backward))
        return None if stored is None or by == backward else stored.value if stored.known else -1


class _Scene:
    """A picture in which moments are shown.

    Attributes:
        reached: moment from which each card has its gradient.
        held: version and gradient shown on each leaf's card.
    """

    def __init__(self, trace: Trace, drawn: Drawn, births: Births, reached: Mapping[str, int]) -> None:
        self.trace, self.drawn, self.reached = trace, drawn, reached
        self.lives = births.of(drawn.view)
        self.made = {self.lives[card.id].made: card.id for card in drawn.view.cards}
        self.of_tensor = {tensor: card.id for card in drawn.view.cards for tensor in card.tensors}
        self.leaves = [card for card in drawn.view.cards if card.kind in ("leaf", "data") and card.tensors]
        self.redraw = cache(drawn.card_redrawer)
        self.held: dict[str, tuple[int, int | None]] = {}

    def draw(self, entry: dict[str, Any], rows: Mapping[int, int], grads: _Gradients) -> None:
        """Add to a moment the leaves to redraw with another value or `.grad`.

        `drawn`: the cards, None for the picture's own. `held`: whether there is a `.grad`, None for the picture's own.
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
        entry |= {"drawn": drawn} if drawn else {}
        entry |= {"held": held} if held else {}

    def _other(self, card: Card, row: int, gradient: int | None) -> Card:
        """Return the card with its content at that time."""
        value = self.trace.value_at(row) if row >= 0 else None
        grad = None if gradient is None else self.trace.value(gradient)
        if value is not None and value != card.value:
            card = replace(card, value=value)
        return card if grad is None else replace(card, gradient=grad, stored=(None, grad))

    def about(self, trace: Trace, moment: Moment, position: int) -> str:
        """Return the card that a moment concerns, or ""."""
        if position in self.made:
            return self.made[position]
        if moment.kind not in ("write", "update"):
            return ""
        written = (self.of_tensor.get(trace.index.tensor_of(row), "") for row in moment.versions)
        return next(filter(None, written), "")

    def freed(self, backward: int) -> list[str]:
        """Return the cards whose saved tensors a backward without steps releases."""
        freed = frozenset(self.trace.backwards[backward].freed)
        return [card.id for card in self.drawn.view.cards if card.saved and not freed.isdisjoint(card.nodes)]

    def raised(self, moment: Moment) -> dict[str, str]:
        """Return versions before and after for cards written in place, in words."""
        versions, words = self.trace.versions, {}
        for row in moment.versions:
            tensor = self.trace.index.tensor_of(row)
            card = self.of_tensor.get(tensor)
            if card is None or row == self.trace.tensors.version_start[tensor]:
                continue
            before, after = versions.version[row - 1], versions.version[row]
            if 0 <= before < after:
                words[card] = say(self.drawn.lang, "player-version", before=before, after=after)
        return words

    def data(self) -> dict[str, Any]:
        view = self.drawn.view
        return {
            "cards": [card.id for card in view.cards if card.kind != "data"],
            "lines": result_lines(view),
            "born": {card: life.made for card, life in self.lives.items()},
            "settled": {card: life.settled for card, life in self.lives.items() if life.settled > life.made},
            "reached": dict(self.reached),
            "legend": self.drawn.legend(),
            "position": self.drawn.position,
        }


class _Scenes:
    """The timeline's pictures: the page's, and others as time allows."""

    def __init__(self, trace: Trace, own: Drawn, line: Timeline, backward_steps: BackwardSteps, others: Others) -> None:
        first: dict[int, int] = {}  # first moment of each backward
        reached: dict[str, int] = {}
        for position, moment in enumerate(line.moments, 1):
            if moment.kind != "backward":
                continue
            backward = line.chapters[moment.chapter].backward
            first.setdefault(backward, position)
            if moment.step >= 0:
                if moment.step == 0:
                    reached |= dict.fromkeys(backward_steps.start, position)
                reached |= dict.fromkeys(backward_steps.steps[moment.step].arrived, position)
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
        """Return a chapter's scene, or None without a picture."""
        return self.scenes.get(backward) or (None if backward in self.first else self.scenes[self.mine])

    def number(self, backward: int) -> int:
        """Return the index of a backward's scene, or -1."""
        scene = self.of(backward)
        return -1 if scene is None else list(self.scenes.values()).index(scene)

    def data(self) -> list[dict[str, Any]]:
        """Return all scenes, with null for parts equal to the previous scene's."""
        facts = []
        before: Sequence[str] = ()
        for scene in self.scenes.values():
            parts = scene.drawn.svg_parts() if len(self.scenes) > 1 else []
            old = before if len(parts) == len(before) else [None] * len(parts)
            svg = [None if part == known else part for part, known in zip(parts, old, strict=True)]
            facts.append(scene.data() | {"svg": svg})
            before = parts
        return facts


class _Shown:
    """The program's output so far, each state once."""

    def __init__(self, trace: Trace, lang: str, alone: bool) -> None:
        self.trace, self.lang, self.alone = trace, lang, alone
        self.outs: list[tuple[int, str, bool]] = []
        self.before: tuple[int, int, int] | None = None
        self.room = MOST_SHOWN

    def row(self, shown: tuple[int, int, int]) -> int | None:
        """Return the row of `outs` that applies from now on, None if unchanged."""
        if shown == self.before or self.room < 0:
            return None
        self.before = shown
        cell, count, characters = shown
        every = cell < len(self.trace.cells) and count >= len(self.trace.cells[cell].outputs)
        html = "" if every else output_html(so_far(self.trace, cell, count, characters), cell, self.lang, self.alone)
        self.room -= len(html)
        if self.room < 0:
            return None
        self.outs.append((cell, html, every))
        return len(self.outs) - 1

"""The time line of a run as plain data for the browser: what each moment changes, everything of the program escaped."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from msgspec.structs import replace

from explorer.analysis.autograd import Card, GraphView
from explorer.analysis.autograd.steps import BackwardSteps
from explorer.analysis.timeline import Births, GradState, Moment, Timeline, sentences
from explorer.analysis.training import curves, main_place
from explorer.analysis.training.view import loss_name
from explorer.drawing.graph.cards import has_gradient_row
from explorer.drawing.graph.player_data import lines_told, sentence_html
from explorer.drawing.line_ends import LineEnds
from explorer.drawing.notebook.outputs import output_html, so_far
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Trace

MOST_SHOWN = 1_500_000  # characters of all outputs so far
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
    backward_steps: BackwardSteps,
    others: Callable[[int], Drawn | None],
    alone: bool,
) -> dict[str, Any]:
    """What the player needs of a run, once.

    Args:
        trace: the run, which may have recorded more than that of the picture.
        own: the picture on the page, whose backward the line has step by step.
        backward_steps: the steps of that backward.
        others: the picture of another backward call.
        alone: as of `output_html`.
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
            entry |= {"card": step.card, "wires": step.wires, "freed": [step.card] if step.freed else []}
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
        "scenes": scenes.told(),
        "own": 0,
        "outs": shown.outs,
    }  # fmt: skip


def chapter_data(trace: Trace, drawn: Drawn, line: Timeline) -> list[dict[str, Any]]:
    """The chapters: what each is, how many moments it has, its backward, and the round of a training loop it is in.

    `told`: the loss of a training's round in words. `loss`: the number, None if it is not finite; only rounds of the
    place that the picture shows have one, because the losses of several places are no one curve. `curve`: its name.
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
            data["told"] = told_loss(trace, number_of, loss, drawn.lang)
            if number_of == place:
                data |= {
                    "loss": loss if math.isfinite(loss) else None,
                    "curve": curve_name(trace, number_of, drawn.lang),
                }
        chapters.append(data)
    return chapters


def curve_name(trace: Trace, place: int, lang: str) -> str:
    """What the losses of a place of Trace.steps are of, where the run has those of several places; otherwise a loss."""
    loop = curves(trace, place) if len(trace.steps.places) > 1 else None
    return (loss_name(trace, loop) or loop.kind) if loop is not None else say(lang, "player-loss")


def told_loss(trace: Trace, place: int, loss: float, lang: str) -> str:
    """A loss with its name, in words."""
    return f"{curve_name(trace, place, lang)} {number(loss)}"


class _Gradients:
    """`.grad` of each leaf at a moment, and which backward added to it last."""

    def __init__(self) -> None:
        self.now: dict[int, tuple[GradState, int]] = {}

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

    def draw(self, entry: dict[str, Any], rows: Mapping[int, int], grads: _Gradients) -> None:
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
        entry |= {"drawn": drawn} if drawn else {}
        entry |= {"held": held} if held else {}

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

    def freed(self, backward: int) -> list[str]:
        """The cards of which a backward that is told as one moment releases what they had saved."""
        freed = frozenset(self.trace.backwards[backward].freed)
        return [card.id for card in self.drawn.view.cards if card.saved and not freed.isdisjoint(card.nodes)]

    def raised(self, moment: Moment) -> dict[str, str]:
        """Of the cards that a moment wrote in place the version before and after, in words."""
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

    def told(self) -> dict[str, Any]:
        view = self.drawn.view
        return {
            "cards": [card.id for card in view.cards if card.kind != "data"],
            "lines": lines_told(view),
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
        backward_steps: BackwardSteps,
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
        """The scene of a chapter; without a backward of its own that of the page. None where there is no picture."""
        return self.scenes.get(backward) or (None if backward in self.first else self.scenes[self.mine])

    def number(self, backward: int) -> int:
        """Its number among those that are told; -1 for none."""
        scene = self.of(backward)
        return -1 if scene is None else list(self.scenes.values()).index(scene)

    def told(self) -> list[dict[str, Any]]:
        """All scenes; of a drawing null stands for a part that is as in the scene before."""
        facts = []
        before: Sequence[str] = ()
        for scene in self.scenes.values():
            parts = scene.drawn.svg_parts() if len(self.scenes) > 1 else []
            same = len(parts) == len(before)
            svg = (
                [None if same and part == old else part for part, old in zip(parts, before, strict=True)]
                if same
                else parts
            )
            facts.append(scene.told() | {"svg": svg})
            before = parts
        return facts


class _Shown:
    """What the program has shown so far; each state once."""

    def __init__(self, trace: Trace, lang: str, alone: bool) -> None:
        self.trace, self.lang, self.alone = trace, lang, alone
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
        html = "" if every else output_html(so_far(self.trace, cell, count, characters), cell, self.lang, self.alone)
        self.room -= len(html)
        if self.room < 0:
            return None
        self.outs.append((cell, html, every))
        return len(self.outs) - 1

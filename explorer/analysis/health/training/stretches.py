"""Stretches of a training, and what a rule remarks of them.

A stretch is the steps of one place with the same leaves, so that they can be compared.

A place that trains one network after another, or two in turn, has a stretch for each.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from explorer.analysis.faults.finding import first_of
from explorer.analysis.findings import NOWHERE, Finding
from explorer.analysis.findings import Rule as RuleOf
from explorer.analysis.run import run_of
from explorer.analysis.training import Curves, LeafCurves, curves
from explorer.text import Message, Part
from explorer.text.numbers import sizes, visible
from explorer.trace import Trace

MOST = 40  # stretches of a place that are examined, the longest
FEWEST = 5  # steps of a stretch; shorter ones are not judged


@dataclass(frozen=True, eq=False)
class Track:
    """One leaf over a stretch; an array has an entry for each step. Unknown numbers are NaN.

    Attributes:
        index: its index in Trace.steps.leaves.
        name: its name in the program, otherwise its shape.
        of: its curves; rows: the indices of the stretch's steps in them.
        gradient: ‖∂L/∂w‖ of the finite entries; bad_gradient: whether an entry of it is NaN or infinite.
        zero: whether there was a gradient and all its entries were 0.
        value: ‖w‖ when backward was called; bad_value: whether an entry of it is NaN or infinite.
        update: ‖w next − w‖.
        rate: learning rate of the optimizer that stepped over it.
        before: norm of `.grad` just before backward.
    """

    index: int
    name: str
    of: LeafCurves
    rows: np.ndarray
    gradient: np.ndarray
    bad_gradient: np.ndarray
    zero: np.ndarray
    value: np.ndarray
    bad_value: np.ndarray
    update: np.ndarray
    rate: np.ndarray
    before: np.ndarray

    @property
    def moves(self) -> bool:
        """Whether it moves after some backward of the stretch."""
        return bool((self.update > 0).any())


@dataclass(frozen=True, eq=False)
class Stretch:
    """The steps of a place over one set of leaves, in order.

    Attributes:
        trace: its Trace.
        of: the curves of the place; at: positions of the steps in their arrays.
        tracks: the leaves.
    """

    trace: Trace
    of: Curves
    at: np.ndarray
    tracks: tuple[Track, ...]

    def __len__(self) -> int:
        return len(self.at)

    @cached_property
    def loss(self) -> np.ndarray:
        """The root, or the mean of its entries, per step."""
        return self.of.loss[self.at]

    @cached_property
    def gradient(self) -> np.ndarray:
        """Norm of the finite entries of all gradients together, NaN if there are none."""
        return self.of.gradient_norm[self.at]

    def row(self, step: int) -> int:
        """The row of a step of the stretch in Trace.steps."""
        return int(self.of.rows[self.at[step]])

    def backward(self, step: int) -> int:
        """The row of a step in Trace.backwards, -1 if its graph was not kept."""
        return int(self.of.backward[self.at[step]])

    @cached_property
    def trains(self) -> bool:
        """Whether any leaf moves between its steps."""
        return any(track.moves for track in self.tracks)

    @cached_property
    def kept(self) -> list[int]:
        """The steps whose graphs were kept."""
        return [step for step in range(len(self)) if self.backward(step) >= 0]

    @cached_property
    def tries(self) -> bool:
        """Whether one call of an optimizer asks for several of them: a line search takes back what it tries."""
        calls = sorted(self.trace.backwards[self.backward(step)].operations for step in self.kept)
        phases = np.array([(phase.begin, phase.end) for phase in run_of(self.trace).steps]).reshape(-1, 2)
        return bool((np.diff(np.searchsorted(calls, phases, "right")) > 1).any())

    def follows(self, step: int) -> bool:
        """Whether no call of the place is missing between a step and the one before it."""
        number = self.of.number[self.at]
        return step > 0 and number[step] == number[step - 1] + 1


def stretches(trace: Trace) -> Iterator[Stretch]:
    """All stretches of a Trace, place by place."""
    for place in range(len(trace.steps.places)):
        of_place = curves(trace, place)
        if of_place is not None:
            yield from _of_place(trace, of_place)


def _of_place(trace: Trace, curves: Curves) -> Iterator[Stretch]:
    taking_part: list[list[int]] = [[] for _ in range(len(curves))]
    for number, leaf in enumerate(curves.leaves):
        for position in leaf.at.tolist():
            taking_part[position].append(number)
    groups: dict[tuple[int, ...], list[int]] = {}
    for position, parts in enumerate(taking_part):
        groups.setdefault(tuple(parts), []).append(position)
    longest = sorted(groups.items(), key=lambda group: -len(group[1]))[:MOST]
    for numbers, positions in longest:
        if numbers and len(positions) >= FEWEST:
            at = np.array(positions)
            tracks = tuple(_track(curves.leaves[number], at) for number in numbers)
            yield Stretch(trace, curves, at, tracks)


def _track(leaf: LeafCurves, at: np.ndarray) -> Track:
    rows = np.searchsorted(leaf.at, at)
    bad = leaf.gradient_nonfinite[rows] > 0
    return Track(
        leaf.leaf,
        leaf.name or sizes(leaf.shape),
        leaf,
        rows,
        gradient=leaf.gradient_norm[rows],
        bad_gradient=bad,
        zero=(leaf.gradient_zeros[rows] == 1) & ~bad,
        value=leaf.value_norm[rows],
        bad_value=leaf.value_nonfinite[rows] > 0,
        update=leaf.update_norm[rows],
        rate=leaf.rate[rows],
        before=leaf.before[rows],
    )


class Moment(NamedTuple):
    """A step in a sentence. Attributes: row: in Trace.steps; number: from 1; rounds: the variables of its loops."""

    row: int
    number: int
    rounds: str

    @property
    def message(self) -> Message:
        """As the pages number it, "step 48 (epoch = 3, i = 17)"."""
        word = "remark-round-and-call" if self.rounds else "remark-call"
        return Message(word, {"rounds": self.rounds, "number": self.number})


Values = Mapping[str, str | int | Moment]


class Remark(Finding, frozen=True, kw_only=True):
    """A finding about the steps of a training. Its place is the causing line or, if unknown, that of the backward.

    Attributes:
        loop: the calls of which line of the program it is about, in Trace.steps.places.
        step: where it begins.
        leaf: its leaf in Trace.steps.leaves, -1 for the loss or all leaves; its name is the value `name`.
        clauses: its sentences, the remark first, then its cause.
    """

    loop: int
    step: Moment
    leaf: int = -1
    clauses: tuple[Message, ...]

    def messages(self, part: Part) -> Sequence[Message]:
        """What is said of it: its first sentence is its title, and all of them are its cause."""
        return {"title": self.clauses[:1], "cause": self.clauses, "repair": ()}[part]


Rule = RuleOf[Stretch, Remark]


def clause(id: str, /, **values: str | int | Moment) -> Message:
    """One sentence of a remark: the message `remark-<id>` with its values."""
    return Message(f"remark-{id}", {name: at.message if isinstance(at, Moment) else at for name, at in values.items()})


def remark(
    stretch: Stretch,
    kind: str,
    step: int,
    *clauses: Message,
    leaf: Track | None = None,
    span: int = -1,
    certain: object = True,
) -> Remark:
    """A remark about a stretch from one of its steps on; without a span of its own at its backward."""
    span = stretch.of.span if span < 0 else span
    return Remark(
        kind,
        stretch.trace.spans[span] if span >= 0 else NOWHERE,
        {} if leaf is None else {"name": leaf.of.name},
        certain=bool(certain),
        loop=stretch.of.place,
        step=moment(stretch, step),
        leaf=-1 if leaf is None else leaf.index,
        clauses=clauses,
    )


def moment(stretch: Stretch, step: int) -> Moment:
    """A step of a stretch, for a sentence."""
    at = stretch.at[step]
    pairs = stretch.of.rounds[at]
    rounds = ", ".join(f"{visible(name)} = {visible(value)}" for name, value in pairs)
    return Moment(stretch.row(step), int(stretch.of.number[at]) + 1, rounds)


def named(tracks: Sequence[Track]) -> str:
    """The names of some leaves, the first of many."""
    return first_of(visible(track.name) for track in tracks)

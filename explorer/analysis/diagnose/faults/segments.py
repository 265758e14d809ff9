"""Segments of a training: comparable steps at the same place with the same leaves.

A place that trains one network after another, or two in turn, has a segment for each.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.analysis.diagnose.faults.finding import first_of, level_and_causes
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.run.curves import Curves, LeafCurves, curves
from explorer.analysis.run.model import run_of
from explorer.text.numbers import sizes, visible
from explorer.trace import Trace

Values = Mapping[str, str | int]

MOST = 40  # most segments examined per place, the longest first
SHORT = 8  # with fewer calls, a trend may be chance
FEWEST = 5  # fewest steps of a segment that is judged


def _at_steps(name: str) -> "cached_property[np.ndarray]":
    """Select an array of a leaf's curves at the segment's steps."""
    return cached_property(lambda track: getattr(track.of, name)[track.rows])


@dataclass(frozen=True, eq=False)
class Track:
    """A leaf over a segment. Unknown numbers are NaN.

    Attributes: index: its index in Trace.steps.leaves. name: its name in the program, otherwise its shape. of: its
    curves. rows: the indices of the segment's steps in them. gradient, value, update, rate, before, used: as
    `gradient_norm` … of its curves, per step of the segment.
    """

    index: int
    name: str
    of: LeafCurves
    rows: np.ndarray

    gradient, value, update = _at_steps("gradient_norm"), _at_steps("value_norm"), _at_steps("update_norm")
    rate, before, used = _at_steps("rate"), _at_steps("before"), _at_steps("used")

    @cached_property
    def bad_gradient(self) -> np.ndarray:
        """Return whether an entry of the gradient is NaN or infinite."""
        return self.of.gradient_nonfinite[self.rows] > 0

    @cached_property
    def bad_value(self) -> np.ndarray:
        """Return whether an entry of the value is NaN or infinite."""
        return self.of.value_nonfinite[self.rows] > 0

    @cached_property
    def zero(self) -> np.ndarray:
        """Return whether there was a gradient and all its entries were 0."""
        return (self.of.gradient_zeros[self.rows] == 1) & ~self.bad_gradient

    @property
    def moves(self) -> bool:
        """Return whether it moves after some backward of the segment."""
        return bool((self.update > 0).any())

    @property
    def never_moves(self) -> bool:
        """Return whether it never changes although it has gradients to the end."""
        updates, values = self.of.update_norm, self.of.value_norm
        norms = updates if np.isfinite(updates[-1]) else updates[:-1]
        return bool((norms == 0).all() and (values == values[0]).all() and (self.of.gradient_norm > 0).any())


@dataclass(frozen=True, eq=False)
class Segment:
    """Steps of a place over the same leaves (`tracks`), at positions `at` of its curves."""

    trace: Trace
    of: Curves
    at: np.ndarray
    tracks: tuple[Track, ...]

    def __len__(self) -> int:
        return len(self.at)

    @cached_property
    def loss(self) -> np.ndarray:
        """Root, or the mean of its entries, per step."""
        return self.of.loss[self.at]

    def backward(self, step: int) -> int:
        """Return a step's row in Trace.backwards, -1 if its graph was not kept."""
        return int(self.of.backward[self.at[step]])

    @cached_property
    def trains(self) -> bool:
        """Return whether any leaf moves between its steps."""
        return any(track.moves for track in self.tracks)

    @cached_property
    def trained(self) -> Sequence[Track]:
        """The leaves of optimizers, or all leaves, without data whose gradient a penalty takes."""
        held = run_of(self.trace).held
        return [track for track in self.tracks if not held or track.of.tensor in held] or self.tracks

    @cached_property
    def kept(self) -> list[int]:
        """Steps whose graphs were kept."""
        return [step for step in range(len(self)) if self.backward(step) >= 0]

    @cached_property
    def tries(self) -> bool:
        """Return whether an optimizer's call contains several trial steps."""
        calls = sorted(self.trace.backwards[self.backward(step)].operations for step in self.kept)
        phases = np.array([(phase.begin, phase.end) for phase in run_of(self.trace).steps]).reshape(-1, 2)
        return bool((np.diff(np.searchsorted(calls, phases, "right")) > 1).any())

    def follows(self, step: int) -> bool:
        """Return whether no call is missing before a step."""
        number = self.of.number[self.at]
        return step > 0 and number[step] == number[step - 1] + 1

    def named(self, step: int) -> str:
        """Name a step with its loop variables: "48 (epoch = 3, i = 17)"."""
        rounds = ", ".join(f"{visible(name)} = {visible(value)}" for name, value in self.of.rounds[self.at[step]])
        return f"{self.number(step)} ({rounds})" if rounds else str(self.number(step))

    def number(self, step: int) -> int:
        """Return its number among the place's calls, from 1."""
        return int(self.of.number[self.at[step]]) + 1

    def report(
        self, kind: str, step: int, values: Values, leaf: Track | None = None, span: int = -1, certain: object = True
    ) -> Iterator[Finding]:
        """Report a finding from a step on, at a span or its backward."""
        span = self.of.span if span < 0 else span
        if span < 0:
            return
        exact = kind in ("loss_nonfinite", "unmoved") or step == 0  # the first bad loss is always kept
        known: dict[str, str | int] = {"step": self.named(step), "stride": 1 if exact else self.of.stride, **values}
        if leaf is not None:
            known["name"] = leaf.name
        place, tensor = self.trace.spans[span], -1 if leaf is None else leaf.of.tensor
        step = self.number(step)
        level, causes = level_and_causes(kind, certain)
        yield Finding(kind, place, known, tensor, level=level, causes=causes, loop=self.of.place, step=step)


def segments(trace: Trace) -> Iterator[Segment]:
    """Yield the segments of all places with enough calls."""
    for place in range(len(trace.steps.places)):
        of_place = curves(trace, place) if trace.steps.places[place].calls > SHORT else None
        if of_place is not None:
            yield from _of_place(trace, of_place)


def _of_place(trace: Trace, curves: Curves) -> Iterator[Segment]:
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
            leaves = [curves.leaves[number] for number in numbers]
            tracks = tuple(
                Track(leaf.leaf, leaf.name or sizes(leaf.shape), leaf, np.searchsorted(leaf.at, at)) for leaf in leaves
            )
            yield Segment(trace, curves, at, tracks)


def named(tracks: Sequence[Track]) -> str:
    """Return the names of some leaves, the first of many."""
    return first_of(visible(track.name) for track in tracks)

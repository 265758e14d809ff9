"""Stretches of a training: the steps of one place with the same leaves, so that they can be compared.

A place that trains one network after another, or two in turn, has a stretch for each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.analysis.training import Curves, LeafCurves, curves
from explorer.text.numbers import shape_text
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
    """

    index: int
    name: str
    of: LeafCurves
    rows: np.ndarray

    @cached_property
    def gradient(self) -> np.ndarray:
        """‖∂L/∂w‖ of the finite entries."""
        return self.of.gradient_norm[self.rows]

    @cached_property
    def bad_gradient(self) -> np.ndarray:
        """Whether an entry of the gradient is NaN or infinite."""
        return self.of.gradient_nonfinite[self.rows] > 0

    @cached_property
    def zero(self) -> np.ndarray:
        """Whether there was a gradient and all its entries were 0."""
        return (self.of.gradient_zeros[self.rows] == 1) & ~self.bad_gradient

    @cached_property
    def value(self) -> np.ndarray:
        """‖w‖ when backward was called."""
        return self.of.value_norm[self.rows]

    @cached_property
    def bad_value(self) -> np.ndarray:
        """Whether an entry of the leaf is NaN or infinite."""
        return self.of.value_nonfinite[self.rows] > 0

    @cached_property
    def update(self) -> np.ndarray:
        """‖w next − w‖."""
        return self.of.update_norm[self.rows]

    @cached_property
    def moves(self) -> bool:
        """Whether it moves after some backward of the stretch."""
        return bool((self.update > 0).any())

    @cached_property
    def rate(self) -> np.ndarray:
        """Learning rate of the optimizer that stepped over it."""
        return self.of.rate[self.rows]

    @cached_property
    def used(self) -> np.ndarray:
        """Norm of the gradient as the optimizer used it."""
        return self.of.used[self.rows]

    @cached_property
    def before(self) -> np.ndarray:
        """Norm of `.grad` just before backward."""
        return self.of.before[self.rows]


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
        return _together([track.gradient for track in self.tracks], len(self))

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

    def follows(self, step: int) -> bool:
        """Whether no call of the place is missing between a step and the one before it."""
        number = self.of.number[self.at]
        return step > 0 and number[step] == number[step - 1] + 1


def stretches(trace: Trace) -> Iterator[Stretch]:
    """All stretches of a Trace, place by place."""
    for place in range(len(trace.steps.places)):
        found = curves(trace, place)
        if found is not None:
            yield from _of_place(trace, found)


def _of_place(trace: Trace, found: Curves) -> Iterator[Stretch]:
    taking_part: list[list[int]] = [[] for _ in range(len(found))]
    for number, leaf in enumerate(found.leaves):
        for position in leaf.at.tolist():
            taking_part[position].append(number)
    groups: dict[tuple[int, ...], list[int]] = {}
    for position, parts in enumerate(taking_part):
        groups.setdefault(tuple(parts), []).append(position)
    longest = sorted(groups.items(), key=lambda group: -len(group[1]))[:MOST]
    for numbers, positions in longest:
        if numbers and len(positions) >= FEWEST:
            at = np.array(positions)
            tracks = tuple(_track(found.leaves[number], at) for number in numbers)
            yield Stretch(trace, found, at, tracks)


def _track(leaf: LeafCurves, at: np.ndarray) -> Track:
    return Track(leaf.leaf, leaf.name or shape_text(leaf.shape) or "()", leaf, np.searchsorted(leaf.at, at))


def _together(norms: Sequence[np.ndarray], count: int) -> np.ndarray:
    squares, known = np.zeros(count), np.zeros(count, bool)
    with np.errstate(all="ignore"):
        for norm in norms:
            there = ~np.isnan(norm)
            squares[there] += norm[there] ** 2
            known |= there
        return np.where(known, np.sqrt(squares), np.nan)


def last_run(holds: np.ndarray) -> int:
    """The start of the run of True that reaches the end; the length if there is none.

    >>> last_run(np.array([True, False, True, True]))
    2
    """
    broken = np.flatnonzero(~holds)
    return int(broken[-1]) + 1 if len(broken) else 0

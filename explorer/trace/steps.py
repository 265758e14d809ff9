"""Training steps of loops, as columns of bytes.

A step is one call of backward (or `torch.autograd.grad`) at a place called more than FEW times. Steps are kept even if
the operations in a loop's middle were only counted. A long loop keeps every 2ᵏ-th step, and the last if its round was
recorded.
"""

import math
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct, field

from explorer.trace.columns import Along, Columns, Ids
from explorer.trace.outputs import Word

FEW = 1  # a place with at most this many calls makes no steps
KEPT = 4_096  # most steps of a result
ROWS = 200_000  # most rows in total, one for each step of a leaf
PLACES, LEAVES = 200, 1_000
CURVES = 4_000  # most leaves of all places together
ENTRIES = 64  # limit for leaves kept whole, and for a sample

STATISTICS = (
    *("value_min", "value_max", "value_mean", "value_norm", "value_zeros", "value_nonfinite", "value_nans"),
    *("gradient_min", "gradient_max", "gradient_mean", "gradient_norm", "gradient_zeros", "gradient_nonfinite"),
    *("gradient_nans", "update_norm"),
)

_FAR = 1 << 60

_Bytes = Annotated[bytes, Meta(max_length=16_000_000)]
_Column = Annotated[list[int], Meta(max_length=ROWS), Along("steps")]


class StepPlace(Struct, frozen=True):
    """A place whose calls are steps.

    Attributes:
        span: its place in the program (spans), or -1.
        kind: backward, or grad for torch.autograd.grad.
        calls: total number of calls.
        stride: every stride-th call from the first is kept, and the last if its round was recorded.
    """

    span: Annotated[int, Ids("spans")]
    kind: Literal["backward", "grad"]
    calls: Annotated[int, Ids(_FAR, 1)]
    stride: Annotated[int, Ids(_FAR, 1)]


class StepLeaf(Columns, Struct, frozen=True):
    """A parameter, or another differentiated leaf, over its steps.

    A name rebound to a new leaf in each step (`w = w - lr * g`) counts as one leaf.

    Attributes:
        name: its name in the program, "" if unknown.
        tensor: its row in Trace.tensors (for a rebound name, the first), or -1.
        shape: its shape (Trace.shapes).
        dtype: dtype of the kept entries. Half precision is widened, complex entries are not kept.
        count: kept entries of each value.
        pick: 1 if all entries are kept. Otherwise every pick-th in row-major order.
        optimizer: class of the last optimizer that updated it, or "".
        steps: rows of Steps in ascending order, int32.
        values: its entries when backward was called, `count` for each of its steps.
        gradients: entries of `.grad` after backward, or of torch.autograd.grad's result.
        has_gradient: whether it was readable, a byte of 0 or 1 for each step. If not, its numbers are NaN.
        updates: for a leaf kept whole, the change of its entries until the next backward (or the end of the run),
            NaN if unknown. Otherwise empty.
        statistics: for a sampled leaf, a float64 row of STATISTICS for each step. Minimum to norm cover finite
            entries, zeros is a share from 0 to 1, NaN if undefined. Otherwise empty.
        slices: for a sampled leaf with two or more axes: number of all-zero gradient slices along the first axis,
            and with two axes along the second. An int32 pair for each step, -1 if unknown. Otherwise empty.
        before: float64 norm of `.grad` before backward, 0 if there was none, NaN if unknown.
        used: float64 norm of `.grad` at the start of the optimizer step, as after clipping. NaN without a step.
        rate: float64 learning rate of that step. NaN without a step.
        sampled: at detail "light", number of sampled entries behind a large leaf's statistics, except norms of
            value and gradient, non-finite counts, and a zero share of 1. 0: all entries. An update is NaN if no
            sampled entry moved.
        multiples: for a leaf kept whole, float64: how many times as far as torch's own step of its optimizer it moved
            until the next backward. inf if it moved elsewhere, NaN if unknown. Empty if unknown in all steps.
    """

    name: Word
    tensor: Annotated[int, Ids("tensors")]
    shape: Annotated[int, Ids("shapes", 0)]
    dtype: Literal["float32", "float64"]
    count: int
    pick: int
    optimizer: Word
    steps: _Bytes
    values: _Bytes
    gradients: _Bytes
    has_gradient: _Bytes
    updates: _Bytes
    statistics: _Bytes
    before: _Bytes
    used: _Bytes
    rate: _Bytes
    slices: _Bytes = b""
    sampled: int = 0
    multiples: _Bytes = b""

    @property
    def whole(self) -> bool:
        """Return whether all its entries are kept."""
        return not self.statistics and self.count > 0

    def __len__(self) -> int:
        return len(self.steps) // 4


class Steps(Columns, Struct, frozen=True):
    """Steps in order, and the leaves over them.

    Attributes:
        places: places of the calls.
        place: each step's index in `places`. number: the index of its call there, from 0.
        backward: its row in Trace.backwards, -1 if its graph was not kept.
        rounds: each step's loop variables, outermost first: pairs of name and value as text (strings), if it is a
            number, a short text or a truth value.
        loss: float64 sum of its roots' means, NaN if unreadable.
        leaves: in order of first use.
    """

    places: Annotated[list[StepPlace], Meta(max_length=PLACES)] = field(default_factory=list)
    place: Annotated[_Column, Ids("steps.places", 0)] = field(default_factory=list)
    number: _Column = field(default_factory=list)
    backward: Annotated[_Column, Ids("backwards")] = field(default_factory=list)
    rounds: Annotated[
        list[Annotated[list[int], Meta(max_length=ROWS)]], Meta(max_length=ROWS), Along("steps"), Ids("strings", 0)
    ] = field(default_factory=list)
    loss: _Bytes = b""
    leaves: Annotated[list[StepLeaf], Meta(max_length=LEAVES)] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.place)


def places_of(steps: Steps, leaf: StepLeaf) -> list[int]:
    """Return the places at which a leaf appears."""
    return np.unique(np.asarray(steps.place, np.int64)[np.frombuffer(leaf.steps, "<i4")]).tolist()


def faulty(steps: Steps, shapes: list[list[int]]) -> str:
    """Return the first fault that the declaration of steps cannot express, or ""."""
    n = len(steps)
    if len(steps.loss) != 8 * n:
        return "steps: columns of different lengths"
    last = [-1] * len(steps.places)
    for place, number in zip(steps.place, steps.number, strict=True):
        if not last[place] < number < steps.places[place].calls:
            return "steps of a place that are not in order"
        last[place] = number
    if any(len(pairs) % 2 for pairs in steps.rounds):
        return "rounds of a step that cannot be"
    for leaf in steps.leaves:
        if wrong := _faulty_leaf(leaf, n, shapes[leaf.shape]):
            return wrong
    if sum(len(places_of(steps, leaf)) for leaf in steps.leaves) > CURVES:
        return "leaves of steps at too many places"
    return ""


def _faulty_leaf(leaf: StepLeaf, steps: int, sides: list[int]) -> str:
    entries, rows = math.prod(sides), len(leaf)
    if min(sides, default=0) < 0 or entries > _FAR or not 0 < leaf.pick <= max(1, entries):
        return "a leaf of steps of a shape that cannot be"
    if not 0 <= leaf.sampled <= entries:
        return "a leaf of steps with a sample that cannot be"
    if not 0 <= leaf.count <= min(ENTRIES, entries) or (leaf.count - 1) * leaf.pick >= max(1, entries):
        return "a leaf of steps with entries that cannot be"
    if leaf.whole and (leaf.pick != 1 or leaf.count != entries):
        return "a leaf of steps that is not whole"
    if leaf.slices and (leaf.whole or len(sides) < 2):
        return "a leaf of steps with slices that cannot be"
    kept = rows * leaf.count * (4 if leaf.dtype == "float32" else 8)
    lengths = {
        **{"steps": 4 * rows, "has_gradient": rows},
        **dict.fromkeys(("before", "used", "rate"), 8 * rows),
        **{"values": kept, "gradients": kept, "updates": kept if leaf.whole else 0},
        **{"multiples": 8 * rows if leaf.multiples else 0},
        **{"statistics": 0 if leaf.whole else 8 * len(STATISTICS) * rows, "slices": 8 * rows if leaf.slices else 0},
    }
    if any(len(getattr(leaf, column)) != length for column, length in lengths.items()):
        return "a leaf of steps: columns of different lengths"
    slices = np.frombuffer(leaf.slices, "<i4").reshape(-1, 2)
    if len(slices) and not (slices.min() >= -1 and bool((slices.max(0) <= sides[:2]).all())):
        return "a leaf of steps with slices that cannot be"
    at = np.frombuffer(leaf.steps, "<i4")
    if rows and not (at[0] >= 0 and at[-1] < steps and bool((np.diff(at.astype(np.int64)) > 0).all())):
        return "a leaf of steps that do not exist"
    return ""

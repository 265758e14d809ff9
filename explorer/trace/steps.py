"""The steps of training: what each backward of a loop found and what followed, as columns of bytes.

A step is one call of backward (or `torch.autograd.grad`) at a place that the program calls more than FEW times. Steps
are kept also where the operations of a loop's middle were only counted; of a long loop every 2ᵏ-th is, and the last if
its round was recorded.
"""

import math
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct, field

from explorer.trace.columns import Along, Columns, Ids
from explorer.trace.outputs import Word

FEW = 1  # calls of a place up to which they make no steps
KEPT = 4_096  # steps of a result
ROWS = 200_000  # of all leaves together, one for each step of a leaf
PLACES, LEAVES = 200, 1_000
CURVES = 4_000  # leaves of all places together
ENTRIES = 64  # of a leaf that is kept whole, and at most in a sample

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
        span: where it is (spans), -1 when it has no place in the program.
        kind: backward, or grad for torch.autograd.grad.
        calls: how often it was called in all.
        stride: every stride-th call is kept, from the first on, and the last if its round was recorded.
    """

    span: Annotated[int, Ids("spans")]
    kind: Literal["backward", "grad"]
    calls: Annotated[int, Ids(_FAR, 1)]
    stride: Annotated[int, Ids(_FAR, 1)]


class StepLeaf(Columns, Struct, frozen=True):
    """A leaf over the steps in which it appears: a parameter, or anything else that gradients are taken for.

    A name that is rebound to a new leaf in each step (`w = w - lr * g`) is one leaf here.

    Attributes:
        name: its name in the program, "" if unknown.
        tensor: its row in Trace.tensors (the first one's, of a name that is bound again), or -1.
        shape: its shape (Trace.shapes).
        dtype: of the entries as they are kept; half precision is widened, complex numbers have no entries here.
        count: how many entries are kept of each value.
        pick: 1 where these are all there are; otherwise every pick-th entry in row-major order is kept.
        optimizer: class of the optimizer that stepped over it last, "" when none did.
        steps: rows of Steps in ascending order, int32.
        values: its entries when backward was called, `count` for each of its steps.
        gradients: entries of `.grad` when backward had returned, or of what torch.autograd.grad returned.
        has_gradient: whether there was one that could be read, a byte of 0 or 1 for each step; where not,
            its numbers are NaN.
        updates: of a leaf that is kept whole: entries by which it had moved when backward next came to it (at the end
            of the run for the last); NaN where that is unknown. Otherwise empty.
        statistics: of a leaf that is not kept whole, a row of STATISTICS for each step, float64; minimum to norm are
            those of the finite entries, zeros a share from 0 to 1, NaN where there is no such value. Otherwise empty.
        slices: of a leaf with two axes or more that is not kept whole: how many slices of the gradient along its first
            axis, and of a leaf with two axes along its second, have no entry but 0; pairs of int32, a pair for each
            step, -1 where that is unknown. Otherwise empty.
        before: norm of `.grad` when backward was called, 0 where there was none, NaN where it is unknown; float64.
        used: norm of `.grad` when the optimizer began its step, as after clipping; NaN where none stepped; float64.
        rate: learning rate of the optimizer that stepped over it then; NaN where none did; float64.
        sampled: at detail "light", of how many entries the statistics of a large leaf are, but for norms of value and
            gradient, non-finite entries, and a share of zeros of 1; 0: of all. An update is NaN where no entry of the
            sample moved.
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

    @property
    def whole(self) -> bool:
        """Whether all its entries are kept."""
        return not self.statistics and self.count > 0

    def __len__(self) -> int:
        return len(self.steps) // 4


class Steps(Columns, Struct, frozen=True):
    """The steps in the order they were made, and the leaves over them.

    Attributes:
        places: where they were called.
        place: of each step its index in `places`; number: which of that place's calls it is, from 0.
        backward: its row in Trace.backwards, -1 where its graph was not kept.
        rounds: of each step where the loops around it were, outermost first: pairs of a variable's name and its value
            as text (strings), as far as that is a number, a short text or a truth value.
        loss: the sum of its roots, each the mean of its entries; NaN also where it could not be read; float64.
        leaves: in the order in which the program first used them.
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
    """The places at which a leaf appears."""
    return np.unique(np.asarray(steps.place, np.int64)[np.frombuffer(leaf.steps, "<i4")]).tolist()


def faulty(steps: Steps, shapes: list[list[int]]) -> str:
    """Check what the declaration of steps cannot say. Return the first fault in words, or ""."""
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

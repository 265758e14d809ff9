"""Rules for changes that are constant along some axes, by kind of operation.

`Operation.alike` is such a rule. A norm subtracts the mean, and softmax ignores a constant added to all entries: there
the change ends. A rule returns the result's axes along which the change is constant, or the name of what ends it, or
None if unknown.
"""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate, pairwise
from operator import mul
from typing import Literal

from msgspec import Struct

from explorer.trace import Arguments, InputTensor

_VERY_NEGATIVE = -1e4  # written by a mask before softmax

Axes = frozenset[int]
Shape = tuple[int, ...]
Followed = Axes | Literal["norm", "softmax"] | None


class PassedCall(Struct, frozen=True):
    """One call on the way.

    Attributes:
        name: torch's short name.
        arguments: its arguments. shapes: of its tensors, in order. out: shape of its result.
        moved: axes along which each input's change is constant, by input number.
        masked: whether a mask overwrote entries. exchanged: whether the operands are swapped, as in `1 - x`.
        axes: possible operand axes for each result axis, if a call swaps axes.
    """

    name: str
    arguments: Arguments
    shapes: tuple[Shape, ...]
    out: Shape
    moved: Mapping[int, Axes]
    masked: bool
    exchanged: bool = False
    axes: list[list[int]] = []


def _axis(asked: object, shape: Shape) -> int | None:
    """Return an axis counted from 0, None without a valid axis."""
    valid = isinstance(asked, int) and not isinstance(asked, bool) and -len(shape) <= asked < len(shape)
    return asked % len(shape) if valid else None  # type: ignore[operator]


def _align(step: PassedCall, at: int) -> Axes:
    """Return the result axes along which this input's change is constant."""
    shape, apart = step.shapes[at], len(step.out) - len(step.shapes[at])
    return frozenset(range(apart)) | {
        axis + apart
        for axis in range(len(shape))
        if axis in step.moved[at] or (shape[axis] == 1 and step.out[axis + apart] != 1)
    }


def added(step: PassedCall) -> Followed:
    """Follow a sum or difference."""
    return frozenset.intersection(*(_align(step, at) for at in step.moved))


def scaled(step: PassedCall) -> Followed:
    """Follow a product with, or a quotient by, something constant."""
    read = sum(isinstance(part, InputTensor) for part in step.arguments.parts())
    if len(step.moved) != 1 or len(step.shapes) > 2 or read > len(step.shapes):
        return None
    [at] = step.moved
    axes = _align(step, at)
    for other, shape in enumerate(step.shapes):
        if other != at:
            apart = len(step.out) - len(shape)
            axes &= frozenset(range(apart)) | {axis + apart for axis, size in enumerate(shape) if size == 1}
    return axes


def divided(step: PassedCall) -> Followed:
    """Follow a quotient by something constant."""
    upper = step.arguments.get(0, "input", default=None)
    alone = "rounding_mode" not in step.arguments.named and upper == InputTensor(0) and not step.exchanged
    return scaled(step) if 0 in step.moved and alone else None


def same(step: PassedCall) -> Followed:
    """Follow unchanged entries."""
    return step.moved.get(0)


def axes_moved(step: PassedCall) -> Followed:
    """Follow moved axes, without axes of size 1."""
    if len(step.axes) != len(step.out):
        return None
    along = {k: {axis in step.moved.get(0, ()) for axis in axes} for k, axes in enumerate(step.axes) if step.out[k] > 1}
    if any(len(are) != 1 for are in along.values()):
        return None
    return frozenset(k for k, are in along.items() if are == {True})


def linear(step: PassedCall) -> Followed:
    """Follow a layer's bias or input."""
    last = len(step.out) - 1
    if set(step.moved) == {2}:
        return frozenset(range(last))
    return step.moved[0] - {last} if set(step.moved) == {0} else None


def convolution(step: PassedCall) -> Followed:
    """Follow a convolution's bias."""
    batched = len(step.out) == len(step.shapes[1])
    return frozenset(range(len(step.out))) - {1} if set(step.moved) == {2} and batched else None


def product(step: PassedCall) -> Followed:
    """Follow a matrix product: equal columns of the right or rows of the left factor stay equal."""
    if len(step.moved) != 1 or step.exchanged or len(step.shapes) != 2 or min(map(len, step.shapes)) < 2:
        return None
    [at] = step.moved
    behind = 1 if at else 2
    return frozenset({len(step.out) - behind} if len(step.shapes[at]) - behind in step.moved[at] else ())


def reshaped(step: PassedCall) -> Followed:
    """Follow a reshape: axes between shared boundaries stay constant together."""
    before, after = step.shapes[0], step.out
    if 0 not in step.moved or 0 in before:
        return None
    starts, places = [*accumulate(before, mul, initial=1)], [*accumulate(after, mul, initial=1)]
    common = sorted(set(starts) & set(places))
    moving = [starts[axis] for axis, size in enumerate(before) if size > 1 and axis not in step.moved[0]]
    still = {begin for begin, end in pairwise(common) if not any(begin <= place < end for place in moving)}
    return frozenset(
        axis for axis, size in enumerate(after) if size > 1 and common[bisect_right(common, places[axis]) - 1] in still
    )


def dropped(step: PassedCall) -> Followed:
    """Follow dropout that drops nothing."""
    given = step.arguments
    off = given.get(2, "training", default=True) is False or given.get(1, "p", default=0.5) == 0
    return same(step) if off else None


def masked(step: PassedCall) -> Followed:
    """Follow a mask that writes very negative numbers."""
    written = step.arguments.get(2, "value", default=None)
    very = isinstance(written, int | float) and written <= _VERY_NEGATIVE
    return same(step) if set(step.moved) == {0} and very else None


def normalised(step: PassedCall) -> Followed:
    """Follow a norm, which subtracts the mean over all but some axes."""
    given, rank = step.arguments.get, len(step.out)
    match step.name.removeprefix("native_"):
        case "batch_norm" if given(5, "training", default=False) is True:
            kept = {1}  # the channels
        case "instance_norm" if given(5, "use_input_stats", default=True) is True:
            kept = {0, 1}
        case "layer_norm" if isinstance(sizes := given(1, "normalized_shape", default=None), list | tuple) and sizes:
            kept = set(range(rank - len(sizes)))
        case "group_norm":
            alone = rank > 1 and given(1, "num_groups", default=0) == step.out[1]
            kept = {0, 1} if alone else {0}
        case _:
            return None
    covered = frozenset(range(rank)) - kept <= step.moved.get(0, frozenset())
    return "norm" if set(step.moved) == {0} and covered and not step.masked else None


def softmax(step: PassedCall) -> Followed:
    """Follow softmax, which ignores constants along its axis."""
    axis = _axis(step.arguments.get(1, "dim", default=None), step.out)
    return "softmax" if axis is not None and axis in step.moved.get(0, ()) else None


def cross_entropy(step: PassedCall) -> Followed:
    """Follow cross entropy, which begins with softmax over the classes."""
    classes = step.shapes[0]
    axis = 1 if len(classes) > 1 else 0
    return "softmax" if set(step.moved) == {0} and axis in step.moved[0] else None


def attention(step: PassedCall) -> Followed:
    """Follow attention, which takes softmax over the keys."""
    keys = len(step.shapes[1]) - 2 if len(step.shapes) > 1 else -1
    return "softmax" if set(step.moved) == {1} and keys in step.moved[1] else None

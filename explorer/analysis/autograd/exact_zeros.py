"""Leaves whose gradient is 0 in exact arithmetic, although rounding leaves a tiny number there.

A norm subtracts the mean, and softmax ignores what is added to all entries alike: a bias before a batch norm, or of the
keys of an attention, changes nothing. What a change of a leaf does is followed through the operations of a backward:
along which axes it is the same for all entries. Where it reaches an operation that ignores such a change, it ends.
An operation without a rule here, or a way around, and nothing is said.
"""

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import accumulate, pairwise
from operator import mul
from typing import Literal

from msgspec import Struct

from explorer.analysis.autograd.changed_gradients import altered_outputs
from explorer.analysis.autograd.view import ExactZero
from explorer.trace import Arguments, InputTensor, Trace

SMALL = 1e-3  # of the largest gradient of a leaf: one that is larger is no rounding
_VERY_NEGATIVE = -1e4  # what a mask writes before softmax

Axes = frozenset[int]
Shape = tuple[int, ...]


class _Step(Struct, frozen=True):
    """One call on the way.

    Attributes:
        arguments: what it was given; shapes: of its tensors, in order; out: of its result.
        moved: by number of an input along which axes its change is the same for all entries.
        masked: whether entries of it were overwritten by a mask.
    """

    arguments: Arguments
    shapes: tuple[Shape, ...]
    out: Shape
    moved: Mapping[int, Axes]
    masked: bool


_Followed = Axes | Literal["norm", "softmax"] | None  # of the result; what ends it; None: unknown


def exact_zeros(trace: Trace, backward: int | None) -> Mapping[int, ExactZero]:
    """By leaf why its gradient is 0 in exact arithmetic. Only leaves at which a small or no gradient arrived."""
    if backward is None:
        return {}
    return trace.index.memoize(("exact zeros", backward), lambda: _found(trace, backward))


def _found(trace: Trace, backward: int) -> dict[int, ExactZero]:
    call, nodes = trace.backwards[backward], trace.nodes
    norms: dict[int, float] = {}
    for step, node in enumerate(call.order):
        leaf = nodes.variable[node]
        value = trace.value(max(call.arrived[step], default=-1)) if leaf >= 0 else None
        if value is not None and value.norm is not None and not value.nonfinite:
            norms[leaf] = value.norm
    most = max(norms.values(), default=0.0)
    small = [leaf for leaf, norm in norms.items() if norm <= SMALL * most]
    known = all(nodes.operation[node] >= 0 or nodes.variable[node] >= 0 for node in call.order)
    if not small or not known or altered_outputs(trace, backward):
        return {}
    readers: dict[int, list[int]] = defaultdict(list)
    reached = {nodes.operation[node] for node in call.order} - {-1}
    for operation in sorted(reached):
        for tensor in dict.fromkeys(trace.operations.inputs[operation]):
            readers[tensor].append(operation)
    roots = frozenset(call.root_tensors)
    found = {leaf: _follow(trace, leaf, readers, roots) for leaf in small}
    return {leaf: ends for leaf, ends in found.items() if ends is not None}


def _follow(trace: Trace, leaf: int, readers: Mapping[int, list[int]], roots: frozenset[int]) -> ExactZero | None:
    """Where a change of a leaf ends, None if some of it may arrive."""
    operations, moved, masked, end = trace.operations, {leaf: frozenset[int]()}, set[int](), None
    waiting = [*readers.get(leaf, ())]
    heapq.heapify(waiting)
    done: set[int] = set()
    while waiting:
        operation = heapq.heappop(waiting)
        if operation in done:
            continue
        done.add(operation)
        inputs, outputs = operations.inputs[operation], operations.outputs[operation]
        if not outputs or set(inputs) & set(outputs):
            return None  # written in place
        shape = _shape(trace, outputs[0])
        step = _Step(
            trace.arguments(operation),
            tuple(_shape(trace, tensor) for tensor in inputs),
            shape,
            {at: moved[tensor] | _single(trace, tensor) for at, tensor in enumerate(inputs) if tensor in moved},
            any(tensor in masked for tensor in inputs),
        )
        name = trace.strings[operations.name[operation]]
        rule = _RULES.get(name)
        result = None if rule is None else rule(step)
        if result is None:
            return None
        if isinstance(result, str):
            end = ExactZero(result, name, operation)
            continue
        if roots.intersection(outputs):
            return None
        for tensor in outputs:
            moved[tensor] = result
            if step.masked or name == "masked_fill":
                masked.add(tensor)
            for reader in readers.get(tensor, ()):
                heapq.heappush(waiting, reader)
    return end


def _shape(trace: Trace, tensor: int) -> Shape:
    return tuple(trace.shapes[trace.tensors.shape[tensor]])


def _single(trace: Trace, tensor: int) -> Axes:
    return frozenset(axis for axis, size in enumerate(_shape(trace, tensor)) if size == 1)


def _axis(asked: object, shape: Shape) -> int | None:
    """The axis counted from 0; None where the argument names no axis."""
    known = isinstance(asked, int) and not isinstance(asked, bool) and -len(shape) <= asked < len(shape)
    return asked % len(shape) if known else None  # type: ignore[operator]


def _aligned(step: _Step, at: int) -> Axes:
    """Along which axes of the result what this input adds is the same."""
    shape, apart = step.shapes[at], len(step.out) - len(step.shapes[at])
    return frozenset(range(apart)) | {
        axis + apart
        for axis in range(len(shape))
        if axis in step.moved[at] or (shape[axis] == 1 and step.out[axis + apart] != 1)
    }


def _added(step: _Step) -> _Followed:
    return frozenset.intersection(*(_aligned(step, at) for at in step.moved))


def _scaled(step: _Step) -> _Followed:
    """A product with what does not change, or a quotient by it."""
    read = sum(isinstance(part, InputTensor) for part in step.arguments.parts())
    if len(step.moved) != 1 or len(step.shapes) > 2 or read > len(step.shapes):
        return None
    [at] = step.moved
    found = _aligned(step, at)
    for other, shape in enumerate(step.shapes):
        if other != at:
            apart = len(step.out) - len(shape)
            found &= frozenset(range(apart)) | {axis + apart for axis, size in enumerate(shape) if size == 1}
    return found


def _divided(step: _Step) -> _Followed:
    upper = step.arguments.get(0, "input", default=None)
    alone = "rounding_mode" not in step.arguments.named and upper == InputTensor(0)
    return _scaled(step) if 0 in step.moved and alone else None


def _same(step: _Step) -> _Followed:
    return step.moved.get(0)


def _linear(step: _Step) -> _Followed:
    last = len(step.out) - 1
    if set(step.moved) == {2}:
        return frozenset(range(last))
    return step.moved[0] - {last} if set(step.moved) == {0} else None


def _convolution(step: _Step) -> _Followed:
    batched = len(step.out) == len(step.shapes[1])
    return frozenset(range(len(step.out))) - {1} if set(step.moved) == {2} and batched else None


def _product(step: _Step) -> _Followed:
    """A product of matrices: a change of the right one is alike along its columns, of the left one along its rows."""
    if len(step.moved) != 1 or len(step.shapes) != 2 or min(map(len, step.shapes)) < 2:
        return None
    [at] = step.moved
    behind = 1 if at else 2
    return frozenset({len(step.out) - behind} if len(step.shapes[at]) - behind in step.moved[at] else ())


def _moved_axes(order: Callable[[_Step], list[int] | None]) -> Callable[[_Step], _Followed]:
    def rule(step: _Step) -> _Followed:
        places = order(step)
        return None if places is None else frozenset(places.index(axis) for axis in step.moved.get(0, ()))

    return rule


def _swapped(step: _Step) -> list[int] | None:
    shape = step.shapes[0]
    first = _axis(step.arguments.get(1, "dim0", "axis0", default=None), shape)
    second = _axis(step.arguments.get(2, "dim1", "axis1", default=None), shape)
    if first is None or second is None:
        return None
    order = [*range(len(shape))]
    order[first], order[second] = order[second], order[first]
    return order


def _turned(step: _Step) -> list[int] | None:
    order = [*range(len(step.shapes[0]))]
    return [*order[:-2], *reversed(order[-2:])]


def _permuted(step: _Step) -> list[int] | None:
    asked = step.arguments.positional[1:]
    if len(asked) == 1 and isinstance(asked[0], list | tuple):
        asked = tuple(asked[0])
    order = [_axis(axis, step.shapes[0]) for axis in asked]
    known = [axis for axis in order if axis is not None]
    return known if sorted(known) == [*range(len(step.shapes[0]))] else None


def _reshaped(step: _Step) -> _Followed:
    """Between two places at which both shapes have an axis begin: what is the same along all axes before is after."""
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


def _dropped(step: _Step) -> _Followed:
    given = step.arguments
    off = given.get(2, "training", default=True) is False or given.get(1, "p", default=0.5) == 0
    return _same(step) if off else None


def _masked(step: _Step) -> _Followed:
    written = step.arguments.get(2, "value", default=None)
    very = isinstance(written, int | float) and written <= _VERY_NEGATIVE
    return _same(step) if set(step.moved) == {0} and very else None


def _all_but(kept: Axes, step: _Step) -> _Followed:
    covered = frozenset(range(len(step.out))) - kept <= step.moved.get(0, frozenset())
    return "norm" if set(step.moved) == {0} and covered and not step.masked else None


def _batch_norm(step: _Step) -> _Followed:
    return _all_but(frozenset({1}), step) if step.arguments.get(5, "training", default=False) is True else None


def _instance_norm(step: _Step) -> _Followed:
    uses = step.arguments.get(5, "use_input_stats", default=True) is True
    return _all_but(frozenset({0, 1}), step) if uses else None


def _layer_norm(step: _Step) -> _Followed:
    sizes = step.arguments.get(1, "normalized_shape", default=None)
    count = len(sizes) if isinstance(sizes, list | tuple) else 0
    return _all_but(frozenset(range(len(step.out) - count)), step) if count else None


def _group_norm(step: _Step) -> _Followed:
    groups = step.arguments.get(1, "num_groups", default=0)
    alone = len(step.out) > 1 and groups == step.out[1]
    return _all_but(frozenset({0, 1}) if alone else frozenset({0}), step)


def _softmax(step: _Step) -> _Followed:
    axis = _axis(step.arguments.get(1, "dim", default=None), step.out)
    return "softmax" if axis is not None and axis in step.moved.get(0, ()) else None


def _cross_entropy(step: _Step) -> _Followed:
    classes = step.shapes[0]
    axis = 1 if len(classes) > 1 else 0
    return "softmax" if set(step.moved) == {0} and axis in step.moved[0] else None


def _attention(step: _Step) -> _Followed:
    keys = len(step.shapes[1]) - 2 if len(step.shapes) > 1 else -1
    return "softmax" if set(step.moved) == {1} and keys in step.moved[1] else None


_RULES: dict[str, Callable[[_Step], _Followed]] = {
    **dict.fromkeys(("add", "sub", "subtract", "__add__", "__radd__", "__sub__", "__rsub__", "rsub"), _added),
    **dict.fromkeys(("mul", "multiply", "__mul__", "__rmul__"), _scaled),
    **dict.fromkeys(("div", "divide", "true_divide", "__truediv__"), _divided),
    **dict.fromkeys(("neg", "clone", "contiguous", "to", "float", "double", "half", "bfloat16"), _same),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _convolution),
    **dict.fromkeys(("matmul", "bmm", "mm", "__matmul__"), _product),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), _moved_axes(_swapped)),
    **dict.fromkeys(("t", "mT", "adjoint"), _moved_axes(_turned)),
    **dict.fromkeys(("view", "reshape", "flatten", "unflatten", "unsqueeze", "squeeze"), _reshaped),
    **dict.fromkeys(("softmax", "log_softmax", "softmin"), _softmax),
    "linear": _linear,
    "permute": _moved_axes(_permuted),
    "dropout": _dropped,
    "masked_fill": _masked,
    "batch_norm": _batch_norm,
    "instance_norm": _instance_norm,
    "layer_norm": _layer_norm,
    "group_norm": _group_norm,
    "cross_entropy": _cross_entropy,
    "scaled_dot_product_attention": _attention,
}

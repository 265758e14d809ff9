"""Window layers: convolutions and pooling. A call's entry map is also its node's.

A window is a row of input positions, −1 outside. Forward, a result entry combines the entries in its window. Backward,
its gradient goes back to them.
"""

import math
from collections.abc import Sequence

import numpy as np

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import MOST, NoEntryMap, OperationCall, Reading
from explorer.analysis.run.operations.products import with_bias
from explorer.analysis.run.operations.record import Derivative, Operation, Rule, Sides


def _check_bound(places: int) -> None:
    if places > MOST:
        raise NoEntryMap("size")


def _along(size: int, made: int, kernel: int, stride: int, padding: int, dilation: int) -> np.ndarray:
    """Return the windows of one axis: (result positions, kernel positions)."""
    _check_bound(max(made * kernel, made, kernel))
    places = np.arange(made)[:, None] * stride - padding + np.arange(kernel) * dilation
    return np.where((places < 0) | (places >= size), -1, places)


def _adapted(size: int, made: int) -> np.ndarray:
    """Return the same for adaptive windows of almost equal size."""
    _check_bound(max(made * size, made))
    starts, ends = np.arange(made) * size // made, -(-np.arange(1, made + 1) * size // made)
    places = starts[:, None] + np.arange((ends - starts).max(initial=0))
    return np.where(places < ends[:, None], places, -1)


def _crossed(sizes: Sides, axes: Sequence[np.ndarray]) -> np.ndarray:
    """Combine the windows of several axes, row-major."""
    found = np.zeros((1, 1), int)
    for size, along in zip(sizes, axes, strict=True):
        _check_bound(found.size * along.size)
        before, here = found[:, None, :, None], along[None, :, None, :]
        found = np.where((before < 0) | (here < 0), -1, before * size + here)
        found = found.reshape(math.prod(found.shape[:2]), math.prod(found.shape[2:]))
    return found


def _several(asked: object, rank: int) -> tuple[int, ...]:
    if type(asked) is int:
        return (asked,) * rank
    if isinstance(asked, list | tuple) and len(asked) in (1, rank) and all(type(size) is int for size in asked):
        return tuple(asked) * (rank if len(asked) == 1 else 1)
    raise NoEntryMap("window")


def _map_convolution(call: OperationCall, operation: Operation) -> list[Reading]:
    """Map every entry to input positions, kernel positions and bias."""
    x, weight, result = call.operands[0].shape, call.operands[1].shape, call.results[0]
    rank = len(weight) - 2
    stride, dilation = (_several(call.plain(k, name, default=1), rank) for k, name in ((3, "stride"), (5, "dilation")))
    padding = _several(call.plain(4, "padding", default=0), rank)
    shape, made = (sides if len(sides) == rank + 2 else (1, *sides) for sides in (x, result.shape))
    axes = map(_along, shape[2:], made[2:], weight[2:], stride, padding, dilation)
    seen, inner = _crossed(shape[2:], list(axes)), weight[1]
    _check_bound(max(result.size * inner * seen.shape[1], *made, inner))
    n, o, c = np.ix_(range(made[0]), range(made[1]), range(inner))
    plane = n * shape[1] + o // (weight[0] // call.whole(6, "groups", default=1)) * inner + c
    first = plane[:, :, None, :, None] * math.prod(shape[2:]) + seen[:, None, :]
    second = (o * inner + c)[:, :, None, :, None] * seen.shape[1] + np.arange(seen.shape[1])
    first, second = np.broadcast_arrays(first, np.where(seen[:, None, :] < 0, -1, second))
    reads = [read.reshape(result.size, inner * seen.shape[1]) for read in (np.where(second < 0, -1, first), second)]
    channel = np.arange(result.size) // math.prod(made[2:]) % made[1]
    return [with_bias(Reading(tuple(reads), "products", (0, 1)), channel, len(call.operands) > 2)]


def _map_pool(call: OperationCall, operation: Operation) -> list[Reading]:
    rank = int(call.name.partition("pool")[2][0])  # max_pool2d, max_pool2d_with_indices
    x, made = call.operands[0].shape, call.results[0].shape[-rank:]
    if call.name.startswith("adaptive"):
        axes = list(map(_adapted, x[-rank:], made))
    else:
        kernel, stride = _several(call.plain(1, "kernel_size"), rank), call.plain(2, "stride", default=None)
        stride = kernel if stride is None or stride in ([], ()) else _several(stride, rank)
        padding = _several(call.plain(3, "padding", default=0), rank)
        dilation = _several(call.plain(4, "dilation", default=1) if operation.kind == "max" else 1, rank)
        axes = list(map(_along, x[-rank:], made, kernel, stride, padding, dilation))
    seen, lines = _crossed(x[-rank:], axes), math.prod(x[:-rank])
    _check_bound(max(lines * seen.size, lines))
    planes = np.where(seen < 0, -1, seen + np.arange(lines)[:, None, None] * math.prod(x[-rank:]))
    return [Reading((planes.reshape(lines * len(seen), seen.shape[1]),), operation.kind)]


_TURNED = ("transposed", "True", Derivative(words="turned-convolution"))


def _pool(name: str, rank: int) -> Operation:
    kind, words = ("max", "winner") if "max" in name else ("mean", "pool")
    by: dict[str, Rule] = {} if rank == 1 else {"self": Derivative(words=words)}  # torch computes one axis as two
    aliases = name.partition("_with")[0].format(rank) if "_with" in name else ""
    return Operation(name.format(rank), aliases, subject="windows", entries=_map_pool, kind=kind, derivative=by)


_POOLS = "max_pool{}d_with_indices avg_pool{}d adaptive_max_pool{}d adaptive_avg_pool{}d"
OPERATIONS = (
    Operation(
        "convolution",
        aliases="conv1d conv2d conv3d",
        alike=alike.convolution,
        subject="windows",
        entries=_map_convolution,
        derivative={
            "input": Derivative(words="convolution", cases=(_TURNED,)),
            "weight": Derivative(words="kernel"),
            "bias": Derivative(words="bias"),
        },
        units=(1, 0),
    ),
    Operation("conv_transpose2d", aliases="conv_transpose1d conv_transpose3d"),
    *(_pool(name, rank) for rank in (1, 2, 3) for name in _POOLS.split()),
)

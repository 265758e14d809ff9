"""Layers that look through windows: convolutions and pooling. The entry map of a call is also that of its node.

A window is a row of positions of the input, −1 outside of it. Forward an entry of the result combines what its window
reads; backward its gradient goes to what the window read.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.analysis.operations import alike
from explorer.analysis.operations.call import MOST, NoEntryMap, OperationCall, Reading
from explorer.analysis.operations.record import Derivative, Operation, Rule, Sides

Array = Any  # numpy's overloads have no None and no mixed index


def _check_bound(places: int) -> None:
    if places > MOST:
        raise NoEntryMap("size")


def windows(sizes: Sides, made: Sides, kernel: Sides, stride: Sides, padding: Sides, dilation: Sides) -> np.ndarray:
    """(positions in the result, positions in the kernel): which position of the input each reads, −1 for padding."""
    cells, taps = math.prod(made), math.prod(kernel)
    _check_bound(max(cells * taps, cells, taps, *made, *kernel))
    reads = np.zeros((math.prod(made), math.prod(kernel)), int)
    outside = np.zeros(reads.shape, bool)
    at, tap = np.indices(made).reshape(len(made), -1), np.indices(kernel).reshape(len(kernel), -1)
    for axis, size in enumerate(sizes):
        place = at[axis][:, None] * stride[axis] - padding[axis] + tap[axis][None] * dilation[axis]
        outside |= (place < 0) | (place >= size)
        reads = reads * size + place
    return np.where(outside, -1, reads)


def adaptive_windows(sizes: Sides, made: Sides) -> np.ndarray:
    """The same for windows of almost equal size that cover the input."""
    _check_bound(math.prod(made) * math.prod(sizes))
    rows = []
    for at in itertools.product(*map(range, made)):
        inside = [range(o * n // m, -(-(o + 1) * n // m)) for o, n, m in zip(at, sizes, made, strict=True)]
        rows.append([int(np.ravel_multi_index(place, tuple(sizes))) for place in itertools.product(*inside)])
    reads = np.full((len(rows), max(map(len, rows), default=0)), -1)
    for row, places in zip(reads, rows, strict=True):
        row[: len(places)] = places
    return reads


def _in_every_plane(shape: Sides, rank: int, seen: np.ndarray) -> np.ndarray:
    """The windows of one plane in every plane of the input."""
    lines, below = math.prod(shape[:-rank]), math.prod(shape[-rank:])
    _check_bound(lines * seen.size)
    moved = np.where(seen < 0, -1, seen + np.arange(lines)[:, None, None] * below)
    return moved.reshape(lines * len(seen), -1)


# ---- convolution ---------------------------------------------------------------------------------------------------


def convolution_reads(
    shape: Sides, weight: Sides, made: Sides, stride: Sides, padding: Sides, dilation: Sides, groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """For every entry of the result the positions in the input, and those in the kernel that they are multiplied with.

    For a transposed convolution input and result are exchanged.
    """
    seen = windows(shape[2:], made[2:], weight[2:], stride, padding, dilation)
    inner, width = weight[1], seen.shape[1]
    _check_bound(max(math.prod(made) * inner * width, *made, inner))
    n, o, c = np.ix_(range(made[0]), range(made[1]), range(inner))
    channel = n * shape[1] + o // (weight[0] // groups) * inner + c
    taps = np.arange(width) + (o * inner + c)[:, :, None, :, None] * width
    planes = channel[:, :, None, :, None] * math.prod(shape[2:])
    outside = np.broadcast_to((seen < 0)[:, None, :], (made[0], made[1], len(seen), inner, width))
    flat = (np.where(outside, -1, positions) for positions in (seen[:, None, :] + planes, taps))
    x, kernel = (positions.reshape(math.prod(made), inner * width) for positions in flat)
    return x, kernel


def _several(asked: object, rank: int) -> tuple[int, ...]:
    if type(asked) is int:
        return (asked,) * rank
    if isinstance(asked, list | tuple) and len(asked) in (1, rank) and all(type(size) is int for size in asked):
        return tuple(asked) * (rank if len(asked) == 1 else 1)
    raise NoEntryMap("window")


def _map_convolution(call: OperationCall, operation: Operation) -> list[Reading]:
    x, weight, result = call.operands[0].shape, call.operands[1].shape, call.results[0]
    rank = len(weight) - 2
    stride, dilation = (_several(call.plain(k, name, default=1), rank) for k, name in ((3, "stride"), (5, "dilation")))
    padding = _several(call.plain(4, "padding", default=0), rank)
    shape, made = (sides if len(sides) == rank + 2 else (1, *sides) for sides in (x, result.shape))
    groups = call.whole(6, "groups", default=1)
    first, second = convolution_reads(shape, weight, made, stride, padding, dilation, groups)
    reads = [np.hstack([read, np.full((result.size, 1), -1)]) for read in (first, second)]
    if len(call.operands) > 2:
        reads.append(np.full_like(reads[0], -1))
        reads[2][:, -1] = np.arange(result.size) // math.prod(made[2:]) % made[1]
    return [Reading(tuple(reads), "products", tuple(range(len(reads))))]


# ---- pooling -------------------------------------------------------------------------------------------------------


def _axes_of(call: OperationCall) -> int:
    """Over how many axes a pooling goes: max_pool2d, max_pool2d_with_indices."""
    return int(call.name.partition("pool")[2][0])


def _map_pool(call: OperationCall, operation: Operation) -> list[Reading]:
    rank = _axes_of(call)
    x, result = call.operands[0].shape, call.results[0].shape
    kernel = _several(call.plain(1, "kernel_size"), rank)
    stride = call.plain(2, "stride", default=None)
    stride = kernel if stride is None or stride in ([], ()) else _several(stride, rank)
    padding = _several(call.plain(3, "padding", default=0), rank)
    dilation = _several(call.plain(4, "dilation", default=1) if operation.kind == "max" else 1, rank)
    seen = windows(x[-rank:], result[-rank:], kernel, stride, padding, dilation)
    return [Reading((_in_every_plane(x, rank, seen),), operation.kind)]


def _map_adaptive_pool(call: OperationCall, operation: Operation) -> list[Reading]:
    rank = _axes_of(call)
    x, result = call.operands[0].shape, call.results[0].shape
    return [Reading((_in_every_plane(x, rank, adaptive_windows(x[-rank:], result[-rank:])),), operation.kind)]


_TURNED = ("transposed", "True", Derivative(words="turned-convolution"))


def _pool(name: str, entries: Callable[..., list[Reading]], kind: str, by: Derivative, aliases: str = "") -> Operation:
    derivative: dict[str, Rule] = {} if "1d" in name else {"self": by}  # that of one axis is computed by that of two
    return Operation(name, aliases, subject="windows", entries=entries, kind=kind, derivative=derivative)


def _pools(rank: int) -> tuple[Operation, ...]:
    """The pooling operations of so many axes."""
    winner, mean = Derivative(words="winner"), Derivative(words="pool")
    return (
        _pool(f"max_pool{rank}d_with_indices", _map_pool, "max", winner, aliases=f"max_pool{rank}d"),
        _pool(f"avg_pool{rank}d", _map_pool, "mean", mean),
        _pool(f"adaptive_max_pool{rank}d", _map_adaptive_pool, "max", winner),
        _pool(f"adaptive_avg_pool{rank}d", _map_adaptive_pool, "mean", mean),
    )


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
    *(operation for rank in (1, 2, 3) for operation in _pools(rank)),
)

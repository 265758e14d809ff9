"""Calls of layers: the entries of the input that each entry of the result was computed from.

Like `tensors.operations`, for calls without a picture of entries: windows, embeddings, norms and losses. A reading is
used only if it gives torch's result.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from explorer.analysis.tensors.operations.call import CallPart, OperationCall, Unknown
from explorer.analysis.tensors.operations.indexing import numbers_of
from explorer.analysis.tensors.operations.reads import MOST, Reading, places
from explorer.analysis.tensors.operations.rules import RULES
from explorer.analysis.tensors.operations.view import OperationView, Outcome, agrees
from explorer.text.equations import written_equation
from explorer.text.numbers import number
from explorer.trace import InputTensor, Number

_LOSSES = {"mean": "mean", "sum": "sum", "none": ""}


def with_layers(view: OperationView) -> OperationView:
    """The entry map of a call; for a layer's call without one, a map made here, if it gives torch's result."""
    make = _MAKERS.get(view.call.name)
    if make is None or not view.outcomes or view.outcomes[0].reading is not None:
        return view
    try:
        reading = make(view.call)
        if len(reading.reads) > len(view.call.operands):
            return view
        parts = view.call.operands[: len(reading.reads)]
        if not _holds(parts, view.call.results[0], reading):
            return view
    except (Unknown, ValueError, IndexError, TypeError, KeyError, OverflowError):  # arguments that no reading supports
        return view
    outcomes = (Outcome(view.outcomes[0].part, reading), *view.outcomes[1:])
    return replace(view, operands=parts, outcomes=outcomes, missing="")


def _holds(parts: tuple[CallPart, ...], result: CallPart, reading: Reading) -> bool:
    """Whether a reading gives torch's result, as far as can be checked."""
    if reading.rule in RULES or any(part.numbers is None for part in (*parts, result)):
        return len(reading.reads[0]) == result.size and (reading.rule not in RULES or agrees(parts, result, reading))
    known = [part.numbers for part in parts if part.numbers is not None]
    assert result.numbers is not None, "asked above"
    return bool(np.allclose(NORMAL[reading.rule](reading, known), result.numbers, 2e-3, 1e-5, equal_nan=True))


# ---- windows -------------------------------------------------------------------------------------------------------


def _several(found: object, rank: int) -> tuple[int, ...]:
    if type(found) is int:
        return (found,) * rank
    if isinstance(found, list | tuple) and len(found) in (1, rank) and all(type(size) is int for size in found):
        return tuple(found) * (rank if len(found) == 1 else 1)
    raise Unknown("window")


def _windows(
    sizes: tuple[int, ...], made: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...],
    padding: tuple[int, ...], dilation: tuple[int, ...],
) -> np.ndarray:  # fmt: skip
    """(positions in the result, positions in the kernel): which position of the input each reads, −1 for padding."""
    if math.prod(made) * math.prod(kernel) > MOST:
        raise Unknown("size")
    found = np.zeros((math.prod(made), math.prod(kernel)), int)
    outside = np.zeros(found.shape, bool)
    at, tap = np.indices(made).reshape(len(made), -1), np.indices(kernel).reshape(len(kernel), -1)
    for axis, size in enumerate(sizes):
        place = at[axis][:, None] * stride[axis] - padding[axis] + tap[axis][None] * dilation[axis]
        outside |= (place < 0) | (place >= size)
        found = found * size + place
    return np.where(outside, -1, found)


def _convolved(call: OperationCall) -> Reading:
    x, weight, result = call.operands[0], call.operands[1], call.results[0]
    rank = len(weight.shape) - 2
    stride, dilation = (
        _several(call.plain(at, name, default=1), rank) for at, name in ((3, "stride"), (5, "dilation"))
    )
    padding = _several(call.plain(4, "padding", default=0), rank)
    groups = call.whole(6, "groups", default=1)
    shape = x.shape if len(x.shape) == rank + 2 else (1, *x.shape)
    made = result.shape if len(result.shape) == rank + 2 else (1, *result.shape)
    seen = _windows(shape[2:], made[2:], weight.shape[2:], stride, padding, dilation)
    inner, width = weight.shape[1], seen.shape[1]
    if result.size * inner * width > MOST:
        raise Unknown("size")
    reads: list[np.ndarray] = [np.full((result.size, inner * width + 1), -1) for _ in call.operands]
    area, below, per_group = seen.shape[0], math.prod(shape[2:]), weight.shape[0] // groups
    for n, o in itertools.product(range(made[0]), range(made[1])):
        first = (n * made[1] + o) * area
        for c in range(inner):
            channel = n * shape[1] + o // per_group * inner + c
            columns = slice(c * width, (c + 1) * width)
            reads[0][first : first + area, columns] = np.where(seen < 0, -1, seen + channel * below)
            taken = np.arange(width) + (o * inner + c) * width
            reads[1][first : first + area, columns] = np.where(seen < 0, -1, taken[None])
        if len(reads) > 2:
            reads[2][first : first + area, -1] = o
    return Reading(tuple(reads), "products", tuple(range(len(reads))))


def _pooled(call: OperationCall, rule: str) -> Reading:
    rank = int(call.name[-2])
    x, result = call.operands[0], call.results[0]
    kernel = _several(call.plain(1, "kernel_size"), rank)
    stride = call.plain(2, "stride", default=None)
    stride = kernel if stride is None or stride in ([], ()) else _several(stride, rank)
    padding = _several(call.plain(3, "padding", default=0), rank)
    dilation = _several(call.plain(4, "dilation", default=1) if rule == "max" else 1, rank)
    seen = _windows(x.shape[-rank:], result.shape[-rank:], kernel, stride, padding, dilation)
    return _spread(x, result, seen, rank, rule)


def _adapted(call: OperationCall) -> Reading:
    rank = int(call.name[-2])
    x, result = call.operands[0], call.results[0]
    sizes, made = x.shape[-rank:], result.shape[-rank:]
    rows = []
    for at in itertools.product(*map(range, made)):
        inside = [range(o * n // m, -(-(o + 1) * n // m)) for o, n, m in zip(at, sizes, made, strict=True)]
        rows.append([int(np.ravel_multi_index(place, sizes)) for place in itertools.product(*inside)])
    seen = np.full((len(rows), max(map(len, rows), default=0)), -1)
    for row, found in zip(seen, rows, strict=True):
        row[: len(found)] = found
    return _spread(x, result, seen, rank, "mean" if "avg" in call.name else "max")


def _spread(x: CallPart, result: CallPart, seen: np.ndarray, rank: int, rule: str) -> Reading:
    """Repeat the windows of one plane for every plane."""
    lines, below = math.prod(x.shape[:-rank]), math.prod(x.shape[-rank:])
    if lines * seen.size > MOST:
        raise Unknown("size")
    moved = np.where(seen < 0, -1, seen + np.arange(lines)[:, None, None] * below)
    return Reading((moved.reshape(result.size, -1),), rule)


# ---- rows that are looked up, norms, losses ------------------------------------------------------------------------


def _embedded(call: OperationCall) -> Reading:
    index, table = call.operands[0], call.operands[1]
    if len(call.operands) != 2 or call.plain(-1, "max_norm", default=None) is not None:
        raise Unknown("operands")
    rows = numbers_of(index).astype(int).reshape(-1)
    width = table.shape[1]
    taken = (rows[:, None] * width + np.arange(width)).reshape(-1, 1)
    return Reading((np.repeat(np.arange(index.size), width).reshape(-1, 1), taken), "copy", (1,))


def _normalised(call: OperationCall) -> Reading:
    """The entry itself, then all entries of its mean and deviation; then its weight and its bias."""
    x = call.operands[0]
    rank, here = len(x.shape), places(x.shape)
    eps = float(call.plain(-1, "eps", default=1e-5))
    if call.name == "layer_norm":
        axes = tuple(range(rank - len(call.sizes(1, "normalized_shape")), rank))
        own = np.broadcast_to(places(x.shape[axes[0] :]), x.shape) if axes else here
    elif call.name == "batch_norm":
        evaluating = call.plain(5, "training", default=False) is not True
        axes = () if evaluating else tuple(axis for axis in range(rank) if axis != 1)
        own = np.broadcast_to(np.arange(x.shape[1]).reshape((1, -1) + (1,) * (rank - 2)), x.shape)
    else:
        groups = call.whole(1, "num_groups")
        here = here.reshape(x.shape[0], groups, -1)
        axes = (2,)
        own = np.broadcast_to(np.arange(x.shape[1]).reshape((1, -1) + (1,) * (rank - 2)), x.shape)
    kept = [axis for axis in range(here.ndim) if axis not in axes]
    width = math.prod(here.shape[axis] for axis in axes)
    if x.size * (width + 1) > MOST:
        raise Unknown("size")
    lines = here.transpose(*kept, *axes).reshape(-1, width)
    row_of = np.zeros(x.size, int)
    row_of[lines.reshape(-1)] = np.repeat(np.arange(len(lines)), width)
    reads = [np.hstack([np.arange(x.size)[:, None], lines[row_of]])]
    named = {name: call.plain(-1, name, default=None) for name in ("weight", "bias")}
    given = {name: part.number for name, part in named.items() if isinstance(part, InputTensor)}
    running = {"mean": 1, "variance": 2} if call.name == "batch_norm" and not axes else {}
    if running and [part.shape for part in call.operands[1:3]] != [(x.shape[1],)] * 2:
        raise Unknown("operands")
    for k in range(1, len(call.operands)):
        column = np.full((x.size, width + 1), -1)
        if k in given.values() or k in running.values():
            column[:, 0] = own.reshape(-1)
        reads.append(column)
    constants = (("eps", eps), *((name, float(k)) for name, k in (given | running).items()))
    return Reading(tuple(reads), "normalised", (0,), constants)


def normal_terms(reading: Reading, numbers: list[np.ndarray], entry: int) -> tuple[float, float, float, float, float]:
    """Terms of a norm's entry: itself, mean and variance of its line, its weight and its bias."""
    line = numbers[0][reading.reads[0][entry, 1:]].astype(float)
    known = dict(reading.constants)
    middle, spread = (line.mean(), line.var()) if "mean" not in known else _running(reading, numbers, entry)
    weight, bias = (
        float(numbers[int(known[name])][reading.reads[int(known[name])][entry, 0]]) if name in known else plain
        for name, plain in (("weight", 1.0), ("bias", 0.0))
    )
    return float(numbers[0][reading.reads[0][entry, 0]]), float(middle), float(spread), weight, bias


def _running(reading: Reading, numbers: list[np.ndarray], entry: int) -> tuple[float, float]:
    """The running mean and variance of an entry's channel."""
    at = [int(dict(reading.constants)[name]) for name in ("mean", "variance")]
    mean, variance = (numbers[k][reading.reads[k][entry, 0]] for k in at)
    return float(mean), float(variance)


def normal_words(reading: Reading, numbers: list[np.ndarray], entry: int, made: float) -> str:
    """(2 − 0.5) / √(1.25 + 1e−5) · 3 + 1, with as many digits as give the entry."""
    x, mean, variance, weight, bias = normal_terms(reading, numbers, entry)
    known = dict(reading.constants)

    def computed(found: Sequence[Number]) -> float:
        a, m, v, w, b = (float(quantity.real) for quantity in found)
        return (a - m) / math.sqrt(v + known["eps"]) * w + b

    found = written_equation(computed, [x, mean, variance, weight, bias], made)
    said = found.operands
    bracketed = [f"({word})" if word.startswith("−") else word for word in said]
    text = f"{found.about}({said[0]} − {bracketed[1]}) / √({said[2]} + {number(known['eps'])})"
    text += f" · {bracketed[3]}" if "weight" in known else ""
    return text + (f" + {bracketed[4]}" if "bias" in known else "")


def _normal(reading: Reading, numbers: list[np.ndarray]) -> np.ndarray:
    eps, found = dict(reading.constants)["eps"], []
    for entry in range(len(reading.reads[0])):
        x, mean, variance, weight, bias = normal_terms(reading, numbers, entry)
        found.append((x - mean) / math.sqrt(variance + eps) * weight + bias)
    return np.array(found)


def _entropy(call: OperationCall) -> Reading:
    """For a loss over classes every row of scores, and its label."""
    x, target = call.operands[0], call.operands[1]
    if call.plain(-1, "label_smoothing", default=0.0) or target.dtype.startswith("float") or len(call.operands) != 2:
        raise Unknown("targets")
    if len(x.shape) != 2 or call.plain(-1, "ignore_index", default=-100) >= 0:
        raise Unknown("shape")
    rows, classes = x.shape
    reduction = call.plain(-1, "reduction", default="mean")
    if reduction not in _LOSSES:
        raise Unknown("reduction")
    each = reduction == "none"
    reads = np.arange(x.size).reshape(rows if each else 1, -1)
    own = np.full_like(reads, -1)
    own[:, : 1 if each else rows] = np.arange(rows).reshape(rows if each else 1, -1)
    return Reading((reads, own), call.name, (0,), (("classes", float(classes)), ("mean", float(reduction == "mean"))))


def entropy_rows(reading: Reading, numbers: list[np.ndarray], entry: int) -> list[tuple[np.ndarray, int]]:
    """For an entry of a loss over classes each row that it was computed from, and its label."""
    classes = int(dict(reading.constants)["classes"])
    rows = numbers[0][reading.reads[0][entry]].astype(float).reshape(-1, classes)
    labels = numbers[1][reading.reads[1][entry][: len(rows)]].astype(int)
    return list(zip(rows, labels.tolist(), strict=True))


def row_loss(name: str, row: np.ndarray, label: int) -> float:
    """−log softmax(row)[label] of scores, −row[label] of log-probabilities."""
    shifted = np.log(np.exp(row - row.max()).sum()) + row.max() if name == "cross_entropy" else 0.0
    return float(shifted - row[label])


def _class_loss(reading: Reading, numbers: list[np.ndarray]) -> np.ndarray:
    found = []
    for entry in range(len(reading.reads[0])):
        rows = entropy_rows(reading, numbers, entry)
        whole = sum(row_loss(reading.rule, row, label) for row, label in rows)
        found.append(whole / len(rows) if dict(reading.constants)["mean"] else whole)
    return np.array(found)


NORMAL: dict[str, Callable[[Reading, list[np.ndarray]], np.ndarray]] = {
    "normalised": _normal,
    "cross_entropy": _class_loss,
    "nll_loss": _class_loss,
}

_MAKERS: dict[str, Callable[[OperationCall], Reading]] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _convolved),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "max_pool3d"), lambda call: _pooled(call, "max")),
    **dict.fromkeys(("avg_pool1d", "avg_pool2d", "avg_pool3d"), lambda call: _pooled(call, "mean")),
    **{f"adaptive_{kind}_pool{rank}d": _adapted for kind in ("avg", "max") for rank in (1, 2, 3)},
    "embedding": _embedded,
    **dict.fromkeys(("layer_norm", "batch_norm", "group_norm"), _normalised),
    **dict.fromkeys(("cross_entropy", "nll_loss"), _entropy),
}

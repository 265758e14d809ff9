"""Layer, batch and group norms: (x − mean) / √(variance + eps) · weight + bias."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import NoEntryMap, OperationCall, Reading, own_lines
from explorer.analysis.run.operations.record import Derivative, Operation
from explorer.trace import InputTensor

Array = Any  # numpy's overloads have no None and no mixed index


def _map_norm(call: OperationCall, operation: Operation) -> list[Reading]:
    """Read the entry, all entries of its mean and deviation, then weight and bias."""
    x, axes = call.operands[0], tuple[int, ...]()
    shape, rank = x.shape, len(x.shape)
    if call.name == "group_norm":
        shape, axes = (x.shape[0], groups := call.whole(1, "num_groups"), x.size // max(1, x.shape[0] * groups)), (2,)
    elif call.name == "layer_norm":
        axes = tuple(range(rank - len(call.sizes(1, "normalized_shape")), rank))
    elif call.plain(5, "training", default=False) is True:
        axes = tuple(axis for axis in range(rank) if axis != 1)
    weights = x.shape[axes[0] :] if call.name == "layer_norm" else (x.shape[1], *(1,) * (rank - 2))
    own = np.broadcast_to(np.arange(math.prod(weights)).reshape(weights), x.shape)
    reads = [own_lines(shape, axes)]
    named = {name: call.plain(-1, name, default=None) for name in ("weight", "bias")}
    given = {name: part.number for name, part in named.items() if isinstance(part, InputTensor)}
    running = {"mean": 1, "variance": 2} if call.name == "batch_norm" and not axes else {}
    if running and [part.shape for part in call.operands[1:3]] != [(x.shape[1],)] * 2:
        raise NoEntryMap("operands")
    for k in range(1, len(call.operands)):
        column = np.full_like(reads[0], -1)
        if k in given.values() or k in running.values():
            column[:, 0] = own.reshape(-1)
        reads.append(column)
    eps = float(call.plain(-1, "eps", default=1e-5))
    constants = (("eps", eps), *((name, float(k)) for name, k in (given | running).items()))
    return [Reading(tuple(reads), "normalised", tuple(range(len(reads))), constants)]


# ---- backward ------------------------------------------------------------------------------------------------------


def _by_channel(values: Array, rank: int) -> Array:
    """Reshape one number for each channel to broadcast along axis 1."""
    return np.reshape(values, (1, -1) + (1,) * (rank - 2))


def norm_lines(node: str, given: Mapping[str, Array]) -> tuple[Array, Array, Array, tuple[int, ...]]:
    """Return weighted gradients, normalized entries, 1 / σ and the axes."""
    x, weight, rank = given["input"], given.get("weight"), given["input"].ndim
    mean, rstd = given["result1"], given["result2"]
    if node == "NativeLayerNorm":
        axes = tuple(range(rank - np.size(given["normalized_shape"]), rank))
    else:
        weight = weight if weight is None else _by_channel(weight, rank)
        axes = (0, *range(2, rank))
    g = given["G"] if weight is None else given["G"] * weight
    if node == "NativeBatchNorm":
        mean, rstd = _by_channel(mean, rank), _by_channel(rstd, rank)
    elif node == "NativeGroupNorm":
        lines, axes = (len(x), int(given["group"]), -1), (2,)
        x, g, mean, rstd = (np.reshape(part, lines) for part in (x, g, mean, rstd))
    return g, (x - mean) * rstd, rstd, axes


def _norm(kind: str) -> Operation:
    evaluation = [("training", "False", Derivative(words=words)) for words in ("normalised-eval", "scale-eval")]
    cases = [(case,) if kind == "batch" else () for case in evaluation]
    return Operation(
        f"native_{kind}_norm",
        aliases=f"{kind}_norm",
        entries=_map_norm,
        alike=alike.normalised,
        derivative={
            "input": Derivative(words=f"normalised-{kind}", cases=cases[0]),
            "weight": Derivative(words="scale", cases=cases[1]),
            "bias": Derivative(words="bias"),
        },
    )


OPERATIONS = (
    *(_norm(kind) for kind in ("layer", "batch", "group")),
    Operation("instance_norm", alike=alike.normalised),
)

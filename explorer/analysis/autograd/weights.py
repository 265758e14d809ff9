"""A softmax as rows of weights: how much each row takes of each column, with the gradient and the program's tokens.

torch does not keep the weights of `scaled_dot_product_attention`: they are computed again from its arguments.
"""

import math

import numpy as np
from msgspec import Struct

from explorer.analysis.autograd.gradient_cuts import row_before
from explorer.analysis.autograd.view import Card
from explorer.safe_regex import linear, plain
from explorer.trace import Argument, InputTensor, Other, Trace, index_at, real

_NAME = "scaled_dot_product_attention"
_ORDER = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
MOST, PRODUCTS = 4_000_000, 500_000_000  # entries of weights, and products with the values
_CLOSE = 1e-4  # share of the largest entry by which single precision may differ


def whole(trace: Trace, tensor: int, row: int) -> np.ndarray | None:
    """All entries of a version of a tensor, if they are real numbers and known."""
    value = trace.value_at(row)
    if value is None or value.dtype.startswith("complex"):
        return None
    if value.data is not None:
        return np.array(value.data).reshape(value.shape)
    entries = trace.full_entries(tensor) if row == trace.versions_of(tensor)[-1] else None
    return entries.numpy() if entries is not None and entries.shape == value.shape else None


def attention_weights(trace: Trace, operation: int) -> np.ndarray | None:
    """How much each query takes of each value; None for another operation, where an argument is not known in full, or
    where these weights and the values do not give the recorded result, as after dropout.
    """
    operations = trace.operations
    if operation < 0 or trace.strings[operations.name[operation]] != _NAME:
        return None
    given = _given(trace, operation)
    made = operations.outputs[operation]
    out = whole(trace, made[0], trace.versions_of(made[0])[0]) if made else None
    if given is None or out is None:
        return None
    weights = _weights(given)
    if weights is None or not _gives(weights, given["value"], out):
        return None
    if operations.arguments[operation] < 0:  # its flags are not known: they must be the only ones that fit
        other = _weights(given | {"is_causal": True})
        if other is None or (not np.array_equal(other, weights) and _gives(other, given["value"], out)):
            return None
    return weights


def _given(trace: Trace, operation: int) -> dict | None:
    """The arguments by name, tensors as arrays; None if one is not known."""
    inputs, versions = trace.operations.inputs[operation], trace.operations.input_versions[operation]
    arguments = trace.arguments(operation)
    given: dict[str, Argument | np.ndarray] = {
        **dict(zip(_ORDER, arguments.positional, strict=False)),
        **arguments.named,
    }
    for name, argument in given.items():
        if isinstance(argument, InputTensor):
            at = argument.number
            entries = whole(trace, inputs[at], row_before(trace, inputs[at], versions[at], operation))
            argument = given[name] = Other("tensor") if entries is None else entries
        if isinstance(argument, Other):
            return None
    return given if all(isinstance(given.get(name), np.ndarray) for name in _ORDER[:3]) else None


def _weights(given: dict) -> np.ndarray | None:
    query, key, mask, scale = given["query"], given["key"], given.get("attn_mask"), given.get("scale")
    if query.ndim < 2 or key.ndim != query.ndim or query.shape[-1] != key.shape[-1] or not query.shape[-1]:
        return None
    if not (scale is None or isinstance(scale, int | float)) or not (mask is None or isinstance(mask, np.ndarray)):
        return None
    try:
        shape = *np.broadcast_shapes(query.shape[:-2], key.shape[:-2]), query.shape[-2], key.shape[-2]
        if math.prod(shape) > MOST or (mask is not None and np.broadcast_shapes(shape, mask.shape) != shape):
            return None
        scores = query.astype(float) @ np.swapaxes(key.astype(float), -1, -2)
        scores = scores * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
        if given.get("is_causal"):
            scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    except ValueError:  # shapes that only grouped queries bring together
        return None
    largest = scores.max(-1, keepdims=True, initial=-np.inf)
    if not np.isfinite(largest).all():
        return None
    shares = np.exp(scores - largest)
    return shares / shares.sum(-1, keepdims=True)


def _gives(weights: np.ndarray, values: np.ndarray, out: np.ndarray) -> bool:
    if values.ndim < 2 or weights.size * values.shape[-1] > PRODUCTS:
        return False
    try:
        if np.broadcast_shapes(weights.shape[:-2], values.shape[:-2]) != weights.shape[:-2]:
            return False
        product = weights @ values.astype(float)
    except ValueError:
        return False
    close = _CLOSE * float(np.abs(out).max(initial=0.0))
    return product.shape == out.shape and bool(np.allclose(product, out, rtol=0, atol=close))


MAPS, SIDE = 4, 24  # how many matrices are shown, and at most how many rows and columns of each
NEAR = 1e-3  # by which a row's sum may differ from 1: of half precision too
_NAMES = ("tokens", "words")
_TOKENS = linear(rf"^({'|'.join(_NAMES)})[ \t]*=[ \t]*\[([^\[\]#]*)\][ \t]*$")
_ASSIGNED = linear(rf"^[ \t]*(?:{'|'.join(_NAMES)})\b[^=\n]*=")
_STRING = plain(r""""([^"\\\n]*+)"|'([^'\\\n]*+)'""")
_BETWEEN = plain(r"[\s,]*+")


class WeightMap(Struct, frozen=True):
    """One matrix. Attributes: index: of the leading axes; rows: its weights; gradients: of each, or () if unknown."""

    index: tuple[int, ...]
    rows: tuple[tuple[float, ...], ...]
    gradients: tuple[tuple[float, ...], ...]


class Weights(Struct, frozen=True):
    """The rows of a softmax, or of `scaled_dot_product_attention`.

    Attributes:
        maps: the first matrices; more: how many others there are.
        tokens: the program's words for the columns, and for the rows if these are as many; () if unknown.
        block: rows and columns of which each shown weight is the largest, (1, 1) where all are shown.
        again: whether they were computed again from the arguments, as torch does not keep them.
    """

    maps: tuple[WeightMap, ...]
    more: int
    tokens: tuple[str, ...]
    block: tuple[int, int] = (1, 1)
    again: bool = False


def weights(trace: Trace, card: Card) -> Weights | None:
    """The weights of a card, if all of its entries are known and each row sums to 1."""
    if card.fold or card.module or not card.tensors or card.value is None:
        return None
    operation = trace.maker(card.tensors[0])
    array, gradient = attention_weights(trace, operation), None
    again = array is not None
    if array is None:
        if "Softmax" not in card.torch or "LogSoftmax" in card.torch:
            return None
        array = whole(trace, card.tensors[0], trace.versions_of(card.tensors[0])[0])
        gradient = card.gradient
    if array is None or array.ndim < 2 or not array.size or array.shape[-1] < 2 or array.size > MOST:
        return None
    array = array.astype(float)
    if not np.isfinite(array).all() or array.min() < 0 or np.abs(array.sum(-1) - 1).max() > NEAR:
        return None
    height, width = array.shape[-2:]
    block = -(-height // SIDE), -(-width // SIDE)
    matrices = array.reshape(-1, height, width)
    sums = np.empty((0, height, width))
    if block == (1, 1) and gradient is not None and gradient.shape == array.shape and gradient.data is not None:
        sums = np.array([real(entry) for entry in gradient.data]).reshape(matrices.shape)
        sums = sums if np.isfinite(sums).all() else sums[:0]
    maps = tuple(
        WeightMap(
            tuple(index_at(at * height * width, array.shape)[:-2]),
            _rows(_largest(matrices[at], block)),
            _rows(sums[at]) if len(sums) else (),
        )
        for at in range(min(len(matrices), MAPS))
    )
    words = tokens(trace) if block == (1, 1) else ()
    return Weights(maps, len(matrices) - len(maps), words if len(words) == width else (), block, again)


def _largest(matrix: np.ndarray, block: tuple[int, int]) -> np.ndarray:
    """The largest entry of each block of rows and columns."""
    for axis, size in enumerate(block):
        matrix = np.maximum.reduceat(matrix, np.arange(0, matrix.shape[axis], size), axis)
    return matrix


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix.tolist()))


def tokens(trace: Trace) -> tuple[str, ...]:
    """The strings of the one list that the program calls tokens or words; () if it is written in another way."""
    lines = [line for cell in trace.own_cells for line in cell.source.splitlines()]
    lists = [list_ for list_ in map(_TOKENS.match, lines) if list_]
    if len(lists) != 1 or sum(bool(_ASSIGNED.match(line)) for line in lines) != 1:
        return ()
    inside = lists[0][2]
    if not _BETWEEN.fullmatch(_STRING.sub("", inside)):
        return ()
    return tuple(each[1] if each[1] is not None else each[2] for each in _STRING.finditer(inside))

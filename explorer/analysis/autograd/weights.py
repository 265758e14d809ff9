"""A softmax as rows of weights: how much each row takes of each column, with the gradient and the program's tokens."""

import numpy as np
from msgspec import Struct

from explorer.analysis.autograd.attention_weights import MOST, attention_weights, whole
from explorer.analysis.autograd.view import Card
from explorer.safe_regex import linear, plain
from explorer.trace import Trace, index_at, real

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
    found, gradient = attention_weights(trace, operation), None
    again = found is not None
    if found is None:
        if "Softmax" not in card.torch or "LogSoftmax" in card.torch:
            return None
        found = whole(trace, card.tensors[0], trace.versions_of(card.tensors[0])[0])
        gradient = card.gradient
    if found is None or found.ndim < 2 or not found.size or found.shape[-1] < 2 or found.size > MOST:
        return None
    found = found.astype(float)
    if not np.isfinite(found).all() or found.min() < 0 or np.abs(found.sum(-1) - 1).max() > NEAR:
        return None
    height, width = found.shape[-2:]
    block = -(-height // SIDE), -(-width // SIDE)
    matrices = found.reshape(-1, height, width)
    sums = np.empty((0, height, width))
    if block == (1, 1) and gradient is not None and gradient.shape == found.shape and gradient.data is not None:
        sums = np.array([real(entry) for entry in gradient.data]).reshape(matrices.shape)
        sums = sums if np.isfinite(sums).all() else sums[:0]
    maps = tuple(
        WeightMap(
            tuple(index_at(at * height * width, found.shape)[:-2]),
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
    found = [list_ for list_ in map(_TOKENS.match, lines) if list_]
    if len(found) != 1 or sum(bool(_ASSIGNED.match(line)) for line in lines) != 1:
        return ()
    inside = found[0][2]
    if not _BETWEEN.fullmatch(_STRING.sub("", inside)):
        return ()
    return tuple(each[1] if each[1] is not None else each[2] for each in _STRING.finditer(inside))

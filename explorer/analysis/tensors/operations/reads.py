"""A Reading: for each entry of a result, the entries of the operands it was computed from.

>>> reduced((2, 3), (1,), "sum").reads[0]  # each row's entries, by their place in row-major order
array([[0, 1, 2],
       [3, 4, 5]])
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from explorer.analysis.tensors.operations.call import Unknown

MOST = 250_000  # places of all reads together, and entries of an operand whose places are moved


@dataclass(frozen=True)
class Reading:
    """The origin of each entry of a result.

    Attributes:
        reads: per operand an array (entries of the result, terms) of positions in the operand, −1 for none. A column
            belongs together: the factors of one product.
        rule: how the terms are combined, a name in `rules.RULES`.
        sources: the operands whose numbers are combined; the others (an index, a mask) only select.
        constants: further numbers of the rule, by name.
    """

    reads: tuple[np.ndarray, ...]
    rule: str
    sources: tuple[int, ...] = (0,)
    constants: tuple[tuple[str, float], ...] = ()

    def picked(self, entries: np.ndarray) -> "Reading":
        """The reading of some entries of the result only."""
        return replace(self, reads=tuple(places[entries] for places in self.reads))


def places(shape: tuple[int, ...]) -> np.ndarray:
    """The positions of a tensor's entries, in its shape. Raises Unknown for more than MOST."""
    if math.prod(shape) > MOST:
        raise Unknown("size")
    return np.arange(math.prod(shape)).reshape(shape)


def copied(moved: np.ndarray) -> Reading:
    """Every entry is a copy of the entry at that position; −1: it is 0."""
    return Reading((moved.reshape(-1, 1),), "copy")


def reduced(shape: tuple[int, ...], axes: tuple[int, ...], rule: str, **constants: float) -> Reading:
    """Every entry is computed from all entries along the axes."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    moved = places(shape).transpose(*kept, *axes)
    count = math.prod(shape[axis] for axis in kept)
    width = math.prod(shape[axis] for axis in axes)
    return Reading((moved.reshape(count, width),), rule, constants=tuple(constants.items()))


def prefixes(shape: tuple[int, ...], axis: int, rule: str) -> Reading:
    """Every entry is computed from those before it along an axis, and its own."""
    size = shape[axis]
    if math.prod(shape) * size > MOST:
        raise Unknown("size")
    lines = np.moveaxis(places(shape), axis, -1)
    until = np.tril(np.ones((size, size), bool))
    spread = np.where(until, lines[..., None, :], -1)  # (…, its position, what it reads)
    return Reading((np.moveaxis(spread, -2, axis).reshape(-1, size),), rule)


def slices(shape: tuple[int, ...], axis: int, rule: str) -> Reading:
    """Every entry is computed from its whole line along an axis; the first term is the entry itself."""
    size = shape[axis]
    if math.prod(shape) * (size + 1) > MOST:
        raise Unknown("size")
    lines = np.moveaxis(places(shape), axis, -1)
    spread = np.broadcast_to(lines[..., None, :], (*lines.shape, size))
    spread = np.concatenate([lines[..., None], spread], -1)
    return Reading((np.moveaxis(spread, -2, axis).reshape(-1, size + 1),), rule)


def paired(shapes: list[tuple[int, ...]], result: tuple[int, ...], rule: str, **constants: float) -> Reading:
    """Every entry is computed from one entry of each operand, broadcast to the result's shape."""
    if math.prod(result) > MOST:
        raise Unknown("size")
    try:
        reads = tuple(np.broadcast_to(places(shape), result).reshape(-1, 1) for shape in shapes)
    except ValueError:
        raise Unknown("shape") from None
    return Reading(reads, rule, tuple(range(len(shapes))), tuple(constants.items()))

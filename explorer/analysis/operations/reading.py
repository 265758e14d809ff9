"""A Reading: for each entry of a result, the entries of the operands it was computed from.

>>> reduced((2, 3), (1,), "sum").reads[0]  # each row's entries, by their place in row-major order
array([[0, 1, 2],
       [3, 4, 5]])
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from explorer.analysis.operations.call import NoEntryMap

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


def sent(reads: np.ndarray, factor: np.ndarray | float, gradient: np.ndarray, size: int) -> np.ndarray:
    """The gradient of an operand, flat: every read adds its factor times the gradient of the entry that read it.

    >>> sent(np.array([[0, 1], [1, -1]]), 1.0, np.array([5.0, 7.0]), 3)
    array([ 5., 12.,  0.])
    """
    there = reads >= 0
    shares = np.broadcast_to(factor * gradient.reshape(-1, 1), reads.shape)[there]
    reached = np.zeros(size, shares.dtype)
    np.add.at(reached, reads[there], shares)
    return reached


def places(shape: tuple[int, ...]) -> np.ndarray:
    """The positions of a tensor's entries, in its shape. Raises NoEntryMap for more than MOST."""
    if math.prod(shape) > MOST:
        raise NoEntryMap("size")
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
        raise NoEntryMap("size")
    lines = np.moveaxis(places(shape), axis, -1)
    until = np.tril(np.ones((size, size), bool))
    spread = np.where(until, lines[..., None, :], -1)  # (…, its position, what it reads)
    return Reading((np.moveaxis(spread, -2, axis).reshape(-1, size),), rule)


def slices(shape: tuple[int, ...], axis: int, rule: str) -> Reading:
    """Every entry is computed from its whole line along an axis; the first term is the entry itself."""
    size = shape[axis]
    if math.prod(shape) * (size + 1) > MOST:
        raise NoEntryMap("size")
    lines = np.moveaxis(places(shape), axis, -1)
    spread = np.broadcast_to(lines[..., None, :], (*lines.shape, size))
    spread = np.concatenate([lines[..., None], spread], -1)
    return Reading((np.moveaxis(spread, -2, axis).reshape(-1, size + 1),), rule)


def paired(shapes: list[tuple[int, ...]], result: tuple[int, ...], rule: str, **constants: float) -> Reading:
    """Every entry is computed from one entry of each operand, broadcast to the result's shape."""
    if math.prod(result) > MOST:
        raise NoEntryMap("size")
    try:
        reads = tuple(np.broadcast_to(places(shape), result).reshape(-1, 1) for shape in shapes)
    except ValueError:
        raise NoEntryMap("shape") from None
    return Reading(reads, rule, tuple(range(len(shapes))), tuple(constants.items()))

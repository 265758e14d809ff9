"""Backward of broadcasting: the gradient from every entry of the result to the entries that it read, and their sums.

Broadcasting forward is summing backward: the gradient of a stretched operand is the sum, over the stretched axes, of
upstream gradient times local derivative.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from explorer.analysis.broadcasting.alignment import Shape, align
from explorer.analysis.broadcasting.operators import computed, local_derivatives

MOST_TERMS = 6  # of a sum that are written out


@dataclass(frozen=True)
class ReturnTerm:
    """The gradient that one entry of the result passes to an operand's entry.

    Attributes:
        index: of that entry.
        upstream: the gradient that arrived there.
        local: the derivative of that entry with respect to the operand's entry it read.
        value: their product.
    """

    index: Shape
    upstream: float
    local: float
    value: float


def contributions(
    operator: str, values: Sequence[np.ndarray], upstream: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Per operand the local derivatives and the gradients of all its reads, in the result's shape.

    An operator with more than two operands is applied from left to right, and the chain rule from right to left.
    """
    shape = upstream.shape
    stretched = [np.broadcast_to(value.astype(float), shape) for value in values]
    with np.errstate(all="ignore"):
        left = [stretched[0]]
        for value in stretched[1:-1]:
            left.append(computed(operator, left[-1], value))
        through, local = np.ones(shape), []
        for first, second in zip(reversed(left), reversed(stretched[1:]), strict=True):
            by_first, by_second = local_derivatives(operator, first, second)
            local.append(through * by_second)
            through = through * by_first
        local.append(through)
        return tuple((factor, factor * upstream) for factor in reversed(local))


def unbroadcast(given: np.ndarray, shape: Shape) -> np.ndarray:
    """The sum of gradients in the result's shape over the axes along which an operand of this shape was stretched.

    >>> unbroadcast(np.ones((3, 2)), (3, 1)).tolist()
    [[2.0], [2.0], [2.0]]
    """
    added = tuple(range(given.ndim - len(shape)))
    ones = tuple(i + len(added) for i, size in enumerate(shape) if size == 1)
    with np.errstate(all="ignore"):
        return given.sum(axis=(*added, *ones)).reshape(shape)


def readings(entry: Shape, shape: Shape, result: Shape) -> tuple[int, list[Shape]]:
    """How many entries of the result read this entry of an operand, and the first MOST_TERMS of them."""
    padded = (None,) * (len(result) - len(shape)) + tuple(
        None if size == 1 else at for at, size in zip(entry, shape, strict=True)
    )
    ranges = [range(size) if at is None else (at,) for at, size in zip(padded, result, strict=True)]
    count = 1
    for range_ in ranges:
        count *= len(range_)
    found: list[Shape] = []
    for index in product(*ranges):
        if len(found) == MOST_TERMS:
            break
        found.append(index)
    return count, found


def terms(entry: Shape, shape: Shape, upstream: np.ndarray, local: np.ndarray) -> tuple[int, tuple[ReturnTerm, ...]]:
    """How many terms the gradient of one entry of an operand has, and the first MOST_TERMS of them."""
    count, places = readings(entry, shape, upstream.shape)
    with np.errstate(all="ignore"):
        return count, tuple(
            ReturnTerm(at, float(upstream[at]), float(local[at]), float(upstream[at] * local[at])) for at in places
        )


def agrees(given: np.ndarray, shape: Shape, recorded: np.ndarray) -> bool:
    """Whether the computed sums equal torch's recorded gradient, up to rounding."""
    if align([shape, given.shape]).result != given.shape:
        return False
    summed = unbroadcast(given, shape)
    size = float(np.nanmax(np.abs(given), initial=0.0, where=np.isfinite(given)))
    return bool(np.allclose(summed, recorded, rtol=1e-3, atol=1e-3 * size, equal_nan=True))

"""Sums of products: dot, mv, mm, bmm, outer, linear, einsum, trace; each entry of the result is one such sum."""

import math
from collections import Counter

import numpy as np

from explorer.analysis.tensors.operations.call import OperationCall, Unknown
from explorer.analysis.tensors.operations.reads import MOST, Reading, places
from explorer.safe_regex import plain

NAMES = frozenset(
    """dot vdot inner mv mm matmul __matmul__ __rmatmul__ bmm outer ger einsum linear trace cross
    linalg_cross""".split()
)
_EQUATIONS = {"dot": "i,i->", "vdot": "i,i->", "mv": "ij,j->i", "mm": "ij,jk->ik", "bmm": "bij,bjk->bik"}
_EQUATIONS |= {"outer": "i,j->ij", "ger": "i,j->ij"}
_EQUATION = plain(r"[A-Za-z]*(,[A-Za-z]*)*(->[A-Za-z]*)?")


def multiplied(call: OperationCall) -> list[Reading]:
    """One reading for the one result. Raises Unknown."""
    shapes = [part.shape for part in call.operands]
    match call.name:
        case "matmul" | "__matmul__":
            return [_matmul(shapes[0], shapes[1])]
        case "__rmatmul__":
            reading = _matmul(shapes[1], shapes[0])
            return [Reading(reading.reads[::-1], "products", (0, 1))]
        case "einsum":
            return [einsum(_equation(call), shapes)]
        case "linear":
            return [_linear(shapes)]
        case "cross" | "linalg_cross":
            return [_cross(call)]
        case "trace":
            return [Reading((np.diagonal(places(shapes[0])).reshape(1, -1),), "sum")]
        case "inner":
            return [_inner(shapes)]
    equation = _EQUATIONS.get(call.name)
    if not equation:
        raise Unknown(call.name)
    return [einsum(equation, shapes)]


def einsum(equation: str, shapes: list[tuple[int, ...]]) -> Reading:
    """The reading of an equation without dots: letters of the result number its entries, the others number the terms.

    >>> einsum("ij,j->i", [(2, 2), (2,)]).reads[1]
    array([[0, 1],
           [0, 1]])
    """
    equation = equation.replace(" ", "")
    if not _EQUATION.fullmatch(equation):
        raise Unknown("equation")
    left, arrow, right = equation.partition("->")
    inputs = left.split(",")
    if not arrow:  # omitted: the letters that occur once, alphabetically
        right = "".join(sorted(letter for letter, n in Counter(left.replace(",", "")).items() if n == 1))
    if len(inputs) != len(shapes) or any(len(word) != len(shape) for word, shape in zip(inputs, shapes, strict=True)):
        raise Unknown("equation")
    sizes: dict[str, int] = {}
    for word, shape in zip(inputs, shapes, strict=True):
        for letter, size in zip(word, shape, strict=True):
            if sizes.get(letter, 1) not in (1, size) and size != 1:
                raise Unknown("equation")
            sizes[letter] = max(size, sizes.get(letter, 1))
    summed = "".join(letter for letter in sizes if letter not in right)
    if not set(right) <= set(sizes):
        raise Unknown("equation")
    order = right + summed
    counts = [sizes[letter] for letter in order]
    if math.prod(counts) > MOST:
        raise Unknown("size")
    grid = dict(zip(order, np.indices(counts), strict=True)) if order else {}
    entries, terms = math.prod(counts[: len(right)]), math.prod(counts[len(right) :])
    reads = []
    for word, shape in zip(inputs, shapes, strict=True):
        place = np.zeros(counts, int)
        for letter, size in zip(word, shape, strict=True):
            place = place * size + (grid[letter] if size > 1 or sizes[letter] == 1 else 0)
        reads.append(place.reshape(entries, terms))
    return Reading(tuple(reads), "products", tuple(range(len(reads))))


def _equation(call: OperationCall) -> str:
    found = call.plain(0, "equation")
    if not isinstance(found, str) or "." in found:
        raise Unknown("equation")
    return found


def _matmul(a: tuple[int, ...], b: tuple[int, ...]) -> Reading:
    """`a @ b` with torch's rules: a vector on the left is a row, on the right a column; batches stretch."""
    if not a or not b:
        raise Unknown("rank")
    left, right = places(a if len(a) > 1 else (1, *a)), places(b if len(b) > 1 else (*b, 1))
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    rows, terms, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    if math.prod((*batch, rows, terms, columns)) > MOST:
        raise Unknown("size")
    whole = (*batch, rows, columns, terms)
    first = np.broadcast_to(left[..., :, None, :], whole)
    second = np.broadcast_to(np.swapaxes(right, -1, -2)[..., None, :, :], whole)
    return Reading((first.reshape(-1, terms), second.reshape(-1, terms)), "products", (0, 1))


def _linear(shapes: list[tuple[int, ...]]) -> Reading:
    """`x Wᵀ + b`: the products of a row with a row of W, and one more term, the bias."""
    x, weight = places(shapes[0]).reshape(-1, shapes[0][-1]), places(shapes[1])
    if x.size * len(weight) > MOST:
        raise Unknown("size")
    reading = einsum("bi,oi->bo", [x.shape, weight.shape])
    if len(shapes) == 2:
        return reading
    count = len(reading.reads[0])
    empty = np.full((count, 1), -1)
    bias = np.tile(np.arange(len(weight)), len(x)).reshape(-1, 1)
    blank = np.full_like(reading.reads[0], -1)
    reads = (*(np.hstack([read, empty]) for read in reading.reads), np.hstack([blank, bias]))
    return Reading(reads, "products", (0, 1, 2))


def _inner(shapes: list[tuple[int, ...]]) -> Reading:
    if len(shapes[0]) == len(shapes[1]) == 1:
        return einsum("i,i->", shapes)
    if len(shapes[0]) == len(shapes[1]) == 2:
        return einsum("ik,jk->ij", shapes)
    raise Unknown("rank")


def _cross(call: OperationCall) -> Reading:
    """`a × b`: entry 0 is a₁b₂ − a₂b₁, and so on round; the second product is subtracted."""
    shape = call.operands[0].shape
    if call.operands[1].shape != shape:
        raise Unknown("shape")
    found = call.plain(2, "dim", default=None)
    axis = found if type(found) is int else (-1 if call.name.startswith("linalg") else shape.index(3))
    here = np.moveaxis(places(shape), axis, -1)
    after, two = np.roll(here, -1, -1), np.roll(here, -2, -1)

    def pair(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.moveaxis(np.stack([x, y], -1), -2, axis if axis >= 0 else len(shape) + axis).reshape(-1, 2)

    return Reading((pair(after, two), pair(two, after)), "cross", (0, 1))

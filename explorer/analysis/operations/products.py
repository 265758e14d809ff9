"""Sums of products: dot, mv, mm, bmm, outer, linear, einsum, trace; each entry of the result is one such sum."""

import math
from collections import Counter
from typing import Any

import numpy as np

from explorer.analysis.operations import alike
from explorer.analysis.operations.call import MOST, NoEntryMap, OperationCall, Reading, places
from explorer.analysis.operations.record import Derivative, EntryMap, Operation, Rule
from explorer.safe_regex import plain

Array = Any  # numpy's overloads have no None and no mixed index
_EQUATION = plain(r"[A-Za-z]*(,[A-Za-z]*)*(->[A-Za-z]*)?")


def _map_product(call: OperationCall, operation: Operation) -> EntryMap:
    """The one result, by an equation or a rule of its own."""
    shapes = [part.shape for part in call.operands]
    match operation.name:
        case "matmul" if call.name == "__rmatmul__":
            reading = _matmul(shapes[1], shapes[0])
            return [Reading(reading.reads[::-1], "products", (0, 1))]
        case "matmul":
            return [_matmul(shapes[0], shapes[1])]
        case "einsum":
            return [einsum(_equation(call), shapes)]
        case "linear":
            return [_linear(shapes)]
        case "cross":
            return [_cross(call)]
        case "trace":
            return [Reading((np.diagonal(places(shapes[0])).reshape(1, -1),), "sum")]
        case "inner":
            return [_inner(shapes)]
        case "kron":
            letters = "abcdef"[: max(map(len, shapes))], "uvwxyz"[: max(map(len, shapes))]
            return [einsum(f"{','.join(letters)}->{''.join(a + u for a, u in zip(*letters, strict=True))}", shapes)]
    return [einsum(operation.kind, shapes)]


def einsum(equation: str, shapes: list[tuple[int, ...]]) -> Reading:
    """The reading of an equation without dots: letters of the result number its entries, the others number the terms.

    >>> einsum("ij,j->i", [(2, 2), (2,)]).reads[1]
    array([[0, 1],
           [0, 1]])
    """
    equation = equation.replace(" ", "")
    if not _EQUATION.fullmatch(equation):
        raise NoEntryMap("equation")
    left, arrow, right = equation.partition("->")
    inputs = left.split(",")
    if not arrow:  # omitted: the letters that occur once, alphabetically
        right = "".join(sorted(letter for letter, n in Counter(left.replace(",", "")).items() if n == 1))
    if len(inputs) != len(shapes) or any(len(word) != len(shape) for word, shape in zip(inputs, shapes, strict=True)):
        raise NoEntryMap("equation")
    sizes: dict[str, int] = {}
    for word, shape in zip(inputs, shapes, strict=True):
        for letter, size in zip(word, shape, strict=True):
            if sizes.get(letter, 1) not in (1, size) and size != 1:
                raise NoEntryMap("equation")
            sizes[letter] = max(size, sizes.get(letter, 1))
    summed = "".join(letter for letter in sizes if letter not in right)
    if not set(right) <= set(sizes):
        raise NoEntryMap("equation")
    order = right + summed
    counts = [sizes[letter] for letter in order]
    if math.prod(counts) > MOST:
        raise NoEntryMap("size")
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
    equation = call.plain(0, "equation")
    if not isinstance(equation, str) or "." in equation:
        raise NoEntryMap("equation")
    return equation


def _matmul(a: tuple[int, ...], b: tuple[int, ...]) -> Reading:
    """`a @ b` with torch's rules: a vector on the left is a row, on the right a column; batches stretch."""
    if not a or not b:
        raise NoEntryMap("rank")
    left, right = places(a if len(a) > 1 else (1, *a)), places(b if len(b) > 1 else (*b, 1))
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    rows, terms, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    if math.prod((*batch, rows, terms, columns)) > MOST:
        raise NoEntryMap("size")
    whole = (*batch, rows, columns, terms)
    first = np.broadcast_to(left[..., :, None, :], whole)
    second = np.broadcast_to(np.swapaxes(right, -1, -2)[..., None, :, :], whole)
    return Reading((first.reshape(-1, terms), second.reshape(-1, terms)), "products", (0, 1))


def _linear(shapes: list[tuple[int, ...]]) -> Reading:
    """`x Wᵀ + b`: the products of a row with a row of W, and one more term, the bias."""
    x, weight = places(shapes[0]).reshape(-1, shapes[0][-1]), places(shapes[1])
    if x.size * len(weight) > MOST:
        raise NoEntryMap("size")
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
    raise NoEntryMap("rank")


def _cross(call: OperationCall) -> Reading:
    """`a × b`: entry 0 is a₁b₂ − a₂b₁, and so on round; the second product is subtracted."""
    shape = call.operands[0].shape
    if call.operands[1].shape != shape:
        raise NoEntryMap("shape")
    dim = call.plain(2, "dim", default=None)
    axis = dim if type(dim) is int else (-1 if call.name.startswith("linalg") else shape.index(3))
    here = np.moveaxis(places(shape), axis, -1)
    after, two = np.roll(here, -1, -1), np.roll(here, -2, -1)

    def pair(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.moveaxis(np.stack([x, y], -1), -2, axis if axis >= 0 else len(shape) + axis).reshape(-1, 2)

    return Reading((pair(after, two), pair(two, after)), "cross", (0, 1))


# ---- the table -----------------------------------------------------------------------------------------------------


def _product(name: str, kind: str = "", aliases: str = "", **fields: Any) -> Operation:
    return Operation(name, aliases, kind=kind, subject="products", entries=_map_product, **fields)


_FACTORS = ("factor", "factor")
_MATRICES: dict[str, Rule] = {"self": "G @ T(mat2)", "mat2": "T(self) @ G"}
_HEAVY = """multi_head_attention_forward cdist matrix_power matrix_exp cholesky cholesky_solve cholesky_inverse inverse
    tensordot bilinear lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell chain_matmul addbmm
    _native_multi_head_attention _transformer_encoder_layer_fwd"""  # functions without a count of multiplications here

OPERATIONS = (
    _product("dot", "i,i->", derivative={"self": "tensor", "tensor": "self"}, roles=_FACTORS, heavy=True),
    _product("vdot", "i,i->", heavy=True),
    _product("inner", heavy=True),
    _product("mv", "ij,j->i", derivative={"self": "outer(G, vec)", "vec": "T(self) @ G"}, step="matmul",
             roles=_FACTORS, heavy=True),
    _product("mm", "ij,jk->ik", back="mm", derivative=_MATRICES, step="matmul", roles=_FACTORS, units=(1, 1),
             summed={"self": 1, "mat2": 0}, alike=alike.product),
    _product("bmm", "bij,bjk->bik", derivative=_MATRICES, step="matmul", roles=_FACTORS,
             summed={"self": 2, "mat2": 1}, alike=alike.product),
    _product("matmul", aliases="__matmul__ r:__rmatmul__", operator="@", back="mm", units=(1, 1),
             alike=alike.product),
    _product("outer", "i,j->ij", "ger"),
    _product("kron"),
    _product("einsum", heavy=True),
    _product("linear", units=(1, 0), alike=alike.linear),
    _product("trace", sentence="trace"),
    _product("cross", aliases="linalg_cross", sentence="cross"),
    Operation("addmm", step="matmul", units=(2, 1), summed={"mat1": 1, "mat2": 0}, derivative={
        "self": "beta * G", "mat1": "alpha * G @ T(mat2)", "mat2": "T(mat1) @ (alpha * G)"}),
    Operation("baddbmm", summed={"batch1": 2, "batch2": 1}, derivative={
        "self": "beta * G", "batch1": "alpha * G @ T(batch2)", "batch2": "T(batch1) @ (alpha * G)"}),
    Operation("addmv", heavy=True, derivative={
        "self": "beta * G", "mat": "alpha * outer(G, vec)", "vec": "T(mat) @ (alpha * G)"}),
    Operation("scaled_dot_product_attention", alike=alike.attention),
    Operation("_scaled_dot_product_flash_attention_for_cpu", derivative={
        "query": Derivative(words="attention"),
        "key": Derivative(words="attention"),
        "value": Derivative(words="attention-value")}),
    *(Operation(name, heavy=True) for name in _HEAVY.split()),
    *(Operation(name, kind="recurrent", heavy=True) for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")),
    Operation("linalg_svd", subject="products", sentence="svd", aliases="svd"),
)  # fmt: skip

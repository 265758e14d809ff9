"""Sums of products: dot, mv, mm, bmm, outer, linear, einsum, trace."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import MOST, NoEntryMap, OperationCall, Reading, places
from explorer.analysis.run.operations.record import Derivative, EntryMap, Operation, Rule
from explorer.safe_regex import plain

Array = Any  # numpy's overloads have no None and no mixed index
_EQUATION = plain(r"[A-Za-z]*(,[A-Za-z]*)*(->[A-Za-z]*)?")


def _map_product(call: OperationCall, operation: Operation) -> EntryMap:
    """Map the result by an equation or a special rule."""
    shapes = [part.shape for part in call.operands]
    match operation.name:
        case "matmul" if call.name == "__rmatmul__":
            reading = einsum(_of_matmul(*shapes[::-1]), shapes[::-1])
            return [replace(reading, reads=reading.reads[::-1])]
        case "matmul":
            return [einsum(_of_matmul(*shapes), shapes)]
        case "einsum":
            equation = call.plain(0, "equation")
            return [einsum(equation if isinstance(equation, str) else ".", shapes)]
        case "linear":
            return [_linear(shapes)]
        case "cross":
            return [_cross(call)]
        case "trace":
            return [Reading((np.diagonal(places(shapes[0])).reshape(1, -1),), "sum")]
        case "inner":
            left, right = "abcdef"[: len(shapes[0]) - 1], "uvwxyz"[: len(shapes[1]) - 1]
            return [einsum(f"{left}k,{right}k->{left}{right}", shapes)]
        case "kron":
            letters = "abcdef"[: max(map(len, shapes))], "uvwxyz"[: max(map(len, shapes))]
            return [einsum(f"{','.join(letters)}->{''.join(a + u for a, u in zip(*letters, strict=True))}", shapes)]
    return [einsum(operation.kind, shapes)]


def einsum(equation: str, shapes: list[tuple[int, ...]]) -> Reading:
    """Read an einsum equation without dots.

    >>> einsum("ij,j->i", [(2, 2), (2,)]).reads[1]
    array([[0, 1],
           [0, 1]])
    """
    equation = equation.replace(" ", "")
    if not _EQUATION.fullmatch(equation):
        raise NoEntryMap("equation")
    left, arrow, right = equation.partition("->")
    if not arrow:  # omitted: the letters that occur once, alphabetically
        right = "".join(sorted(letter for letter, n in Counter(left.replace(",", "")).items() if n == 1))
    named, sizes = list(zip(left.split(","), shapes, strict=True)), dict[str, int]()
    for word, shape in named:
        sizes |= {letter: size if size != 1 else sizes.get(letter, 1) for letter, size in zip(word, shape, strict=True)}
    order = "".join(dict.fromkeys(right + "".join(sizes)))
    counts = [sizes[letter] for letter in order]
    if math.prod(counts) > MOST:
        raise NoEntryMap("size")
    entries, terms, reads = math.prod(counts[: len(right)]), math.prod(counts[len(right) :]), []
    for word, shape in named:
        place = np.einsum(f"{word}->{''.join(letter for letter in order if letter in word)}", places(shape))
        place = np.expand_dims(place, [axis for axis, letter in enumerate(order) if letter not in word])
        reads.append(np.broadcast_to(place, counts).reshape(entries, terms))
    return Reading(tuple(reads), "products", tuple(range(len(reads))))


def _of_matmul(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """Return the equation of `a @ b` with broadcast batches.

    >>> _of_matmul((5, 2, 3), (3,))
    'Zik,k->Zi'
    """
    batch = "UVWXYZ"[8 - max(len(a), len(b), 2) :]
    before = [batch[len(batch) - max(len(shape) - 2, 0) :] for shape in (a, b)]
    row, column = "i" * (len(a) > 1), "j" * (len(b) > 1)
    return f"{before[0]}{row}k,{before[1]}k{column}->{batch}{row}{column}"


def _linear(shapes: list[tuple[int, ...]]) -> Reading:
    """Read `x Wᵀ + b`: products of rows, and the bias."""
    rows = math.prod(shapes[0][:-1]), *shapes[0][-1:]
    return with_bias(einsum("bi,oi->bo", [rows, shapes[1]]), np.tile(np.arange(shapes[1][0]), rows[0]), len(shapes) > 2)


def with_bias(products: Reading, own: Array, given: bool = True) -> Reading:
    """Add a bias (`own`: its entries) to a reading, if given."""
    if not given:
        return products
    reads = [np.pad(read, ((0, 0), (0, 1)), constant_values=-1) for read in products.reads]
    bias = np.full_like(reads[0], -1)
    bias[:, -1] = own
    return Reading((*reads, bias), "products", tuple(range(len(reads) + 1)))


def _cross(call: OperationCall) -> Reading:
    """Read `a × b`: entry 0 is a₁b₂ − a₂b₁, cyclically."""
    shape = call.operands[0].shape
    if call.operands[1].shape != shape:
        raise NoEntryMap("shape")
    dim = call.plain(2, "dim", default=None)
    axis = dim if type(dim) is int else (-1 if call.name.startswith("linalg") else shape.index(3))
    one, two = (np.roll(places(shape), -by, axis).reshape(-1, 1) for by in (1, 2))
    return Reading((np.hstack([one, two]), np.hstack([two, one])), "cross", (0, 1))


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

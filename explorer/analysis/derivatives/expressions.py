"""Formulas as expressions: parsed once from our own texts, and computed with numbers.

An expression names inputs of a node (self, other, …), its result, and G, the gradient that arrived. Only texts of
`table` are parsed here, never the user's program.
"""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from explorer.analysis.derivatives.maps import FUNCTIONS
from explorer.analysis.derivatives.table import DEFAULTS, LOCAL, WORDS, ZERO


def _sum_over(values: np.ndarray, dim: Any = None) -> np.ndarray:
    return np.sum(values, axis=_axes(dim), keepdims=True)


def _mean_over(values: np.ndarray, dim: Any = None) -> np.ndarray:
    return np.mean(values, axis=_axes(dim), keepdims=True)


def _axes(dim: Any) -> tuple[int, ...] | None:
    return None if dim is None else tuple(np.atleast_1d(dim).astype(int))


def _gelu_slope(x: np.ndarray) -> np.ndarray:
    """Φ(x) + x · φ(x)."""
    return (1 + _erf(x / math.sqrt(2))) / 2 + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def _gelu_tanh_slope(x: np.ndarray) -> np.ndarray:
    """The derivative of ½x(1 + tanh u), u = √(2/π)(x + 0.044715x³)."""
    scale = math.sqrt(2 / math.pi)
    t = np.tanh(scale * (x + 0.044715 * x**3))
    return (1 + t) / 2 + x / 2 * (1 - t**2) * scale * (1 + 3 * 0.044715 * x**2)


_erf = np.vectorize(math.erf, otypes=[float])
Operands = Mapping[str, np.ndarray | float | None]

_FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "where": np.where,
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "sign": np.sign,
    "mean": _mean_over,
    "abs": np.abs,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "outer": np.multiply.outer,
    "sum": _sum_over,
    "T": lambda x: np.swapaxes(x, -1, -2),
    "gelu_slope": _gelu_slope,
    "gelu_tanh_slope": _gelu_tanh_slope,
    **FUNCTIONS,
}


@cache
def parsed(text: str) -> ast.expr:
    """The tree of one of our formulas."""
    return ast.parse(text, mode="eval").body


def names_in(tree: ast.expr) -> list[str]:
    """The operands it names, in order, each once; functions left out."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = {function.id for function in calls if isinstance(function, ast.Name)}
    found = [(node.lineno, node.col_offset, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(name for *_, name in sorted(found) if name not in called))


def computed(tree: ast.expr, operands: Operands) -> np.ndarray:
    """Its number, or its entries. Raises KeyError for an operand that was not recorded, ValueError for shapes."""
    with np.errstate(all="ignore"):
        return np.asarray(_value(tree, operands))


def _value(tree: ast.expr, operands: Operands) -> Any:
    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return operands[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, operands)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name](*(_value(argument, operands) for argument in arguments))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            a, b = _value(left, operands), _value(right, operands)
            return {ast.Gt: a > b, ast.GtE: a >= b, ast.Lt: a < b, ast.LtE: a <= b, ast.Eq: a == b}[type(sign)]
        case ast.BinOp(left=left, op=sign, right=right):
            return binary(sign, _value(left, operands), _value(right, operands))
    raise TypeError(ast.dump(tree))


def binary(sign: ast.operator, a: Any, b: Any) -> Any:
    """Apply an operator to two numbers, or arrays."""
    match sign:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div():
            return np.divide(a, b)
        case ast.Pow():
            return np.power(np.asarray(a, dtype=float), b)
        case ast.MatMult():
            return a @ b
        case ast.BitAnd():
            return a & b
    raise TypeError(ast.dump(sign))


def partials(
    node: str, given: Sequence[np.ndarray], result: np.ndarray, **constants: np.ndarray | float
) -> tuple[np.ndarray | None, ...]:
    """The local derivative by each operand of a call, entry by entry; None if the table has no numeric formula.

    Args:
        node: torch's name of it without "Backward" and its number.
        given: the operands in the order of the table.
        constants: other arguments that differ from torch's defaults.

    >>> partials("Mul", (np.array([2.0]), np.array([3.0])), np.array([6.0]))
    (array([3.]), array([2.]))
    """
    rows = LOCAL.get(node) or {name: expression for name, (_, expression) in WORDS.get(node, {}).items()}
    rows = {name: "" if "G" in names_in(parsed(text or "0")) else text for name, text in rows.items()}
    operands: dict[str, np.ndarray | float | None] = {**DEFAULTS, **constants, "result": result}
    operands |= {name: np.asarray(array, dtype=float) for name, array in zip(rows, given, strict=False)}
    found = [_partial(node, name, text, operands) if text else None for name, text in rows.items()][: len(given)]
    return *found, *[None] * (len(given) - len(found))


def _partial(node: str, name: str, text: str, operands: Operands) -> np.ndarray:
    local = computed(parsed(text), operands)
    if zero := ZERO.get((node, name)):
        local = np.where(computed(parsed(zero), operands), 0.0, local)
    return np.broadcast_to(np.asarray(local, dtype=float), np.shape(np.asarray(operands["result"])))

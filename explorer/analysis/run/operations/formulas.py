"""Formulas as expressions: parsed once from the tables, and computed with numbers.

An expression names operands of an operation (self, other, …), its options, its result, and G, the arrived gradient. The
user's program is never parsed here.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

Operands = Mapping[str, Any]
FUNCTIONS: dict[str, Callable[..., Any]] = {}  # name in formulas → function

# Arguments that a call omitted.
DEFAULTS: dict[str, float | None] = {
    **{"alpha": 1.0, "beta": 1.0, "value": 1.0, "scale": 1.0, "input_scale": 1.0, "correction": 1.0},
    **{"threshold": 20.0, "min": -math.inf, "max": math.inf, "dim": None},
}
OPTIONAL = ("weight", "pos_weight", "divisor_override", "scale", "attn_mask")  # operands that may be None in a formula


def formula_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Register a function for formulas, under its name without the leading underscore."""
    FUNCTIONS[function.__name__.lstrip("_")] = function
    return function


def floating(values: Any) -> np.ndarray:
    """Convert to floating-point numbers, keeping complex ones."""
    array = np.asarray(values)
    return array.astype(complex if array.dtype.kind == "c" else float)


def _of_fractions(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: function(*map(floating, given))


def _axes(dim: Any) -> tuple[int, ...] | None:
    return None if dim is None else tuple(np.atleast_1d(dim).astype(int))


FUNCTIONS |= {
    name: _of_fractions(function)
    for name, function in {
        **{name: getattr(np, name) for name in "exp exp2 expm1 log2 log10 log1p sqrt power logaddexp".split()},
        **{name: getattr(np, name) for name in "sin cos tan sinh cosh tanh arcsin arccos arctan arctan2".split()},
        **{
            name: getattr(np, name)
            for name in "divide floor_divide remainder hypot fmax fmin copysign sinc logaddexp2".split()
        },
        "ln": np.log,
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "erf": np.vectorize(math.erf, otypes=[float]),
        "erfc": np.vectorize(math.erfc, otypes=[float]),
        "lgamma": np.vectorize(lambda x: math.inf if x <= 0 and x == int(x) else math.lgamma(x), otypes=[float]),
    }.items()
}
FUNCTIONS |= {
    **{name: getattr(np, name) for name in "where abs sign maximum minimum floor ceil round trunc".split()},
    **{name: getattr(np, name) for name in "logical_not logical_and logical_or logical_xor isnan isinf".split()},
    **{"isfinite": np.isfinite, "square": np.square, "isclose": lambda x, y: np.isclose(x, y, 1e-5, 1e-8)},
    **{"outer": np.multiply.outer, "T": lambda x: np.swapaxes(x, -1, -2)},
    "sum": lambda values, dim=None: np.sum(values, axis=_axes(dim), keepdims=True),
    "mean": lambda values, dim=None: np.mean(values, axis=_axes(dim), keepdims=True),
}


@formula_function
def _gelu_slope(x: np.ndarray) -> np.ndarray:
    """Return Φ(x) + x · φ(x)."""
    return (1 + FUNCTIONS["erf"](x / math.sqrt(2))) / 2 + x * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


@formula_function
def _gelu_tanh_slope(x: np.ndarray) -> np.ndarray:
    """Return the derivative of ½x(1 + tanh u), u = √(2/π)(x + 0.044715x³)."""
    scale = math.sqrt(2 / math.pi)
    t = np.tanh(scale * (x + 0.044715 * x**3))
    return (1 + t) / 2 + x / 2 * (1 - t**2) * scale * (1 + 3 * 0.044715 * x**2)


_SIGNS: dict[type, Callable[[Any, Any], Any]] = {
    **{ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: np.divide},
    **{ast.MatMult: operator.matmul, ast.BitAnd: operator.and_},
    ast.Pow: lambda a, b: np.power(np.asarray(a, dtype=float), b),
    **{ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le},
    **{ast.Eq: operator.eq, ast.NotEq: operator.ne},
}


@cache
def parsed(text: str) -> ast.expr:
    """Parse one of the tables' formulas."""
    return ast.parse(text, mode="eval").body


def names_in(tree: ast.expr) -> list[str]:
    """Return the operands it names, in order and once each, without functions."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = {function.id for function in calls if isinstance(function, ast.Name)}
    places = [(node.lineno, node.col_offset, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(name for *_, name in sorted(places) if name not in called))


def computed(tree: ast.expr, operands: Operands) -> np.ndarray:
    """Compute its entries. Raises KeyError for an unrecorded operand, ValueError for shapes."""
    with np.errstate(all="ignore"):
        return np.asarray(evaluated(tree, operands))


def evaluated(tree: ast.expr, operands: Operands) -> Any:
    """Evaluate a tree to numbers or an intermediate result."""
    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return operands[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -evaluated(operand, operands)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(evaluated(argument, operands) for argument in arguments))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _SIGNS[type(sign)](evaluated(left, operands), evaluated(right, operands))
        case ast.BinOp(left=left, op=sign, right=right):
            return binary(sign, evaluated(left, operands), evaluated(right, operands))
    raise TypeError(ast.dump(tree))


def binary(sign: ast.operator, a: Any, b: Any) -> Any:
    """Apply an operator to two numbers, or arrays."""
    return _SIGNS[type(sign)](a, b)

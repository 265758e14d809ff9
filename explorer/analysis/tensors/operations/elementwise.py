"""Functions of one entry and of two: torch's name, notation, and arithmetic."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from explorer.analysis.derivatives.expressions import partials
from explorer.analysis.tensors.operations.call import CallPart, OperationCall, Unknown, constant
from explorer.analysis.tensors.operations.reads import Reading, paired
from explorer.trace import InputTensor

_erf = np.vectorize(math.erf, otypes=[float])


@dataclass(frozen=True)
class EntryFunction:
    """A function of entries.

    Attributes:
        written: notation of one value, with {0} and {1} for the inputs.
        apply: on arrays, with the call's constants by name.
        defaults: constants by name, in the order of torch's positional arguments, with torch's defaults.
    """

    written: str
    apply: Callable
    defaults: dict[str, float | None] = field(default_factory=dict)


def _f(array: np.ndarray) -> np.ndarray:
    return array.astype(complex if array.dtype.kind == "c" else float)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-_f(x)))


def _clamp(x: np.ndarray, min: float = -math.inf, max: float = math.inf) -> np.ndarray:
    return np.minimum(np.maximum(x, min), max)


def _gelu(x: np.ndarray) -> np.ndarray:
    return _f(x) * (1 + _erf(_f(x) / math.sqrt(2))) / 2


def _round(x: np.ndarray) -> np.ndarray:
    return np.round(x)


UNARY: dict[str, EntryFunction] = {
    "abs": EntryFunction("|{0}|", np.abs),
    "neg": EntryFunction("−{0}", np.negative),
    "exp": EntryFunction("e^{0}", lambda x: np.exp(_f(x))),
    "log": EntryFunction("log {0}", lambda x: np.log(_f(x))),
    "log2": EntryFunction("log₂ {0}", lambda x: np.log2(_f(x))),
    "log10": EntryFunction("log₁₀ {0}", lambda x: np.log10(_f(x))),
    "log1p": EntryFunction("log(1 + {0})", lambda x: np.log1p(_f(x))),
    "expm1": EntryFunction("e^{0} − 1", lambda x: np.expm1(_f(x))),
    "sqrt": EntryFunction("√{0}", lambda x: np.sqrt(_f(x))),
    "rsqrt": EntryFunction("1 / √{0}", lambda x: 1 / np.sqrt(_f(x))),
    "square": EntryFunction("{0}²", np.square),
    "reciprocal": EntryFunction("1 / {0}", lambda x: 1 / _f(x)),
    "sin": EntryFunction("sin {0}", lambda x: np.sin(_f(x))),
    "cos": EntryFunction("cos {0}", lambda x: np.cos(_f(x))),
    "tan": EntryFunction("tan {0}", lambda x: np.tan(_f(x))),
    "tanh": EntryFunction("tanh {0}", lambda x: np.tanh(_f(x))),
    "sigmoid": EntryFunction("σ({0})", _sigmoid),
    "relu": EntryFunction("relu({0})", lambda x: np.maximum(x, 0)),
    "relu6": EntryFunction("relu6({0})", lambda x: np.clip(x, 0, 6)),
    "leaky_relu": EntryFunction(
        "leaky_relu({0})", lambda x, negative_slope: np.where(x > 0, x, x * negative_slope), {"negative_slope": 0.01}
    ),
    "elu": EntryFunction("elu({0})", lambda x: np.where(x > 0, x, np.expm1(np.minimum(_f(x), 0)))),
    "gelu": EntryFunction("gelu({0})", _gelu),
    "silu": EntryFunction("silu({0})", lambda x: _f(x) * _sigmoid(x)),
    "softplus": EntryFunction("softplus({0})", lambda x: np.logaddexp(_f(x), 0)),
    "clamp": EntryFunction("clamp({0})", _clamp, {"min": None, "max": None}),
    "clamp_min": EntryFunction("max({0}, bound)", _clamp, {"min": None}),
    "clamp_max": EntryFunction("min({0}, bound)", _clamp, {"max": None}),
    "floor": EntryFunction("⌊{0}⌋", np.floor),
    "ceil": EntryFunction("⌈{0}⌉", np.ceil),
    "round": EntryFunction("round({0})", _round),
    "trunc": EntryFunction("trunc({0})", np.trunc),
    "sign": EntryFunction("sign({0})", np.sign),
    "logical_not": EntryFunction("not {0}", np.logical_not),
    "isnan": EntryFunction("isnan({0})", np.isnan),
    "isinf": EntryFunction("isinf({0})", np.isinf),
    "isfinite": EntryFunction("isfinite({0})", np.isfinite),
}


BINARY: dict[str, EntryFunction] = {
    "add": EntryFunction("{0} + {1}", np.add),
    "sub": EntryFunction("{0} − {1}", np.subtract),
    "mul": EntryFunction("{0} · {1}", np.multiply),
    "div": EntryFunction("{0} / {1}", lambda x, y: _f(x) / _f(y)),
    "pow": EntryFunction("{0}^{1}", lambda x, y: np.power(_f(x), _f(y))),
    "floor_divide": EntryFunction("⌊{0} / {1}⌋", lambda x, y: np.floor_divide(_f(x), _f(y))),
    "remainder": EntryFunction("{0} mod {1}", lambda x, y: np.remainder(_f(x), _f(y))),
    "maximum": EntryFunction("max({0}, {1})", np.maximum),
    "minimum": EntryFunction("min({0}, {1})", np.minimum),
    "eq": EntryFunction("({0} == {1})", np.equal),
    "ne": EntryFunction("({0} != {1})", np.not_equal),
    "lt": EntryFunction("({0} < {1})", np.less),
    "le": EntryFunction("({0} <= {1})", np.less_equal),
    "gt": EntryFunction("({0} > {1})", np.greater),
    "ge": EntryFunction("({0} >= {1})", np.greater_equal),
    "isclose": EntryFunction("({0} ≈ {1})", lambda x, y: np.isclose(x, y, 1e-5, 1e-8)),
    "logical_and": EntryFunction("{0} and {1}", np.logical_and),
    "logical_or": EntryFunction("{0} or {1}", np.logical_or),
    "logical_xor": EntryFunction("{0} xor {1}", np.logical_xor),
    "scaled": EntryFunction("{0} + {2} · {1}", lambda x, y, alpha: x + alpha * y),
}
# torch's other names; the operators of Python come in under these or under their own
_ALIASES = {
    **{
        "absolute": "abs",
        "negative": "neg",
        "subtract": "sub",
        "multiply": "mul",
        "divide": "div",
        "true_divide": "div",
    },
    **{"not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "clip": "clamp"},
    **{"max": "maximum", "min": "minimum", "__eq__": "eq", "__ne__": "ne", "__pow__": "pow", "__and__": "logical_and"},
    **{"__or__": "logical_or", "__xor__": "logical_xor", "__invert__": "logical_not", "logical_not": "logical_not"},
    **{"__floordiv__": "floor_divide", "__mod__": "remainder", "fmod": "remainder", "bitwise_not": "logical_not"},
    **{"__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__abs__": "abs", "__neg__": "neg"},
    **{
        "__add__": "add",
        "__radd__": "add",
        "__mul__": "mul",
        "__rmul__": "mul",
        "__truediv__": "div",
        "__div__": "div",
    },
    **{
        "__iadd__": "add",
        "__isub__": "sub",
        "__imul__": "mul",
        "__itruediv__": "div",
        "__ipow__": "pow",
        "__sub__": "sub",
    },
    **{"bitwise_and": "logical_and", "bitwise_or": "logical_or"},
}
_REVERSED = {"__rsub__": "sub", "rsub": "sub", "__rdiv__": "div", "__rtruediv__": "div", "__rpow__": "pow"}


def slopes(
    name: str, given: Sequence[np.ndarray], result: np.ndarray, **constants: float
) -> tuple[np.ndarray | None, ...]:
    """The derivative of a function in UNARY or BINARY by each operand, entry by entry, or None."""
    match name:
        case "square":
            return partials("Pow", (given[0], np.array(2.0)), result)[:1]
        case "scaled":
            return *partials("Add", given[:2], result, alpha=given[2]), None
    return partials(name.title().replace("_", ""), given, result, **constants)


NAMES = frozenset([*UNARY, *BINARY, *_ALIASES, *_REVERSED])


def function_of(name: str) -> str:
    """The key in UNARY or BINARY that torch's name stands for."""
    return _ALIASES.get(name, _REVERSED.get(name, name))


def related(call: OperationCall) -> tuple[tuple[CallPart, ...], list[Reading]]:
    """The operands, including plain numbers, and the reading of the one result. Raises Unknown."""
    name = function_of(call.name)
    if call.name == "__invert__" and call.operands[0].dtype != "bool":
        raise Unknown("bits")
    result = call.results[0].shape
    if name in UNARY:
        function = UNARY[name]
        constants = {
            key: call.plain(1 + i, key, default=default) for i, (key, default) in enumerate(function.defaults.items())
        }
        if not all(bound is None or isinstance(bound, int | float) for bound in constants.values()):
            raise Unknown("bounds")
        known = {key: float(bound) for key, bound in constants.items() if bound is not None}
        return call.operands[:1], [paired([call.operands[0].shape], result, name, **known)]
    parts = tuple(_operand(call, k) for k in (0, 1))
    if name.startswith("logical") and call.name.startswith(("_", "bitwise")) and parts[0].dtype != "bool":
        raise Unknown("bits")
    if call.plain(-1, "alpha", default=1) != 1 or call.plain(-1, "rounding_mode", default=None) is not None:
        return _scaled(call, parts, name)
    if call.name in _REVERSED:
        parts = parts[::-1]
    return parts, [paired([part.shape for part in parts], result, name)]


def _scaled(call: OperationCall, parts: tuple[CallPart, ...], name: str) -> tuple[tuple[CallPart, ...], list[Reading]]:
    """`add(a, b, alpha=2)` is a + 2·b: the scale is an operand, since it is read for every entry."""
    alpha = call.plain(-1, "alpha", default=None)
    if name not in ("add", "sub") or not isinstance(alpha, int | float):
        raise Unknown("mode")
    reading = paired([*(part.shape for part in parts), ()], call.results[0].shape, "scaled")
    return (*parts, constant(alpha if name == "add" else -alpha)), [reading]


def _operand(call: OperationCall, position: int) -> CallPart:
    given = call.plain(position, ("input", "self")[0] if position == 0 else "other")
    match given:
        case InputTensor(number):
            return call.operands[number]
        case bool() | int() | float():
            return constant(given)
    raise Unknown("operand")

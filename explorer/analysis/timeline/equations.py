"""An operation with its numbers: `1 + 2 = 3`, only if the recorded numbers make it true."""

import math
from collections.abc import Callable

import numpy as np

from explorer.analysis.autograd.titles import titles_of
from explorer.analysis.timeline.sentence_parts import LISTED, amount
from explorer.safe_regex import plain
from explorer.text.equations import digits_of_all
from explorer.text.numbers import number
from explorer.trace import Argument, InputTensor, Trace, Value

_SIGNS: dict[str, tuple[str, Callable]] = {
    "add": ("+", np.add),
    "sub": ("−", np.subtract),
    "mul": ("·", np.multiply),
    "div": ("/", np.divide),
    "pow": ("**", np.power),
}
_NAMES = {
    **{name: (name, False) for name in _SIGNS},
    **{f"__{name}__": (name, False) for name in ("add", "sub", "mul", "pow")},
    **{f"__r{name}__": (name, True) for name in _SIGNS},
    **{"true_divide": ("div", False), "__truediv__": ("div", False), "__rtruediv__": ("div", True)},
    **{"rsub": ("sub", True), "add_": ("add", False), "sub_": ("sub", False), "mul_": ("mul", False)},
    **{"div_": ("div", False), "__iadd__": ("add", False), "__isub__": ("sub", False), "__imul__": ("mul", False)},
}
_FUNCTIONS = {
    **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tanh", "sqrt", "abs")},
    "neg": np.negative,
    "square": np.square,
    "relu": lambda entries: np.maximum(entries, 0),
    "sigmoid": lambda entries: 1 / (1 + np.exp(-entries)),
}
_FIRST = plain(r"(\w++) *[+*] ")  # the name on the left of total + w
_FUNCTION_NAMES = {"square": ("", "²"), "neg": ("−", ""), "abs": ("|", "|")}


def value_before(trace: Trace, tensor: int, operation: int) -> Value | None:
    """The value of a tensor when an operation began."""
    row = trace.index.before(tensor, operation)
    return None if row is None else trace.value_at(row)


def equation(trace: Trace, operation: int, result: Value | None) -> str:
    """The operation with its numbers, "" if they were not recorded."""
    o = trace.operations
    name = trace.strings[o.name[operation]]
    inputs = [value_before(trace, tensor, operation) for tensor in o.inputs[operation]]
    if not _small(result) or not inputs or not all(map(_small, inputs)):
        return ""
    given = trace.arguments(operation)
    if given.named or not all(
        isinstance(argument, InputTensor) or _is_number(argument) for argument in given.positional
    ):
        return ""
    operands = [inputs[a.number] if isinstance(a, InputTensor) else a for a in given.positional]
    assert result is not None
    if name in _NAMES and len(operands) == 2:
        return _binary(trace, operation, *_NAMES[name], operands, result)
    plain = name.rstrip("_")
    if plain in _FUNCTIONS and len(operands) == 1 and isinstance(operands[0], Value):
        return _unary(plain, operands[0], result)
    return ""


def _binary(trace: Trace, operation: int, name: str, turned: bool, operands: list, result: Value) -> str:
    sign, compute = _SIGNS[name]
    left, right = reversed(operands) if turned else operands
    if not _holds(compute, (left, right), result):
        return ""
    digits, equals = _digits(compute, (left, right), result)
    if not equals:
        return ""
    if name in ("add", "mul") and not turned and not isinstance(right, Value):
        text = trace.text(trace.operations.span[operation]).lstrip("( ")
        tensor = titles_of(trace).name_in(trace.operations.inputs[operation][0], text, operation)
        first = _FIRST.match(text)
        if text[:1].isdigit() or text[:1] == "-" or (first and first[1] != tensor):  # torch was called with w first
            left, right = right, left
    words = [_operand(left, name == "pow", digits), _operand(right, True, digits)]
    return f"{words[0]} {sign} {words[1]} {equals} {amount(result)}"


def _unary(name: str, operand: Value, result: Value) -> str:
    if not _holds(_FUNCTIONS[name], (operand,), result):
        return ""
    digits, equals = _digits(_FUNCTIONS[name], (operand,), result)
    text = amount(operand, digits)
    if not equals:
        return ""
    before, after = _FUNCTION_NAMES.get(name, (f"{name}(", ")"))
    if name in ("neg", "square") and text[:1] == "−":
        text = f"({text})"
    return f"{before}{text}{after} {equals} {amount(result)}"


def _digits(compute: Callable, operands: tuple, result: Value) -> tuple[int, str]:
    """With how many digits the operands give the result entry by entry, and = or ≈."""
    given = [operand.array(np.float64) if isinstance(operand, Value) else operand for operand in (*operands, result)]
    entries = [np.broadcast_to(np.asarray(operand), result.shape).ravel().tolist() for operand in given]
    with np.errstate(all="ignore"):
        return digits_of_all(
            (lambda found: float(compute(*found)), case, told) for *case, told in zip(*entries, strict=True)
        )


def _holds(compute: Callable, operands: tuple, result: Value) -> bool:
    """Whether the recorded result follows from the recorded operands."""
    try:
        with np.errstate(all="ignore"):
            given = [operand.array(np.float64) if isinstance(operand, Value) else operand for operand in operands]
            expected = np.asarray(compute(*given))
        found = result.array(np.float64)
        if found is None or expected.shape != found.shape:
            return False
        near = 1e-2 if result.dtype in ("float16", "bfloat16") else 1e-4
        pairs = zip(expected.ravel().tolist(), found.ravel().tolist(), strict=True)
        return all(one == other or _near(one, other, near) for one, other in pairs)
    except (ValueError, TypeError, OverflowError):
        return False


def _near(one: float, other: float, share: float) -> bool:
    return abs(one - other) <= 1e-8 + share * abs(other) or (one != one and other != other)


def _operand(operand: Value | float, second: bool, digits: int) -> str:
    text = amount(operand, digits) if isinstance(operand, Value) else number(operand, digits=digits)
    return f"({text})" if second and text[:1] == "−" else text


def _small(value: Value | None) -> bool:
    return (
        value is not None and value.data is not None and 0 < len(value.data) <= LISTED and value.dtype[:7] != "complex"
    )


def _is_number(argument: Argument) -> bool:
    return isinstance(argument, int | float) and not isinstance(argument, bool) and math.isfinite(argument)

"""Parts of the timeline's sentences: values, names, program text, operations with numbers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.analysis.explain.autograd.entry_texts import amount_text, as_written
from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.operations import Operation, operation_of
from explorer.analysis.run.operations.rules import NEVER_ZERO, valued
from explorer.analysis.run.rounding import agrees
from explorer.safe_regex import plain
from explorer.text import code, say, separated
from explorer.text.numbers import DIGITS, are_exact, cells_of, digits_of_all, number, shorten, vanishes
from explorer.trace import Argument, InputTensor, Trace, Value, real

CELLS = 48  # maximum width of program text
SHORT = 24  # longest name
LISTED = 6  # most entries listed
NAMED = 3  # most items listed


def amount(value: Value | None, digits: int = DIGITS, signed: bool = False) -> str:
    """Write a value for a sentence: number, few entries, or range and shape.

    Args:
        signed: plus sign for positive numbers, as for gradients.
    """
    return "" if value is None else amount_text(value, digits, signed, LISTED)


def shortened(text: str) -> str:
    """Shorten a Python value, keeping a list's ends or count.

    >>> shortened(str([1.25] * 12)), shortened("[1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, … 20 in all]")
    ('[1.25, 1.25, 1.25, 1.25, 1.25, 1.25, … 1.25]', '[1.25, 1.25, 1.25, 1.25, 1.25, … 20 in all]')
    """
    if text[:1] not in ("[", "{", "(") or cells_of(text) <= CELLS:
        return shorten(text, CELLS)
    last = text.rpartition(", ")[2].removeprefix("… ") if text[-1] in "]})" else ""
    begin = ", ".join(text[: CELLS - len(last) - 2].split(", ")[:-1])
    return f"{begin}, … {last}".rstrip() if begin and len(last) <= CELLS // 2 else shorten(text, CELLS)


def listed(parts: Sequence[str], lang: str, most: int = NAMED) -> str:
    """Join items: `a`, `b` and `c`, or some and a count."""
    some = say(lang, "timeline-separator").replace("_", " ").join(parts[: most if len(parts) > most else -1])
    if len(parts) > most:
        return say(lang, "timeline-more", some=some, count=len(parts) - most)
    return say(lang, "timeline-and", some=some, last=parts[-1]) if some else parts[-1]


def clauses(parts: Sequence[str], lang: str) -> str:
    """Join clauses for a sentence, or the first few and a count."""
    words = separated(lang, parts[:NAMED])
    return words if len(parts) <= NAMED else say(lang, "timeline-more", some=words, count=len(parts) - NAMED)


def short(text: str, cells: int = CELLS) -> str:
    """Return program text on one line, as code."""
    line = " ".join(part.strip() for part in text.split("\n"))
    return code(shorten(line.replace("( ", "(").replace(", )", ")"), cells))


_FIRST = plain(r"(\w++) *[+*] ")  # the name on the left of total + w


def value_before(trace: Trace, tensor: int, operation: int) -> Value | None:
    """Return a tensor's value when an operation began."""
    row = trace.index.before(tensor, operation)
    return None if row is None else as_written(trace, trace.value_at(row))


def equation(trace: Trace, operation: int, result: Value | None) -> str:
    """Write the operation with its numbers, "" if unrecorded."""
    o = trace.operations
    name = trace.strings[o.name[operation]]
    spec = operation_of(name)
    inputs = [value_before(trace, tensor, operation) for tensor in o.inputs[operation]]
    if not spec.operands or not _small(result) or not inputs or not all(map(_small, inputs)):
        return ""
    given = trace.arguments(operation)
    if given.named or len(given.positional) != len(spec.operands):
        return ""
    if not all(isinstance(argument, InputTensor) or _is_number(argument) for argument in given.positional):
        return ""
    operands: list[Any] = [inputs[a.number] if isinstance(a, InputTensor) else a for a in given.positional]
    turned = spec.names.get(name, False)
    operands = operands[::-1] if turned else operands
    assert result is not None
    if result.dtype == "bool" or not _holds(spec, operands, result):
        return ""
    digits, equals = _digits(spec, operands, result)
    if not equals:
        return ""
    if spec.commutes and not turned and not isinstance(operands[-1], Value):
        text = trace.text(o.span[operation]).lstrip("( ")
        tensor = name_of(run_of(trace), o.inputs[operation][0], operation, text)
        first = _FIRST.match(text)
        if text[:1].isdigit() or text[:1] == "-" or (first and first[1] != tensor):  # torch was called with w first
            operands.reverse()
    return f"{_in_words(spec, operands, digits)} {equals} {amount(result)}"


def _in_words(operation: Operation, operands: list[Value | float], digits: int) -> str:
    """Write its notation for whole tensors, with brackets around negative numbers."""
    one = len(operands) == 1
    pattern = operation.spoken or (f"{operation.name}({{0}})" if one else operation.notation)
    words = [amount(one, digits) if isinstance(one, Value) else number(one, digits=digits) for one in operands]
    bare = pattern.startswith("{0}") and not pattern.startswith(("{0}²", "{0} **"))  # the first needs no brackets
    closed = "({0}" in pattern or "|{0}" in pattern
    negative = [word[:1] == "−" and not closed and (k > 0 or not bare) for k, word in enumerate(words)]
    return pattern.format(*(f"({word})" if sign else word for word, sign in zip(words, negative, strict=True)))


def _digits(operation: Operation, operands: list[Value | float], result: Value) -> tuple[int, str]:
    """Find the digits with which operands yield the result entrywise, and = or ≈."""
    given = [operand.array(np.float64) if isinstance(operand, Value) else operand for operand in (*operands, result)]
    entries = [np.broadcast_to(np.asarray(operand), result.shape).ravel().tolist() for operand in given]
    cases = (
        (lambda numbers: float(valued(operation, [real(entry) for entry in numbers])), case, total)
        for *case, total in zip(*entries, strict=True)
    )
    exact = [are_exact(operand.entries) if isinstance(operand, Value) else True for operand in operands]
    rounded = operation.name in NEVER_ZERO and result.dtype.startswith(("float", "bfloat"))
    if rounded and any(vanishes(case, total) for *case, total in zip(*entries, strict=True)):
        return DIGITS, "≈"
    return digits_of_all(cases, exact=exact)


def _holds(operation: Operation, operands: list[Value | float], result: Value) -> bool:
    """Return whether the recorded result follows from the recorded operands."""
    try:
        given = [operand.array(np.float64) if isinstance(operand, Value) else operand for operand in operands]
        expected, entries = valued(operation, given), result.array(np.float64)
        return (
            entries is not None and expected.shape == entries.shape and agrees(expected, entries, result.dtype, given)
        )
    except (ValueError, TypeError, OverflowError):
        return False


def _small(value: Value | None) -> bool:
    return (
        value is not None and value.data is not None and 0 < len(value.data) <= LISTED and value.dtype[:7] != "complex"
    )


def _is_number(argument: Argument) -> bool:
    return isinstance(argument, int | float) and not isinstance(argument, bool) and math.isfinite(argument)

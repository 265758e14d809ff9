"""The picture of one call as plain data: operands, results, the origin of each entry, and gradients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from explorer.analysis.tensors.operations import (
    creation,
    elementwise,
    indexed_writes,
    indexing,
    products,
    rearrangements,
    reductions,
)
from explorer.analysis.tensors.operations.back import Back, back_of
from explorer.analysis.tensors.operations.call import CallPart, OperationCall, Unknown, calls_of
from explorer.analysis.tensors.operations.reads import MOST, Reading
from explorer.analysis.tensors.operations.rules import applied
from explorer.trace import Trace, Value

NAMES = (
    rearrangements.KINDS.keys()
    | indexing.NAMES
    | indexed_writes.NAMES
    | reductions.NAMES
    | elementwise.NAMES
    | products.NAMES
    | creation.NAMES
)
NAMES |= {"linalg_svd", "svd"}
NONE_ADDED: Mapping[tuple[int, int], int] = {}
_ENTRYWISE = ("mul", "__mul__", "multiply")
_LOOSE = {"float16": 2e-2, "bfloat16": 6e-2}


@dataclass(frozen=True)
class Outcome:
    """One result. Attributes: part: its tensor; reading: the origin of its entries, or None."""

    part: CallPart
    reading: Reading | None


@dataclass(frozen=True)
class OperationView:
    """One call as a picture.

    Attributes:
        call: as it was recorded.
        text: the program's expression; cell from 0, line from 1 (0: not known).
        operands: the left side, including plain numbers.
        outcomes: the right side.
        missing: why no entry is traced: size, values, differs, kind; "" if all are.
        back: the gradients that went through it in the shown backward, or None.
        beside: for two square matrices the other product of the two: (name, result), or None.
        collapsed: the axis of a matrix that a reduction removed, or None.
    """

    call: OperationCall
    text: str
    cell: int
    line: int
    operands: tuple[CallPart, ...]
    outcomes: tuple[Outcome, ...]
    missing: str = ""
    back: Back | None = None
    beside: tuple[str, CallPart] | None = None

    @property
    def collapsed(self) -> int | None:
        """The axis of a matrix that a reduction took away, None for any other call."""
        reading = self.outcomes[0].reading if self.outcomes else None
        return None if reading is None else reductions.collapsed(self.call.name, self.operands[0].shape, reading)


def operation_view(
    trace: Trace,
    operation: int,
    gradients: Sequence[tuple[int, ...]] = (),
    added: Mapping[tuple[int, int], int] = NONE_ADDED,
) -> OperationView:
    """The picture of one call.

    Args:
        gradients: per node, those of its outputs as value ids (`autograd.node_gradients`); empty without a backward.
        added: the contribution of each edge (node, position) (`autograd.contributions`).
    """
    found = [(call, *_traced(call)) for call in calls_of(trace, operation)]
    call, operands, readings, missing = next((candidate for candidate in found if candidate[3] != "differs"), found[0])
    span = trace.operations.span[operation]
    place = trace.spans[span] if span >= 0 else None
    text, cell, line = trace.text(span), place.cell if place else 0, place.line if place else 0
    outcomes = tuple(Outcome(part, reading) for part, reading in zip(call.results, readings, strict=True))
    view = OperationView(call, text, cell, line, operands, outcomes, missing, beside=_beside(call))
    if not outcomes:
        return view
    first = outcomes[0]
    return replace(view, back=back_of(trace, call, operands, first.part, first.reading, gradients, added))


def _traced(call: OperationCall) -> tuple[tuple[CallPart, ...], Sequence[Reading | None], str]:
    """The operands, one reading per result if there is one, and why there is none."""
    nothing = [None] * len(call.results)
    try:
        operands, readings = _readings(call)
        good = [
            reading is None or agrees(operands, part, reading)
            for part, reading in zip(call.results, readings, strict=True)
        ]
    except Unknown as problem:
        return call.operands, nothing, problem.args[0] if problem.args[0] in ("size", "values") else "kind"
    except (ValueError, IndexError, TypeError, KeyError, OverflowError):  # arguments that no reading supports
        return call.operands, nothing, "kind"
    readings = [reading if fine else None for reading, fine in zip(readings, good, strict=True)]
    return operands, readings, "" if all(good) else "differs"


def _readings(call: OperationCall) -> tuple[tuple[CallPart, ...], Sequence[Reading | None]]:
    """The operands, and one reading per result. Raises Unknown."""
    name = call.name
    if sum(part.size for part in (*call.operands, *call.results)) > MOST and name not in creation.NAMES:
        raise Unknown("size")
    if name in ("max", "min") and len(call.operands) == 2 and len(call.results) == 1:
        return elementwise.related(call)
    if name in creation.NAMES and name != "randperm" and not (name in ("normal", "uniform") and call.in_place):
        return call.operands, [None] * len(call.results)
    if name == "randperm":
        return creation.ordered(call)
    for names, make in (
        (rearrangements.KINDS, rearrangements.moved),
        (indexing.NAMES, indexing.picked),
        (indexed_writes.NAMES, indexed_writes.written),
        (reductions.NAMES, reductions.combined),
        (products.NAMES, products.multiplied),
    ):
        if name in names:
            readings = make(call)
            if len(readings) != len(call.results):
                raise Unknown("results")
            return _filled(call, readings)
    if name in elementwise.NAMES and len(call.results) == 1:
        return elementwise.related(call)
    return call.operands, [None] * len(call.results)


def _filled(call: OperationCall, readings: list[Reading]) -> tuple[tuple[CallPart, ...], list[Reading]]:
    """The operands, cut to those of a reading if there are more (an `out=`, say)."""
    count = max((len(reading.reads) for reading in readings), default=0)
    return call.operands[:count], readings


def agrees(operands: Sequence[CallPart], result: CallPart, reading: Reading) -> bool:
    """Whether a reading gives torch's result; True if numbers were not kept."""
    numbers, expected = [part.numbers for part in operands], result.numbers
    sizes = [part.size for part in operands]
    if max(reading.sources, default=-1) >= len(reading.reads):
        return False
    if any(
        len(read) != result.size or read.max(initial=-1) >= size
        for read, size in zip(reading.reads, sizes, strict=True)
    ):
        return False
    if reading.rule == "position" or expected is None or any(flat is None for flat in numbers):
        return True
    if reading.rule in ("argmax", "argmin"):
        terms = numbers[0][reading.reads[0]]
        best = terms.max(1) if reading.rule == "argmax" else terms.min(1)
        return bool(
            np.array_equal(np.take_along_axis(terms, expected.astype(int)[:, None], 1)[:, 0], best, equal_nan=True)
        )
    promised = applied(reading, numbers)
    if result.dtype == "bool":
        promised = promised != 0
    elif result.dtype.startswith(("int", "uint")):
        promised = np.trunc(promised)
    loose = _LOOSE.get(result.dtype, 1e-3)
    scale = max(_largest(flat) for flat in (expected, *numbers))  # sums may cancel
    return bool(np.allclose(promised, expected, loose, loose * 1e-2 * (scale or 1.0), equal_nan=True))


def _largest(flat: np.ndarray) -> float:
    """The largest finite absolute entry."""
    return float(np.abs(flat[np.isfinite(flat)]).max(initial=0))


def _beside(call: OperationCall) -> tuple[str, CallPart] | None:
    """Two square matrices of one shape have two products: the matrix product, and the Hadamard product."""
    if len(call.operands) != 2 or not call.results or call.name not in (*_ENTRYWISE, "mm", "matmul", "__matmul__"):
        return None
    a, b = call.operands
    if len(a.shape) != 2 or a.shape != b.shape or a.shape[0] != a.shape[1] or a.numbers is None or b.numbers is None:
        return None
    left, right = a.numbers.reshape(a.shape), b.numbers.reshape(b.shape)
    hadamard = call.name not in _ENTRYWISE
    made = left * right if hadamard else left @ right
    word = f"{a.word} * {b.word}" if hadamard else f"{a.word} @ {b.word}"
    dtype = call.results[0].dtype
    value = Value(a.shape, dtype, tuple(made.reshape(-1).tolist()), (), None, None, None, None, 0)
    return ("hadamard" if hadamard else "mm"), CallPart(word, -1, a.shape, dtype, value)

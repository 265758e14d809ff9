"""The picture of one call as plain data: operands, results, the origin of each entry, and gradients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from explorer.analysis.operations.call import CallPart, NoEntryMap, OperationCall, calls_of
from explorer.analysis.operations.reading import MOST, Reading
from explorer.analysis.operations.record import Operation
from explorer.analysis.operations.reductions import collapsed
from explorer.analysis.operations.rules import agrees
from explorer.analysis.operations.table import ALL, operation_of, operation_of_call
from explorer.analysis.tensors.operations.back import Back, back_of
from explorer.trace import Trace, Value

NAMES = frozenset(name for operation in ALL if operation.subject for name in operation.names)
NONE_ADDED: Mapping[tuple[int, int], int] = {}


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
        reduces = operation_of_call(self.call).sentence == "reduced"
        return collapsed(self.operands[0].shape, reading) if reduces and reading is not None else None


def operation_view(
    trace: Trace,
    operation: int,
    gradients: Sequence[tuple[int, ...]] = (),
    added: Mapping[tuple[int, int], int] = NONE_ADDED,
    layers: bool = False,
) -> OperationView:
    """The picture of one call.

    Args:
        gradients: per node, those of its outputs as value ids (`autograd.node_gradients`); empty without a backward.
        added: the contribution of each edge (node, position) (`autograd.contributions`).
        layers: also for calls whose entries have no picture: windows, norms, losses.
    """
    found = [(call, *_traced(call, layers)) for call in calls_of(trace, operation)]
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


def _traced(call: OperationCall, layers: bool) -> tuple[tuple[CallPart, ...], Sequence[Reading | None], str]:
    """The operands, one reading per result if there is one, and why there is none."""
    nothing = [None] * len(call.results)
    try:
        operands, readings = _readings(call, operation_of_call(call), layers)
        good = [
            reading is None or agrees(operands, part, reading)
            for part, reading in zip(call.results, readings, strict=True)
        ]
    except NoEntryMap as problem:
        return call.operands, nothing, problem.args[0] if problem.args[0] in ("size", "values") else "kind"
    except (ValueError, IndexError, TypeError, KeyError, OverflowError):  # arguments that no reading supports
        return call.operands, nothing, "kind"
    readings = [reading if fine else None for reading, fine in zip(readings, good, strict=True)]
    return operands, readings, "" if all(good) else "differs"


def _readings(
    call: OperationCall, operation: Operation, layers: bool
) -> tuple[tuple[CallPart, ...], Sequence[Reading | None]]:
    """The operands, and one reading per result. Raises NoEntryMap."""
    nothing = [None] * len(call.results)
    if sum(part.size for part in (*call.operands, *call.results)) > MOST and operation.subject != "create":
        raise NoEntryMap("size")
    if operation.entries is None or not (layers or operation.subject):
        return call.operands, nothing
    if operation.subject == "each" and len(call.results) != 1:
        return call.operands, nothing
    found = operation.entries(call, operation)
    operands, readings = found if isinstance(found, tuple) else (call.operands, found)
    if not operation.subject:  # of a layer the first result
        readings = [*readings, *nothing][: len(nothing)]
    elif len(readings) != len(call.results):
        raise NoEntryMap("results")
    count = max((len(reading.reads) for reading in readings if reading is not None), default=0)
    return operands[:count], readings  # there are more with an `out=`, say


def _beside(call: OperationCall) -> tuple[str, CallPart] | None:
    """Two square matrices of one shape have two products: the matrix product, and the Hadamard product."""
    if len(call.operands) != 2 or not call.results or operation_of(call.name).name not in ("mul", "mm", "matmul"):
        return None
    a, b = call.operands
    if len(a.shape) != 2 or a.shape != b.shape or a.shape[0] != a.shape[1] or a.numbers is None or b.numbers is None:
        return None
    left, right = a.numbers.reshape(a.shape), b.numbers.reshape(b.shape)
    hadamard = operation_of(call.name).name != "mul"
    made = left * right if hadamard else left @ right
    word = f"{a.word} * {b.word}" if hadamard else f"{a.word} @ {b.word}"
    dtype = call.results[0].dtype
    value = Value(a.shape, dtype, tuple(made.reshape(-1).tolist()), (), None, None, None, None, 0)
    return ("hadamard" if hadamard else "mm"), CallPart(word, -1, a.shape, dtype, value)

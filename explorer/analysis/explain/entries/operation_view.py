"""The picture of one call as plain data: operands, results, origins, gradients, curve.

Also lists the program's calls with a picture.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from explorer.analysis.explain.autograd.cells import ending_operation
from explorer.analysis.explain.autograd.gradients import version_place
from explorer.analysis.explain.autograd.slopes import slopes_in_call
from explorer.analysis.run import rounding
from explorer.analysis.run.operations import ALL, LOSSES, operation_of, operation_of_call
from explorer.analysis.run.operations.call import (
    MOST,
    CallPart,
    NoEntryMap,
    OperationCall,
    Reading,
    calls_of,
    moved,
    sent,
)
from explorer.analysis.run.operations.record import Operation
from explorer.analysis.run.operations.reductions import collapsed
from explorer.analysis.run.operations.rules import agrees, function_of, row_losses, terms_of, uniform_factors, valued
from explorer.trace import Trace, Value

NAMES = frozenset(name for operation in ALL if operation.subject for name in operation.names)
NONE_ADDED: Mapping[tuple[int, int], int] = {}


@dataclass(frozen=True)
class Outcome:
    """One result. Attributes: part: its tensor. reading: origin of its entries, or None."""

    part: CallPart
    reading: Reading | None


@dataclass(frozen=True)
class Back:
    """Gradients around one call.

    Attributes:
        result: gradient of the (first) result.
        operands: gradient of each operand, or None.
        factors: for each operand, derivatives in the shape of its reads, or None. Times the result's gradients
            they add up to the operand's gradient.
        shared: for each operand, whether the number is the tensor's whole gradient, to which this call may only
            contribute.
        differs: whether an operand's gradient differs from the predicted one.
    """

    result: Value
    operands: tuple[Value | None, ...]
    factors: tuple[np.ndarray | None, ...]
    shared: tuple[bool, ...]
    differs: bool = False


@dataclass(frozen=True)
class OperationView:
    """One call as a picture.

    Attributes:
        text: program expression. cell from 0, line from 1 (0: unknown).
        operands: left side, plain numbers included.
        outcomes: right side.
        missing: why no entry is traced: size, values, asked, differs, kind, failed. "" if all are.
        back: gradients through it in the shown backward, or None.
        beside: for two square matrices, their other product: (name, result), or None.
        collapsed: axis of a matrix that a reduction removed, or None.
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
        """Axis of a matrix that a reduction removed, or None."""
        reading = self.outcomes[0].reading if self.outcomes else None
        reduces = operation_of_call(self.call).sentence == "reduced"
        return collapsed(self.operands[0].shape, reading) if reduces and reading is not None else None


def operation_view(
    trace: Trace,
    operation: int,
    gradients: Mapping[int, tuple[int, ...]] = MappingProxyType({}),
    added: Mapping[tuple[int, int], int] = NONE_ADDED,
    layers: bool = False,
) -> OperationView:
    """Build the picture of one call.

    Args:
        gradients: output gradients of each node as value ids (`autograd.node_gradients`), empty without a
            backward.
        added: contribution of each edge (node, position) (`autograd.contributions`).
        layers: whether to include calls without pictured entries: norms, losses.
    """
    reads = [(call, *_trace_entries(call, layers)) for call in calls_of(trace, operation)]
    call, operands, readings, missing = next((candidate for candidate in reads if candidate[3] != "differs"), reads[0])
    span = trace.operations.span[operation]
    place = trace.spans[span] if span >= 0 else None
    text, cell, line = trace.text(span), place.cell if place else 0, place.line if place else 0
    outcomes = tuple(Outcome(part, reading) for part, reading in zip(call.results, readings, strict=True))
    view = OperationView(call, text, cell, line, operands, outcomes, missing, beside=_beside(call))
    if trace.operations.error[operation] >= 0:
        return replace(view, missing="failed")
    if not outcomes:
        return view
    first = outcomes[0]
    return replace(view, back=back_of(trace, call, operands, first.part, first.reading, gradients, added))


def _trace_entries(call: OperationCall, layers: bool) -> tuple[tuple[CallPart, ...], Sequence[Reading | None], str]:
    """Return operands, a reading for each result if possible, and why not otherwise."""
    nothing = [None] * len(call.results)
    try:
        operands, readings = readings_of(call, layers)
        good = [
            reading is None or agrees(operands, part, reading)
            for part, reading in zip(call.results, readings, strict=True)
        ]
    except NoEntryMap as problem:
        return call.operands, nothing, problem.args[0] if problem.args[0] in ("size", "values", "asked") else "kind"
    except (ValueError, IndexError, TypeError, KeyError, ArithmeticError):  # arguments that no reading supports
        return call.operands, nothing, "kind"
    readings = [reading if fine else None for reading, fine in zip(readings, good, strict=True)]
    return operands, readings, "" if all(good) else "differs"


def readings_of(call: OperationCall, layers: bool) -> tuple[tuple[CallPart, ...], Sequence[Reading | None]]:
    """Return operands and a reading for each result. Raises NoEntryMap, or another error for odd arguments."""
    operation, nothing = operation_of_call(call), [None] * len(call.results)
    if sum(part.size for part in (*call.operands, *call.results)) > MOST and operation.subject != "create":
        raise NoEntryMap("size")
    if operation.entries is None or not (layers or operation.subject):
        return call.operands, _asked(call, operation, layers) if call.operands else nothing
    if operation.subject == "each" and len(call.results) != 1:
        return call.operands, nothing
    entry_map = operation.entries(call, operation)
    operands, readings = entry_map if isinstance(entry_map, tuple) else (call.operands, entry_map)
    if operation.subject in ("", "windows"):  # for a layer, only the first result
        readings = [*readings, *nothing][: len(nothing)]
    elif len(readings) != len(call.results):
        raise NoEntryMap("results")
    count = max((len(reading.reads) for reading in readings if reading is not None), default=0)
    return operands[:count], readings  # there may be more, for example with `out=`


def _asked(call: OperationCall, operation: Operation, layers: bool) -> Sequence[Reading | None]:
    """Return torch's readings of a call without an entry map. Raises NoEntryMap."""
    if operation.subject != "create":
        return moved(call, operation, "copies" if layers else "depends")
    try:
        return moved(call, operation, "copies")
    except NoEntryMap:  # the operand only supplied a shape
        return [None] * len(call.results)


def _beside(call: OperationCall) -> tuple[str, CallPart] | None:
    """Return the other product of two square matrices: matrix product or Hadamard product."""
    if len(call.operands) != 2 or not call.results or operation_of(call.name).back not in ("mul", "mm"):
        return None
    a, b = call.operands
    if len(a.shape) != 2 or a.shape != b.shape or a.shape[0] != a.shape[1] or a.numbers is None or b.numbers is None:
        return None
    left, right = a.numbers.reshape(a.shape), b.numbers.reshape(b.shape)
    hadamard = operation_of(call.name).back == "mm"
    made = left * right if hadamard else left @ right
    word = f"{a.word} * {b.word}" if hadamard else f"{a.word} @ {b.word}"
    dtype = call.results[0].dtype
    value = Value(a.shape, dtype, tuple(made.reshape(-1).tolist()), (), None, None, None, None, 0)
    return ("hadamard" if hadamard else "mm"), CallPart(word, -1, a.shape, dtype, value)


def back_of(
    trace: Trace,
    call: OperationCall,
    operands: Sequence[CallPart],
    result: CallPart,
    reading: Reading | None,
    gradients: Mapping[int, tuple[int, ...]],
    added: Mapping[tuple[int, int], int],
) -> Back | None:
    """Return the gradients around a call, None if none passed through it."""
    node, output = version_place(trace, result.version)
    # not a node of the call: a leaf, or created inside a Function with its own backward
    if node < 0 or trace.nodes.variable[node] >= 0 or trace.nodes.operation[node] != call.operation:
        return None
    arrived = _at(trace, gradients, node, output)
    if arrived is None or arrived.shape != result.shape:
        return None
    passed, shared, slopes = [], [], []
    for part, edges in zip(operands, edges_of(trace, call, node, operands), strict=True):
        value = _total([trace.value(added.get(edge, -1)) for edge in edges])
        whole = value is None or value.shape != part.shape
        if whole:
            value = _at(trace, gradients, *version_place(trace, part.version))
        passed.append(value if value is not None and value.shape == part.shape else None)
        shared.append(whole and part.version >= 0)
        slopes.append(_slope(trace, edges, (node, output)))
    if all(value is None for value in passed):
        return None
    checked: list[np.ndarray | None] = [None] * len(passed)
    differs = False
    if reading is not None:
        factors = [
            uniform if slope is None else _read_slopes(slope, read)
            for uniform, slope, read in zip(uniform_factors(reading), slopes, reading.reads, strict=True)
        ]
        checked = [_check_factors(part, reading, k, factors[k], arrived, passed[k]) for k, part in enumerate(operands)]
        known = zip(factors, checked, passed, shared, strict=True)
        differs = arrived.data is not None and any(
            factor is not None and good is None and not whole and value is not None and value.data is not None
            for factor, good, value, whole in known
        )
    return Back(arrived, tuple(passed), tuple(checked), tuple(shared), differs)


def _slope(trace: Trace, edges: Sequence[tuple[int, int]], of: tuple[int, int]) -> np.ndarray | None:
    """Add one output's slopes over all edges, None if unknown."""
    maps = [slopes_in_call(trace, *edge) for edge in edges]
    found = [known[of] for known in maps if known is not None and of in known]
    if not found or None in maps or len({matrix.shape for matrix in found}) > 1:
        return None
    return found[0] if len(found) == 1 else np.sum(found, axis=0)


def _total(values: Sequence[Value | None]) -> Value | None:
    """Add the gradients over several edges, None if unknown or empty."""
    parts = [value for value in values if value is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    data = [part.data for part in parts if part.data is not None]
    if len(data) < len(parts) or len({part.shape for part in parts}) > 1:
        return None
    with np.errstate(all="ignore"):
        total = np.sum(np.array(data), axis=0)
    return Value(parts[0].shape, parts[0].dtype, tuple(total.tolist()), (), None, None, None, None, 0)


def _read_slopes(matrix: np.ndarray, read: np.ndarray) -> np.ndarray | None:
    """Pick the slopes of read entries, otherwise None."""
    if matrix.dtype.kind == "c" or len(matrix) != len(read) or read.max(initial=-1) >= matrix.shape[1]:
        return None
    return np.where(read >= 0, np.take_along_axis(matrix, np.maximum(read, 0), 1), 0.0)


def _check_factors(
    part: CallPart, reading: Reading | None, k: int, factor: np.ndarray | None, arrived: Value, reached: Value | None
) -> np.ndarray | None:
    """Return the factors if they reproduce torch's gradients."""
    if factor is None or reached is None or arrived.data is None or reached.data is None or not part.size:
        return None
    promised = sent(reading.reads[k], factor, np.array(arrived.data, float), part.size)
    good = len(reached.data) == part.size and rounding.agrees(promised, reached.data, reached.dtype)
    return factor if good else None


def _at(trace: Trace, gradients: Mapping[int, tuple[int, ...]], node: int, output: int) -> Value | None:
    if output >= len(gradients.get(node, ())):
        return None
    value = trace.value(gradients[node][output])
    return value if value is not None and not value.dtype.startswith("complex") else None


def edges_of(
    trace: Trace, call: OperationCall, node: int, operands: Sequence[CallPart]
) -> list[tuple[tuple[int, int], ...]]:
    """Return each operand's edges as (node, position): all that lead to its tensor.

    Operands that share a tensor get one edge each of the node that reads them, in order. () if another node reads it
    too.

    Args:
        node: node of the result, whose edges come first, or -1.
    """
    nodes = [node, *(other for other in trace.index.made.get(call.operation, ()) if other != node)] if node >= 0 else []
    leading = defaultdict[tuple[int, int], list[tuple[int, int]]](list)
    for one in nodes:
        for place, end in enumerate(zip(trace.nodes.edges[one], trace.nodes.edge_inputs[one], strict=True)):
            leading[end].append((one, place))
    ends = [version_place(trace, part.version) for part in operands]
    times, found = Counter(ends), list[tuple[tuple[int, int], ...]]()
    for k, end in enumerate(ends):
        edges = leading[end] if end[0] >= 0 else []
        if times[end] > 1:
            fits = len(edges) == times[end] and len({one for one, _ in edges}) == 1
            edges = [edges[ends[:k].count(end)]] if fits else []
        found.append(tuple(edges))
    return found


POINTS = 181  # points of the curve
DOTS = 400  # entries drawn on it


@dataclass(frozen=True)
class EntryCurve:
    """A function of one entry.

    Attributes: xs, ys: the function. dots_x, dots_y: entries before and after. places: their positions.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    dots_x: tuple[float, ...]
    dots_y: tuple[float, ...]
    places: tuple[int, ...]


def curve(view: OperationView) -> EntryCurve | None:
    """Return the curve of an elementwise call with one tensor and numbers, otherwise None."""
    reading = view.outcomes[0].reading if view.outcomes else None
    if reading is None or view.outcomes[0].part.dtype == "bool":
        return None
    function = function_of(reading.rule)
    tensors = [k for k, part in enumerate(view.operands) if part.tensor >= 0]
    if not function.forward or len(tensors) != 1 or function.straight:
        return None
    numbers = [part.numbers for part in view.operands]
    made = view.outcomes[0].part.numbers
    if made is None or any(flat is None or flat.dtype.kind not in "fiu" for flat in numbers):
        return None
    x, y = numbers[tensors[0]].astype(float), made.astype(float)
    good = np.flatnonzero(np.isfinite(x) & np.isfinite(y))[:DOTS]
    if not len(good):
        return None
    low, high = float(x[good].min()), float(x[good].max())
    around = max(0.15 * (high - low), 0.5)
    low, high = min(low, 0.0) - around, max(high, 0.0) + around
    constants = dict(reading.constants)
    # include the corners of the function itself
    xs = np.unique([*np.linspace(low, high, POINTS), *(b for b in (0.0, *constants.values()) if low < b < high)])
    given = [xs if k == tensors[0] else np.full(xs.shape, flat[0]) for k, flat in enumerate(numbers)]
    ys = valued(function, given, **constants).astype(float)
    ys = np.where(np.isfinite(ys), ys, math.nan)
    drawn, dots_x, dots_y, places = (tuple(part.tolist()) for part in (ys, x[good], y[good], good))
    return EntryCurve(tuple(xs.tolist()), drawn, dots_x, dots_y, places)


@dataclass(frozen=True)
class RowLoss:
    """One row of a cross entropy. Attributes: scores, label. share: softmax at the label. loss: −log of that."""

    scores: tuple[float, ...]
    label: int
    share: float
    loss: float


def losses_of_rows(view: OperationView) -> tuple[RowLoss, ...]:
    """Return the rows of a cross entropy, () for another call or missing numbers."""
    reading = view.outcomes[0].reading if view.outcomes else None
    numbers = [part.numbers for part in view.operands]
    if reading is None or reading.rule != "cross_entropy" or any(flat is None for flat in numbers):
        return ()
    losses = np.concatenate(row_losses(terms_of(reading, numbers), dict(reading.constants))).tolist()
    scores, labels = numbers[0].reshape(view.operands[0].shape).tolist(), numbers[1].astype(int).tolist()
    rows = zip(scores, labels, losses, strict=True)
    return tuple(RowLoss(tuple(row), label, math.exp(-loss), loss) for row, label, loss in rows)


MOST_TERMS = 6  # terms drawn


@dataclass(frozen=True)
class RankOneTerm:
    """One σ·u·vᵀ. Attributes: sigma. matrix: the term. until: the sum so far. left: ‖A − until‖."""

    sigma: float
    matrix: CallPart
    until: CallPart
    left: float


def terms(view: OperationView) -> tuple[RankOneTerm, ...]:
    """Return the first terms of A = Σ σᵢ·uᵢ·vᵢᵀ, or ()."""
    if view.call.name not in ("linalg_svd", "svd") or len(view.outcomes) != 3 or len(view.operands) != 1:
        return ()
    matrix, (u, s, v) = view.operands[0], (outcome.part for outcome in view.outcomes)
    if len(matrix.shape) != 2 or any(part.numbers is None for part in (matrix, u, s, v)):
        return ()
    left, right = u.numbers.reshape(u.shape), v.numbers.reshape(v.shape)
    if view.call.name == "svd":  # the older call returns V, the newer one Vᵀ
        right = right.conj().T
    whole, until, first = matrix.numbers.reshape(matrix.shape), np.zeros(matrix.shape), []
    for k, sigma in enumerate(s.numbers.tolist()[:MOST_TERMS]):
        term = sigma * np.outer(left[:, k], right[k])
        until = until + term
        first.append(
            RankOneTerm(sigma, _matrix(term, matrix), _matrix(until, matrix), float(np.linalg.norm(whole - until)))
        )
    return tuple(first)


def _matrix(made: np.ndarray, like: CallPart) -> CallPart:
    # a rounded zero counts as zero
    flat = np.where(np.abs(made) < 1e-6 * max(1e-30, np.abs(like.numbers).max()), 0.0, made).reshape(-1)
    value = Value(like.shape, like.dtype, tuple(flat.tolist()), (), None, None, None, None, 0)
    return CallPart("", -1, like.shape, like.dtype, value)


MOST_LISTED = 500  # most listed


@dataclass(frozen=True)
class ListedCall:
    """A program place whose call has a picture.

    Attributes:
        operation: its last execution.
        cell, line: place, from 0 and from 1. text: expression.
        name: torch's short name.
        runs: number of executions.
    """

    operation: int
    cell: int
    line: int
    text: str
    name: str
    runs: int


def operations(trace: Trace) -> list[ListedCall]:
    """List up to MOST_LISTED places in program order: the graph's, others, then initialization.

    A call that wrote no entries, such as requires_grad_, has nothing to draw.
    """
    last: dict[tuple[int, str], int] = {}
    runs: Counter[tuple[int, str]] = Counter()
    graph, wrote = {*trace.nodes.operation}, {*trace.versions.operation}
    for operation, name in _calls(trace):
        key = trace.operations.span[operation], name
        is_other = not name.startswith("_") and name != "grad" and (operation in graph or name in trace.text(key[0]))
        if operation_of(name).subject or (is_other and (operation in wrote or trace.operations.error[operation] >= 0)):
            last[key] = operation
            runs[key] += 1
    listed = []
    for (span, name), operation in last.items():
        place, text = trace.spans[span], " ".join(trace.text(span).split())
        listed.append(ListedCall(operation, place.cell, place.line, text, name, runs[span, name]))

    def group(call: ListedCall) -> int:
        what = operation_of(call.name)
        if (what.subject == "create" or what.fills) and call.name not in call.text:
            return 2
        return int(bool(graph) and call.operation not in graph and trace.operations.error[call.operation] < 0)

    return sorted(listed, key=group)[:MOST_LISTED]


def _calls(trace: Trace) -> Iterator[tuple[int, str]]:
    """Yield the program's calls outside backward that created or changed a tensor, or failed."""
    columns = trace.operations
    for operation in range(len(columns)):
        if columns.span[operation] < 0 or columns.in_backward[operation] >= 0:
            continue
        name = trace.strings[columns.name[operation]]
        if columns.outputs[operation] or name.endswith("_") or columns.error[operation] >= 0:
            yield operation, name


def call_to_show(trace: Trace, listed: list[ListedCall]) -> int:
    """Choose the call to show first, or -1.

    This is the call that ended the run, or made its input. Otherwise it is the graph's last call that reads several
    fully kept entries, else whose result is kept, or any call without a graph. The sum before backward is least
    interesting, then calls that read no tensor.
    """
    roots = {root for call in trace.backwards for root in call.root_tensors}
    reached = {trace.nodes.operation[node] for call in trace.backwards for node in call.order}
    graph = reached - {-1} or {*trace.nodes.operation}  # without results that were only printed
    ended = ending_operation(trace)
    guilty = {*trace.operations.inputs[ended]} if ended >= 0 else set()

    def rank(number: int) -> tuple[int, ...]:
        call = listed[number]
        inputs, made = trace.operations.inputs[call.operation], trace.operations.outputs[call.operation]
        what = operation_of(call.name)
        is_sum = (what.step in ("sum", "mean") or what.name in LOSSES) and not roots.isdisjoint(made)
        several = any(math.prod(trace.shapes[trace.tensors.shape[tensor]]) > 1 for tensor in inputs)
        result = all(_is_kept(trace, tensor) for tensor in made)
        whole = result and all(_is_kept(trace, tensor) for tensor in inputs)
        within = several and call.operation in graph
        drawn = within and whole, within and result, within
        other = several and whole and not (what.subject == "create" or what.fills or what.draws)
        fed = not guilty.isdisjoint(made)
        return call.operation == ended, fed, not is_sum, bool(inputs), *drawn, other, several, call.operation

    return max(range(len(listed)), key=rank, default=-1)


def _is_kept(trace: Trace, tensor: int) -> bool:
    """Return whether all its entries were recorded rather than sampled."""
    value = trace.versions.value[trace.versions_of(tensor)[-1]]
    return value >= 0 and trace.values.summary[value] < 0

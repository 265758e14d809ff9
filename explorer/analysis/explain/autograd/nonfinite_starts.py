"""Find where NaN or infinity starts: the first value or gradient with finite inputs.

Pictures, reports and diagnoses share this walk.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients
from explorer.analysis.explain.autograd.gradients import contributions, node_gradients, senders
from explorer.analysis.run.model import reachable, run_of
from explorer.analysis.run.objects import Call
from explorer.analysis.run.operations import overwrites
from explorer.analysis.run.rounding import EPS
from explorer.trace import STORED, Backward, Trace, index_at, memoized

UNFILLED = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "empty_permuted"})


@memoized
def nonfinite(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Return for each value whether it has NaN, and infinity (two cached bool arrays)."""
    columns = trace.values
    count = len(columns.dtype)
    nan, infinite = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    start, summary = np.array(columns.start, dtype=np.int64), np.array(columns.summary, dtype=np.int64)
    counts = np.array([row[4:6] for row in columns.summaries] or [(0, 0)])
    large = summary >= 0
    bad, nans = counts[summary[large]].T
    nan[large], infinite[large] = nans > 0, bad > nans
    dtype, shape = np.array(columns.dtype, dtype=np.int64), np.array(columns.shape, dtype=np.int64)
    data = np.frombuffer(columns.data, np.uint8)
    full = np.flatnonzero((start >= 0) & ~large)
    kinds = dtype[full] * max(len(trace.shapes), 1) + shape[full]
    for kind in np.unique(kinds):
        ids = full[kinds == kind]
        stored = np.dtype(STORED[trace.strings[dtype[ids[0]]]])
        entries = math.prod(trace.shapes[shape[ids[0]]])
        if stored.kind not in "fc" or not entries:
            continue
        places = start[ids][:, None] + np.arange(entries * stored.itemsize)
        numbers = data[places].view(stored)
        nan[ids], infinite[ids] = np.isnan(numbers).any(axis=1), np.isinf(numbers).any(axis=1)
    return nan, infinite


@memoized
def is_nonfinite(trace: Trace) -> np.ndarray:
    """Return for each value whether it has NaN or infinity."""
    nan, infinite = nonfinite(trace)
    return nan | infinite


class Start(NamedTuple):
    """A tensor version in which NaN or infinity starts.

    Attributes:
        operation, tensor, row: operation that created it (-1: present from the start), tensor, and version row.
        by: operation (its inputs had none), given (present before any recorded write), gradient (read from
            `.grad`) or unfilled (uninitialized memory).
        sure: whether all inputs are known to be finite.
    """

    operation: int
    tensor: int
    row: int
    by: Literal["operation", "given", "gradient", "unfilled"]
    sure: bool = True


@memoized
def forward_starts(trace: Trace) -> Mapping[int, Start]:
    """Map versions to starts of NaN or infinity outside a backward, in time order.

    An operation starts NaN if no input is NaN, and infinity if all inputs are finite. An infinity that the program
    wrote, such as a mask's −inf, does not count.
    """
    return {start.row: start for start in sorted(_starts(trace))}


def _starts(trace: Trace) -> Iterator[Start]:
    nan, bad, versions = nonfinite(trace)[0], is_nonfinite(trace), trace.versions
    if not bad.any():
        return
    values, gradients = np.array(versions.value), _gradients_read(trace)
    for row in np.flatnonzero((values >= 0) & bad[values]).tolist():
        operation, value, tensor = versions.operation[row], versions.value[row], trace.index.tensor_of(row)
        if operation < 0:
            yield Start(-1, tensor, row, "gradient" if tensor in gradients else "given")
            continue
        name = trace.strings[trace.operations.name[operation]]
        if name in UNFILLED or name in ("grad", "grad="):
            yield Start(operation, tensor, row, "unfilled" if name in UNFILLED else "gradient")
            continue
        read = [versions.value[before] for before in rows_read(trace, operation)]
        inputs = [before for before in read if before >= 0]
        if any(nan[before] for before in inputs) or (not nan[value] and any(bad[before] for before in inputs)):
            continue
        if nan[value] or not wrote_infinity(trace, operation):
            yield Start(operation, tensor, row, "operation", len(inputs) == len(read) and _is_whole(trace, operation))


def _is_whole(trace: Trace, operation: int) -> bool:
    """Return whether the inputs an operation read are all recorded."""
    read = zip(trace.index.rows_read(operation), trace.operations.input_versions[operation], strict=False)
    exact = all(counter < 0 or trace.versions.version[row] == counter for row, counter in read)
    return exact and trace.arguments(operation).is_whole


def _gradients_read(trace: Trace) -> set[int]:
    """Return tensors read as `.grad` or given to a Function's backward."""
    operations, strings, versions = trace.operations, trace.strings, trace.versions
    reads = (at for at, name in enumerate(operations.name) if strings[name] == "grad")
    read = {tensor for at in reads for tensor in operations.outputs[at]}
    own = trace.nodes.user_code
    calls = enumerate(trace.backwards if any(own) else ())
    of_functions = [node_gradients(trace, at)[node] for at, call in calls for node in call.order if own[node]]
    arrived = {_entries(trace, value) for values in of_functions for value in values} - {None}
    rows = (row for row, by in enumerate(versions.operation) if by < 0 and arrived)
    return read | {trace.index.tensor_of(row) for row in rows if _entries(trace, versions.value[row]) in arrived}


def _entries(trace: Trace, value: int) -> str | None:
    """Return shape and entries of a non-finite value, for comparison."""
    found = trace.value(value)
    return f"{found.shape} {found.entries}" if found is not None and found.nonfinite else None


def nonfinite_rows(trace: Trace, rows: Iterable[int]) -> set[int]:
    """Return the versions through which NaN or infinity reached these rows, these included."""
    bad, versions = is_nonfinite(trace), trace.versions

    def harmed(rows: Iterable[int]) -> Iterator[int]:
        return (row for row in rows if versions.value[row] >= 0 and bad[versions.value[row]])

    def read(row: int) -> Iterable[int]:
        return harmed(rows_read(trace, versions.operation[row])) if versions.operation[row] >= 0 else ()

    return set(reachable(harmed(rows), read))


def roots_read(trace: Trace, call: Backward) -> list[int]:
    """Return the versions of a backward's roots."""
    return [trace.index.read(tensor, call.operations) for tensor in call.root_tensors if tensor >= 0]


def forward_origin(trace: Trace, rows: Iterable[int]) -> Start | None:
    """Return the first start of NaN or infinity that reached these versions, or None."""
    starts = forward_starts(trace)
    nan, _ = nonfinite(trace)
    candidates = [starts[row] for row in nonfinite_rows(trace, rows) if row in starts]
    return min((one for one in candidates if one.by != "given" or nan[trace.versions.value[one.row]]), default=None)


def written_infinity(trace: Trace, rows: Iterable[int]) -> int:
    """Return the first operation that wrote infinity into versions, or -1."""
    made = {trace.versions.operation[row] for row in nonfinite_rows(trace, rows)}
    return min((one for one in made if one >= 0 and wrote_infinity(trace, one)), default=-1)


def wrote_infinity(trace: Trace, operation: int) -> bool:
    """Return whether a call has an infinite argument or no tensor inputs."""
    if not trace.operations.inputs[operation]:
        return True
    return any(isinstance(part, float) and math.isinf(part) for part in trace.arguments(operation).parts())


def backward_origin(trace: Trace, backward: int | None) -> tuple[int, int]:
    """Return the first node and edge that turned a finite gradient non-finite, or (-1, -1)."""
    return next(iter(backward_origins(trace, backward)), (-1, -1))


def backward_origins(trace: Trace, backward: int | None) -> tuple[tuple[int, int], ...]:
    """Return the nodes and edges that first turned a finite gradient non-finite, one per place, in engine order."""
    if backward is None or not is_nonfinite(trace).any():
        return ()
    return trace.index.memoize(("backward origins", backward), lambda: tuple(_backward_origins(trace, backward)))


def _backward_origins(trace: Trace, backward: int) -> Iterator[tuple[int, int]]:
    bad, nodes, places = is_nonfinite(trace), trace.nodes, set[int]()
    gradients, passed = node_gradients(trace, backward), contributions(trace, backward)
    for node in trace.backwards[backward].order:
        operation = nodes.operation[node]
        span = trace.operations.span[operation] if operation >= 0 else -1 - node
        if span in places or any(value >= 0 and bad[value] for value in gradients[node]):
            continue
        sent = (passed.get((node, edge), -1) for edge in range(len(nodes.edges[node])))
        edge = next((edge for edge, value in enumerate(sent) if value >= 0 and bad[value]), -1)
        if edge >= 0:
            places.add(span)
            yield node, edge


def hooked_origins(trace: Trace, backward: int) -> Iterator[tuple[int, int]]:
    """Yield nodes where a hook turned finite gradients non-finite, with the new value."""
    bad, call = is_nonfinite(trace), trace.backwards[backward]
    if not bad.any():
        return
    gradients, given = node_gradients(trace, backward), senders(trace, backward)
    stored = dict(zip(call.accumulated, zip(call.before, call.after, strict=True), strict=True))
    for node in call.order:
        for output, value in enumerate(gradients[node]):
            parts = [part for *_, part in given.get((node, output), ())] if node not in call.roots else []
            if value >= 0 and bad[value] and _is_finite_sum(trace, bad, parts):
                yield node, value
        before, after = stored.get(trace.nodes.variable[node], (-1, -1))
        if after >= 0 and bad[after]:
            parts = [*gradients[node], *([before] if before >= 0 else [])]
            if _is_finite_sum(trace, bad, parts):
                yield node, after


def _is_finite_sum(trace: Trace, bad: np.ndarray, parts: list[int]) -> bool:
    """Return whether values, at least one, and their sum are known to be finite."""
    values = [trace.value(part) for part in parts]
    if not values or any(value is None or value.finite_norm is None for value in values) or bad[parts].any():
        return False
    limits = np.finfo(STORED[values[0].dtype]).max / 2
    return bool(sum(value.finite_norm for value in values) < limits)


def first_nonfinite(shape: tuple[int, ...], entries: tuple) -> tuple[tuple[int, ...], float] | None:
    """Find the first non-finite entry, NaN before infinity. None if every entry is finite, or only a sample is known.

    >>> first_nonfinite((2, 2), (0.0, 1.0, float("nan"), 3.0))
    ((1, 0), nan)
    """
    if len(entries) != math.prod(shape):
        return None
    bad = [at for at, number in enumerate(entries) if isinstance(number, float) and not math.isfinite(number)]
    if not bad:
        return None
    position = next((at for at in bad if math.isnan(entries[at])), bad[0])
    return index_at(position, shape), entries[position]


def rows_read(trace: Trace, operation: int) -> list[int]:
    """Return the versions (Trace.versions) whose entries an operation read."""
    rows = trace.index.rows_read(operation)
    return rows[1:] if overwrites(trace.strings[trace.operations.name[operation]]) else rows


@memoized
def relevant_rows(trace: Trace) -> frozenset[int]:
    """Return the versions that matter: read by an operation, or a tensor's last."""
    names, strings = trace.operations.name, trace.strings
    read = {row for operation in range(len(names)) for row in rows_read(trace, operation)}
    last = {trace.versions_of(tensor)[-1] for tensor in range(len(trace.tensors))}
    made = trace.versions.operation
    return frozenset(row for row in read | last if made[row] < 0 or strings[names[made[row]]] not in UNFILLED)


_GROWN = 1_000  # growth factor that a parameter never reaches in a sound training


class NonfinitePassing:
    """An edge on which a backward turned a finite gradient non-finite."""

    def __init__(self, trace: Trace, backward: int, node: int, edge: int) -> None:
        self.trace, self.node, self._place = trace, run_of(trace).node(node), (backward, node, edge)
        self.call = self.node.call
        arrived = next((value for value in node_gradients(trace, backward)[node] if value >= 0), -1)
        self.arrived, self.passed = trace.entries(arrived), trace.entries(contributions(trace, backward)[node, edge])

    def is_of_equal_values(self) -> bool:
        """Return whether singular values or eigenvalues are equal (no derivative)."""
        at = {"linalg_svd": 1, "svd": 1, "linalg_eigh": 0}.get(self.call.name) if self.call is not None else None
        if at is None or len(self.call.outputs) <= at:
            return False
        made, values = self.call.outputs[at], self.call.outputs[at].before(self.call.id + 1)
        if values is None or values.size < 2 or not np.isfinite(values).all():
            return False
        rows = np.sort(values.reshape(-1, made.shape[-1]) if values.size == made.size else values)
        return bool((np.diff(rows) <= 4 * np.abs(rows).max() * EPS.get(made.dtype, 0.0)).any())

    def is_of_zero(self) -> bool:
        """Return whether torch multiplied a gradient of 0 to NaN."""
        known = self.arrived is not None and self.passed is not None and self.arrived.shape == self.passed.shape
        return known and not self.node.is_own and bool(np.any((self.arrived == 0) & np.isnan(self.passed)))

    @cached_property
    def slopes(self) -> np.ndarray | None:
        """Slopes at the non-finite entries, None if unknown."""
        backward, node, edge = self._place
        local = EdgeGradients(self.trace, backward, "").local(node, edge)
        known = local is not None and self.passed is not None and local.size == self.passed.size
        return local.ravel()[~np.isfinite(self.passed)] if known else None


def has_grown(call: Call) -> bool:
    """Return whether updates enlarged a leaf a thousandfold before an operation."""
    run = call.run
    begin = run.steps[0].begin if run.steps else run.backwards[0].time if run.backwards else 0
    moved = run.tensors(run.held if run.steps else run.received)  # the first entries may be uninitialized memory
    ends = ((leaf.before(begin), leaf.before(call)) for leaf in moved)
    known = (
        (first, last) for first, last in ends if first is not None and last is not None and first.size and last.size
    )
    with np.errstate(over="ignore"):
        return any(np.abs(last).max() > _GROWN * max(np.abs(first).max(), 1e-3) for first, last in known)

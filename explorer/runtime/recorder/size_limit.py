"""Shortening of long runs: the middle is counted, beginning and end are kept."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import (
    NODE_MADE_BY,
    NODE_OPERATION,
    NODE_VALUES,
    NODE_VARIABLE,
    OP_INPUTS,
    SAVED_VALUE,
    STATE_OPERATION,
    STATE_VALUE,
    TENSOR_FIRST,
    TENSOR_LAST,
    TENSOR_REQUIRES_GRAD,
    PruneMark,
)
from explorer.runtime.recorder.table import as_tuple

LAST = 50  # operations that are always kept

Kept = TypeVar("Kept")


def keep_ends(recorder: Recorder, first: int, last: int) -> None:
    """Drop the middle operations, with everything that only they made.

    Tensors made outside, or bound to a name, keep their first and last state. Nodes, backward calls and values of
    dropped operations go. Rows.counted has their numbers.

    Rows from before the first dropped operation are examined only once, since a long run calls this repeatedly.
    """
    recorder.values.fill_in()
    rows = recorder.rows
    ordered = list(rows.operations.ids())
    last = max(last, LAST)
    dropped = set(ordered[first : len(ordered) - last])
    if not dropped:
        return
    low, high = min(dropped), max(dropped)
    settled = recorder.settled if recorder.settled is not None and recorder.settled.operation < low else PruneMark()
    rows.operations.drop(dropped)
    running = {index for index, _ in recorder.running}
    calls = {
        index
        for index, backward in rows.backwards.items()
        if low <= backward.operations <= high and index not in running
    }
    for index in calls:
        del rows.backwards[index]
    tensors = _drop_tensors(recorder, dropped, settled.tensor)
    table = rows.tensors
    nodes = rows.nodes
    made = (nodes.ids(), nodes.column(NODE_OPERATION), nodes.column(NODE_MADE_BY), nodes.column(NODE_VARIABLE))
    gone = {
        index
        for index, operation, made_by, variable in zip(*made, strict=True)
        if index > settled.node and (operation in dropped or made_by in calls or (variable and variable not in table))
    }
    recorder.nodes.measure_depths()
    nodes.drop(gone)
    recorder.nodes.drop(low, high, gone)
    recorder.tensors.sweep()
    rows.bindings[:] = [binding for binding in rows.bindings if binding.tensor in rows.tensors]
    rows.counted.update(operations=len(dropped), nodes=len(gone), backwards=len(calls))
    values = _sweep(recorder, settled)
    if settled.operation == 0:
        recorder.settled = PruneMark(low - 1, _before(tensors), _before(gone), _before(values), _before(calls))


def _before(dropped: Iterable[int]) -> int:
    """Return the id up to which nothing was dropped."""
    return min(dropped, default=1) - 1


def _drop_tensors(recorder: Recorder, dropped: set[int], settled: int) -> set[int]:
    """Drop tensors that only dropped operations used. Return their ids."""
    tensors = recorder.rows.tensors
    named, states = recorder.names.bound(), tensors.states
    kept, last = set(recorder.rows.operations.ids()), max(dropped)
    read = {tensor for given in recorder.rows.operations.column(OP_INPUTS) for tensor in as_tuple(given)}

    def goes(index: int) -> bool:
        if tensors.living(index) is not None and index in named:
            return False
        made = tensors.first(index, STATE_OPERATION)
        # A tensor read after its row was dropped gets a new row, as if created outside.
        outside = made == 0 and not tensors.field(index, TENSOR_REQUIRES_GRAD)
        lost = 0 < made <= last and made not in kept  # also if the operation was dropped while the tensor had a name
        return lost or (outside and index not in read and tensors.living(index) is None)

    gone = {index for index in tensors.ids() if index > settled and goes(index)}
    ends = {*tensors.column(TENSOR_FIRST), *tensors.column(TENSOR_LAST)}
    between = zip(states.ids(), states.column(STATE_OPERATION), strict=True)
    states.drop({index for index, operation in between if operation in dropped and index not in ends})
    tensors.drop(gone)
    return gone


def _sweep(recorder: Recorder, settled: PruneMark) -> set[int]:
    """Drop and return the values without references."""
    used: set[int] = {0}
    rows, store = recorder.rows, recorder.values
    for index, values in zip(rows.nodes.ids(), rows.nodes.column(NODE_VALUES), strict=True):
        if index > settled.node:
            used.update(as_tuple(values))
    saved = rows.nodes.saved
    used.update(saved.column(SAVED_VALUE))
    used.update(rows.tensors.states.column(STATE_VALUE))
    used.update(rows.tensors.grads.values())
    rows.strided[:] = [row for row in rows.strided if row[0] in rows.tensors]
    used.update(value for _, _, value in rows.strided)
    for index, backward in rows.backwards.items():
        if index <= settled.backward:
            continue
        used.update(backward.seeds)
        for node, arrived in zip(backward.order, backward.arrived, strict=True):
            if node in rows.nodes:
                used.update(as_tuple(arrived))
        used.update(value for node, _, value in backward.contributions if node in rows.nodes)
        for node, pair in backward.accumulations.items():
            if node in rows.nodes:
                used.update(pair)
    gone = {index for index in store.rows.ids() if index > settled.value and index not in used}
    store.drop(gone)
    return gone


def shorten(recorder: Recorder, measured: Callable[[], tuple[Kept, float]], most: int) -> Kept:
    """Shorten a run: training steps first, then its middle.

    Args: measured: returns its present form, and its share of the bound. Above 1 it is too large. most: the largest
    number of operations.
    """
    made, size = measured()
    while size > 1 and recorder.training.give_way():
        made, size = measured()
    while size > 1 and most > 2 * LAST:
        most = int(min(most, len(recorder.rows.operations)) * min(0.5, 0.9 / size))
        keep_ends(recorder, most // 2, most // 2)
        made, size = measured()
    return made

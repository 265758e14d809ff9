"""What gives way when a run is longer than can be kept: the middle of it is counted, its beginning and end stay."""

from explorer.runtime.recorder import Recorder
from explorer.runtime.rows import VersionRow
from explorer.runtime.values import ValueStore

LAST = 50  # operations that always stay


def keep_ends(recorder: Recorder, first: int, last: int) -> None:
    """Drop the operations between the `first` and the `last` ones with all that only they made.

    Tensors made outside, or bound to a name, stay with their first and last state; nodes, backward calls and values
    that belong to dropped operations go. Rows.counted says how many there were.
    """
    rows = recorder.rows
    ordered = list(rows.operations)
    last = max(last, LAST)
    dropped = set(ordered[first : len(ordered) - last])
    if not dropped:
        return
    for index in dropped:
        del rows.operations[index]
    _drop_tensors(recorder, dropped)
    kept = rows.tensors
    gone = [
        i
        for i, node in rows.nodes.items()
        if node.operation in dropped or (node.variable and node.variable not in kept)
    ]
    for index in gone:
        del rows.nodes[index]
    low, high = min(dropped), max(dropped)
    calls = [index for index, backward in rows.backwards.items() if low <= backward.operations <= high]
    running = {index for index, _ in recorder.running}
    for index in calls:
        if index not in running:
            del rows.backwards[index]
    rows.bindings[:] = [binding for binding in rows.bindings if binding.tensor in rows.tensors]
    _count(recorder, operations=len(dropped), nodes=len(gone), backwards=len(calls))
    _sweep(recorder)


def drop_repeated_values(recorder: Recorder) -> None:
    """Of every expression that ran more than twice, keep only the first and the last value and gradient."""
    rows = recorder.rows
    by_span: dict[int, list[int]] = {}
    for index, operation in rows.operations.items():
        if operation.span >= 0:
            by_span.setdefault(operation.span, []).append(index)
    repeated = {index for runs in by_span.values() if len(runs) > 2 for index in runs[1:-1]}
    nodes = {index for index, node in rows.nodes.items() if node.operation in repeated}
    dropped = 0
    for index in nodes:
        dropped += len(rows.nodes[index].values)
        rows.nodes[index].values = [0] * len(rows.nodes[index].values)
    for tensor in rows.tensors.values():
        for state in tensor.versions[:-1] if tensor.ref() is not None else tensor.versions:
            if state.operation in repeated:
                state.value = 0
    for backward in rows.backwards.values():
        for step, index in enumerate(backward.order):
            if index in nodes:
                dropped += len(backward.arrived[step])
                backward.arrived[step] = [0] * len(backward.arrived[step])
        backward.contributions = [given for given in backward.contributions if given[0] not in nodes]
    _count(recorder, values=dropped)
    _sweep(recorder)


def _drop_tensors(recorder: Recorder, dropped: set[int]) -> None:
    rows = recorder.rows
    named = {binding.tensor for binding in recorder.current_bindings()}
    for index, tensor in list(rows.tensors.items()):
        first = tensor.versions[0]
        if first.operation in dropped and (index not in named or tensor.ref() is None):
            del rows.tensors[index]
            continue
        kept = [state for state in tensor.versions[1:-1] if state.operation not in dropped]
        ends: list[VersionRow] = [first] if len(tensor.versions) == 1 else [first, tensor.versions[-1]]
        tensor.versions[:] = [ends[0], *kept, *ends[1:]]


def _count(recorder: Recorder, **counts: int) -> None:
    counted = recorder.rows.counted
    for kind, count in counts.items():
        counted[kind] = counted.get(kind, 0) + count


def _sweep(recorder: Recorder) -> None:
    """Drop the values that no row names any more."""
    used: set[int] = set()
    rows, store = recorder.rows, recorder.values
    for node in rows.nodes.values():
        used.update(node.values)
        used.update(saved.value for saved in node.saved)
    for tensor in rows.tensors.values():
        used.update(state.value for state in tensor.versions)
        used.add(tensor.grad)
    rows.strided[:] = [kept for kept in rows.strided if kept[0] in rows.tensors]
    used.update(value for _, _, value in rows.strided)
    for backward in rows.backwards.values():
        used.update(backward.seeds)
        for arrived in backward.arrived:
            used.update(arrived)
        used.update(value for _, _, value in backward.contributions)
        for pair in backward.accumulations.values():
            used.update(pair)
    _keep_only(store, used)


def _keep_only(store: ValueStore, used: set[int]) -> None:
    store.drop([index for index in store.rows if index not in used])

"""Find operations that reach a trained leaf, a number that leaves torch, or an object that still exists.

Liveness is followed backwards in time, through tensors and their memory. It is never lost: memory that is read once
keeps all earlier writes alive, so what is dead is certain.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from explorer.analysis.run.model import READ_ONLY, Run
from explorer.trace import Trace

_GAPS = frozenset(("operations", "nodes", "lost", "threads", "elsewhere"))  # limits that may hide a reader


@dataclass(frozen=True)
class Liveness:
    """For each operation, whether its results are used.

    Attributes:
        used: whether they reach a number, a branch, or a backward.
        kept: whether they are used, or reach a tensor that still existed at the end.
    """

    used: list[bool]
    kept: list[bool]


def liveness(run: Run) -> Liveness | None:
    """Return which operations are used, or None if part of the run is unknown."""
    if _is_partial(run.trace) or _has_hidden_makers(run) or _has_hidden_readers(run.trace):
        return None
    looked = {*run.trace.looked_at}
    used = _followed(run, looked)
    if taken := set(_taken_over(run, used)):
        used = _followed(run, looked := looked | taken)
    return Liveness(used, _followed(run, {*looked, *run.trace.remaining}))


def _is_partial(trace: Trace) -> bool:
    """Return whether operations may be missing, or a file is too old to know what was left."""
    return not trace.remaining or any(limit.kind in _GAPS for limit in trace.limits) or trace.end != "ok"


def _has_hidden_makers(run: Run) -> bool:
    """Return whether a tensor with a history was made unseen, as by a compiled function."""
    trace, made = run.trace, run.makers
    firsts = (trace.versions_of(tensor)[0] for tensor in range(len(trace.tensors)) if tensor not in made)
    return any(trace.versions.node[row] >= 0 and trace.nodes.variable[trace.versions.node[row]] < 0 for row in firsts)


def _has_hidden_readers(trace: Trace) -> bool:
    """Return whether code of the program runs in a backward, where nothing is recorded."""
    return any(call.inside >= 0 for call in trace.backwards) or any(call.kind == "hook" for call in trace.log.calls)


def _taken_over(run: Run, used: list[bool]) -> Iterator[int]:
    """Yield unused results that became a tensor of unknown origin, such as a parameter created from a result."""
    trace, values = run.trace, run.trace.versions.value
    unknown: dict[int, list[int]] = {}
    for tensor in range(len(trace.tensors)):
        if tensor not in run.makers:
            unknown.setdefault(trace.tensors.shape[tensor], []).append(values[trace.versions_of(tensor)[0]])
    for at in (at for at in range(run.count) if not used[at]):
        for made in run.operations.outputs[at] if not run.users.keys() & {*run.operations.outputs[at]} else ():
            began = map(trace.value, unknown.get(trace.tensors.shape[made], ()))
            if (value := trace.value_at(trace.versions_of(made)[0])) is not None and value in began:
                yield made


def _followed(run: Run, live: Collection[int]) -> list[bool]:
    """Follow liveness from tensors, numbers and backward calls to what they were computed from."""
    operations, storages = run.operations, run.trace.tensors.storage
    tensors, memory = set[int](), set[int]()

    def keep(more: Iterable[int]) -> None:
        tensors.update(more)
        memory.update(storages[one] for one in more if storages[one] >= 0)

    begins, used = _roots(run), [False] * run.count
    keep([*live, *begins.get(run.count, ())])
    for at in range(run.count - 1, -1, -1):
        inputs, outputs = operations.inputs[at], operations.outputs[at]
        used[at] = (
            not tensors.isdisjoint(outputs)
            or at in run.inside
            or operations.in_backward[at] >= 0
            or (bool(inputs) and not outputs and run.names[at] not in READ_ONLY)
            or not memory.isdisjoint({storages[one] for one in outputs}.difference(storages[one] for one in inputs))
            or _writes(run, at, tensors, memory)
        )  # a view doesn't count as a use of its base
        if used[at] and inputs:
            keep(inputs)
        if at in begins:
            keep(begins[at])
    return used


def _roots(run: Run) -> dict[int, list[int]]:
    """Map times to the roots of backward calls that fill `.grad`."""
    begins: dict[int, list[int]] = {}
    for call in run.trace.backwards:
        if call.kind != "grad":
            begins.setdefault(min(call.operations, run.count), []).extend(one for one in call.root_tensors if one >= 0)
    return begins


def _writes(run: Run, at: int, tensors: set[int], memory: set[int]) -> bool:
    """Return whether an operation writes to an input that is used later, or whose memory is unknown."""
    name, storages, inputs = run.names[at], run.trace.tensors.storage, run.operations.inputs[at]
    ends = name.endswith(("_", "=")) and not name.endswith("__")
    is_named = ends or name.startswith(("__i", "__set", "_foreach", "_fused"))
    if not (is_named or at in run.writers or not set(inputs).isdisjoint(run.operations.outputs[at])):  # with out=
        return False
    return any(one in tensors or storages[one] in memory or storages[one] < 0 for one in inputs)

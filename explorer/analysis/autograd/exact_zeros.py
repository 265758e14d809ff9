"""Leaves whose gradient is 0 in exact arithmetic, although rounding leaves a tiny number there.

A norm subtracts the mean, and softmax ignores what is added to all entries alike: a bias before a batch norm, or of the
keys of an attention, changes nothing. What a change of a leaf does is followed through the operations of a backward:
along which axes it is the same for all entries. Where it reaches an operation that ignores such a change, it ends.
An operation without a rule here, or a way around, and nothing is said.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping

from explorer.analysis.autograd.altered_gradients import altered_outputs
from explorer.analysis.autograd.view import ExactZero
from explorer.analysis.operations import operation_of
from explorer.analysis.operations.alike import Axes, Step, axes_moved
from explorer.analysis.run import run_of
from explorer.trace import Trace, memoized
from explorer.trace.views_of_storage import axes_viewed

SMALL = 1e-3  # of the largest gradient of a leaf: one that is larger is no rounding


@memoized
def exact_zeros(trace: Trace, backward: int | None) -> Mapping[int, ExactZero]:
    """By leaf why its gradient is 0 in exact arithmetic. Only leaves at which a small or no gradient arrived."""
    if backward is None:
        return {}
    call, nodes = trace.backwards[backward], trace.nodes
    norms: dict[int, float] = {}
    for step, node in enumerate(call.order):
        leaf = nodes.variable[node]
        value = trace.value(max(call.arrived[step], default=-1)) if leaf >= 0 else None
        if value is not None and value.norm is not None and not value.nonfinite:
            norms[leaf] = value.norm
    most = max(norms.values(), default=0.0)
    small = [leaf for leaf, norm in norms.items() if norm <= SMALL * most]
    complete = all(nodes.operation[node] >= 0 or nodes.variable[node] >= 0 for node in call.order)
    if not small or not complete or altered_outputs(trace, backward):
        return {}
    readers: dict[int, list[int]] = defaultdict(list)
    reached = {nodes.operation[node] for node in call.order} - {-1}
    for operation in sorted(reached):
        for tensor in dict.fromkeys(trace.operations.inputs[operation]):
            readers[tensor].append(operation)
    roots = frozenset(call.root_tensors)
    zeros = {leaf: _follow(trace, leaf, readers, roots) for leaf in small}
    return {leaf: ends for leaf, ends in zeros.items() if ends is not None}


def _follow(trace: Trace, leaf: int, readers: Mapping[int, list[int]], roots: frozenset[int]) -> ExactZero | None:
    """Where a change of a leaf ends, None if some of it may arrive."""
    operations, moved, masked, end = trace.operations, {leaf: frozenset[int]()}, set[int](), None
    waiting = [*readers.get(leaf, ())]
    heapq.heapify(waiting)
    done: set[int] = set()
    while waiting:
        operation = heapq.heappop(waiting)
        if operation in done:
            continue
        done.add(operation)
        inputs, outputs = operations.inputs[operation], operations.outputs[operation]
        if not outputs or set(inputs) & set(outputs):
            return None  # written in place
        shape, name = run_of(trace).shape(outputs[0]), trace.strings[operations.name[operation]]
        spec = operation_of(name)
        step = Step(
            name,
            trace.arguments(operation),
            tuple(run_of(trace).shape(tensor) for tensor in inputs),
            shape,
            {at: moved[tensor] | _single(trace, tensor) for at, tensor in enumerate(inputs) if tensor in moved},
            any(tensor in masked for tensor in inputs),
            spec.names.get(name, False),
            axes_viewed(trace, operation) if spec.alike is axes_moved else [],
        )
        result = None if spec.alike is None else spec.alike(step)
        if result is None:
            return None
        if isinstance(result, str):
            end = ExactZero(result, name, operation)
            continue
        if roots.intersection(outputs):
            return None
        for tensor in outputs:
            moved[tensor] = result
            if step.masked or spec.writes:
                masked.add(tensor)
            for reader in readers.get(tensor, ()):
                heapq.heappush(waiting, reader)
    return end


def _single(trace: Trace, tensor: int) -> Axes:
    return frozenset(axis for axis, size in enumerate(run_of(trace).shape(tensor)) if size == 1)

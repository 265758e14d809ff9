"""Which gradient belongs to a node or a tensor, and why there is none.

A gradient belongs to (tensor, version, backward). Shown is the version on which the backward's root depends last. A
backward is its index in `Trace.backwards`, None for none. The answers are kept with the Trace: nobody changes them.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from explorer.trace import Backward, Trace

Reason = Literal["not_on_path", "no_grad", "cut", "pruned_by_inputs", "capped", "failed"]

# not_on_path: the root does not depend on the tensor; no_grad: it asks for no gradient, or what leads from it to the
# root ran with gradients off; cut: detach, .data or the like stands between; pruned_by_inputs: `inputs=` named others;
# capped: it arrived but was not kept; failed: the backward stopped before it.


def numbered_backward(trace: Trace, number: int | None) -> int | None:
    """The index of the `number`th backward, counted from 1 as people do; None for None.

    Raises IndexError when the program has no `number`th backward.
    """
    if number is None:
        return None
    if not 1 <= number <= len(trace.backwards):
        raise IndexError(f"backward {number} asked for, the program has {len(trace.backwards)}")
    return number - 1


def selected_backward(trace: Trace) -> int | None:
    """The backward that a Trace shows by itself: the last that succeeded, None if none did.

    A run that was asked for the gradient of a name shows that one.
    """
    outermost = [i for i, backward in enumerate(trace.backwards) if backward.inside < 0]
    succeeded = [i for i in outermost if trace.backwards[i].status == "ok"]
    if trace.options.of:  # the pass that was asked for by name, whatever the program calls itself
        succeeded = [i for i in succeeded if trace.backwards[i].kind == "implicit"] or succeeded
    return succeeded[-1] if succeeded else None


def node_gradients(trace: Trace, backward: int | None) -> Sequence[tuple[int, ...]]:
    """Per node the gradients of its outputs as value ids (-1: nothing arrived there); () where it was not reached."""
    return trace.index.once(("node gradients", backward), lambda: _node_gradients(trace, backward))


def _node_gradients(trace: Trace, backward: int | None) -> list[tuple[int, ...]]:
    gradients: list[tuple[int, ...]] = [()] * len(trace.nodes)
    if backward is not None:
        call = trace.backwards[backward]
        for step, node in enumerate(call.order):
            gradients[node] = tuple(call.arrived[step])
    return gradients


def contributions(trace: Trace, backward: int | None) -> Mapping[tuple[int, int], int]:
    """What each edge (node, position in its edges) added to the gradient above it, as value ids.

    Where only one edge of the backward leads to an output, what it added is all that arrived.
    """
    return trace.index.once(("contributions", backward), lambda: _contributions(trace, backward))


def _contributions(trace: Trace, backward: int | None) -> dict[tuple[int, int], int]:
    if backward is None:
        return {}
    call, nodes = trace.backwards[backward], trace.nodes
    starts, targets, outputs = nodes.edges.starts, nodes.edges.items, nodes.edge_inputs.items
    gradients = node_gradients(trace, backward)
    leading: dict[int, int] = {}  # output k of node n, as n · 2²⁰ + k, to the edge that leads there (-1: several do)
    source: dict[int, int] = {}
    for node in call.order:
        for edge in range(starts[node], starts[node + 1]):
            target = targets[edge]
            if target >= 0 and gradients[target]:
                slot = target << 20 | outputs[edge]
                leading[slot] = -1 if slot in leading else edge
                source[edge] = node
    found: dict[tuple[int, int], int] = {}
    for edge in leading.values():
        if edge < 0:
            continue
        target, output = targets[edge], outputs[edge]
        if target not in call.roots and output < len(gradients[target]) and gradients[target][output] >= 0:
            found[source[edge], edge - starts[source[edge]]] = gradients[target][output]
    recorded = zip(call.contribution_from, call.contribution_edge, call.contribution_value, strict=True)
    found.update(((node, position), value) for node, position, value in recorded if value >= 0)
    return found


def tensor_gradient(trace: Trace, tensor: int, backward: int | None) -> tuple[int, Reason | None]:
    """The gradient of a tensor as (value id, None), or (-1, reason)."""
    return tensor_gradients(trace, backward)[tensor]


def tensor_gradients(trace: Trace, backward: int | None) -> Sequence[tuple[int, Reason | None]]:
    """The gradient of every tensor as (value id, None), or (-1, reason)."""
    return trace.index.once(("tensor gradients", backward), lambda: _tensor_gradients(trace, backward))


def _tensor_gradients(trace: Trace, backward: int | None) -> list[tuple[int, Reason | None]]:
    places = tensor_places(trace)
    gradients = node_gradients(trace, backward)
    call = None if backward is None else trace.backwards[backward]
    below = below_roots(trace, call) if call else set()
    losses = _losses(trace, call) if call else {}
    found: list[tuple[int, Reason | None]] = []
    for tensor, candidates in enumerate(places):
        value = next(
            (gradients[n][k] for n, k in reversed(candidates) if k < len(gradients[n]) and gradients[n][k] >= 0), -1
        )
        if value >= 0:
            found.append((value, None))
        elif not candidates and not trace.tensors.requires_grad[tensor]:
            found.append((-1, losses.get(tensor) or "no_grad"))
        elif call and any(node in below for node, _ in candidates):
            found.append((-1, _why_not_reached(trace, call, candidates, gradients)))
        else:
            found.append((-1, losses.get(tensor) or "not_on_path"))
    return found


def tensor_places(trace: Trace) -> list[list[tuple[int, int]]]:
    """The (node, output) pairs at which each tensor's gradient arrives, in the order of its versions.

    For a leaf these are the AccumulateGrad nodes whose variable it is.
    """
    places: list[list[tuple[int, int]]] = [[] for _ in range(len(trace.tensors))]
    starts, nodes, outputs = trace.tensors.version_start, trace.versions.node, trace.versions.output
    for tensor, found in enumerate(places):
        for version in range(starts[tensor], starts[tensor + 1]):
            if nodes[version] >= 0:
                found.append((nodes[version], max(outputs[version], 0)))
    for node, variable in enumerate(trace.nodes.variable):
        if variable >= 0 and (node, 0) not in places[variable]:
            places[variable].append((node, 0))
    return places


def below_roots(trace: Trace, call: Backward) -> set[int]:
    """All nodes that the roots of a backward reach through edges, the roots included."""
    seen = {root for root in call.roots if root >= 0}
    todo = list(seen)
    starts, items = trace.nodes.edges.starts, trace.nodes.edges.items
    while todo:
        node = todo.pop()
        for target in items[starts[node] : starts[node + 1]]:
            if target >= 0 and target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def _why_not_reached(trace: Trace, call: Backward, candidates: list[tuple[int, int]], gradients: Sequence) -> Reason:
    """Why a tensor whose node lies below the roots has no gradient."""
    if call.status == "failed":
        return "failed"
    if any(gradients[node] for node, _ in candidates):
        return "capped" if _is_full(trace) else "not_on_path"
    return "pruned_by_inputs" if call.inputs else "capped" if _is_full(trace) else "not_on_path"


def _is_full(trace: Trace) -> bool:
    """Whether something of the run was counted and not kept. Other limits are about something else."""
    return any(bound.kind in ("operations", "nodes", "backwards", "values") for bound in trace.limits)


def _losses(trace: Trace, call: Backward) -> dict[int, Reason]:
    """What stands between the root and the tensors whose entries went into it, but not their gradients.

    One sweep over the operations, last first: an operation whose outputs matter hands on to its inputs either its
    outputs' own loss or, where an input asks for a gradient and no output has one, the loss that it makes itself.
    """
    operations, wants = trace.operations, _has_history(trace)
    losses: dict[int, Reason | None] = dict.fromkeys((tensor for tensor in call.root_tensors if tensor >= 0), None)
    for operation in range(min(call.operations, len(operations)) - 1, -1, -1):
        outputs = [tensor for tensor in operations.outputs[operation] if tensor in losses]
        if not outputs:
            continue
        kept = next((tensor for tensor in outputs if wants[tensor]), None)
        for tensor in operations.inputs[operation]:
            if kept is not None or not wants[tensor]:
                loss = losses[outputs[0] if kept is None else kept]
            else:
                loss = losses[outputs[0]] or ("cut" if operations.grad_enabled[operation] else "no_grad")
            if tensor not in losses or (losses[tensor] and not loss):
                losses[tensor] = loss
    return {tensor: loss for tensor, loss in losses.items() if loss}


def _has_history(trace: Trace) -> list[bool]:
    """Per tensor whether it asks for a gradient: it says so, or one of its versions came from a node."""
    asks = list(trace.tensors.requires_grad)
    for tensor in range(len(asks)):
        asks[tensor] = asks[tensor] or any(trace.versions.node[version] >= 0 for version in trace.versions_of(tensor))
    return asks

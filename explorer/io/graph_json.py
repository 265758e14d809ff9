"""The recorded data as JSON: operations, tensors, nodes, backward calls, optimizers and their steps."""

from explorer.analysis.autograd.formulas import formula_texts
from explorer.analysis.autograd.gradients import contributions, cut_of, node_gradients, tensor_gradients
from explorer.analysis.faults.optimizer_audit import audit
from explorer.analysis.why import TapeEvent, tapes_plain
from explorer.io.json_values import Json, JsonContext, entry_or_none, number, optional_index
from explorer.trace import Backward, ParameterGroup


def operations_json(context: JsonContext) -> list[dict[str, Json]]:
    """All operations, with the nodes that they made."""
    trace, o = context.trace, context.trace.operations
    made: dict[int, list[int]] = {}
    for node, operation in enumerate(trace.nodes.operation):
        made.setdefault(operation, []).append(node)
    return [
        {
            "id": i,
            "name": context.text(trace.string(o.name[i])),
            **context.place(o.span[i]),
            "text": context.text(trace.text(o.span[i])),
            "function": context.text(trace.string(o.function[i])),
            "iteration": o.iteration[i],
            "module": context.text(trace.string(o.module[i])),
            "grad_enabled": o.grad_enabled[i],
            "in_backward": optional_index(o.in_backward[i]),
            "inputs": o.inputs[i],
            "outputs": o.outputs[i],
            "nodes": made.get(i, []),
            "error": context.text(trace.string(o.error[i])),
        }
        for i in range(len(o))
    ]


def tensors_json(context: JsonContext) -> list[dict[str, Json]]:
    """All tensors, with their names, versions, gradients and histories."""
    trace, t, v = context.trace, context.trace.tensors, context.trace.versions
    names: list[list[dict[str, Json]]] = [[] for _ in range(len(t))]
    for binding in trace.bindings:
        scope = {"from": binding.start, "until": optional_index(binding.until)}
        names[binding.tensor].append({"name": binding.name, **context.place(binding.span), **scope})
    gradients = tensor_gradients(trace, context.backward)
    tapes = {leaf: [_event(context, event) for event in events] for leaf, events in tapes_plain(trace)}
    exported = []
    for i in range(len(t)):
        versions = [
            {
                "version": optional_index(v.version[row]),
                "operation": optional_index(v.operation[row]),
                "value": context.value(v.value[row]),
            }
            for row in trace.versions_of(i)
        ]
        gradient, reason = gradients[i]
        exported.append(
            {
                "id": i,
                "names": names[i],
                "shape": trace.shapes[t.shape[i]],
                "dtype": trace.string(t.dtype[i]),
                "device": trace.string(t.device[i]),
                "requires_grad": t.requires_grad[i],
                "is_leaf": t.is_leaf[i],
                "storage": optional_index(t.storage[i]),
                "offset": t.offset[i],
                "stride": None if t.stride[i] < 0 else trace.shapes[t.stride[i]],
                "versions": versions,
                "value": versions[-1]["value"],
                "grad": context.value(t.grad[i]),
                "gradient": context.value(gradient),
                "reason": reason,
                "cut": _cut(context, i),
                "tape": tapes.get(i),
            }
        )
    return exported


def _cut(context: JsonContext, tensor: int) -> dict[str, Json] | None:
    """Where a tensor without a gradient lost it."""
    found = cut_of(context.trace, tensor, context.backward)
    if found is None:
        return None
    return {"by": found.by, "sure": found.sure, "text": context.text(found.code), **context.place(found.span)}


def _event(context: JsonContext, event: TapeEvent) -> dict[str, Json]:
    """One event in the history of a leaf; values that do not belong to its kind are null."""
    return {
        "kind": event.kind,
        "operation": optional_index(event.operation),
        "backward": optional_index(event.backward),
        **context.place(event.span),
        "version": optional_index(event.version),
        "before": context.value(event.before) if event.before >= 0 else None,
        "added": context.value(event.added) if event.added >= 0 else None,
        "after": context.value(event.after) if event.after >= 0 else None,
        "count": event.count,
    }


def nodes_json(context: JsonContext) -> list[dict[str, Json]]:
    """All nodes of the graph, with their saved values and gradients."""
    trace, n = context.trace, context.trace.nodes
    saved = _saved(context)
    gradients = node_gradients(trace, context.backward)
    exported = []
    for i in range(len(n)):
        values, arrived = n.values[i], gradients[i]
        outputs = [
            {"value": context.value(entry_or_none(values, k)), "gradient": context.value(entry_or_none(arrived, k))}
            for k in range(max(len(values), len(arrived)))
        ]
        operation = n.operation[i]
        span = -1 if operation < 0 else trace.operations.span[operation]
        exported.append(
            {
                "id": i,
                "name": context.text(trace.string(n.name[i])),
                "operation": optional_index(operation),
                **context.place(span),
                "text": context.text(trace.text(span)),
                "variable": optional_index(n.variable[i]),
                "outputs": outputs,
                "value": outputs[0]["value"] if outputs else None,
                "gradient": outputs[0]["gradient"] if outputs else None,
                "edges": [
                    {"node": target, "input": output}
                    for target, output in zip(n.edges[i], n.edge_inputs[i], strict=True)
                    if target >= 0
                ],
                "saved": saved.get(i, []),
                "formulas": formula_texts(trace, i, context.lang),
                "made_by": optional_index(n.made_by[i]),
            }
        )
    return exported


def _saved(context: JsonContext) -> dict[int, list[dict[str, Json]]]:
    """The values that each node saved for backward."""
    trace, s = context.trace, context.trace.saved
    found: dict[int, list[dict[str, Json]]] = {}
    for i, node in enumerate(s.node):
        value = s.value[i]
        if value < 0 and s.tensor[i] >= 0:
            known = trace.index.counted(s.tensor[i], s.version[i])
            value = trace.versions.value[known[0]] if known else value
        found.setdefault(node, []).append(
            {
                "name": trace.string(s.name[i]),
                "tensor": optional_index(s.tensor[i]),
                "version": optional_index(s.version[i]),
                "value": context.value(value),
                "constant": context.text(trace.string(s.constant[i])),
            }
        )
    return found


def backward_json(context: JsonContext, i: int, call: Backward) -> dict[str, Json]:
    """One backward call, step by step."""
    return {
        "id": i,
        "kind": call.kind,
        **context.place(call.span),
        "roots": [optional_index(root) for root in call.roots],
        "seeds": [context.value(seed) for seed in call.seeds],
        "inputs": call.inputs,
        "retain_graph": call.retain_graph,
        "create_graph": call.create_graph,
        "steps": _steps(context, i, call),
        "accumulations": [
            {"tensor": optional_index(tensor), "before": context.value(before), "after": context.value(after)}
            for tensor, before, after in zip(call.accumulated, call.before, call.after, strict=True)
        ],
        "freed": call.freed,
        "status": call.status,
        "failed_node": optional_index(call.failed_node),
    }


def _steps(context: JsonContext, i: int, call: Backward) -> list[dict[str, Json]]:
    """Per step what arrived at the node, over which edge, their sum, and what left over each of its edges."""
    edges = context.trace.nodes.edges
    passed = contributions(context.trace, i)
    arriving: dict[int, list[dict[str, Json]]] = {node: [] for node in call.order}
    for root, seed in zip(call.roots, call.seeds, strict=False):
        if root in arriving:
            arriving[root].append({"from": None, "value": context.value(seed)})
    leaving: dict[int, list[dict[str, Json]]] = {node: [] for node in call.order}
    for node in call.order:
        for position, target in enumerate(edges[node]):
            if target in arriving and (node, position) in passed:
                value = context.value(passed[node, position])
                arriving[target].append({"from": node, "value": value})
                leaving[node].append({"to": target, "value": value})
    return [
        {
            "node": node,
            "arriving": arriving[node],
            "sum": context.value(entry_or_none(call.arrived[step], 0)),
            "leaving": leaving[node],
        }
        for step, node in enumerate(call.order)
    ]


def training_json(context: JsonContext) -> dict[str, Json]:
    """Optimizers, and the calls of the program that train a model."""
    log = context.trace.log
    made = [
        {
            "name": audited.name,
            "kind": row.kind,
            **context.place(row.span),
            "operations": row.operations,
            "groups": [group_plain(group) for group in row.groups],
        }
        for row, audited in zip(log.optimizers, audit(context.trace).optimizers, strict=True)
    ]
    calls = [
        {
            "kind": call.kind,
            "operations": call.operations,
            "iteration": call.iteration,
            "subject": optional_index(call.subject),
        }
        | {"name": call.name or None, "value": number(call.value), "before": number(call.before)}
        | context.place(call.span)
        for call in log.calls
    ]
    return {"optimizers": made, "sets": log.sets, "calls": calls}


def group_plain(group: ParameterGroup) -> dict[str, Json]:
    """One parameter group of an optimizer."""
    options = {"rate": number(group.rate), "weight_decay": number(group.weight_decay)}
    options["last_rate"] = number(group.last_rate)
    return {**options, "count": group.count, "tensors": list(group.tensors)}

"""Recorded data as JSON: operations, tensors, nodes, backward calls, optimizers, checks."""

from collections.abc import Iterable

from explorer.analysis.diagnose.faults.optimizer_audit import audit
from explorer.analysis.diagnose.gradcheck.subjects import leaf_name
from explorer.analysis.diagnose.gradcheck.verdicts import Check
from explorer.analysis.diagnose.messages import check_text
from explorer.analysis.explain.autograd.gradients import contributions, node_gradients
from explorer.analysis.explain.autograd.node_formulas import formula_texts
from explorer.analysis.explain.autograd.reasons import cut_of, tensor_gradient
from explorer.analysis.explain.why import TapeEvent, tapes_plain
from explorer.io.json_values import Json, JsonContext, entry_or_none, optional_index
from explorer.text.numbers import json_number
from explorer.trace import Backward, ParameterGroup, Trace


def operations_json(context: JsonContext) -> list[dict[str, Json]]:
    """Return all operations with their nodes."""
    trace, o, row = context.trace, context.trace.operations, context.row
    return [
        {
            "id": i,
            **row(o, "name span", i),
            "text": context.text(trace.text(o.span[i])),
            **row(o, "function iteration module grad_enabled in_backward inputs outputs", i),
            "nodes": trace.index.made.get(i, []),
            **row(o, "error", i),
        }
        for i in range(len(o))
    ]


def tensors_json(context: JsonContext, chosen: Iterable[int], whole: bool) -> list[dict[str, Json]]:
    """Return the tensors. Unless `whole`, only the last version and no history."""
    trace, t, v, row = context.trace, context.trace.tensors, context.trace.versions, context.row
    histories = tapes_plain(trace) if whole else ()
    tapes = {leaf: [_event(context, event) for event in events] for leaf, events in histories}
    exported = []
    for i in chosen:
        gradient, reason = tensor_gradient(trace, i, context.backward)
        rows = trace.versions_of(i)
        versions = [
            {"version": optional_index(v.version[at]), **row(v, "operation value", at)}
            for at in (rows if whole else rows[-1:])
        ]
        names = [
            {**row(bound, "name span"), "from": bound.start, "until": optional_index(bound.until)}
            for bound in trace.index.bindings.get(i, ())
        ]
        exported.append(
            {
                "id": i,
                "names": names,
                **row(t, "shape dtype device requires_grad is_leaf storage", i),
                "offset": t.offset[i],
                **row(t, "stride", i),
                "versions": versions,
                "value": versions[-1]["value"],
                **row(t, "grad", i),
                "gradient": context.value(gradient),
                "reason": reason,
                "cut": _cut(context, i),
                "tape": tapes.get(i),
            }
        )
    return exported


def _cut(context: JsonContext, tensor: int) -> dict[str, Json] | None:
    """Return where a tensor without a gradient was cut off."""
    cut = cut_of(context.trace, tensor, context.backward)
    if cut is None:
        return None
    return {"by": cut.by, "sure": cut.sure, "text": context.text(cut.code), **context.place(cut.span)}


def _event(context: JsonContext, event: TapeEvent) -> dict[str, Json]:
    """Return one event of a leaf's history. Fields of other kinds are null."""
    ids = {name: optional_index(getattr(event, name)) for name in ("operation", "backward")}
    values = {name: context.value(getattr(event, name)) for name in ("before", "added", "after")}
    version = {"version": optional_index(event.version)}
    return {"kind": event.kind, **ids, **context.place(event.span), **version, **values, "count": event.count}


def nodes_json(context: JsonContext) -> list[dict[str, Json]]:
    """Return all nodes with saved values and gradients."""
    trace, n, row = context.trace, context.trace.nodes, context.row
    gradients = node_gradients(trace, context.backward)
    exported = []
    for i in range(len(n)):
        values, arrived = n.values[i], gradients[i]
        outputs = [
            {"value": context.value(entry_or_none(values, k)), "gradient": context.value(entry_or_none(arrived, k))}
            for k in range(max(len(values), len(arrived)))
        ]
        span = -1 if n.operation[i] < 0 else trace.operations.span[n.operation[i]]
        exported.append(
            {
                "id": i,
                **row(n, "name operation", i),
                **context.place(span),
                "text": context.text(trace.text(span)),
                **row(n, "variable", i),
                "outputs": outputs,
                **(outputs[0] if outputs else {"value": None, "gradient": None}),
                "edges": [
                    {"node": target, "input": output}
                    for target, output in zip(n.edges[i], n.edge_inputs[i], strict=True)
                    if target >= 0
                ],
                "saved": [_saved(context, at) for at in trace.index.saved.get(i, ())],
                "formulas": formula_texts(trace, i, context.lang),
                **row(n, "made_by", i),
            }
        )
    return exported


def _saved(context: JsonContext, i: int) -> dict[str, Json]:
    """Return a value that a node saved for backward."""
    trace, s = context.trace, context.trace.saved
    value = s.value[i]
    if value < 0 and s.tensor[i] >= 0:
        rows = trace.index.counted(s.tensor[i], s.version[i])
        value = trace.versions.value[rows[0]] if rows else value
    version = {"version": optional_index(s.version[i]), "value": context.value(value)}
    return {**context.row(s, "name tensor", i), **version, **context.row(s, "constant", i)}


def backward_json(context: JsonContext, i: int, call: Backward, whole: bool) -> dict[str, Json]:
    """Return one backward call, step by step if `whole`."""
    leaves = zip(call.accumulated, call.before, call.after, strict=True) if whole else ()
    return {
        "id": i,
        **context.row(call, "kind span roots seeds"),
        "inputs": call.inputs,
        **context.row(call, "retain_graph create_graph"),
        "steps": _steps(context, i, call) if whole else [],
        "accumulations": [
            {"tensor": optional_index(tensor), "before": context.value(before), "after": context.value(after)}
            for tensor, before, after in leaves
        ],
        "freed": call.freed if whole else [],
        **context.row(call, "status failed_node"),
    }


def _steps(context: JsonContext, i: int, call: Backward) -> list[dict[str, Json]]:
    """Return for each step the arriving gradients, their sum and the gradients passed on."""
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
    """Return optimizers and training calls."""
    log = context.trace.log
    made = [
        {
            "name": audited.name,
            **context.row(row, "kind span operations"),
            "groups": [group_plain(group) for group in row.groups],
        }
        for row, audited in zip(log.optimizers, audit(context.trace).optimizers, strict=True)
    ]
    calls = [
        {
            **context.row(call, "kind operations iteration"),
            "subject": optional_index(call.subject),
            "name": call.name or None,
            "value": json_number(call.value),
            "before": json_number(call.before),
            **context.place(call.span),
        }
        for call in log.calls
    ]
    return {"optimizers": made, "sets": log.sets, "calls": calls}


def group_plain(group: ParameterGroup) -> dict[str, Json]:
    """Return one parameter group of an optimizer."""
    options = {"rate": json_number(group.rate), "weight_decay": json_number(group.weight_decay)}
    options["last_rate"] = json_number(group.last_rate)
    return {**options, "count": group.count, "tensors": list(group.tensors)}


def checks_json(trace: Trace, checks: list[Check], lang: str) -> list[dict[str, Json]]:
    """Return the checks in order."""
    return [
        {
            "tensor": check.leaf,
            "name": leaf_name(trace, check.leaf),
            "backward": check.backward,
            "verdict": check.verdict,
            "why": check.why,
            "reason": check.reason and {"kind": check.reason.kind, **_place(trace, check.reason.operation)},
            "text": check_text(lang, check),
            "gradient": json_number(check.gradient),
            "slope": json_number(check.slope),
        }
        for check in checks
    ]


def _place(trace: Trace, operation: int) -> dict[str, Json]:
    return JsonContext(trace, "en", None).place(-1 if operation < 0 else trace.operations.span[operation])

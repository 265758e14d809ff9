"""Find gradients changed by hooks, Functions or unseen writes."""

from collections import defaultdict

import numpy as np

from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients
from explorer.analysis.explain.autograd.gradients import node_gradients, senders
from explorer.analysis.explain.autograd.view_records import Altered
from explorer.analysis.run import rounding
from explorer.trace import Backward, Trace, memoized

LOOKED_AT = 100  # nodes whose formulas are compared with the passed gradients
_UNREAD = ("running_mean", "running_var")  # batch norm writes these in training but does not read them


@memoized
def altered_outputs(trace: Trace, backward: int | None) -> frozenset[tuple[int, int]]:
    """Return node outputs whose gradient a hook changed, none if part of the run was only counted."""
    if backward is None or any(bound.kind == "nodes" and bound.count for bound in trace.limits):
        return frozenset()
    call, gradients, given = trace.backwards[backward], node_gradients(trace, backward), senders(trace, backward)
    written = set(zip(call.contribution_from, call.contribution_edge, strict=True))
    seeds: dict[tuple[int, int], list[int]] = defaultdict(list)
    for root, seed in zip(call.roots, call.seeds, strict=False):
        if root >= 0 and len(gradients[root]) == 1:  # with several outputs, the starting one is unknown
            seeds[root, 0].append(seed)
    # Only recorded contributions can have been changed.
    doubtful = {place for place, sent in given.items() if any(one[:2] in written for one in sent)} | seeds.keys()
    return frozenset(
        (target, output)
        for target, output in doubtful
        if (target not in call.roots or len(gradients[target]) == 1)
        and 0 <= output < len(gradients[target])
        and not _adds_up(
            trace,
            [*(value for *_, value in given.get((target, output), ())), *seeds[target, output]],
            gradients[target][output],
        )
    )


@memoized
def altered_by(trace: Trace, backward: int | None) -> Altered:
    """Return why gradients may not be derivatives, "" without evidence.

    A Function's own backward computed them, a hook changed one, a saved tensor was overwritten unseen (as through
    `.data`), or a node's result differs from its formula.
    """
    if backward is None:
        return ""
    order, nodes = trace.backwards[backward].order, trace.nodes
    if any(nodes.user_code[node] for node in order):
        return "function"
    if altered_outputs(trace, backward):
        return "hook"
    if _is_overwritten(trace, backward):
        return "write"
    passing = EdgeGradients(trace, backward, "")
    contradicted = any(
        passing.contradicts(node, edge)
        for node in order[:LOOKED_AT]
        for edge in range(len(nodes.edges[node]))
        if (node, edge) in passing.passed
    )
    return "other" if contradicted else ""


def hook_of(trace: Trace, node: int, call: Backward) -> str:
    """Return the code of a tensor's only hook, otherwise ""."""
    starts, owner = trace.tensors.version_start, trace.versions.node
    spans = [
        each.span
        for each in trace.log.calls
        if each.kind == "hook" and each.subject >= 0 and each.operations <= call.operations
        if trace.nodes.variable[node] == each.subject or node in owner[starts[each.subject] : starts[each.subject + 1]]
    ]
    text = (trace.text(spans[0]) or "") if len(spans) == 1 else ""
    return " ".join(text.partition("register_hook(")[2].rpartition(")")[0].split())


def _is_overwritten(trace: Trace, backward: int) -> bool:
    """Return whether a node read entries changed since saving, unnoticed by torch."""
    call, saved = trace.backwards[backward], trace.saved
    read = ((row, trace.nodes.operation[node]) for node in call.order for row in trace.index.saved.get(node, ()))
    for row, operation in read:
        tensor = saved.tensor[row]
        if tensor < 0 or operation < 0 or trace.strings[saved.name[row]] in _UNREAD:
            continue
        rows = trace.index.overwritten(tensor, operation, call.operations)
        if rows is not None and trace.value_at(rows[0]) != trace.value_at(rows[1]):
            return True
    return False


def _adds_up(trace: Trace, parts: list[int], total: int) -> bool:
    """Return whether parts add up to a total (value ids), True if unknown."""
    whole, addends = trace.entries(total), [trace.entries(part) for part in parts]  # large tensors use the same sample
    shapes = {trace.values.shape[value] for value in (total, *parts) if value >= 0}
    if whole is None or whole.dtype.kind == "c" or any(part is None for part in addends) or len(shapes) > 1:
        return True
    if not all(np.isfinite(part).all() for part in (whole, *addends)):
        return True
    return rounding.adds_up(np.array(addends, float), whole, trace.value(total).dtype)

"""Leaves without a gradient although the root was computed from their entries."""

from collections.abc import Iterator

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.diagnose.faults.later import depends, trains_later
from explorer.analysis.diagnose.faults.rounds import earlier
from explorer.analysis.explain.autograd.gradient_cuts import GradientCut, all_cuts, cut_behind, switch_of
from explorer.analysis.explain.autograd.reasons import function_cut
from explorer.analysis.run.model import ASKS, GRAD_CALL, Run, reachable
from explorer.analysis.run.objects import BackwardCall, Call, Node, Tensor
from explorer.analysis.run.operations import FORMS, names_where, operation_of
from explorer.safe_regex import plain

_UNREAD = ("requires_grad_", "zeros_like", GRAD_CALL)  # uses that are torch's own
_NONE = plain(r"\bis (?:not )?None\b")
_ADDS = names_where(lambda operation: operation.step in ("add", "sub") or operation.joins)


@finds(
    "gradient_cut",
    "an optimizer holds the leaf, .grad is read, or nothing else has one",
    unless="root_is_leaf not_called asked_too_late",
)
def gradient_cut(run: Run) -> Iterator[Finding]:
    """Report the operation that cuts a leaf off from a root that depends on its entries."""
    for leaf in run.tensors(run.leaves):
        if leaf.id in run.roots or (run.held and leaf.id not in run.held) or leaf.is_of_library:
            continue
        if not (run.held and _is_only_penalized(leaf)) if leaf.id in run.received else leaf.reached_unseen:
            continue
        own = run.backwards_for(leaf.id)
        unserved = own and leaf.id in run.held - run.received
        cut = all_cuts(run.trace, *own)[0].get(leaf.id)
        cut = cut or (function_cut(run.trace, leaf.id, own[0]) if unserved else None)
        if cut is None or not cut.sure or cut.operation < 0:
            continue
        if any(write.id > run.backwards[0].time and not write.is_of_optimizer for write in leaf.writes):
            continue  # the program changes it in another way, such as a codebook by averages
        if _is_served(leaf) or _is_replaced_in_forward(leaf):
            continue
        call = run.call(cut.operation)
        source = call.inputs[0].made_by(("data", "detach")) if call.inputs and call.name.endswith("_") else None
        by = source.name if source is not None else call.name.strip("_")
        values = {"name": leaf.name, "by": by, "reach": "penalty" if leaf.backwards else "none"}
        values["code"] = call.text
        how, place = _how_cut(call, cut), cut.place(run.trace)
        switch = switch_of(run.trace, call.id) if how["how"] == "off" else None
        meant = depends(place) or (switch and depends(run.line(switch.cell, switch.line))) or trains_later(run)
        yield from report("gradient_cut", place, leaf, **values, **how, certain=_needs_gradient(leaf) and not meant)


def _is_served(leaf: Tensor) -> bool:
    """Return whether the program fills the leaf's `.grad` from gradients of copies or parts."""
    puts = (user for user in leaf.users if user.name == "grad=" and user.inputs[0] is leaf and len(user.inputs) > 1)
    return any(not put.is_of_optimizer and not put.inputs[1].is_zero(put) for put in puts)


def _is_replaced_in_forward(leaf: Tensor) -> bool:
    """Return whether another parameter took its name before the first backward.

    So does a codebook that each forward replaces by an average.
    """
    run = leaf.run
    if any(not {*leaf.names}.isdisjoint(other.names) for other in run.tensors(run.received)):
        return False
    used = max((user.id for user in leaf.users if not user.is_of_optimizer), default=run.count)
    replaced = any(run.trace.index.bound.get(name, leaf.id) != leaf.id for name in leaf.names)
    return leaf.is_parameter and replaced and used < run.backwards[0].time


def _is_only_penalized(leaf: Tensor) -> bool:
    """Return whether a leaf's gradients came only from penalties.

    A nested backward, as in a reentrant checkpoint, is not one of the leaf's calls: its contributions are unknown.
    """
    known = leaf.run.bringers[leaf.id] == {backward.id for backward in leaf.backwards}
    return known and all(_is_from_penalty(leaf, backward) for backward in leaf.backwards)


def _is_from_penalty(leaf: Tensor, backward: BackwardCall) -> bool:
    """Return whether a leaf's gradient came from terms without data."""
    users: dict[Node, list[Node]] = {}
    free, ends = set[Node](), []
    for node in reversed(backward.nodes):
        below, call = [target for target in node.targets if target is not None], node.call
        for target in below:
            users.setdefault(target, []).append(node)
        alone = call is not None and all(operand.requires_grad for operand in call.inputs) and free.issuperset(below)
        free |= {node} if alone or node.leaf is not None else set()
        ends += [node] if node.leaf is leaf else []
    above = reachable(ends, lambda node: users.get(node, ()) if node in free else ())
    met = [node.call for node in above if node not in free]
    return bool(met) and all(call is not None and _adds_terms(call) for call in met)


def _adds_terms(call: Call) -> bool:
    """Return whether a call adds scalar terms that all require grad, not a bias or a detached value."""
    if call.name not in _ADDS or not all(term.requires_grad for term in call.inputs):
        return False
    return all(term.size == 1 and not term.is_leaf for one in call.inputs for term in (one.behind(FORMS),))


def _needs_gradient(leaf: Tensor) -> bool:
    """Return whether the program certainly needs the gradient of a leaf.

    An optimizer holds it, the program reads its `.grad`, or set `requires_grad`. Parameters of a module always require
    grad, even a teacher model's: without an optimizer they count only if no other leaf gets a gradient.
    """
    if leaf.id in leaf.run.held or not leaf.is_parameter or not leaf.run.received:
        return True
    return any(user.name == "grad" and not user.is_of_optimizer for user in leaf.users)


def _how_cut(call: Call, cut: GradientCut) -> dict[str, object]:
    """Return how an operation lost its history, and the line."""
    by = cut.by
    operation, values = operation_of(call.name), {"switch": "", "at": 0}
    if by == "backward":
        return {"how": "function", **values}
    if operation.draws == "result" or (by == "no_grad" and ".sample(" in call.text):
        return {"how": "sampling", **values}
    if operation.gives == "truth":
        return {"how": "comparison", **values}
    if operation.gives == "positions":
        return {"how": "position", **values}
    if by != "no_grad":
        becomes = by == "made" and (cut.leaf >= 0 or any(made.requires_grad for made in call.outputs))
        return {"how": "made" if becomes else "other", **values}
    switch = switch_of(call.run.trace, call.id)
    return {"how": "off", "switch": switch.text, "at": switch.line} if switch else {"how": "unrecorded", **values}


@finds("root_is_leaf", "backward begins at a tensor without history, and leaves get nothing")
def root_is_leaf(run: Run) -> Iterator[Finding]:
    """Report backward from a tensor without history while other leaves get nothing."""
    leaves = (leaf for leaf in run.tensors(run.leaves) if leaf.id not in run.received)
    unreached = [leaf for leaf in leaves if not leaf.reached_unseen]
    for backward in run.backwards if unreached else ():
        for root in backward.roots:
            if not root.is_leaf or all(leaf in backward.roots for leaf in unreached):
                continue
            cut = cut_behind(run.trace, root.id, backward.time)
            last = run.call(cut.operation) if cut is not None and cut.sure else None
            asked = [user for user in root.users if user.name == "requires_grad_"]
            made = asked[-1] if asked else root.maker or last  # no call makes `loss = Variable(loss.data, …)`
            values = {"how": "other", "cut": "", "line": 0}
            if last is not None and last is not made and last.place is not None:
                values = {**_how_cut(last, cut), "cut": last.text, "line": last.place.line}
            lost = any(leaf.id in all_cuts(run.trace, backward.id)[0] for leaf in unreached)
            yield from report("root_is_leaf", made, root, name=root.name, **values, certain=lost)


@finds("asked_too_late", "no gradient arrives, and a later backward starts from a result computed before")
def asked_too_late(run: Run) -> Iterator[Finding]:
    """Report `requires_grad_()` after the tensor's uses that the backward depends on.

    If a later use does bring a gradient, it is a note, because the earlier use may be a constant on purpose, such as
    the mean of a grid of points. It is then reported only if the program trains the tensor or reads its `.grad`, and
    not for a parameter, which may be frozen for a while.
    """
    leaves = set(run.leaves)
    for call in run.calls(("requires_grad_", "requires_grad=")):
        tensor = call.inputs[0] if call.inputs else None
        if tensor is None or tensor.id not in leaves or tensor.reached_unseen or _was_recorded(tensor, call.id):
            continue
        certain = tensor.id not in run.received
        meant = not certain and (tensor.is_parameter or not _is_trained(tensor))
        if not meant and run.roots_behind(tensor.id, 0, call.id, call.id):
            yield from report("asked_too_late", call, tensor, name=tensor.name, certain=certain)


def _was_recorded(tensor: Tensor, end: int) -> bool:
    """Return whether an operation before this time recorded a node for a leaf."""
    nodes = (
        tensor.run.node(node)
        for use in tensor.users
        if use.id < end
        for node in tensor.run.trace.index.made.get(use.id, ())
    )
    return any(target is not None and target.leaf is tensor for node in nodes for target in node.targets)


def _is_trained(tensor: Tensor) -> bool:
    """Return whether an optimizer holds a leaf, or the program reads its gradient or moves it.

    Without an optimizer every leaf counts, except inputs of autograd.grad, such as a grid of points.
    """
    run = tensor.run
    reads = any(user.name == "grad" and not user.is_of_optimizer for user in tensor.users)
    if tensor.id in run.held or reads or any(write.id > run.backwards[0].time for write in tensor.writes):
        return True
    return not run.held and not any(tensor.id in call.inputs for call in run.trace.backwards if call.kind == "grad")


@finds("retained_too_late", "nothing keeps the gradient that the program reads")
def retained_too_late(run: Run) -> Iterator[Finding]:
    """Report `retain_grad` after the backward that reached a result whose `.grad` is then read as None."""
    for asked in run.log_of("retain"):
        tensor, last = run.tensor(asked.subject), next(earlier(run.backwards, asked.operations), None)
        empty = any(one.name == "grad" and not one.outputs and one.id >= asked.operations for one in tensor.users)
        place = run.place(asked.span)
        if asked.subject >= 0 and empty and last is not None and last.place is not None and place is not None:
            values = {"name": tensor.name, "backward": last.place.text, "line": last.place.line}
            if any(use.id < last.time for use in tensor.uses_for_roots):
                yield from report("retained_too_late", place, tensor, **values)


@finds(
    "grad_of_result",
    "the program reads it, and not only to compare it with None",
    unless="leaf_rebound asked_too_late retained_too_late",
    reads_text=True,
)
def grad_of_result(run: Run) -> Iterator[Finding]:
    """Report `.grad` of a result that is read after a backward and is None."""
    for read, tensor in _read_as_none(run):
        ran = any(backward.time <= read.id for backward in run.backwards)
        place = read.place if ran and tensor.requires_grad and not tensor.is_leaf else None
        if place is not None and not _NONE.search(place.whole_line):  # otherwise the program handles None
            yield from report("grad_of_result", read, tensor, name=tensor.name)


def _read_as_none(run: Run) -> Iterator[tuple[Call, Tensor]]:
    """Yield the program's reads of `.grad` that returned None."""
    reads = (read for read in run.calls(("grad",)) if read.inputs and not read.outputs and not read.is_of_optimizer)
    return ((read, read.inputs[0]) for read in reads)


@finds("grad_of_constant", level="note", unless="gradient_cut asked_too_late")
def grad_of_constant(run: Run) -> Iterator[Finding]:
    """Report a read of `.grad` that returns None because the tensor does not require grad."""
    for read, tensor in _read_as_none(run):
        float_leaf = tensor.is_leaf and not tensor.is_parameter and tensor.dtype.startswith("float")
        asked = tensor.requires_grad or any(user.name in ASKS for user in tensor.users)
        if float_leaf and not asked and tensor.bindings and tensor.uses_for_roots:
            values = {"name": tensor.name, "line": run.trace.line(read.span)}
            yield from report("grad_of_constant", tensor.place, tensor, **values)


@finds("argument_unused", "no recorded path leads from the arguments to the result")
def argument_unused(run: Run) -> Iterator[Finding]:
    """Report torch.func differentiating with respect to arguments that the function never reads, or only cut off.

    The gradients are 0. With torch.func nested inside, nothing is reported: it reads copies of its arguments.
    """
    asked = [call for call in run.calls(("requires_grad_",)) if call.inputs and "requires_grad" not in call.text]
    for span, calls in grouped(asked, lambda call: call.span).items():
        filled = {call.inputs[0]: call for call in run.calls(("zeros_like",)) if call.span == span and call.inputs}
        read = any(user.name not in _UNREAD for call in calls for user in call.inputs[0].users)
        last = max((call.id for call in filled.values()), default=-1)
        nested = any(calls[0].id < call.id < last and call not in calls for call in asked)
        if not nested and all(call.inputs[0] in filled for call in calls):
            yield from report("argument_unused", calls[0], how="cut" if read else "unread")


RULES = (root_is_leaf, asked_too_late, retained_too_late, grad_of_result, gradient_cut, argument_unused)
CONSTANT_RULES = (grad_of_constant,)

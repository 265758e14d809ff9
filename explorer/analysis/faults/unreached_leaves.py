"""Leaves without a gradient although the root was computed from their entries."""

from collections.abc import Iterator

from explorer.analysis.autograd.grad_mode import switch_of
from explorer.analysis.autograd.gradient_cuts import GradientCut
from explorer.analysis.autograd.gradients import all_cuts
from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.safe_regex import plain

_COMPARES = ("gt", "lt", "ge", "le", "eq", "ne", "isclose", "logical_and", "logical_or", "greater", "less")
_SAMPLES = ("multinomial", "bernoulli", "poisson", "normal", "binomial")
_RETAINS = plain(r"[ \t]*([^\W\d]\w*)\.retain_grad\(\)")
_NONE = plain(r"\bis (?:not )?None\b")
_LOOPS = plain(r"\s*(?:for|while|def|async)\b")


def gradient_cut(facts: Facts) -> Iterator[Finding]:
    """No backward reaches a leaf, yet its entries lead to a root: the operation that cut its gradient is reported."""
    if not facts.calls:
        return
    unreached = [leaf for leaf in facts.leaves if leaf not in facts.received and leaf not in facts.roots]
    unreached = [leaf for leaf in unreached if not facts.held or leaf in facts.held]
    if not unreached:
        return
    numbers = [number for number, _ in facts.calls]
    found, _ = all_cuts(facts.trace, *numbers)
    for leaf in unreached:
        if any(write > facts.calls[0][1].operations and write not in facts.inside for write in facts.writes(leaf)):
            continue  # the program changes it in another way, such as a codebook by averages
        cut = found.get(leaf)
        if cut is not None and cut.sure and cut.operation >= 0 and facts.place(cut.operation):
            values: dict[str, str | int] = {
                "name": facts.name(leaf),
                "code": facts.text(cut.operation),
                "by": facts.names[cut.operation].strip("_"),
            }
            values |= how_cut(facts, cut)
            yield Finding("gradient_cut", facts.place(cut.operation), values, leaf, certain=_is_asked_for(facts, leaf))
            return


def _is_asked_for(facts: Facts, leaf: int) -> bool:
    """Whether the program certainly needs the gradient of a leaf.

    An optimizer holds it, the program reads its `.grad`, or set `requires_grad`. Parameters of a module always require
    one, also those of a teacher model: without an optimizer they count only if no other leaf gets a gradient.
    """
    if leaf in facts.held or not facts.trace.tensors.is_parameter[leaf] or not facts.received:
        return True
    return any(facts.names[at] == "grad" and at not in facts.inside for at in facts.users.get(leaf, ()))


def how_cut(facts: Facts, cut: GradientCut) -> dict[str, str | int]:
    """Why an operation gave no history, for a sentence: how, and which line switched recording off."""
    name, text = facts.names[cut.operation].strip("_"), facts.text(cut.operation)
    values: dict[str, str | int] = {"switch": "", "at": 0}
    if name in _SAMPLES or (cut.by == "no_grad" and ".sample(" in text):
        return {"how": "sampling", **values}
    if name in _COMPARES:
        return {"how": "comparison", **values}
    if name in ("argmax", "argmin", "argsort"):
        return {"how": "position", **values}
    if cut.by != "no_grad":
        return {"how": "other", **values}
    switch = switch_of(facts.trace, cut.operation)
    return {"how": "off", "switch": switch.text, "at": switch.line} if switch else {"how": "unrecorded", **values}


def root_is_leaf(facts: Facts) -> Iterator[Finding]:
    """Backward began at a tensor without a history, and other leaves got nothing."""
    tensors = facts.trace.tensors
    for number, call in facts.calls:
        for root in call.root_tensors:
            if root < 0 or not tensors.is_leaf[root]:
                continue
            if not any(leaf not in facts.received and leaf not in call.root_tensors for leaf in facts.leaves):
                continue
            asked = [at for at in facts.users.get(root, ()) if facts.names[at] == "requires_grad_"]
            made = asked[-1] if asked else facts.makers.get(root)
            if made is not None and facts.place(made):
                values: dict[str, str | int] = {
                    "name": facts.name(root),
                    "code": facts.text(made),
                    "how": "other",
                    "cut": "",
                    "line": 0,
                }
                cut_off = all_cuts(facts.trace, number)[0]
                lost = [leaf for leaf in facts.leaves if leaf in cut_off]
                cut = next((cut_off[leaf] for leaf in lost if cut_off[leaf].operation not in (-1, made)), None)
                if cut is not None and (place := facts.place(cut.operation)) is not None:
                    values |= {**how_cut(facts, cut), "cut": facts.text(cut.operation), "line": place.line}
                certain = any(leaf not in facts.received for leaf in lost)
                yield Finding("root_is_leaf", facts.place(made), values, root, certain=certain)
                return


def asked_too_late(facts: Facts) -> Iterator[Finding]:
    """`requires_grad_` after a tensor was used in a root, or `retain_grad` after the backward."""
    leaves = set(facts.leaves)
    for operation in range(facts.count):
        if facts.names[operation] not in ("requires_grad_", "requires_grad=") or not facts.operations.inputs[operation]:
            continue
        tensor = facts.operations.inputs[operation][0]
        if tensor in facts.received or tensor not in leaves:
            continue
        if facts.place(operation) and facts.roots_behind(tensor, 0, operation, operation):
            values = {"name": facts.name(tensor), "code": facts.text(operation)}
            yield Finding("asked_too_late", facts.place(operation), values, tensor)
            return
    yield from _retained_too_late(facts)


def _retained_too_late(facts: Facts) -> Iterator[Finding]:
    """retain_grad leaves no operation: it is read from the text, in programs that run from top to bottom."""
    if len(facts.trace.cells) != 1 or not facts.calls:
        return
    lines = facts.trace.cells[0].lines
    if any(_LOOPS.match(line) for line in lines):
        return
    last = max(facts.trace.spans[call.span].line if call.span >= 0 else len(lines) for _, call in facts.calls)
    for number, line in enumerate(lines, 1):
        found = _RETAINS.match(line)
        if not found or number <= last:
            continue
        tensor = facts.trace.bound(found[1])
        read = [] if tensor is None else [at for at in facts.users.get(tensor, ()) if facts.names[at] == "grad"]
        if tensor is not None and any(not facts.operations.outputs[at] for at in read):
            yield Finding("asked_too_late", facts.line(0, number), {"name": found[1], "code": line.strip()}, tensor)
            return


def grad_of_result(facts: Facts) -> Iterator[Finding]:
    """`.grad` of a result was read after a backward, and is None."""
    tensors = facts.trace.tensors
    for operation in range(facts.count):
        if facts.names[operation] != "grad" or facts.operations.outputs[operation]:
            continue
        for tensor in facts.operations.inputs[operation][:1]:
            if not tensors.requires_grad[tensor] or tensors.is_leaf[tensor] or not facts.place(operation):
                continue
            if _NONE.search(facts.trace.cells[facts.place(operation).cell].lines[facts.place(operation).line - 1]):
                continue  # the program handles None
            if any(call.operations <= operation for _, call in facts.calls):
                values = {"name": facts.name(tensor), "code": facts.text(operation)}
                yield Finding("grad_of_result", facts.place(operation), values, tensor)
                return


RULES = (root_is_leaf, asked_too_late, grad_of_result, gradient_cut)

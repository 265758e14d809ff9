"""Leaves without a gradient although the root was computed from their entries."""

from collections import deque
from collections.abc import Iterator

from explorer.analysis.autograd.grad_mode import switch_of
from explorer.analysis.faults.facts import NUMBERS, READ_ONLY, Facts
from explorer.analysis.faults.finding import Finding
from explorer.safe_regex import plain

CUTS = ("detach", "data", "item", "tolist", "numpy", "tensor", "as_tensor", "array", "float", "int")
_COMPARES = ("gt", "lt", "ge", "le", "eq", "ne", "isclose", "logical_and", "logical_or", "greater", "less")
_SAMPLES = ("multinomial", "bernoulli", "poisson", "normal", "binomial")
_RETAINS = plain(r"[ \t]*([^\W\d]\w*)\.retain_grad\(\)")
_NONE = plain(r"\bis (?:not )?None\b")
_LOOPS = plain(r"\s*(?:for|while|def|async)\b")


def gradient_cut(facts: Facts) -> Iterator[Finding]:
    """No backward reaches a leaf, yet its entries lead to a root: the first operation without history is reported."""
    if not facts.calls:
        return
    for leaf in facts.leaves:
        if leaf in facts.received or leaf in facts.roots or (facts.held and leaf not in facts.held):
            continue
        if any(write > facts.calls[0][1].operations and write not in facts.inside for write in facts.writes(leaf)):
            continue  # the program changes it in another way, such as a codebook by averages
        cut = _first_cut(facts, leaf)
        cut = _what_left(facts, cut) if cut is not None else None
        if cut is not None and facts.place(cut):
            values: dict[str, str | int] = {
                "name": facts.name(leaf),
                "code": facts.text(cut),
                "by": facts.names[cut].strip("_"),
            }
            values |= how_lost(facts, cut)
            yield Finding("gradient_cut", facts.place(cut), values, leaf, certain=_is_asked_for(facts, leaf))
            return


def _what_left(facts: Facts, cut: int) -> int:
    """The cut; if detach() only let the entries leave torch, as in detach().numpy(), the call that took them out."""
    outputs = facts.operations.outputs[cut]
    users = [user for output in outputs for user in facts.users.get(output, ())]
    if facts.names[cut] == "detach" and users and all(facts.names[user] in NUMBERS for user in users):
        return users[0]
    return cut


def _is_asked_for(facts: Facts, leaf: int) -> bool:
    """Whether the program certainly needs the gradient of a leaf.

    An optimizer holds it, the program reads its `.grad`, or set `requires_grad`. Parameters of a module always require
    one, also those of a teacher model: without an optimizer they count only if no other leaf gets a gradient.
    """
    if leaf in facts.held or not facts.trace.tensors.is_parameter[leaf] or not facts.received:
        return True
    return any(facts.names[at] == "grad" and at not in facts.inside for at in facts.users.get(leaf, ()))


def how_lost(facts: Facts, cut: int) -> dict[str, str | int]:
    """Why an operation gave no history, for a sentence: how, and which line switched recording off."""
    name, text = facts.names[cut].strip("_"), facts.text(cut)
    values: dict[str, str | int] = {"switch": "", "at": 0}
    if name in _SAMPLES or (not facts.operations.grad_enabled[cut] and ".sample(" in text):
        return {"how": "sampling", **values}
    if name in _COMPARES:
        return {"how": "comparison", **values}
    if name in ("argmax", "argmin", "argsort"):
        return {"how": "position", **values}
    if name in CUTS or facts.operations.grad_enabled[cut]:
        return {"how": "other", **values}
    switch = switch_of(facts.trace, cut)
    return {"how": "off", "switch": switch.text, "at": switch.line} if switch else {"how": "unrecorded", **values}


def _first_cut(facts: Facts, leaf: int, root: int | None = None) -> int | None:
    """The operation at which the history of a leaf's entries ends on the way to a root, None if there is no such
    path.
    """
    roots = facts.roots if root is None else {root}
    wants, detached = facts.trace.tensors.requires_grad, _detached(facts)
    todo: deque[tuple[int, int | None]] = deque([(leaf, None)])
    seen: set[tuple[int, bool]] = set()
    while todo:
        tensor, cut = todo.popleft()
        if (tensor, cut is None) in seen:
            continue
        seen.add((tensor, cut is None))
        if tensor in roots and cut is not None:
            return cut
        for user in facts.users.get(tensor, ()):
            if user in facts.inside or facts.names[user] in READ_ONLY:
                continue
            outputs = facts.operations.outputs[user]
            if not outputs and facts.names[user] in NUMBERS:
                fed = facts.numbers_into.get(user, ())
                todo.extend((made, user if cut is None else cut) for at in fed for made in facts.operations.outputs[at])
                todo.extend((made, user if cut is None else cut) for made in _bound_beside(facts, user))
            for made in outputs:
                if facts.names[user] == "detach_":
                    todo.append((made, user if cut is None else cut))
                elif made != tensor or not facts.names[user].endswith("_"):
                    lost = made not in detached and (leaf_made(facts, user, made) or not wants[made])
                    todo.append((made, user if cut is None and lost else cut))
    return None


def _detached(facts: Facts) -> set[int]:
    """The tensors with a history that detach_() cut off in place."""
    versions = facts.trace.versions
    called = [at for at in range(facts.count) if facts.names[at] == "detach_"]
    tensors = {tensor for at in called for tensor in facts.operations.inputs[at][:1]}
    return {tensor for tensor in tensors if any(versions.node[row] >= 0 for row in facts.trace.versions_of(tensor))}


def leaf_made(facts: Facts, operation: int, made: int) -> bool:
    """Whether an operation made a leaf from tensors that it read, without a path back."""
    read = facts.operations.inputs[operation]
    return bool(read) and made not in read and facts.trace.tensors.is_leaf[made]


def _bound_beside(facts: Facts, call: int) -> list[int]:
    """Tensors that no operation made and that the line of a call named, as `torch.from_numpy` makes them."""
    place = facts.place(call)
    if place is None:
        return []
    spans = facts.trace.spans
    return [
        binding.tensor
        for binding in facts.trace.bindings
        if binding.span >= 0
        and (spans[binding.span].cell, spans[binding.span].line) == (place.cell, place.line)
        and binding.tensor not in facts.makers
    ]


def root_is_leaf(facts: Facts) -> Iterator[Finding]:
    """Backward began at a tensor without a history, and other leaves got nothing."""
    tensors = facts.trace.tensors
    for _, call in facts.calls:
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
                cut = next((at for leaf in facts.leaves if (at := _first_cut(facts, leaf, root)) is not None), None)
                if cut is not None and cut != made and (place := facts.place(cut)) is not None:
                    values |= {**how_lost(facts, cut), "cut": facts.text(cut), "line": place.line}
                lost = any(leaf not in facts.received for leaf in _made_of(facts, root) & set(facts.leaves))
                yield Finding("root_is_leaf", facts.place(made), values, root, certain=lost)
                return


def _made_of(facts: Facts, root: int) -> set[int]:
    """The tensors that entries of a root came from, also as numbers that left torch."""
    maker = facts.makers.get(root, -1)
    calls = [call for call, fed in facts.numbers_into.items() if maker in fed]
    return facts.below([root, *(tensor for call in calls for tensor in facts.operations.inputs[call])])


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

"""Leaves that no gradient reaches although the root was made of their entries."""

from collections import deque
from collections.abc import Iterator

from explorer.diagnose.facts import NUMBERS, READ_ONLY, Facts
from explorer.diagnose.finding import Finding
from explorer.patterns import plain

_RETAINS = plain(r"[ \t]*([^\W\d]\w*)\.retain_grad\(\)")
_LOOPS = plain(r"\s*(?:for|while|def|async)\b")


def gradient_cut(facts: Facts) -> Iterator[Finding]:
    """No backward ever reaches a leaf, yet its entries lead to a root: the first operation without history."""
    if not facts.calls:
        return
    for leaf in facts.leaves:
        if leaf in facts.received or leaf in facts.roots or (facts.held and leaf not in facts.held):
            continue
        cut = _first_cut(facts, leaf)
        if cut is not None and facts.place(cut):
            values = {"name": facts.name(leaf), "code": facts.text(cut), "by": facts.names[cut].strip("_")}
            yield Finding("gradient_cut", facts.place(cut), values, leaf)
            return


def _first_cut(facts: Facts, leaf: int) -> int | None:
    """The operation at which history ends on the way of a leaf's entries to a root, None where there is no way."""
    wants = facts.trace.tensors.requires_grad
    todo: deque[tuple[int, int | None]] = deque([(leaf, None)])
    seen: set[tuple[int, bool]] = set()
    while todo:
        tensor, cut = todo.popleft()
        if (tensor, cut is None) in seen:
            continue
        seen.add((tensor, cut is None))
        if tensor in facts.roots and cut is not None:
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
                if made != tensor or not facts.names[user].endswith("_"):
                    anew = leaf_made(facts, user, made)
                    todo.append((made, user if cut is None and (anew or not wants[made]) else cut))
    return None


def leaf_made(facts: Facts, operation: int, made: int) -> bool:
    """Whether an operation that read tensors made a leaf of them: what it was given has no way back."""
    read = facts.operations.inputs[operation]
    return bool(read) and made not in read and facts.trace.tensors.is_leaf[made]


def _bound_beside(facts: Facts, call: int) -> list[int]:
    """Tensors that no operation made and that the line of a call gave a name, as `torch.from_numpy` makes them."""
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
    """Backward began at a tensor that nothing made, and other leaves got nothing."""
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
                values = {"name": facts.name(root), "code": facts.text(made)}
                yield Finding("root_is_leaf", facts.place(made), values, root)
                return


def asked_too_late(facts: Facts) -> Iterator[Finding]:
    """`requires_grad_` after a tensor went into a root, or `retain_grad` after the backward."""
    leaves = set(facts.leaves)
    for operation in range(facts.count):
        if facts.names[operation] not in ("requires_grad_", "requires_grad=") or not facts.operations.inputs[operation]:
            continue
        tensor = facts.operations.inputs[operation][0]
        if tensor in facts.received or tensor not in leaves:
            continue
        if any(read < operation for read in facts.reads_that_matter(tensor)) and facts.place(operation):
            values = {"name": facts.name(tensor), "code": facts.text(operation)}
            yield Finding("asked_too_late", facts.place(operation), values, tensor)
            return
    yield from _retained_too_late(facts)


def _retained_too_late(facts: Facts) -> Iterator[Finding]:
    """retain_grad leaves no operation: it is read from the line, in programs that run from top to bottom."""
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
            if any(call.operations <= operation for _, call in facts.calls):
                values = {"name": facts.name(tensor), "code": facts.text(operation)}
                yield Finding("grad_of_result", facts.place(operation), values, tensor)
                return


RULES = (root_is_leaf, asked_too_late, grad_of_result, gradient_cut)

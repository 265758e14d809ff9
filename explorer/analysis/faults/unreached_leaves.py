"""Leaves without a gradient although the root was computed from their entries."""

from collections import deque
from collections.abc import Iterator

from explorer.analysis.autograd.grad_mode import switch_of
from explorer.analysis.faults.finding import Finding, tell
from explorer.analysis.run import NUMBERS, READ_ONLY, Backward, Call, Run, Tensor, is_leaf_made
from explorer.safe_regex import plain

CUTS = "detach data item tolist numpy tensor as_tensor array float int".split()
_COMPARES = "gt lt ge le eq ne isclose logical_and logical_or greater less".split()
_SAMPLES = "multinomial bernoulli poisson normal binomial".split()
_POSITIONS = "argmax argmin argsort".split()
_RETAINS = plain(r"[ \t]*([^\W\d]\w*)\.retain_grad\(\)")
_NONE = plain(r"\bis (?:not )?None\b")
_ASSIGNS = plain(r"\s*([^\W\d]\w*) *=(?!=)")
_NEAR = 200  # operations before a backward among which the one that made its root is searched
_LOOPS = plain(r"\s*(?:for|while|def|async)\b")


def gradient_cut(run: Run) -> Iterator[Finding]:
    """No backward reaches a leaf, yet its entries lead to a root: the first operation without history is reported."""
    for leaf in run.tensors(run.leaves) if run.backwards else ():
        if leaf.id in run.received or leaf.id in run.roots or (run.held and leaf.id not in run.held):
            continue
        if any(write.id > run.backwards[0].time and not write.is_of_optimizer for write in leaf.writes):
            continue  # the program changes it in another way, such as a codebook by averages
        cut = _first_cut(leaf, run.roots)
        cut = _what_left(cut) if cut is not None else None
        if cut is not None and cut.place is not None:
            values = {"name": leaf.name, "by": cut.name.strip("_")}
            yield tell("gradient_cut", cut, leaf, **values, **_how_lost(cut), certain=_is_asked_for(leaf))


def _what_left(cut: Call) -> Call:
    """The cut; if detach() only let the entries leave torch, as in detach().numpy(), the call that took them out."""
    users = [user for output in cut.outputs for user in output.users]
    return users[0] if cut.name == "detach" and users and all(user.name in NUMBERS for user in users) else cut


def _is_asked_for(leaf: Tensor) -> bool:
    """Whether the program certainly needs the gradient of a leaf.

    An optimizer holds it, the program reads its `.grad`, or set `requires_grad`. Parameters of a module always require
    one, also those of a teacher model: without an optimizer they count only if no other leaf gets a gradient.
    """
    if leaf.id in leaf.run.held or not leaf.is_parameter or not leaf.run.received:
        return True
    return any(user.name == "grad" and not user.is_of_optimizer for user in leaf.users)


def _how_lost(cut: Call) -> dict[str, object]:
    """Why an operation gave no history, for a sentence: how, and which line switched recording off."""
    name = cut.name.strip("_")
    values = {"switch": "", "at": 0}
    if name in _SAMPLES or (not cut.records and ".sample(" in cut.text):
        return {"how": "sampling", **values}
    if name in _COMPARES:
        return {"how": "comparison", **values}
    if name in _POSITIONS:
        return {"how": "position", **values}
    if name in CUTS or cut.records:
        return {"how": "other", **values}
    switch = switch_of(cut.run.trace, cut.id)
    return {"how": "off", "switch": switch.text, "at": switch.line} if switch else {"how": "unrecorded", **values}


def _first_cut(leaf: Tensor, roots: set[int]) -> Call | None:
    """The operation at which the history of a leaf's entries ends on the way to a root, None if there is no such
    path.
    """
    run = leaf.run
    detached = _detached(run)
    todo: deque[tuple[Tensor, Call | None]] = deque([(leaf, None)])
    seen: set[tuple[Tensor, bool]] = set()
    while todo:
        tensor, cut = todo.popleft()
        if (tensor, cut is None) in seen:
            continue
        seen.add((tensor, cut is None))
        if tensor.id in roots and cut is not None:
            return cut
        for user in tensor.users:
            if user.is_of_optimizer or user.name in READ_ONLY:
                continue
            if not user.outputs and user.name in NUMBERS:
                fed = [made for at in run.numbers_into.get(user.id, ()) for made in run.call(at).outputs]
                todo.extend((made, cut or user) for made in (*fed, *_bound_beside(user)))
            for made in user.outputs:
                if user.name == "detach_":
                    todo.append((made, cut or user))
                elif made is not tensor or not user.name.endswith("_"):
                    lost = made not in detached and (is_leaf_made(run, user.id, made.id) or not made.requires_grad)
                    todo.append((made, cut or user if lost else cut))
    return None


def _detached(run: Run) -> set[Tensor]:
    """The tensors with a history that detach_() cut off in place."""
    node = run.trace.versions.node
    tensors = (call.inputs[0] for call in run.calls(("detach_",)) if call.inputs)
    return {one for one in tensors if any(node[row] >= 0 for row in run.trace.versions_of(one.id))}


def _bound_beside(call: Call) -> list[Tensor]:
    """Tensors that no operation made and that the line of a call named, as `torch.from_numpy` makes them."""
    run, place = call.run, call.place
    if place is None:
        return []
    at = place.span.cell, place.line
    beside = (one for one in run.trace.bindings if one.span >= 0 and one.tensor not in run.makers)
    lines = ((one.tensor, run.trace.spans[one.span]) for one in beside)
    return [run.tensor(tensor) for tensor, span in lines if (span.cell, span.line) == at]


def root_is_leaf(run: Run) -> Iterator[Finding]:
    """Backward began at a tensor without a history, and other leaves got nothing."""
    unreached = [leaf for leaf in run.tensors(run.leaves) if leaf.id not in run.received]
    for call in run.backwards if unreached else ():
        for root in call.roots:
            if not root.is_leaf or all(leaf in call.roots for leaf in unreached):
                continue
            asked = [user for user in root.users if user.name == "requires_grad_"]
            source = _source_of(root, call)
            made = asked[-1] if asked else source.maker
            if made is None or made.place is None:
                continue
            values = {"how": "other", "cut": "", "line": 0}
            cuts = (_first_cut(leaf, {root.id, source.id}) for leaf in run.tensors(run.leaves))
            cut = next((cut for cut in cuts if cut is not None), None)
            if cut is not None and cut is not made and cut.place is not None:
                values = {**_how_lost(cut), "cut": cut.text, "line": cut.place.line}
            sources = _made_of(source)
            lost = any(leaf.id in sources for leaf in unreached)
            yield tell("root_is_leaf", made, root, name=root.name, **values, certain=lost)


def _source_of(root: Tensor, backward: Backward) -> Tensor:
    """A root; if no operation made it, as in `loss = Variable(loss.data, …)`, the last result on the line that assigns
    its name before the backward.
    """
    name, place, run = root.name, backward.place, root.run
    if root.maker is not None or place is None or not name.isidentifier():
        return root
    assigns = [at for at in range(place.line, 0, -1) if _assigned(place.cell.lines[at - 1]) == name]
    for call in map(run.call, range(backward.time - 1, max(backward.time - _NEAR, -1), -1)):
        here = call.place is not None and call.place.span.cell == place.span.cell
        if here and assigns and call.place.line == assigns[0] and call.outputs:
            return call.outputs[0]
    return root


def _assigned(line: str) -> str:
    found = _ASSIGNS.match(line)
    return found[1] if found else ""


def _made_of(root: Tensor) -> set[int]:
    """The tensors that entries of a root came from, also as numbers that left torch."""
    run, maker = root.run, root.maker
    calls = [run.call(at) for at, fed in run.numbers_into.items() if maker is not None and maker.id in fed]
    return run.below([root, *(tensor for call in calls for tensor in call.inputs)])


def asked_too_late(run: Run) -> Iterator[Finding]:
    """`requires_grad_` after a tensor was used in a root, or `retain_grad` after the backward."""
    leaves = set(run.leaves)
    for call in run.calls(("requires_grad_", "requires_grad=")):
        tensor = call.inputs[0] if call.inputs else None
        if tensor is None or tensor.id in run.received or tensor.id not in leaves or call.place is None:
            continue
        if run.roots_behind(tensor.id, 0, call.id, call.id):
            yield tell("asked_too_late", call, tensor, name=tensor.name)
    yield from _retained_too_late(run)


def _retained_too_late(run: Run) -> Iterator[Finding]:
    """retain_grad leaves no operation: it is read from the text, in programs that run from top to bottom."""
    lines = run.trace.cells[0].lines if len(run.trace.cells) == 1 and run.backwards else ()
    if any(_LOOPS.match(line) for line in lines):
        return
    last = max((call.place.line if call.place is not None else len(lines) for call in run.backwards), default=0)
    for number, line in enumerate(lines[last:], last + 1):
        found = _RETAINS.match(line)
        bound = run.trace.bound(found[1]) if found else None
        if bound is not None and any(user.name == "grad" and not user.outputs for user in run.tensor(bound).users):
            yield tell("asked_too_late", run.line(0, number), run.tensor(bound), name=found[1], code=line.strip())


def grad_of_result(run: Run) -> Iterator[Finding]:
    """`.grad` of a result was read after a backward, and is None."""
    for call in run.calls(("grad",)):
        tensor = call.inputs[0] if call.inputs and not call.outputs else None
        if tensor is None or not tensor.requires_grad or tensor.is_leaf or call.place is None:
            continue
        ran = any(backward.time <= call.id for backward in run.backwards)
        if ran and not _NONE.search(call.place.whole_line):  # otherwise the program handles None
            yield tell("grad_of_result", call, tensor, name=tensor.name)


RULES = (root_is_leaf, asked_too_late, grad_of_result, gradient_cut)

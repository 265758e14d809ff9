"""Leaves without a gradient although the root was computed from their entries."""

from collections.abc import Iterator

from explorer.analysis.autograd.grad_mode import switch_of
from explorer.analysis.autograd.gradient_cuts import GradientCut, cuts
from explorer.analysis.autograd.gradients import all_cuts
from explorer.analysis.faults.finding import Finding, tell
from explorer.analysis.run import Backward, Call, Run, Tensor
from explorer.safe_regex import plain

_COMPARES = "gt lt ge le eq ne isclose logical_and logical_or greater less".split()
_SAMPLES = "multinomial bernoulli poisson normal binomial".split()
_POSITIONS = "argmax argmin argsort".split()
_RETAINS = plain(r"[ \t]*([^\W\d]\w*)\.retain_grad\(\)")
_NONE = plain(r"\bis (?:not )?None\b")
_ASSIGNS = plain(r"\s*([^\W\d]\w*) *=(?!=)")
_NEAR = 200  # operations before a backward among which the one that made its root is searched
_LOOPS = plain(r"\s*(?:for|while|def|async)\b")


def gradient_cut(run: Run) -> Iterator[Finding]:
    """No backward reaches a leaf, yet its entries lead to a root: the operation that cut its gradient is reported."""
    known = run.received | run.roots
    unreached = [leaf for leaf in run.tensors(run.leaves) if leaf.id not in known] if run.backwards else []
    found = all_cuts(run.trace, *(call.id for call in run.backwards))[0] if unreached else {}
    for leaf in unreached:
        if run.held and leaf.id not in run.held:
            continue
        if any(write.id > run.backwards[0].time and not write.is_of_optimizer for write in leaf.writes):
            continue  # the program changes it in another way, such as a codebook by averages
        cut = found.get(leaf.id)
        at = run.call(cut.operation) if cut is not None and cut.sure and cut.operation >= 0 else None
        if cut is not None and at is not None and at.place is not None:
            values = {"name": leaf.name, "by": at.name.strip("_")}
            yield tell("gradient_cut", at, leaf, **values, **_how_cut(at, cut), certain=_is_asked_for(leaf))


def _is_asked_for(leaf: Tensor) -> bool:
    """Whether the program certainly needs the gradient of a leaf.

    An optimizer holds it, the program reads its `.grad`, or set `requires_grad`. Parameters of a module always require
    one, also those of a teacher model: without an optimizer they count only if no other leaf gets a gradient.
    """
    if leaf.id in leaf.run.held or not leaf.is_parameter or not leaf.run.received:
        return True
    return any(user.name == "grad" and not user.is_of_optimizer for user in leaf.users)


def _how_cut(at: Call, cut: GradientCut) -> dict[str, object]:
    """Why an operation gave no history, for a sentence: how, and which line switched recording off."""
    name = at.name.strip("_")
    values = {"switch": "", "at": 0}
    if name in _SAMPLES or (cut.by == "no_grad" and ".sample(" in at.text):
        return {"how": "sampling", **values}
    if name in _COMPARES:
        return {"how": "comparison", **values}
    if name in _POSITIONS:
        return {"how": "position", **values}
    if cut.by != "no_grad":
        return {"how": "other", **values}
    switch = switch_of(at.run.trace, at.id)
    return {"how": "off", "switch": switch.text, "at": switch.line} if switch else {"how": "unrecorded", **values}


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
            found, _ = cuts(run.trace, [(call.time, [root.id, source.id])])
            cut = next((found[leaf] for leaf in run.leaves if leaf in found), None)
            at = run.call(cut.operation) if cut is not None and cut.operation >= 0 else None
            if cut is not None and at is not None and at is not made and at.place is not None:
                values = {**_how_cut(at, cut), "cut": at.text, "line": at.place.line}
            is_behind = any(leaf.id in found for leaf in unreached)
            yield tell("root_is_leaf", made, root, name=root.name, **values, certain=is_behind)


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

"""Errors of backward: its root, leaves changed in place, reused graphs, overwritten saved values."""

import math
import re

from explorer.analysis.diagnose.errors.elsewhere import without_inplace, without_writing
from explorer.analysis.diagnose.errors.gradients.history import sources, tensor_of
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules, sizes
from explorer.analysis.explain.autograd.gradients import nodes_below
from explorer.analysis.run.model import run_of
from explorer.analysis.run.objects import Tensor
from explorer.analysis.run.source.code import Code, code_at
from explorer.analysis.run.source.expressions import parse_subscript, with_suffix
from explorer.trace import Backward, Trace

RULES = Rules()

LONGEST = 400  # most characters read per line


def constant_part(
    at: FailureContext, first: Backward, now: Backward, values: dict[str, str | int]
) -> Explanation | None:
    """Explain a part that was computed once before a loop."""
    trace = at.trace
    leaves, others = _leaves(trace, [now.failed_node]), _leaves(trace, now.roots)
    if not leaves or not all(map(at.name, leaves)) or any(_written(trace, leaf, first.operations) for leaf in leaves):
        return None
    if not any(_written(trace, other, first.operations) for other in others - leaves):
        return None
    return at.explain("graph-part-of-constants", **values, names=", ".join(sorted(map(at.name, leaves))))


def adversary(at: FailureContext, first: Backward, shared: int, values: dict[str, str | int]) -> Explanation | None:
    """Explain a GAN's first loss reading one module through another."""
    operations, fake = at.trace.operations, _shared_result(at, first, shared)
    if fake is None:
        return None
    tensor, generator = fake
    users = at.run.users.get(tensor, ())
    readers = [i for i in users if operations.module[i] >= 0 and operations.span[i] >= 0]
    judges = {_outermost(at.trace, i) for i in readers} - {generator}
    if not readers or readers[0] >= first.operations or len(judges) != 1:
        return None
    judge, name = judges.pop(), at.name(tensor)
    if not _is_optimized_alone(at.trace, generator) or not _is_optimized_alone(at.trace, judge):
        return None
    facts = values | {"fake": name, "generator": generator, "judge": judge, "read": at.run.call(readers[0]).place.line}
    return at.explain("graph-of-a-generator", **facts)


def _shared_result(at: FailureContext, first: Backward, shared: int) -> tuple[int, str] | None:
    """Return the named result of the shared operation, with its module."""
    trace, generator = at.trace, _outermost(at.trace, shared)
    made = at.run.makers
    for tensor in sorted({binding.tensor for binding in trace.bindings}, reverse=True) if generator else ():
        maker = made.get(tensor)
        if maker is None or maker >= first.operations or _outermost(trace, maker) != generator:
            continue
        leads = maker == shared or set(trace.operations.outputs[shared]) & set(sources(trace, tensor))
        if at.name(tensor).isidentifier() and leads:
            return tensor, generator
    return None


def _outermost(trace: Trace, operation: int) -> str:
    """Return the outermost module that ran an operation, "" if none."""
    return (trace.string(trace.operations.module[operation]) or "").split(".")[0]


def _is_optimized_alone(trace: Trace, module: str) -> bool:
    """Return whether an optimizer holds only this module's parameters."""
    held = ([name for tensor in one.tensors for name in tensor.names] for one in run_of(trace).optimizers)
    return any(names and all(f".{name}".startswith(f".{module}.") for name in names) for names in held)


def _leaves(trace: Trace, roots: list[int]) -> set[int]:
    """Return the leaves below some nodes."""
    return {trace.nodes.variable[node] for node in nodes_below(trace, roots)} - {-1}


def _written(trace: Trace, tensor: int, since: int) -> bool:
    """Return whether a tensor was written after an operation."""
    return any(trace.versions.operation[row] >= since for row in list(trace.versions_of(tensor))[1:])


def _carried(at: FailureContext, first: Backward, now: Backward) -> tuple[list[str], str]:
    """Find names that carry tensors to the next backward."""
    trace, tuples = at.trace, []
    old = {t for t, made in at.run.makers.items() if made < first.operations and not trace.tensors.is_leaf[t]}
    names: list[str] = []
    for i in range(first.operations, now.operations):
        read = [tensor for tensor in trace.operations.inputs[i] if tensor in old]
        names += [name for tensor in read for name in _names_at(at.run.tensor(tensor), i)[:1]]
        code = at.run.call(i).place if read else None
        targets, equals, value = code.whole_line[:LONGEST].partition(" = ") if code else ("", "", "")
        given = re.findall(r"[A-Za-z_]\w*", targets) if equals else ()
        tuples += [n for n in given if trace.bound(n) is None and re.search(rf"(?<![\w.]){n}(?!\w)", value)]
    return [name for name in dict.fromkeys(names) if name.isidentifier()], next(iter(tuples), "")


def _names_at(tensor: Tensor, operation: int) -> list[str]:
    """Return the names that a tensor had when an operation began."""
    return [one.name for one in tensor.bindings if one.until < 0 or one.until >= operation]


def cut(names: list[str]) -> str:
    """Write the line that detaches these names.

    >>> cut(["h", "c"])
    'h, c = h.detach(), c.detach()'
    """
    return f"{', '.join(names)} = {', '.join(f'{name}.detach()' for name in names)}"


def carried_over(
    at: FailureContext, first: Backward, now: Backward, kind: str, values: dict[str, str | int]
) -> Explanation | None:
    """Explain a state that depends on the previous round's graph, if named."""
    names, pair = _carried(at, first, now)
    if not names and not pair:
        return None
    line = cut(names) if names else f"{pair} = tuple(part.detach() for part in {pair})"
    values = values | {"name": ", ".join(names or [pair]), "cut": line, "second": at.trace.text(now.span)}
    return at.explain(kind, **values)


Values = dict[str, str | int]
EXPANDS = ("expand", "expand_as", "broadcast_to", "expand_copy")


@RULES.rule(
    r"RuntimeError: ^a (?P<view>view of a )?leaf Variable that requires grad (?:is being|has been) used "
    r"in an in-place operation"
)
def leaf_overwritten(at: FailureContext) -> Explanation | None:
    """Explain an in-place change of a leaf while gradients are recorded."""
    trace = at.trace
    if not at.inputs or trace.operations.span[at.operation] < 0:
        return None
    tensor, code = at.inputs[0], at.statement
    values: Values = {"name": at.name(tensor) or code.text, "code": code.text, "line": code.line}
    gradients = {grad.id for leaf in at.run.leaves for grad in at.run.tensor(leaf).grads}
    if at.function in ("sub_", "add_") and not gradients.isdisjoint(at.run.below(at.run.tensors(at.inputs[1:]))):
        return at.explain("step-recorded", **values)
    base = next((source for source in sources(trace, tensor) if trace.tensors.is_leaf[source]), tensor)
    if at["view"] and base != tensor:
        return at.explain("leaf-written-through-a-view", **values, leaf=at.name(base))
    return at.explain("part-of-a-leaf-overwritten" if at["view"] else "leaf-overwritten", **values)


@RULES.rule(r"RuntimeError: is a view and (?:is being|its base or another view of its base has been) modified inplace")
def one_of_several_views(at: FailureContext) -> Explanation | None:
    """Explain an in-place change of one of several views."""
    if not at.inputs or at.trace.operations.span[at.operation] < 0:
        return None
    code = at.statement
    if "BackwardHookFunction" in at.failure.text and at.module:
        return at.explain("hooked-module-overwritten", name=at.module, code=at.code)
    kind = "function-result-overwritten" if "custom Function" in at.failure.text else "one-view-of-several"
    return at.explain(kind, name=at.name(at.inputs[0]) or code.text, code=code.text)


@RULES.rule(
    r"RuntimeError: more than one element of the written-to tensor refers to a single memory location", operands=1
)
def expanded_overwritten(at: FailureContext) -> Explanation | None:
    """Explain an in-place change of a tensor whose entries share memory."""
    made = at.run.makers.get(at.inputs[0])
    code = None if made is None else at.run.call(made).place
    values = {"name": at.name(at.inputs[0]) or at.code, "shape": sizes(at.shapes[0])}
    if code is None or at.run.names[made] not in EXPANDS:
        return at.explain("repeated-entry-overwritten", **values)
    return at.explain("expanded-overwritten", **values, made=code.text, line=code.line)


@RULES.rule(r"RuntimeError: Trying to backward through the graph a second time")
def graph_used_twice(at: FailureContext) -> Explanation | None:
    """Explain a backward that needs tensors an earlier one freed."""
    trace, now = at.trace, at.backward
    if now is None or now.span < 0:
        return None
    freed_by = [each for each in _before(trace, now) if now.failed_node in each.freed and each.span >= 0]
    if not freed_by:
        return None
    first = freed_by[-1]
    call, second = code_at(trace, first.span), code_at(trace, now.span)
    values: Values = {"first": call.text, "line": call.line, "second": second.text, "again": second.line}
    if call.span == second.span:
        return _twice_in_a_loop(at, first, now, values)
    if "retain_graph" in call.text or _outdated(trace, now):
        return at.explain("graph-used-twice", **values)
    shared = trace.nodes.operation[now.failed_node] if now.roots != first.roots else -1
    part = at.run.call(shared).place if shared >= 0 else None
    if part is None:
        return at.explain("graph-used-twice", **values)
    values |= {"shared": part.text, "at": part.line}
    owner = part.call.receiver if part.call else ""
    if owner.isidentifier() and trace.bound(owner) is None and not _is_named(at, shared):
        return at.explain("graph-kept-inside", **values, object=owner)
    return adversary(at, first, shared, values) or at.explain("graph-shared", **values)


@RULES.rule(r"RuntimeError: needed for gradient computation has been modified by an inplace operation")
def saved_overwritten(at: FailureContext) -> Explanation | None:
    """Explain a saved tensor that was overwritten before its backward."""
    trace, now = at.trace, at.backward
    if now is None or now.failed_node < 0 or (made := trace.nodes.operation[now.failed_node]) < 0:
        return None
    write = _overwriting(trace, now.failed_node, made, _writes(trace))
    saved, code = at.run.call(made).place, at.run.call(write[0]).place if write else None
    if saved is None or code is None:
        return None
    tensor = write[1]
    values: Values = {"name": at.name(tensor) or saved.text, "saved": saved.text, "saved-line": saved.line}
    values |= {"code": code.text, "line": code.line, "backward": trace.text(now.span)}
    if trace.tensors.is_leaf[tensor] and trace.tensors.requires_grad[tensor]:
        before = next((each for each in reversed(_before(trace, now)) if each.span == now.span), None)
        carried = before is not None and made < before.operations
        if carried and (explanation := carried_over(at, before, now, "old-graph-carried-over", values)):
            return explanation
        renormed = trace.strings[trace.operations.name[write[0]]].startswith("embedding")
        return at.explain("weights-renormed" if renormed else "weights-changed-before-backward", **values)
    filled = parse_subscript(code.text.partition("=")[0].strip()) if saved.line == code.line else None
    if filled:
        return at.explain("filled-entry-by-entry", **values | {"name": filled[0]})
    result = tensor in trace.operations.outputs[made]
    modules = at.run.call(made).module, at.run.call(write[0]).module
    asked = at.run.call(write[0]).arguments.named.get("inplace")
    if saved.text == code.text and asked is True and all(modules) and modules[0] != modules[1]:
        place = {"saved": modules[0], "module": modules[1], "what": "result" if result else "input"}
        return at.explain("saved-in-a-module-overwritten", **values | place).repaired_by(without_inplace(at))
    explanation = at.explain("saved-result-overwritten" if result else "saved-input-overwritten", **values)
    return explanation.repaired_by(without_writing(code))


def _is_named(at: FailureContext, operation: int) -> bool:
    """Return whether a name is bound to the result of the operation's line."""
    operations = at.trace.operations
    own = [i for i in range(len(operations)) if operations.span[i] == operations.span[operation]]
    made = {tensor for i in own for tensor in operations.outputs[i]}
    later = (t for i in range(len(operations)) if i not in own for t in operations.inputs[i] if t in made)
    return all(at.run.tensor(tensor).bindings for tensor in later)


Writes = dict[int, list[tuple[int, int]]]  # storage → the operations that wrote to it, each with its tensor


def _writes(trace: Trace) -> Writes:
    writes: Writes = {}
    for tensor in range(len(trace.tensors)):
        for row in list(trace.versions_of(tensor))[1:]:
            if trace.versions.operation[row] >= 0:
                writes.setdefault(_memory(trace, tensor), []).append((trace.versions.operation[row], tensor))
    return writes


def _memory(trace: Trace, tensor: int) -> int:
    """Return a key shared by tensors in the same memory."""
    storage = trace.tensors.storage[tensor]
    return storage if storage >= 0 else -1 - tensor


def _overwriting(trace: Trace, node: int, made: int, writes: Writes) -> tuple[int, int] | None:
    """Return the first later write to a node's saved tensor."""
    saved = [t for n, t in zip(trace.saved.node, trace.saved.tensor, strict=True) if n == node and t >= 0]
    for tensors in (saved, _around(trace, made)):
        memories = {_memory(trace, tensor) for tensor in tensors}
        if later := [write for memory in memories for write in writes.get(memory, []) if write[0] > made]:
            return min(later)
    return None


def _around(trace: Trace, operation: int) -> list[int]:
    """Return an operation's inputs and outputs."""
    return [*trace.operations.inputs[operation], *trace.operations.outputs[operation]]


def _outdated(trace: Trace, now: Backward) -> bool:
    """Return whether a graph keeps overwritten tensors."""
    writes, below = _writes(trace), nodes_below(trace, now.roots)
    for node, tensor, version in zip(trace.saved.node, trace.saved.tensor, trace.saved.version, strict=True):
        made = trace.nodes.operation[node] if node in below else -1
        if made < 0:
            continue
        # a transposed weight is saved as a tensor that is not in the Trace, so use the operation's input
        operands = [tensor] if tensor >= 0 else _around(trace, made) if version >= 0 else []
        if any(write[0] > made for each in operands for write in writes.get(_memory(trace, each), [])):
            return True
    return False


def _before(trace: Trace, now: Backward) -> list[Backward]:
    """Return the earlier backward calls."""
    return trace.backwards[: next(i for i, backward in enumerate(trace.backwards) if backward is now)]


def _twice_in_a_loop(at: FailureContext, first: Backward, now: Backward, values: Values) -> Explanation:
    """Explain a backward that a loop repeats on the same graph."""
    if now.roots == first.roots:
        return at.explain("graph-used-twice-in-a-loop", **values)
    shared = at.trace.nodes.operation[now.failed_node]
    part: Code | None = at.run.call(shared).place if shared >= 0 else None
    if part is None:
        return at.explain("graph-part-used-twice-in-a-loop", **values)
    values |= {"shared": part.text, "at": part.line}
    spans = at.trace.operations.span
    if not any(spans[i] == spans[shared] for i in range(first.operations, now.operations)):
        before = constant_part(at, first, now, values)
        return before or at.explain("graph-part-made-before-a-loop", **values)
    carried = carried_over(at, first, now, "graph-carried-over", values)
    return carried or at.explain("graph-part-used-twice-in-a-loop", **values)


@RULES.rule(
    r"RuntimeError: grad can be (?:implicitly created|computed) only for (?P<real>real )?scalar outputs"
    r"(?: but got (?:torch\.)?(?P<dtype>\S+))?"
)
def not_one_number(at: FailureContext) -> Explanation | None:
    """Explain backward() of several entries, or of a complex or whole number."""
    call, is_backward = at.call, at.call is not None and at.call.name == "backward"
    roots = at.inputs if at.function == "grad" else []
    written = "" if call is None else call.receiver if is_backward else call.argument(0, "outputs")
    tensor = roots[0] if roots else tensor_of(at, written)
    if tensor is None:
        return None
    name, flags = written or at.name(tensor) or at.code, at.trace.tensors
    if at["real"]:
        return at.explain("loss-not-real", name=name)
    if len(roots) > 1 and flags.is_leaf[roots[0]] and not flags.is_leaf[roots[1]]:
        return at.explain("grad-arguments-swapped", name=name, other=at.name(roots[1]))
    kind, shape, new = "backward-of-several" if is_backward else "grad-of-several", at.run.shape(tensor), None
    if is_backward:
        new = f"{with_suffix(written, '.sum()')}.backward({', '.join(call.arguments)})"
    elif written.isidentifier():
        new = at.change_argument(0, ".sum()", "outputs")
    return at.explain(kind, new, name=name, shape=sizes(shape), count=math.prod(shape))


@RULES.rule(
    r"TypeError: gradients can be either Tensors or None, but got (?P<type>\w+)|'(?P<number>float|int)' "
    r"object is not iterable"
)
def starting_gradient_type(at: FailureContext) -> Explanation | None:
    """Explain a starting gradient, or a root, that is a number."""
    kind, name = {"type": at["type"] or at["number"]}, at.call.name if at.call else ""
    if name == "backward" and (at["type"] or len(at.call.arguments) == 1):
        return at.explain("starting-gradient-no-tensor", **kind)
    return at.explain("grad-of-a-number", **kind) if name == "grad" else None


RULES.rule(r"RuntimeError: A view was created in (no_grad|inference) mode and is being modified inplace")(
    lambda at: at.explain("view-made-unrecorded", name=(at.inputs and at.name(at.inputs[0])) or at.code)
)

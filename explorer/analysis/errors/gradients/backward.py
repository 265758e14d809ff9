"""Errors of autograd: leaves changed in place, graphs used twice, saved values overwritten."""

import re

from explorer.analysis.autograd.gradients import nodes_below
from explorer.analysis.errors.gradients.shared_graphs import adversary, carried_over, constant_part
from explorer.analysis.errors.gradients.tensor_origins import computed_anew, sources
from explorer.analysis.errors.rule import Explanation, FailureContext, Rules, sizes
from explorer.analysis.source import Code, Repair, with_argument
from explorer.analysis.source import at as code_at
from explorer.analysis.source.code import indent_of
from explorer.trace import Backward, Trace

Values = dict[str, str | int]
EXPANDS = re.compile(r"\.(expand|expand_as|broadcast_to)\(.*\)$|^torch\.(broadcast_to|expand_copy)\(.*\)$", re.DOTALL)

RULES = Rules()


@RULES.rule(
    "RuntimeError",
    r"^a (?P<view>view of a )?leaf Variable that requires grad (?:is being|has been) used in an in-place operation",
)
def leaf_overwritten(at: FailureContext) -> Explanation | None:
    """A leaf is changed in place while gradients are recorded."""
    trace = at.trace
    if not at.inputs or trace.operations.span[at.operation] < 0:
        return None
    tensor, code = at.inputs[0], at.statement
    values: Values = {"name": at.name(tensor) or code.text, "code": code.text, "line": code.line}
    repair = None if _needed(trace, tensor) else code.put_under("with torch.no_grad():")
    if re.search(r"[-+]=.*\.grad\b|\.(sub|add)_\(.*\.grad\b", code.text):
        return at.explain("step-recorded", repair, **values)
    base = next((source for source in sources(trace, tensor) if trace.tensors.is_leaf[source]), tensor)
    if at["view"] and base != tensor:
        return at.explain("leaf-written-through-a-view", repair, **values, leaf=at.name(base))
    return at.explain("part-of-a-leaf-overwritten" if at["view"] else "leaf-overwritten", repair, **values)


@RULES.rule("RuntimeError", r"functions with out=\.\.\. arguments don't support automatic differentiation")
def out_argument(at: FailureContext) -> Explanation:
    """out= with a tensor that requires a gradient."""
    call = re.fullmatch(r"(.*),\s*out=(\w+)\)", at.code) if at.here.is_statement else None
    return at.explain("result-into-out", f"{call[2]} = {call[1]})" if call else None)


@RULES.rule(
    "RuntimeError", r"is a view and (?:is being|its base or another view of its base has been) modified inplace"
)
def one_of_several_views(at: FailureContext) -> Explanation | None:
    """One of several views is changed in place: a result of unbind, split or chunk, or of a Function."""
    if not at.inputs or at.trace.operations.span[at.operation] < 0:
        return None
    code = at.statement
    kind = "function-result-overwritten" if "custom Function" in at.failure.text else "one-view-of-several"
    return at.explain(kind, computed_anew(code), name=at.name(at.inputs[0]) or code.text, code=code.text)


@RULES.rule("RuntimeError", r"A view was created in (no_grad|inference) mode and is being modified inplace")
def view_made_unrecorded(at: FailureContext) -> Explanation:
    """A view made under no_grad is changed in place with recording on."""
    return at.explain("view-made-unrecorded", name=(at.inputs and at.name(at.inputs[0])) or at.code)


@RULES.rule("RuntimeError", r"more than one element of the written-to tensor refers to a single memory location")
def expanded_overwritten(at: FailureContext) -> Explanation | None:
    """A tensor is changed in place although several of its entries share one number in memory."""
    if not at.inputs:
        return None
    made = at.maker(at.inputs[0])
    code = None if made is None else at.code_of(made)
    values = {"name": at.name(at.inputs[0]) or at.code, "shape": sizes(at.shapes[0])}
    if code is None or not EXPANDS.search(code.text):
        return at.explain("repeated-entry-overwritten", **values)
    return at.explain(
        "expanded-overwritten", code.replace(f"{code.text}.clone()"), **values, made=code.text, line=code.line
    )


@RULES.rule("RuntimeError", r"Trying to backward through the graph a second time")
def graph_used_twice(at: FailureContext) -> Explanation | None:
    """A backward needs what an earlier one has freed."""
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
    kept = with_argument(call.text, "retain_graph=True") if "retain_graph" not in call.text else None
    outdated = kept is not None and _outdated(trace, now)
    if kept is None or outdated:
        return at.explain("graph-used-twice", _computed_again(trace, now) if outdated else None, **values)
    shared = trace.nodes.operation[now.failed_node] if now.roots != first.roots else -1
    part = at.code_of(shared) if shared >= 0 else None
    if part is None:
        return at.explain("graph-used-twice", call.replace(kept), **values)
    values |= {"shared": part.text, "at": part.line}
    kept_in = re.match(r"(\w+)\.\w+\(", part.text)
    if kept_in and trace.bound(kept_in[1]) is None and not _is_named(at, shared):
        return at.explain("graph-kept-inside", call.replace(kept), **values, object=kept_in[1])
    return adversary(at, first, shared, values) or at.explain("graph-shared", call.replace(kept), **values)


@RULES.rule("RuntimeError", r"needed for gradient computation has been modified by an inplace operation")
def saved_overwritten(at: FailureContext) -> Explanation | None:
    """A tensor that an operation saved was overwritten before its backward."""
    trace, now = at.trace, at.backward
    if now is None or now.failed_node < 0 or (made := trace.nodes.operation[now.failed_node]) < 0:
        return None
    write = _overwriting(trace, now.failed_node, made, _writes(trace))
    saved, code = at.code_of(made), at.code_of(write[0]) if write else None
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
        return at.explain("weights-changed-before-backward", _computed_again(trace, now), **values)
    filled = re.match(r"(\w+)\[[^=]*\]\s*=(?!=)", code.text) if saved.line == code.line else None
    if filled:  # entry by entry from its own entries: those that are read are copied first
        entry = rf"(?<![\w.])({re.escape(filled[1])}\[[^\[\]]*\])(?!\.clone)"
        new = filled[0] + re.sub(entry, r"\1.clone()", code.text[filled.end() :])
        repair = code.replace(new) if new != code.text else None
        return at.explain("filled-entry-by-entry", repair, **values | {"name": filled[1]})
    kind = "saved-result-overwritten" if tensor in trace.operations.outputs[made] else "saved-input-overwritten"
    return at.explain(kind, computed_anew(code), **values)


def _is_named(at: FailureContext, operation: int) -> bool:
    """Whether a name is bound to what an operation's line hands on."""
    operations = at.trace.operations
    own = [i for i in range(len(operations)) if operations.span[i] == operations.span[operation]]
    made = {tensor for i in own for tensor in operations.outputs[i]}
    later = (t for i in range(len(operations)) if i not in own for t in operations.inputs[i] if t in made)
    return all(at.bindings(tensor) for tensor in later)


def _needed(trace: Trace, tensor: int) -> bool:
    """Whether a graph that no backward has used still needs the entries of a tensor."""
    freed, memory = {node for backward in trace.backwards for node in backward.freed}, _memory(trace, tensor)
    saved = zip(trace.saved.node, trace.saved.tensor, strict=True)
    return any(kept >= 0 and _memory(trace, kept) == memory and node not in freed for node, kept in saved)


Writes = dict[int, list[tuple[int, int]]]  # by storage: the operations that wrote it and the tensor each one wrote


def _writes(trace: Trace) -> Writes:
    found: Writes = {}
    for tensor in range(len(trace.tensors)):
        for row in list(trace.versions_of(tensor))[1:]:
            if trace.versions.operation[row] >= 0:
                found.setdefault(_memory(trace, tensor), []).append((trace.versions.operation[row], tensor))
    return found


def _memory(trace: Trace, tensor: int) -> int:
    """A key that tensors sharing memory have in common: the storage, otherwise the tensor as a negative number."""
    storage = trace.tensors.storage[tensor]
    return storage if storage >= 0 else -1 - tensor


def _overwriting(trace: Trace, node: int, made: int, writes: Writes) -> tuple[int, int] | None:
    """The first later operation that wrote a tensor which an operation's node saves, and the tensor."""
    kept = [t for n, t in zip(trace.saved.node, trace.saved.tensor, strict=True) if n == node and t >= 0]
    for tensors in (kept, _around(trace, made)):
        memories = {_memory(trace, tensor) for tensor in tensors}
        if later := [write for memory in memories for write in writes.get(memory, []) if write[0] > made]:
            return min(later)
    return None


def _around(trace: Trace, operation: int) -> list[int]:
    """The tensors an operation was given and those it made."""
    return [*trace.operations.inputs[operation], *trace.operations.outputs[operation]]


def _outdated(trace: Trace, now: Backward) -> bool:
    """Whether a graph keeps tensors that have been overwritten since."""
    writes, below = _writes(trace), nodes_below(trace, now.roots)
    for node, tensor, version in zip(trace.saved.node, trace.saved.tensor, trace.saved.version, strict=True):
        made = trace.nodes.operation[node] if node in below else -1
        if made < 0:
            continue
        # a transposed weight is saved as a tensor that the Trace does not know: look at the operation's input
        kept = [tensor] if tensor >= 0 else _around(trace, made) if version >= 0 else []
        if any(write[0] > made for each in kept for write in writes.get(_memory(trace, each), [])):
            return True
    return False


def _computed_again(trace: Trace, now: Backward) -> Repair | None:
    """The text in which the lines that computed a result run again before its backward; None if that is uncertain."""
    below, call = nodes_below(trace, now.roots), code_at(trace, now.span)
    places = {trace.operations.span[trace.nodes.operation[node]] for node in below if trace.nodes.operation[node] >= 0}
    made = [code for place in places if (code := code_at(trace, place))]
    plain = all(code.span.cell == call.span.cell and code.line == code.span.end_line < call.line for code in made)
    if not made or not plain or not call.is_statement or re.search(r"^\s*(def|class|async)\b", call.source, re.M):
        return None
    numbers = sorted({code.line for code in made})
    again = [call.lines[number - 1] for number in numbers]
    if any(indent_of(line) or not re.match(r"[\w, ]+=(?!=)", line) or not _balanced(line) for line in again):
        return None
    first, last = numbers[0], numbers[-1]
    follows = numbers == list(range(first, last + 1)) and re.match(r"for\b|while\b", call.lines[last])
    gone = numbers if call.indent and follows else []  # the loop begins right after them
    kept = [line for number, line in enumerate(call.lines[: call.line - 1], 1) if number not in gone]
    return call.replace_lines(*kept, *(call.indent + line for line in again), first=1, last=call.line - 1)


def _before(trace: Trace, now: Backward) -> list[Backward]:
    """The backward calls before one."""
    return trace.backwards[: next(i for i, backward in enumerate(trace.backwards) if backward is now)]


def _twice_in_a_loop(at: FailureContext, first: Backward, now: Backward, values: Values) -> Explanation:
    """A call that a loop ran twice: on one result, on a part made before the loop, or on a carried state."""
    if now.roots == first.roots:
        return at.explain("graph-used-twice-in-a-loop", _computed_again(at.trace, now), **values)
    shared = at.trace.nodes.operation[now.failed_node]
    part: Code | None = at.code_of(shared) if shared >= 0 else None
    if part is None:
        return at.explain("graph-part-used-twice-in-a-loop", **values)
    values |= {"shared": part.text, "at": part.line}
    spans = at.trace.operations.span
    if not any(spans[i] == spans[shared] for i in range(first.operations, now.operations)):
        before = constant_part(at, first, now, values)
        return before or at.explain("graph-part-made-before-a-loop", _computed_again(at.trace, now), **values)
    carried = carried_over(at, first, now, "graph-carried-over", values)
    return carried or at.explain("graph-part-used-twice-in-a-loop", **values)


def _balanced(text: str) -> bool:
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}")) and not text.rstrip().endswith("\\")

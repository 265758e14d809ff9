"""Errors of autograd: leaves changed in place, graphs used twice, saved values overwritten."""

import re

from explorer.analysis.errors.expressions import sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.loop_carried_graphs import carried_over
from explorer.analysis.errors.gradients.shared_graphs import adversary, constant_part
from explorer.analysis.errors.gradients.source_lines import (
    indent,
    is_statement,
    made_anew,
    makers,
    nodes_below,
    sources,
    without_gradients,
)
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.text_edits import replaced, with_argument
from explorer.trace import Backward, Span, Trace


@rule(
    "RuntimeError",
    r"^a (view of a )?leaf Variable that requires grad (?:is being|has been) used in an in-place operation",
)
def leaf_overwritten(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A leaf is changed in place while gradients are recorded."""
    trace, operation = stopped.trace, stopped.operation
    if operation is None or not stopped.inputs or trace.operations.span[operation] < 0:
        return None
    tensor, span = stopped.inputs[0], trace.spans[trace.operations.span[operation]]
    code = trace.text(trace.operations.span[operation])
    values: dict[str, str | int] = {"name": stopped.name(tensor) or code, "code": code, "line": span.line}
    mended = "" if _needed(trace, tensor) else without_gradients(trace, span) or ""
    if re.search(r"[-+]=.*\.grad\b|\.(sub|add)_\(.*\.grad\b", code):
        return Explanation("step-recorded", values, mended, span.cell)
    base = next((source for source in sources(trace, tensor) if trace.tensors.is_leaf[source]), tensor)
    if found[1] and base != tensor:
        return Explanation("leaf-written-through-a-view", values | {"leaf": stopped.name(base)}, mended, span.cell)
    return Explanation("part-of-a-leaf-overwritten" if found[1] else "leaf-overwritten", values, mended, span.cell)


@rule("RuntimeError", r"functions with out=\.\.\. arguments don't support automatic differentiation")
def out_argument(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """out= with a tensor that requires a gradient."""
    mended = ""
    call = re.fullmatch(r"(.*),\s*out=(\w+)\)", stopped.code)
    if stopped.span and call and is_statement(stopped.trace, stopped.span):
        mended = replaced(stopped.source, stopped.span, f"{call[2]} = {call[1]})")
    return Explanation("result-into-out", {"code": stopped.code}, mended, stopped.place)


@rule("RuntimeError", r"is a view and (is being|its base or another view of its base has been) modified inplace")
def one_of_several_views(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """One of several views is changed in place: a result of unbind, split or chunk, or of a Function."""
    if stopped.operation is None or not stopped.inputs or stopped.trace.operations.span[stopped.operation] < 0:
        return None
    span = stopped.trace.spans[stopped.trace.operations.span[stopped.operation]]
    code = stopped.trace.text(stopped.trace.operations.span[stopped.operation])
    kind = "function-result-overwritten" if "custom Function" in stopped.failure.text else "one-view-of-several"
    values = {"name": stopped.name(stopped.inputs[0]) or code, "code": code}
    return Explanation(kind, values, made_anew(stopped.trace, span) or "", span.cell)


@rule("RuntimeError", r"A view was created in (no_grad|inference) mode and is being modified inplace")
def view_made_unrecorded(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A view made under no_grad is changed in place with recording on."""
    name = stopped.name(stopped.inputs[0]) if stopped.inputs else ""
    return Explanation("view-made-unrecorded", {"name": name or stopped.code, "code": stopped.code})


@rule("RuntimeError", r"more than one element of the written-to tensor refers to a single memory location")
def expanded_overwritten(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor is changed in place although several of its entries share one number in memory."""
    trace = stopped.trace
    if not stopped.inputs:
        return None
    tensor = stopped.inputs[0]
    made = makers(trace).get(tensor)
    values = {"name": stopped.name(tensor) or stopped.code, "code": stopped.code}
    values["shape"] = sizes(stopped.shape(tensor))
    place = -1 if made is None else trace.operations.span[made]
    text = trace.text(place)
    if not re.search(
        r"\.(expand|expand_as|broadcast_to)\(.*\)$|^torch\.(broadcast_to|expand_copy)\(.*\)$", text, re.DOTALL
    ):
        return Explanation("repeated-entry-overwritten", values)
    span = trace.spans[place]
    mended = replaced(trace.cells[span.cell].source, span, f"{text}.clone()")
    return Explanation("expanded-overwritten", values | {"made": text, "line": span.line}, mended, span.cell)


@rule("RuntimeError", r"Trying to backward through the graph a second time")
def graph_used_twice(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A backward needs what an earlier one has freed."""
    trace, now = stopped.trace, stopped.backward
    if now is None or now.span < 0:
        return None
    earlier = trace.backwards[: next(i for i, backward in enumerate(trace.backwards) if backward is now)]
    freed_by = [backward for backward in earlier if now.failed_node in backward.freed and backward.span >= 0]
    if not freed_by:
        return None
    first = freed_by[-1]
    span, call, second = trace.spans[first.span], trace.text(first.span), trace.text(now.span)
    values: dict[str, str | int] = {
        "first": call,
        "line": span.line,
        "second": second,
        "again": trace.spans[now.span].line,
    }
    anew, cell = _made_anew_before(trace, now), trace.spans[now.span].cell
    if span == trace.spans[now.span]:
        return _twice_in_a_loop(stopped, first, now, values, anew)
    changed = with_argument(call, "retain_graph=True") if "retain_graph" not in call else None
    if changed is None or _outdated(trace, now):
        return Explanation("graph-used-twice", values, anew if _outdated(trace, now) else "", cell)
    shared = trace.nodes.operation[now.failed_node] if now.roots != first.roots else -1
    kind = "graph-used-twice"
    if shared >= 0 and trace.operations.span[shared] >= 0:
        kind = "graph-shared"
        place = trace.operations.span[shared]
        values |= {"shared": trace.text(place), "at": trace.spans[place].line}
        kept_in = re.match(r"(\w+)\.\w+\(", trace.text(place))
        if kept_in and trace.bound(kept_in[1]) is None and not _is_named(stopped, shared):
            kind, values["object"] = "graph-kept-inside", kept_in[1]
        elif explanation := adversary(stopped, first, now, shared, values):
            return explanation
    return Explanation(kind, values, replaced(trace.cells[span.cell].source, span, changed), span.cell)


@rule("RuntimeError", r"needed for gradient computation has been modified by an inplace operation")
def saved_overwritten(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor that an operation saved was overwritten before its backward."""
    trace, now = stopped.trace, stopped.backward
    if now is None or now.failed_node < 0 or (made := trace.nodes.operation[now.failed_node]) < 0:
        return None
    write = _overwriting(trace, now.failed_node, made, _writes(trace))
    if write is None:
        return None
    operation, tensor = write
    places = trace.operations.span[made], trace.operations.span[operation]
    if min(places) < 0:
        return None
    span = trace.spans[places[1]]
    values: dict[str, str | int] = {
        "name": stopped.name(tensor) or trace.text(places[0]),
        "saved": trace.text(places[0]),
        "saved-line": trace.spans[places[0]].line,
        "code": trace.text(places[1]),
        "line": span.line,
        "backward": trace.text(now.span),
    }
    if trace.tensors.is_leaf[tensor] and trace.tensors.requires_grad[tensor]:
        cell, before = trace.spans[now.span].cell, _round_before(trace, now)
        if before is not None and made < before.operations:
            explanation = carried_over(stopped, before, now, "old-graph-carried-over", values)
            if explanation is not None:
                return explanation
        return Explanation("weights-changed-before-backward", values, _made_anew_before(trace, now), cell)
    if trace.spans[places[0]].line == span.line and (
        filled := re.match(r"(\w+)\[[^=]*\]\s*=(?!=)", trace.text(places[1]))
    ):
        return _filled_in_place(trace, span, filled, values)
    result = tensor in trace.operations.outputs[made]
    kind = "saved-result-overwritten" if result else "saved-input-overwritten"
    return Explanation(kind, values, made_anew(trace, span) or "", span.cell)


def _is_named(stopped: Stopped, operation: int) -> bool:
    """Whether a name is bound to an operation's result."""
    trace, place = stopped.trace, stopped.trace.operations.span[operation]
    alike = [i for i in range(len(trace.operations)) if trace.operations.span[i] == place]
    later = [i for i in range(len(trace.operations)) if trace.operations.span[i] != place]
    made = {tensor for i in alike for tensor in trace.operations.outputs[i]}
    within = [t for i in later for t in trace.operations.inputs[i] if t in made and not stopped.bindings(t)]
    return not within


def _needed(trace: Trace, tensor: int) -> bool:
    """Whether a graph that no backward has used still needs the entries of a tensor."""
    freed = {node for backward in trace.backwards for node in backward.freed}
    storage = trace.tensors.storage
    for node, saved in zip(trace.saved.node, trace.saved.tensor, strict=True):
        same = saved >= 0 and (saved == tensor or storage[saved] == storage[tensor] >= 0)
        if same and node not in freed:
            return True
    return False


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
    around = [*trace.operations.inputs[made], *trace.operations.outputs[made]]
    for tensors in (kept, around):
        memories = {_memory(trace, tensor) for tensor in tensors}
        later = [write for memory in memories for write in writes.get(memory, []) if write[0] > made]
        if later:
            return min(later)
    return None


def _outdated(trace: Trace, now: Backward) -> bool:
    """Whether a graph keeps tensors that have been overwritten since."""
    writes = _writes(trace)
    storages: dict[int, list[int]] = {node: [] for node in nodes_below(trace, now.roots)}
    for node, tensor, version in zip(trace.saved.node, trace.saved.tensor, trace.saved.version, strict=True):
        if node in storages and (made := trace.nodes.operation[node]) >= 0:
            # a transposed weight is saved as a tensor that the Trace does not know: look at the operation's input
            around = [*trace.operations.inputs[made], *trace.operations.outputs[made]]
            storages[node] += [tensor] if tensor >= 0 else around if version >= 0 else []
    for node, tensors in storages.items():
        made = trace.nodes.operation[node]
        if made < 0:
            continue
        if any(write[0] > made for tensor in tensors for write in writes.get(_memory(trace, tensor), [])):
            return True
    return False


def _made_anew_before(trace: Trace, now: Backward) -> str:
    """The text in which the lines that computed a result run again before its backward; "" if that is uncertain."""
    below, call = nodes_below(trace, now.roots), trace.spans[now.span]
    places = {trace.operations.span[trace.nodes.operation[node]] for node in below if trace.nodes.operation[node] >= 0}
    spans = [trace.spans[place] for place in places if place >= 0]
    source = trace.cells[call.cell].source
    numbers = sorted({span.line for span in spans})
    plain = all(span.cell == call.cell and span.line == span.end_line < call.line for span in spans)
    if not numbers or not plain or not is_statement(trace, call) or re.search(r"^\s*(def|class|async)\b", source, re.M):
        return ""
    lines = source.split("\n")
    again = [lines[number - 1] for number in numbers]
    if any(indent(line) or not re.match(r"[\w, ]+=(?!=)", line) or not _balanced(line) for line in again):
        return ""
    margin = " " * indent(lines[call.line - 1])
    lines[call.line - 1 : call.line - 1] = [margin + line for line in again]
    follows = numbers == list(range(numbers[0], numbers[-1] + 1)) and numbers[-1] < len(lines)
    if margin and follows and re.match(r"for\b|while\b", lines[numbers[-1]]):  # the loop begins right after them
        del lines[numbers[0] - 1 : numbers[-1]]
    return "\n".join(lines)


def _filled_in_place(
    trace: Trace, span: Span, filled: re.Match[str], values: dict[str, str | int]
) -> Explanation | None:
    """A tensor is filled entry by entry from its own entries: read entries are copied first."""
    read, mended = filled.string[filled.end() :], ""
    copied = re.sub(rf"(?<![\w.])({re.escape(filled[1])}\[[^\[\]]*\])(?!\.clone)", r"\1.clone()", read)
    if copied != read:
        mended = replaced(trace.cells[span.cell].source, span, f"{filled[0]}{copied}")
    return Explanation("filled-entry-by-entry", values | {"name": filled[1]}, mended, span.cell)


def _round_before(trace: Trace, now: Backward) -> Backward | None:
    """The backward that the same call ran before this one, None in its first round."""
    earlier = trace.backwards[: next(i for i, backward in enumerate(trace.backwards) if backward is now)]
    return next((backward for backward in reversed(earlier) if backward.span == now.span), None)


def _twice_in_a_loop(
    stopped: Stopped, first: Backward, now: Backward, values: dict[str, str | int], anew: str
) -> Explanation | None:
    """A call that a loop ran twice: on one result, on a part made before the loop, or on a carried state."""
    trace, cell = stopped.trace, _cell(stopped.trace, now)
    if now.roots == first.roots:
        return Explanation("graph-used-twice-in-a-loop", values, anew, cell)
    shared = trace.nodes.operation[now.failed_node]
    if shared < 0 or trace.operations.span[shared] < 0:
        return Explanation("graph-part-used-twice-in-a-loop", values)
    place = trace.operations.span[shared]
    values |= {"shared": trace.text(place), "at": trace.spans[place].line}
    again = [i for i in range(first.operations, now.operations) if trace.operations.span[i] == place]
    if not again:
        return constant_part(stopped, first, now, values) or Explanation(
            "graph-part-made-before-a-loop", values, anew, cell
        )
    if explanation := carried_over(stopped, first, now, "graph-carried-over", values):
        return explanation
    return Explanation("graph-part-used-twice-in-a-loop", values)


def _cell(trace: Trace, now: Backward) -> int:
    """The cell that calls a backward."""
    return trace.spans[now.span].cell


def _balanced(text: str) -> bool:
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}")) and not text.rstrip().endswith("\\")


RULES = (
    leaf_overwritten,
    out_argument,
    one_of_several_views,
    view_made_unrecorded,
    expanded_overwritten,
    graph_used_twice,
    saved_overwritten,
)

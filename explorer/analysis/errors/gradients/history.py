"""Roots without a history: where it was lost after a tensor that requires a gradient."""

import re

from explorer.analysis.autograd.gradient_cuts import GradientCut, cut_behind, switch_of
from explorer.analysis.autograd.gradients import nodes_below
from explorer.analysis.autograd.python_numbers import came_back
from explorer.analysis.errors.gradients.tensor_origins import (
    factory_call,
    short_name,
    sources,
    with_requires_grad,
    written_in_place,
)
from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.operations import operation_of
from explorer.analysis.source.code import Code, code_at, find_lines
from explorer.analysis.source.expressions import with_argument
from explorer.trace import Span

CHECKPOINT = "None of the inputs have requires_grad=True"  # torch's own warning

Values = dict[str, str | int]
RULES = Rules()


@RULES.rule(r"RuntimeError: element (?P<index>\d+) of tensors does not require grad and does not have a grad_fn")
def no_history(at: FailureContext) -> Explanation | None:
    """The root has no history; the Trace shows where it was lost."""
    trace, now, index = at.trace, at.backward, int(at["index"])
    root = now.root_tensors[index] if now is not None and index < len(now.root_tensors) else -1
    if root < 0:
        return None
    values: Values = {"name": at.name(root) or at.code}
    cut = cut_behind(trace, root, trace.maker(root) + 1) or cut_behind(trace, root, now.operations)
    code = at.run.call(cut.operation).place if cut is not None else None
    if cut is not None and code is not None:
        explanation = _cut_at(at, cut, code, root, values | _place(code))
        if explanation is not None or cut.by != "unasked":
            return explanation
    return _nothing_requires(at, root, values)


def _place(code: Code) -> Values:
    return {"made": code.text, "line": code.line}


def _cut_at(at: FailureContext, cut: GradientCut, code: Code, root: int, values: Values) -> Explanation | None:
    """How an operation ended the history."""
    trace, text, name = at.trace, code.text, short_name(at.trace, cut.operation)
    if cut.by == "gradient":
        return _first_gradient(at, cut.operation, values)
    if cut.by == "number":
        return _number(at, cut.operation, code, values)
    if cut.by == "made" and name in ("tensor", "as_tensor", "Tensor", "FloatTensor"):
        return _remade(at, cut.operation, code, values)
    if cut.by == "switched_off":
        return at.explain("flags-switched-off", **values)
    if cut.by == "no_grad":
        return _unrecorded(at, cut.operation, code, values)
    if cut.by == "detach":
        ending = ".detach()" if name == "detach" else ".data"
        repair = code.replace(text.removesuffix(ending)) if text.endswith(ending) else None
        return at.explain("history-detached", repair, **values)
    if cut.by == "derivative" and operation_of(name).gives == "positions":
        whole = root in trace.operations.outputs[cut.operation] and text.endswith((".argmax()", ".argmin()"))
        repair = code.replace(f"{text.removesuffix(f'.{name}()')}.{name[3:]}()") if whole else None
        return at.explain("position-has-no-gradient", repair, **values)
    return at.explain("steps-have-no-gradient", **values) if cut.by == "derivative" else None


def _first_gradient(at: FailureContext, operation: int, values: Values) -> Explanation | None:
    """A gradient was differentiated again."""
    trace, operations = at.trace, at.trace.operations
    attribute = trace.string(operations.function[operation]) == "torch.Tensor.grad"
    filled = [
        each
        for each in trace.backwards
        if each.status == "ok" and (each.kind == "backward" if attribute else each.span == operations.span[operation])
    ]
    if not filled or filled[-1].span < 0:
        return None
    first, call = filled[-1], code_at(trace, filled[-1].span)
    values = values | {"first": call.text, "line": call.line}
    below = nodes_below(trace, first.roots)
    if any(trace.nodes.user_code[node] for node in below):
        return at.explain("first-gradient-of-a-function", **values)
    if first.create_graph:
        return at.explain("first-gradient-constant", **values)
    saved = zip(trace.saved.node, trace.saved.tensor, strict=True)
    curved = any(node in below and tensor >= 0 and trace.tensors.requires_grad[tensor] for node, tensor in saved)
    changed = with_argument(call.text, "create_graph=True") if curved and "create_graph" not in call.text else None
    return at.explain("first-gradient-not-recorded", call.replace(changed) if changed else None, **values)


def _number(at: FailureContext, operation: int, code: Code, values: Values) -> Explanation | None:
    """The entries left torch as numbers, of which a new tensor was made."""
    if short_name(at.trace, operation) in ("numpy", "__array__"):
        return at.explain("history-lost-in-numpy", **values)
    given = (at.run.call(fed).place for fed in came_back(at.trace).get(operation, ()))
    made = next((place for place in given if place is not None), None)
    if made is None:
        return None
    values = values | _place(made)
    if not made.span.contains(code.span):
        return at.explain("history-lost-in-numbers", **values)
    inner = _made_leaf(made.text)
    repair = made.replace(inner.removesuffix(".item()")) if inner.endswith(".item()") else None
    return at.explain("history-lost-in-a-new-leaf", repair, **values)


def _remade(at: FailureContext, operation: int, code: Code, values: Values) -> Explanation:
    """torch.tensor() made a new leaf of tensors that had a history."""
    columns, inputs, inner = at.trace.tensors, at.trace.operations.inputs[operation], _made_leaf(code.text)
    if sum(columns.requires_grad[tensor] for tensor in inputs) > 1:
        alike = len({columns.shape[tensor] for tensor in inputs}) == 1 and re.fullmatch(r"\w+|\[[^\[\]]*\]", inner)
        repair = code.replace(f"torch.stack({inner})") if alike else None
        return at.explain("list-made-into-a-new-leaf", repair, **values)
    repair = code.replace(inner) if inner and not inner.startswith(("[", "(")) else None
    return at.explain("history-lost-in-a-new-leaf", repair, **values)


def _made_leaf(text: str) -> str:
    """What torch.tensor(...) is given without other arguments, "" for another text."""
    call = re.fullmatch(r"torch\.(?:as_)?tensor\(([^=]*)\)", text, re.DOTALL)
    return call[1].strip() if call else ""


def _unrecorded(at: FailureContext, operation: int, code: Code, values: Values) -> Explanation:
    """Computed while recording was off: by a with block, a decorator, or a call."""
    switch = switch_of(at.trace, operation)
    if switch is None and code.call and code.call.name == "sample":
        new = f"{code.call.receiver}.rsample({', '.join(code.call.arguments)})"
        return at.explain("sampled-without-gradient", code.replace(new), **values)
    if switch is None:
        return _checkpointed(at, values) or at.explain("computed-unrecorded", **values)
    values = values | {"block": switch.text, "block-line": switch.line}
    opened = code_at(at.trace, Span(switch.cell, switch.line, 0, switch.line, 0))
    header = opened.whole_line.strip()
    if header.startswith("@"):
        return at.explain("computed-under-no-grad", opened.replace_lines(), **values)
    if not header.startswith("with "):
        return at.explain("recording-switched-off", None if opened.indent else opened.replace_lines(), **values)
    is_around = switch.cell == code.span.cell and switch.line in code.headers
    if is_around and (step := _step(code.whole_line)):
        repair = code.replace_lines(step[1], first=code.line, last=code.line)
        return at.explain("step-rebound-under-no-grad", repair, **values, leaf=step[0])
    written = any(re.search(r"[-+*/]=|_\(|\.grad\b", text) for text in opened.lines[switch.line : code.span.end_line])
    alone = header.partition("#")[0].rstrip() == f"with {switch.text}:"
    repair = opened.dedent_block() if is_around and alone and not written else None
    return at.explain("computed-under-no-grad", repair, **values)


def _step(line: str) -> tuple[str, str] | None:
    """The name that a step of gradient descent gives to a new tensor, and the line that writes it in place.

    >>> _step("    w = w - 0.1 * w.grad")
    ('w', '    w -= 0.1 * w.grad')
    """
    match = re.fullmatch(r"(\s*)([A-Za-z_][\w.]*) = (\2) ([-+]) ([^-+#]*\b\2\.grad\b[^-+#]*)", line)
    return (match[2], f"{match[1]}{match[2]} {match[4]}= {match[5]}") if match else None


def _nothing_requires(at: FailureContext, root: int, values: Values) -> Explanation:
    """No tensor that the result was computed from requires a gradient."""
    trace, made, behind = at.trace, at.run.makers, sources(at.trace, root)
    if checkpointed := _checkpointed(at, values):
        return checkpointed
    leaves = [leaf for leaf in behind if leaf not in made or not trace.operations.inputs[made[leaf]]]
    named = [name for leaf in leaves if at.run.tensor(leaf).bindings and (name := at.name(leaf))]
    named = named or [name for leaf in leaves if (name := at.name(leaf))]
    values = values | {"names": ", ".join(dict.fromkeys(named[:4])) or at.name(root) or at.code}
    fit = [
        (at.name(each), code)
        for each in leaves
        if "float" in at.run.dtype(each) and (code := factory_call(trace, each))
    ]
    chosen = [each for each in fit if f"{each[0]}.grad" in at.sources] or fit
    if len({code.span for _, code in chosen}) != 1 or written_in_place(trace, chosen[0][0]):
        return at.explain("nothing-requires-gradient", **values)
    return at.explain("nothing-requires-gradient", with_requires_grad(chosen[0][1]), **values)


def _checkpointed(at: FailureContext, values: Values) -> Explanation | None:
    """A reentrant checkpoint none of whose inputs requires a gradient: torch has warned of it."""
    if not any(CHECKPOINT in getattr(output, "text", "") for cell in at.trace.cells for output in cell.outputs):
        return None
    asked = [line for line, _ in find_lines(at.trace, r"\buse_reentrant=True\b")]
    new = asked[0].text.replace("use_reentrant=True", "use_reentrant=False") if len(asked) == 1 else ""
    return at.explain("checkpoint-of-data", asked[0].replace(new) if new else None, **values)

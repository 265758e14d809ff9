"""Roots without a history: where it was lost after a tensor that requires a gradient."""

import re

from explorer.analysis.autograd.grad_mode import switch_of
from explorer.analysis.autograd.gradient_cuts import GradientCut, cut_behind
from explorer.analysis.autograd.python_numbers import came_back, is_within
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.source_lines import (
    dedented,
    headers,
    made_by_call,
    makers,
    nodes_below,
    sources,
    with_requires_grad,
    written_in_place,
)
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.text_edits import replaced, with_argument
from explorer.trace import Trace


@rule("RuntimeError", r"element (\d+) of tensors does not require grad and does not have a grad_fn")
def no_history(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The root has no history; the Trace shows where it was lost."""
    trace, now = stopped.trace, stopped.backward
    at = int(found[1])
    if now is None or at >= len(now.root_tensors):
        return None
    root = now.root_tensors[at]
    if root < 0:
        return None
    values: dict[str, str | int] = {"name": stopped.name(root) or stopped.code, "code": stopped.code}
    cut = cut_behind(trace, root, trace.maker(root) + 1) or cut_behind(trace, root, now.operations)
    if cut is not None and trace.operations.span[cut.operation] >= 0:
        explanation = _cut_at(stopped, cut, root, values | _at(trace, trace.operations.span[cut.operation]))
        if explanation is not None or cut.by != "unasked":
            return explanation
    return _nothing_requires(stopped, root, makers(trace), values)


def _cut_at(stopped: Stopped, cut: GradientCut, root: int, values: dict[str, str | int]) -> Explanation | None:
    """How an operation ended the history."""
    trace = stopped.trace
    place = trace.operations.span[cut.operation]
    span, text, name = trace.spans[place], trace.text(place), _name(trace, cut.operation)
    source = trace.cells[span.cell].source
    if cut.by == "gradient":
        return _first_gradient(stopped, cut.operation, values)
    if cut.by == "number":
        return _number(stopped, cut.operation, values)
    if cut.by == "made" and name in ("tensor", "as_tensor", "Tensor", "FloatTensor"):
        return _remade(stopped, cut.operation, values)
    if cut.by == "switched_off":
        return Explanation("flags-switched-off", values)
    if cut.by == "no_grad":
        return _unrecorded(stopped, cut.operation, values)
    if cut.by == "detach":
        ending = ".detach()" if name == "detach" else ".data"
        mended = replaced(source, span, text.removesuffix(ending)) if text.endswith(ending) else ""
        return Explanation("history-detached", values, mended, span.cell)
    if cut.by == "derivative":
        mended, is_root = "", root in trace.operations.outputs[cut.operation]
        if name in ("argmax", "argmin") and is_root and text.endswith(f".{name}()"):
            mended = replaced(source, span, f"{text.removesuffix(f'.{name}()')}.{name[3:]}()")
        kind = "position-has-no-gradient" if name in ("argmax", "argmin", "argsort") else "steps-have-no-gradient"
        return Explanation(kind, values, mended, span.cell)
    return None


def _first_gradient(stopped: Stopped, operation: int, values: dict[str, str | int]) -> Explanation | None:
    """A gradient was differentiated again."""
    trace, place = stopped.trace, stopped.trace.operations.span[operation]
    if trace.string(trace.operations.function[operation]) == "torch.Tensor.grad":
        filled = [backward for backward in trace.backwards if backward.kind == "backward" and backward.status == "ok"]
    else:
        filled = [backward for backward in trace.backwards if backward.span == place and backward.status == "ok"]
    if not filled or filled[-1].span < 0:
        return None
    first = filled[-1]
    span, call = trace.spans[first.span], trace.text(first.span)
    values = values | {"first": call, "line": span.line}
    below = nodes_below(trace, first.roots)
    if any(trace.nodes.user_code[node] for node in below):
        return Explanation("first-gradient-of-a-function", values)
    if first.create_graph:
        return Explanation("first-gradient-constant", values)
    saved = zip(trace.saved.node, trace.saved.tensor, strict=True)
    curved = any(node in below and kept >= 0 and trace.tensors.requires_grad[kept] for node, kept in saved)
    changed = with_argument(call, "create_graph=True") if curved and "create_graph" not in call else None
    mended = replaced(trace.cells[span.cell].source, span, changed) if changed else ""
    return Explanation("first-gradient-not-recorded", values, mended, span.cell)


def _number(stopped: Stopped, operation: int, values: dict[str, str | int]) -> Explanation | None:
    """The entries left torch as numbers, of which a new tensor was made."""
    trace = stopped.trace
    if _name(trace, operation) in ("numpy", "__array__"):
        return Explanation("history-lost-in-numpy", values)
    fed = next((at for at in came_back(trace).get(operation, ()) if trace.operations.span[at] >= 0), None)
    if fed is None:
        return None
    place, values = trace.operations.span[fed], values | _at(trace, trace.operations.span[fed])
    if not is_within(trace.spans[trace.operations.span[operation]], trace.spans[place]):
        return Explanation("history-lost-in-numbers", values)
    span, inner = trace.spans[place], _made_leaf(trace.text(place))
    mended = ""
    if inner.endswith(".item()"):
        mended = replaced(trace.cells[span.cell].source, span, inner.removesuffix(".item()"))
    return Explanation("history-lost-in-a-new-leaf", values, mended, span.cell)


def _remade(stopped: Stopped, operation: int, values: dict[str, str | int]) -> Explanation:
    """torch.tensor() made a new leaf of tensors that had a history."""
    trace = stopped.trace
    place, inputs = trace.operations.span[operation], trace.operations.inputs[operation]
    span, inner = trace.spans[place], _made_leaf(trace.text(place))
    source, mended = trace.cells[span.cell].source, ""
    if sum(trace.tensors.requires_grad[tensor] for tensor in inputs) > 1:
        same = len({trace.tensors.shape[tensor] for tensor in inputs}) == 1
        if same and re.fullmatch(r"\w+|\[[^\[\]]*\]", inner):
            mended = replaced(source, span, f"torch.stack({inner})")
        return Explanation("list-made-into-a-new-leaf", values, mended, span.cell)
    if inner and not inner.startswith(("[", "(")):
        mended = replaced(source, span, inner)
    return Explanation("history-lost-in-a-new-leaf", values, mended, span.cell)


def _made_leaf(text: str) -> str:
    """What torch.tensor(...) is given without other arguments, "" for another text."""
    call = re.fullmatch(r"torch\.(?:as_)?tensor\(([^=]*)\)", text, re.DOTALL)
    return call[1].strip() if call else ""


def _unrecorded(stopped: Stopped, operation: int, values: dict[str, str | int]) -> Explanation:
    """Computed while recording was off: by a with block, a decorator, or a call."""
    trace, switch = stopped.trace, switch_of(stopped.trace, operation)
    if switch is None:
        return Explanation("computed-unrecorded", values)
    values = values | {"block": switch.text, "block-line": switch.line}
    source, span = trace.cells[switch.cell].source, trace.spans[trace.operations.span[operation]]
    lines = source.split("\n")
    header = lines[switch.line - 1].strip()
    if header == switch.text or not header.startswith("with "):  # a decorator, or a statement that holds from there on
        kind = "computed-under-no-grad" if header.startswith("@") else "recording-switched-off"
        apart = (
            ""
            if kind == "recording-switched-off" and lines[switch.line - 1][:1].isspace()
            else "\n".join(lines[: switch.line - 1] + lines[switch.line :])
        )
        return Explanation(kind, values, apart, switch.cell)
    around = switch.cell == span.cell and switch.line in headers(source, span.line)
    if around and (step := _step(lines[span.line - 1])):
        lines[span.line - 1] = step[1]
        return Explanation("step-rebound-under-no-grad", values | {"leaf": step[0]}, "\n".join(lines), span.cell)
    written = any(re.search(r"[-+*/]=|_\(|\.grad\b", text) for text in lines[switch.line : span.end_line])
    whole = header.partition("#")[0].rstrip() == f"with {switch.text}:"
    mended = dedented(source, switch.line) or "" if around and whole and not written else ""
    return Explanation("computed-under-no-grad", values, mended, switch.cell)


def _step(line: str) -> tuple[str, str] | None:
    """The name that a step of gradient descent gives to a new tensor, and the line that writes it in place.

    >>> _step("    w = w - 0.1 * w.grad")
    ('w', '    w -= 0.1 * w.grad')
    """
    found = re.fullmatch(r"(\s*)([A-Za-z_][\w.]*) = (\2) ([-+]) ([^-+#]*\b\2\.grad\b[^-+#]*)", line)
    return (found[2], f"{found[1]}{found[2]} {found[4]}= {found[5]}") if found else None


def _nothing_requires(stopped: Stopped, root: int, made: dict[int, int], values: dict[str, str | int]) -> Explanation:
    """No tensor that the result was computed from requires a gradient."""
    trace = stopped.trace
    behind = sources(trace, root)
    leaves = [leaf for leaf in behind if leaf not in made or not trace.operations.inputs[made[leaf]]]
    named = [stopped.name(leaf) for leaf in leaves if stopped.bindings(leaf)]
    named = named or [name for leaf in leaves if (name := stopped.name(leaf))]
    values = values | {"names": ", ".join(dict.fromkeys(named[:4])) or stopped.name(root) or stopped.code}
    source = "\n".join(cell.source for cell in trace.cells)
    fit = [
        (leaf, span) for leaf in leaves if (span := made_by_call(trace, leaf, made)) and "float" in stopped.dtype(leaf)
    ]
    read = [candidate for candidate in fit if f"{stopped.name(candidate[0])}.grad" in source]
    chosen = read or fit
    if len({candidate[1] for candidate in chosen}) != 1:
        return Explanation("nothing-requires-gradient", values)
    span = chosen[0][1]
    if written_in_place(trace, stopped.name(chosen[0][0])):
        return Explanation("nothing-requires-gradient", values)
    return Explanation("nothing-requires-gradient", values, with_requires_grad(trace, span), span.cell)


def _name(trace: Trace, operation: int) -> str:
    return (trace.string(trace.operations.function[operation]) or "").rpartition(".")[2]


def _at(trace: Trace, span: int) -> dict[str, str | int]:
    return {"made": trace.text(span), "line": trace.spans[span].line}


RULES = (no_history,)

"""Roots without a history: where it was lost after a tensor that requires a gradient."""

import re

from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.source_lines import (
    dedented,
    headers,
    line_at,
    made_by_call,
    makers,
    nodes_below,
    sources,
    with_requires_grad,
    written_in_place,
)
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.text_edits import replaced, with_argument
from explorer.trace import Span, Trace

FLAT = "argmax argmin argsort long int bool byte round floor ceil sign trunc gt lt ge le eq ne isclose unique bincount"
FLAT_FUNCTIONS = {*FLAT.split(), "__gt__", "__lt__", "__ge__", "__le__", "__eq__", "__ne__"}


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
    made, flags = makers(trace), trace.tensors.requires_grad
    values: dict[str, str | int] = {"name": stopped.name(root) or stopped.code, "code": stopped.code}
    for tensor in _without_gradient(trace, root, made):
        operation = made.get(tensor)
        if operation is not None and trace.operations.span[operation] >= 0:
            required = [given for given in trace.operations.inputs[operation] if flags[given]]
            explanation = _lost_at(stopped, operation, tensor, root, required, values)
            if explanation is not None:
                return explanation
    if re.search(r"\bfrom_numpy\(|\bas_tensor\(|torch\.tensor\(", "\n".join(cell.source for cell in trace.cells)):
        numpy = [i for i in range(len(trace.operations)) if _name(trace, i) in ("numpy", "__array__")]
        remade = [source for source in sources(trace, root) if source not in made]
        if numpy and remade and trace.operations.span[numpy[-1]] >= 0:
            place = trace.operations.span[numpy[-1]]
            return Explanation("history-lost-in-numpy", values | _at(trace, place))
    return _nothing_requires(stopped, root, made, values)


def _lost_at(
    stopped: Stopped, operation: int, tensor: int, root: int, required: list[int], values: dict[str, str | int]
) -> Explanation | None:
    """Whether the history ends at an operation, and why."""
    trace = stopped.trace
    place = trace.operations.span[operation]
    span, text, name = trace.spans[place], trace.text(place), _name(trace, operation)
    values = values | _at(trace, place)
    source = trace.cells[span.cell].source
    if name == "grad" and trace.operations.function[operation] >= 0 and trace.operations.outputs[operation]:
        return _first_gradient(stopped, place, tensor, operation, values)
    if name in ("tensor", "as_tensor", "Tensor", "FloatTensor"):
        return _remade(stopped, operation, required, values)
    if not required:
        return None
    if not trace.operations.grad_enabled[operation]:
        return _unrecorded_block(stopped, span, values)
    if name in ("detach", "data"):
        ending = ".detach()" if name == "detach" else ".data"
        mended = replaced(source, span, text.removesuffix(ending)) if text.endswith(ending) else ""
        return Explanation("history-detached", values, mended, span.cell)
    if name in FLAT_FUNCTIONS:
        mended = ""
        if name in ("argmax", "argmin") and tensor == root and text.endswith(f".{name}()"):
            mended = replaced(source, span, f"{text.removesuffix(f'.{name}()')}.{name[3:]}()")
        kind = "position-has-no-gradient" if name in ("argmax", "argmin", "argsort") else "steps-have-no-gradient"
        return Explanation(kind, values, mended, span.cell)
    return None


def _first_gradient(
    stopped: Stopped, place: int, tensor: int, operation: int, values: dict[str, str | int]
) -> Explanation | None:
    """A gradient was differentiated again."""
    trace = stopped.trace
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


def _remade(stopped: Stopped, operation: int, required: list[int], values: dict[str, str | int]) -> Explanation | None:
    """torch.tensor() made a new leaf from numbers that had a history."""
    trace = stopped.trace
    place = trace.operations.span[operation]
    span, text = trace.spans[place], trace.text(place)
    inner = re.fullmatch(r"torch\.(?:as_)?tensor\(([^=]*)\)", text, re.DOTALL)
    numbers = [
        i
        for i in range(operation)
        if _name(trace, i) in ("item", "tolist", "numpy") and _inside(trace, trace.operations.span[i], span)
    ]
    recorded = [i for i in numbers if any(trace.tensors.requires_grad[tensor] for tensor in trace.operations.inputs[i])]
    if not required and not recorded:
        given = re.fullmatch(r"[A-Za-z_]\w*", inner[1].strip()) if inner else None
        if given and any(
            _assigned(trace, i, given[0]) for i in range(operation) if _name(trace, i) in ("item", "numpy")
        ):
            return Explanation("history-lost-in-numbers", values)
        return None
    mended = ""
    if inner and len(required) > 1:
        shapes = {trace.tensors.shape[tensor] for tensor in trace.operations.inputs[operation]}
        if len(shapes) == 1 and re.fullmatch(r"\s*(\w+|\[[^\[\]]*\])\s*", inner[1]):
            mended = replaced(trace.cells[span.cell].source, span, f"torch.stack({inner[1].strip()})")
        return Explanation("list-made-into-a-new-leaf", values, mended, span.cell)
    if inner and len(required) == 1 and not inner[1].strip().startswith(("[", "(")):
        mended = replaced(trace.cells[span.cell].source, span, inner[1].strip())
    elif inner and recorded and inner[1].strip().endswith(".item()"):
        mended = replaced(trace.cells[span.cell].source, span, inner[1].strip().removesuffix(".item()"))
    return Explanation("history-lost-in-a-new-leaf", values, mended, span.cell)


def _unrecorded_block(stopped: Stopped, span: Span, values: dict[str, str | int]) -> Explanation:
    """Computed while recording was off: by a with block, a decorator, or a call."""
    trace, source = stopped.trace, stopped.trace.cells[span.cell].source
    lines = source.split("\n")
    for number, header in headers(source, span.line).items():
        if block := re.match(
            r"\s*with (torch\.(?:no_grad|inference_mode|set_grad_enabled)\([^()]*\)):\s*(#.*)?$", header
        ):
            body = lines[number : span.end_line]
            written = any(re.search(r"[-+*/]=|_\(|\.grad\b", text) for text in body)
            mended = "" if written else dedented(source, number) or ""
            values = values | {"block": block[1], "block-line": number}
            if step := _step(lines[span.line - 1]):
                lines[span.line - 1] = step[1]
                return Explanation(
                    "step-rebound-under-no-grad", values | {"leaf": step[0]}, "\n".join(lines), span.cell
                )
            return Explanation("computed-under-no-grad", values, mended, span.cell)
        above = lines[number - 2].strip() if number > 1 else ""
        if re.match(r"\s*def\b", header) and re.fullmatch(r"@torch\.(no_grad|inference_mode)\(\)", above):
            mended = "\n".join(lines[: number - 2] + lines[number - 1 :])
            return Explanation(
                "computed-under-no-grad", values | {"block": above, "block-line": number - 1}, mended, span.cell
            )
    for cell, cell_run in enumerate(trace.cells):
        for number, line in enumerate(cell_run.source.split("\n"), 1):
            if re.fullmatch(r"torch\.set_grad_enabled\(False\)", line.strip()):
                mended = cell_run.source.replace(line + "\n", "", 1) if not line[:1].isspace() else ""
                return Explanation(
                    "recording-switched-off", values | {"block": line.strip(), "block-line": number}, mended, cell
                )
    return Explanation("computed-unrecorded", values)


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
    frozen = switched_off(trace, set(behind), made.get(root, len(trace.operations)))
    if frozen >= 0:
        return Explanation("flags-switched-off", values | _at(trace, frozen))
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


def switched_off(trace: Trace, tensors: set[int], before: int) -> int:
    """The place where requires_grad of one of these tensors was last set to False before an operation; or -1."""
    last: dict[int, int] = {}
    for i in range(before):
        inputs = trace.operations.inputs[i]
        if inputs and inputs[0] in tensors and _name(trace, i) in ("requires_grad_", "requires_grad"):
            place = trace.operations.span[i]
            if place >= 0 and re.search(r"requires_grad(_\(|\s*=)", trace.text(place)):
                last[inputs[0]] = place
    off = [place for place in last.values() if re.search(r"\bFalse\b", trace.text(place))]
    return off[0] if off else -1


def _without_gradient(trace: Trace, root: int, made: dict[int, int]) -> list[int]:
    """The tensors without history that one was computed from, itself first."""
    return [source for source in sources(trace, root) if not trace.tensors.requires_grad[source]]


def _name(trace: Trace, operation: int) -> str:
    return (trace.string(trace.operations.function[operation]) or "").rpartition(".")[2]


def _at(trace: Trace, span: int) -> dict[str, str | int]:
    return {"made": trace.text(span), "line": trace.spans[span].line}


def _inside(trace: Trace, span: int, outer: Span) -> bool:
    if span < 0 or (inner := trace.spans[span]).cell != outer.cell:
        return False
    return (outer.line, outer.column) <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= (
        outer.end_line,
        outer.end_column,
    )


def _assigned(trace: Trace, operation: int, name: str) -> bool:
    """Whether an operation is on a line that assigns a name, and read a recorded tensor."""
    span = trace.operations.span[operation]
    if span < 0 or not any(trace.tensors.requires_grad[given] for given in trace.operations.inputs[operation]):
        return False
    place = trace.spans[span]
    return bool(re.match(rf"\s*{re.escape(name)}\s*=(?!=)", line_at(trace, place.cell, place.line)))


RULES = (no_history,)

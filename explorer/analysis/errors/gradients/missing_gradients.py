"""A `.grad` that is None, and numbers, tuples and None where a tensor with a history is expected."""

import re

from explorer.analysis.autograd.gradients import tensor_cuts
from explorer.analysis.errors.expressions import sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.source_lines import (
    FACTORIES,
    in_function,
    indent,
    is_statement,
    line_at,
    makers,
    nodes_below,
    sources,
    with_requires_grad,
    written_in_place,
)
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.text_edits import replaced, with_line_before
from explorer.trace import Backward, Span, Trace


@rule("TypeError|AttributeError", r"NoneType")
def gradient_is_none(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A `.grad` that is None is used; the Trace shows why it is None."""
    used = _none_gradient(stopped)
    if used is None:
        return _backward_returns_nothing(stopped)
    operation, tensor = used
    trace, flags = stopped.trace, stopped.trace.tensors
    place = trace.operations.span[operation]
    code = trace.text(place)
    name = code.removesuffix(".grad")
    values: dict[str, str | int] = {"name": name, "gradient": code, "code": stopped.code}
    began = [
        backward
        for backward in trace.backwards
        if backward.status == "ok" and backward.span >= 0 and backward.operations <= operation
    ]
    backwards = [backward for backward in began if backward.kind == "backward"]
    if not flags.requires_grad[tensor]:
        return _requires_none(stopped, tensor, backwards, values)
    if not flags.is_leaf[tensor]:
        return _result(stopped, tensor, backwards, values)
    if any(
        leaf == tensor and after >= 0
        for backward in backwards
        for leaf, after in zip(backward.accumulated, backward.after, strict=True)
    ):
        return Explanation("gradient-cleared", values)
    if not backwards:
        if began:
            span = trace.spans[began[-1].span]
            return Explanation(
                "gradient-returned-by-grad", values | {"call": trace.text(began[-1].span), "line": span.line}
            )
        return _before_backward(stopped, values)
    last = backwards[-1]
    values |= {"call": trace.text(last.span), "line": trace.spans[last.span].line}
    if last.inputs and tensor not in last.inputs:
        return Explanation("gradient-not-asked-for", values)
    below = nodes_below(trace, last.roots)
    if any(trace.nodes.variable[node] == tensor for node in below):
        through = any(trace.nodes.user_code[node] for node in below)
        return Explanation("gradient-none-from-a-function", values) if through else None
    cut = tensor_cuts(trace, trace.backwards.index(last)).get(tensor)
    where = trace.operations.span[cut.operation] if cut is not None and cut.operation >= 0 else -1
    values |= {"cut": trace.text(where), "at": trace.line(where)} if where >= 0 else {"cut": "", "at": 0}
    return Explanation("gradient-never-reached", values)


@rule("AttributeError", r"^'(float|int|numpy\.\w+|bool|list|tuple|NoneType)' object has no attribute "
      r"'(backward|requires_grad_|retain_grad|detach)'")  # fmt: skip
def number_not_tensor(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """backward() of something that is no tensor: a number from item(), a list of losses, None."""
    kind, method = found[1], found[2]
    receiver = stopped.code.removesuffix(f".{method}")
    values: dict[str, str | int] = {"name": receiver, "type": kind, "method": method, "code": stopped.code}
    if kind == "NoneType":
        return Explanation("nothing-has-no-backward", values) if method == "backward" else None
    if kind == "tuple":
        return None
    if kind == "list":
        return Explanation("list-has-no-backward", values) if method == "backward" else None
    trace = stopped.trace
    if stopped.span and receiver.endswith(".item()"):
        line = stopped.span.line
        mended = replaced(stopped.source, stopped.span, f"{receiver.removesuffix('.item()')}.{method}")
        return Explanation("item-before-backward", values | {"made": receiver, "line": line}, mended, stopped.place)
    for i in range(len(trace.operations) - 1, -1, -1):
        place = trace.operations.span[i]
        if place < 0 or trace.string(trace.operations.name[i]) not in ("item", "tolist", "__float__"):
            continue
        span, text = trace.spans[place], trace.text(place)
        if not re.match(rf"\s*{re.escape(receiver)}\s*[-+*/]?=(?!=)", line_at(trace, span.cell, span.line)):
            continue
        recorded = any(trace.tensors.requires_grad[given] for given in trace.operations.inputs[i])
        if not recorded:
            return Explanation("number-has-no-backward", values)
        mended = ""
        if text.endswith(".item()") and method == "backward":
            mended = replaced(trace.cells[span.cell].source, span, text.removesuffix(".item()"))
        return Explanation("item-before-backward", values | {"made": text, "line": span.line}, mended, span.cell)
    return Explanation("number-has-no-backward", values)


@rule("AttributeError|TypeError", r"'tuple'|not tuple|\btuple\b")
def returns_a_tuple(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The tuple that autograd.grad() returned is used as a tensor."""
    trace = stopped.trace
    for i in range(len(trace.operations) - 1, -1, -1):
        place = trace.operations.span[i]
        if place < 0 or trace.string(trace.operations.function[i]) != "grad" or not trace.operations.outputs[i]:
            continue
        span, text = trace.spans[place], trace.text(place)
        line = line_at(trace, span.cell, span.line)
        given = re.match(r"\s*([A-Za-z_]\w*)\s*=\s*$", line[: span.column])
        if given and re.search(rf"\b{given[1]}\b", stopped.code) and not _behind(trace, span):
            mended = ""
            if len(trace.operations.outputs[i]) == 1:
                mended = replaced(trace.cells[span.cell].source, span, f"{text}[0]")
            values = {"name": given[1], "made": text, "line": span.line, "count": len(trace.operations.outputs[i])}
            return Explanation("grad-returns-a-tuple", values, mended, span.cell)
    return None


def _none_gradient(stopped: Stopped) -> tuple[int, int] | None:
    """The read of a `.grad` that returned None which the failing code uses, and its tensor."""
    trace, operations = stopped.trace, stopped.trace.operations
    if stopped.span is None:
        return None
    for i in range(len(operations) - 1, -1, -1):
        span = operations.span[i]
        if span < 0 or trace.string(operations.function[i]) != "torch.Tensor.grad" or not operations.inputs[i]:
            continue
        code, place = trace.text(span), trace.spans[span]
        if not code.endswith(".grad"):
            continue
        none = not operations.outputs[i]
        if re.search(rf"(?<![\w.]){re.escape(code)}\b", stopped.code) and place.cell == stopped.place:
            return (i, operations.inputs[i][0]) if none else None
        given = re.match(r"\s*([A-Za-z_]\w*)\s*=\s*$", line_at(trace, place.cell, place.line)[: place.column])
        if given and re.search(rf"(?<![\w.]){given[1]}\b", stopped.code) and not _behind(trace, place):
            return (i, operations.inputs[i][0]) if none else None
    return None


def _behind(trace: Trace, span: Span) -> str:
    return line_at(trace, span.cell, span.end_line)[span.end_column :].partition("#")[0].strip()


def _backward_returns_nothing(stopped: Stopped) -> Explanation | None:
    """The result of backward() is used: it returns None."""
    trace = stopped.trace
    for backward in reversed(trace.backwards):
        if backward.kind != "backward" or backward.span < 0:
            continue
        span, call = trace.spans[backward.span], trace.text(backward.span)
        given = re.match(r"\s*([A-Za-z_]\w*)\s*=\s*$", line_at(trace, span.cell, span.line)[: span.column])
        used = given and re.search(rf"(?<![\w.]){given[1]}\b", stopped.code)
        if not used and call not in stopped.code:
            continue
        mended = ""
        if given and call.startswith(f"{given[1]}.backward(") and span.line == span.end_line:
            source = trace.cells[span.cell].source
            lines = source.split("\n")
            line = lines[span.line - 1]
            lines[span.line - 1] = line[: indent(line)] + line[span.column :]
            mended = "\n".join(lines)
        values = {"name": given[1] if given else call, "call": call, "line": span.line}
        return Explanation("backward-returns-nothing", values, mended, span.cell)
    return None


def _requires_none(
    stopped: Stopped, tensor: int, backwards: list[Backward], values: dict[str, str | int]
) -> Explanation:
    """The .grad of a tensor that requires no gradient."""
    trace, made = stopped.trace, makers(stopped.trace)
    operation = made.get(tensor)
    if operation is not None and (place := trace.operations.span[operation]) >= 0:
        inputs = trace.operations.inputs[operation]
        span = trace.spans[place]
        values = values | {"made": trace.text(place), "line": span.line}
        name = str(values["name"])
        before = {binding.tensor for binding in trace.bindings if binding.name == name}
        unrecorded = not trace.operations.grad_enabled[operation]
        if unrecorded and before & set(inputs) and any(trace.tensors.requires_grad[input_] for input_ in inputs):
            mended = _in_place_step(trace, span, name, False)
            return Explanation("step-made-a-new-tensor", values, mended, span.cell)
        call = re.match(FACTORIES, trace.text(place)) and trace.text(place).endswith(")")
        reached = any(
            tensor in sources(trace, root_tensor)
            for b in backwards[-3:]
            for root_tensor in b.root_tensors
            if root_tensor >= 0
        )
        if call and reached and "requires_grad" not in trace.text(place) and "float" in stopped.dtype(tensor):
            mended = "" if written_in_place(trace, name) else with_requires_grad(trace, span)
            return Explanation("gradient-never-required", values, mended, span.cell)
    return Explanation("gradient-not-required", values)


def _result(stopped: Stopped, tensor: int, backwards: list[Backward], values: dict[str, str | int]) -> Explanation:
    """The .grad of a tensor that is no leaf."""
    trace, made = stopped.trace, makers(stopped.trace)
    operation, name = made.get(tensor), str(values["name"])
    if operation is None or (place := trace.operations.span[operation]) < 0:
        return Explanation("gradient-of-a-result", values | {"made": name})
    span, text = trace.spans[place], trace.text(place)
    values = values | {"made": text, "line": span.line}
    source = trace.cells[span.cell].source
    inputs = trace.operations.inputs[operation]
    before = {binding.tensor for binding in trace.bindings if binding.name == name} - {tensor}
    if before & set(inputs) and "grad" in line_at(trace, span.cell, span.line):
        return Explanation("step-made-a-new-tensor", values, _in_place_step(trace, span, name, True), span.cell)
    if text.count("requires_grad=True") == 1 and re.search(r",\s*requires_grad=True\)", text):
        new = re.sub(r",\s*requires_grad=True\)", ")", text)
        mended = replaced(source, span, f"({new}).requires_grad_()") if "grad_fn" not in text else ""
        return Explanation("leaf-lost-in-its-own-line", values, mended, span.cell)
    reached = [
        backward
        for backward in backwards[-3:]
        if any(tensor in sources(trace, root) for root in backward.root_tensors if root >= 0)
    ]
    if not backwards or not reached:
        return Explanation("gradient-of-a-result", values)
    call = trace.spans[reached[0].span]
    retained = ""
    simple = re.fullmatch(r"[A-Za-z_]\w*", name) and not in_function(trace.cells[call.cell].source, call.line)
    if simple and is_statement(trace, call) and reached[0].operations > operation and stopped.bindings(tensor):
        retained = with_line_before(trace.cells[call.cell].source, call.line, f"{name}.retain_grad()")
    return Explanation("gradient-of-a-result", values, retained, call.cell)


def _in_place_step(trace: Trace, span: Span, name: str, recorded: bool) -> str:
    """The text with `w -= step` for `w = w - step`, under no_grad if it is not; "" for another line."""
    source = trace.cells[span.cell].source
    lines = source.split("\n")
    line = lines[span.line - 1]
    found = re.fullmatch(rf"(\s*){re.escape(name)} *= *{re.escape(name)} *- *([^#;]+)", line)
    if span.line != span.end_line or not found or not _one_term(found[2]):
        return ""
    new = f"{name} -= {found[2].rstrip()}"
    more = [f"{found[1]}with torch.no_grad():", f"{found[1]}    {new}"]
    lines[span.line - 1 : span.line] = more if recorded else [found[1] + new]
    return "\n".join(lines)


def _one_term(text: str) -> bool:
    """Whether a text has no plus or minus outside brackets, and its brackets are closed."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or (depth == 0 and character in "+-" and i and text[i - 1] not in "e*/("):
            return False
    return depth == 0


def _before_backward(stopped: Stopped, values: dict[str, str | int]) -> Explanation:
    """The .grad of a leaf is read before any backward."""
    name = values["gradient"]
    if stopped.span is not None:
        lines = stopped.source.split("\n")
        line = lines[stopped.span.line - 1]
        cleared = re.fullmatch(rf"\s*{re.escape(str(name))}(\.data)?\.(zero_|detach_|fill_)\([^()]*\)\s*", line)
        if cleared and line.strip():
            margin = line[: indent(line)]
            lines[stopped.span.line - 1 : stopped.span.line] = [f"{margin}if {name} is not None:", f"    {line}"]
            mended = "\n".join(lines)
            return Explanation("gradient-zeroed-before-backward", values, mended, stopped.place)
    for cell, cell_run in enumerate(stopped.trace.cells):
        lines = cell_run.source.split("\n")
        for number, line in enumerate(lines, 1):
            if uncalled := re.fullmatch(r"(\s*)([A-Za-z_][\w.]*\.backward)(\s*(?:#.*)?)", line[:400]):
                lines[number - 1] = f"{uncalled[1]}{uncalled[2]}(){uncalled[3]}"
                values = values | {"call": uncalled[2], "line": number}
                return Explanation("backward-not-called", values, "\n".join(lines), cell)
    return Explanation("gradient-before-backward", values)


@rule("RuntimeError", r"attempting to assign a gradient of size '\[(.*?)\]' to a tensor of size '\[(.*?)\]'")
def gradient_of_another_shape(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A .grad is set to a tensor with a wrong shape."""
    given, wanted = (sizes(tuple(map(int, re.findall(r"\d{1,18}", text)))) for text in found.groups())
    return Explanation("gradient-of-another-shape", {"code": stopped.code, "given": given, "wanted": wanted})


RULES = (gradient_of_another_shape, gradient_is_none, number_not_tensor, returns_a_tuple)

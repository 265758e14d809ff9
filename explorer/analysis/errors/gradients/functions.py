"""Errors of torch.autograd.Function, of hooks, of anomaly detection and of torch.func."""

import re

from explorer.analysis.errors.expressions import sizes
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.text_edits import replaced


@rule("TypeError|AttributeError|RuntimeError", r"tuple|only integer tensors of a single element")
def saved_tensors_are_a_tuple(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """One saved tensor is taken out of ctx.saved_tensors without a comma."""
    if stopped.span is None:
        return None
    lines = stopped.source.split("\n")
    for number in range(stopped.span.line - 1, 0, -1):
        given = re.fullmatch(r"(\s*)(\w+)( = (\w+\.saved_tensors)\s*(?:#.*)?)", lines[number - 1][:400])
        if given and re.search(rf"(?<![\w.]){given[2]}(?!\w)", stopped.code):
            lines[number - 1] = f"{given[1]}{given[2]},{given[3]}"
            values: dict[str, str | int] = {"name": given[2], "saved": given[4], "line": number}
            return Explanation("saved-tensors-are-a-tuple", values, "\n".join(lines), stopped.place)
        if re.match(r"\s*def\b", lines[number - 1]):
            return None
    return None


@rule("RuntimeError", r"function (\w+)Backward returned an incorrect number of gradients \(expected (\d+), got (\d+)\)")
def count_of_gradients(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A Function's backward returns another number of values than its forward takes."""
    wanted, got = int(found[2]), int(found[3])
    values: dict[str, str | int] = {"function": found[1], "wanted": wanted, "got": got}
    cell, line = _returned(stopped, found[1])
    if line is None or got >= wanted or wanted > 20:
        return Explanation("function-count-of-gradients", values)
    lines = stopped.trace.cells[cell].source.split("\n")
    value = re.fullmatch(r"(\s*return )\[([^\[\]]+)\]\s*", lines[line - 1])
    recorded = _recorded_inputs(stopped)
    if value and got == 1 and value[2].count(",") + 1 == wanted and "(" not in value[2]:
        lines[line - 1] = value[1] + value[2]
        return Explanation("function-returned-a-list", values, "\n".join(lines), cell)
    plain = re.fullmatch(r"\s*return [^#\\]+", lines[line - 1])
    closed = lines[line - 1].count("(") == lines[line - 1].count(")")
    if plain and closed and recorded == got:
        lines[line - 1] = lines[line - 1].rstrip().removesuffix(",") + ", None" * (wanted - got)
        return Explanation("function-count-of-gradients", values, "\n".join(lines), cell)
    return Explanation("function-count-of-gradients", values)


@rule("RuntimeError", r"Function (\w+?)(Backward\d?) returned an invalid gradient at index (\d+) - "
      r"(?:got \[(.*?)\] but expected shape compatible with \[(.*?)\]|(expected .*))")  # fmt: skip
def shape_of_gradient(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A Function's backward returns a gradient whose shape is not that of the argument."""
    if found[6] is not None:
        return None
    given, wanted = (_shape(found[i]) for i in (4, 5))
    values = {"function": found[1], "index": int(found[3]), "given": given, "wanted": wanted}
    return Explanation("function-shape-of-gradient", values)


@rule("RuntimeError|TypeError", r"expected Variable or None \(got (.+?)\)")
def type_of_gradient(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A Function's backward returns something that is no tensor."""
    return Explanation("function-type-of-gradient", {"type": found[1], "function": _function(stopped)})


@rule("NotImplementedError", r"You must implement either the backward or vjp method")
def no_backward(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A Function without backward is differentiated."""
    return Explanation("function-without-backward", {"function": _function(stopped)})


@rule("NotImplementedError", r"You must implement the forward function for custom autograd\.Function")
def no_forward(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A Function without forward is applied."""
    return Explanation("function-without-forward", {"code": stopped.code})


@rule("RuntimeError", r"Legacy autograd function with non-static forward method")
def called_not_applied(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A Function is made and called in place of apply."""
    call = re.fullmatch(r"([A-Za-z_]\w*)\(\)\((.*)\)", stopped.code, re.DOTALL)
    mended = replaced(stopped.source, stopped.span, f"{call[1]}.apply({call[2]})") if call and stopped.span else ""
    function = call[1] if call else stopped.code
    return Explanation("function-called", {"function": function, "code": stopped.code}, mended, stopped.place)


@rule("TypeError", r"save_for_backward can only save variables, but argument (\d+) is of type (\w+)")
def saved_a_number(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """save_for_backward() of something that is no tensor."""
    return Explanation("function-saved-no-tensor", {"index": int(found[1]), "type": found[2], "code": stopped.code})


@rule("ValueError", r"(not enough|too many) values to unpack \(expected (\d+)(?:, got (\d+))?\)")
def saved_tensors_count(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """saved_tensors is unpacked into another number of names."""
    if stopped.span is None or stopped.backward is None:
        return None
    line = stopped.source.split("\n")[stopped.span.line - 1]
    if "saved_tensors" not in line:
        return None
    values: dict[str, str | int] = {"wanted": int(found[2]), "got": int(found[3]) if found[3] else -1}
    kind = "function-saved-nothing" if found[3] == "0" else "function-saved-another-number"
    return Explanation(kind, values | {"code": line.strip()})


@rule("AttributeError", r"'(\w+)Backward' object has no attribute '(\w+)'")
def context_attribute(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """backward reads from ctx what forward has not put there."""
    return Explanation("function-context", {"function": found[1], "attribute": found[2], "code": stopped.code})


@rule("TypeError", r"(\w+)\.(forward|backward)\(\) (?:takes (\d+) positional arguments? but (\d+) (?:were|was) given"
      r"|missing (\d+) required positional arguments?)")  # fmt: skip
def function_arguments(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A Function's forward or backward is written with another number of parameters than it gets."""
    name = found[1]
    if not any(re.search(rf"class {name}\(.*\bFunction\):", cell.source) for cell in stopped.trace.cells):
        return None
    values: dict[str, str | int] = {"function": name, "method": found[2], "code": stopped.code}
    if re.search(rf"\b{name}(\(\))?\.forward\(", stopped.code):
        return Explanation("function-forward-called", values)
    if found[2] == "backward":
        return Explanation("function-backward-parameters", values)
    return Explanation("function-forward-parameters", values)


@rule("RuntimeError", r"hook '(.+?)' has changed the (size|type) of value")
def hook_changed(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A hook returns a gradient with a wrong shape or dtype."""
    kind = "hook-changed-the-shape" if found[2] == "size" else "hook-changed-the-dtype"
    return Explanation(kind, {"hook": found[1], "code": stopped.code})


@rule("TypeError", r"expected Variable, but hook returned '(\w+)'")
def hook_type(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A hook returns something that is no tensor."""
    return Explanation("hook-returned-no-tensor", {"type": found[1], "code": stopped.code})


@rule("TypeError", r"^(\S+?)\(\) (?:missing (\d+) required positional|takes (\d+) positional arguments? but (\d+))")
def hook_arguments(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor's hook takes another number of arguments than one."""
    source = "\n".join(cell.source for cell in stopped.trace.cells)
    name = re.escape(found[1].rpartition(".")[2]) if "<" not in found[1] else "lambda"
    if stopped.backward is None or not re.search(rf"\.register_hook\(\s*{name}\b", source):
        return None
    return Explanation("hook-arguments", {"hook": found[1], "code": stopped.code})


@rule(
    "RuntimeError",
    r"Backward hook (?:for .*? )?returned an invalid number of grad_(?:input|output), got (\d+), but expected (\d+)",
)
def module_hook_count(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A module's backward hook returns another number of gradients than the module has inputs."""
    return Explanation("module-hook-count", {"got": int(found[1]), "wanted": int(found[2])})


@rule("RuntimeError", r"post accumulate grad hooks cannot be registered on non-leaf tensors")
def hook_of_a_result(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A hook that runs after accumulation, on a tensor that accumulates nothing."""
    mended = ""
    if stopped.span and stopped.code.count(".register_post_accumulate_grad_hook(") == 1:
        new = stopped.code.replace(".register_post_accumulate_grad_hook(", ".register_hook(")
        mended = replaced(stopped.source, stopped.span, new)
    return Explanation("accumulation-hook-of-a-result", {"code": stopped.code}, mended, stopped.place)


@rule("RuntimeError", r"Function '(\w+?)Backward\d*' returned nan values in its (\d+)\w\w output")
def nan_found(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Anomaly detection found NaN in a backward."""
    trace, name = stopped.trace, found[0].split("'")[1]
    nodes = [
        i for i, string in enumerate(trace.nodes.name) if trace.string(string) == name and trace.nodes.operation[i] >= 0
    ]
    values: dict[str, str | int] = {"node": name}
    if len(nodes) != 1 or (span := trace.operations.span[trace.nodes.operation[nodes[0]]]) < 0:
        return Explanation("anomaly-nan", values)
    values |= {"code": trace.text(span), "line": trace.spans[span].line}
    return Explanation("anomaly-nan-at", values)


@rule(
    "RuntimeError", r"vmap: It looks like you're (attempting to use a Tensor in some data-dependent|calling \.item\(\))"
)
def vmap_reads(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A function under vmap branches on a tensor or reads a number from it."""
    kind = "vmap-branches" if found[1].startswith("attempting") else "vmap-item"
    return Explanation(kind, {"code": stopped.code})


@rule("RuntimeError", r"vmap: called random operation while in randomness error mode")
def vmap_random(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Random numbers under vmap."""
    mended, cell = "", stopped.place
    outer = next((frame for frame in stopped.failure.frames if frame >= 0), -1)
    text = stopped.trace.text(outer)
    call = re.match(r"(?:torch\.)?(?:func\.)?vmap\(([A-Za-z_]\w*|lambda \w+: [^,]*)\)\(", text)
    if call and "\n" not in text:
        span = stopped.trace.spans[outer]
        new = f"{text[: call.end(1)]}, randomness='different'{text[call.end(1) :]}"
        mended, cell = replaced(stopped.trace.cells[span.cell].source, span, new), span.cell
    return Explanation("vmap-random", {"code": stopped.code}, mended, cell)


@rule("RuntimeError", r"vmap: We do not support batching operators that can support dynamic shape")
def vmap_dynamic(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A result under vmap whose size depends on the entries."""
    return Explanation("vmap-size-by-entries", {"code": stopped.code})


@rule("ValueError", r"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes \[(.*?)\]")
def vmap_sizes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Arguments of vmap with different numbers of rows."""
    return Explanation("vmap-sizes", {"sizes": found[1]})


@rule("ValueError", r"must only return Tensors, got type <class '(\w+)'>")
def vmap_returns(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A function under vmap returns something that is no tensor."""
    return Explanation("vmap-returns-no-tensor", {"type": found[1]})


@rule("ValueError", r"Got in_dim=(-?\d+) for some input, but that input is a Tensor of dimensionality (\d+)")
def vmap_dimension(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An argument of vmap that does not have the axis to map over."""
    return Explanation("vmap-axis", {"axis": int(found[1]), "count": int(found[2])})


@rule(
    "RuntimeError",
    r"Expected f\(\*args\) to return a (scalar Tensor|Tensor), got (?:tensor with (\d+) dims|<class '(\w+)'>)",
)
def transform_result(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """torch.func.grad of a function that does not return one number."""
    if found[2]:
        return Explanation("func-grad-of-several", {"axes": int(found[2]), "code": stopped.code})
    if found[3] == "tuple":
        return Explanation("func-grad-of-a-tuple", {"code": stopped.code})
    return Explanation("func-grad-no-tensor", {"type": found[3], "code": stopped.code})


@rule("RuntimeError|TypeError", r"(?:expected f\(\*primals\) to return only tensors, got unsupported type"
      r"|the given outputs of the user-provided function has type) <class '(\w+)'>")  # fmt: skip
def transform_type(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """jacrev, vjp or jacobian of a function that returns no tensor."""
    return Explanation("func-grad-no-tensor", {"type": found[1], "code": stopped.code})


@rule("RuntimeError", r"The Tensor returned by the function given to hessian should contain a single element")
def hessian_of_several(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The Hessian of a function with several results."""
    return Explanation("hessian-of-several", {"code": stopped.code})


@rule("ValueError|RuntimeError|TypeError", r"Thing passed to transform API must be Tensor, got <class '(\w+)'>")
def transform_argument(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """torch.func.grad at a Python number."""
    call = re.fullmatch(r"(.*\))\((-?\d+(?:\.\d*)?)\)", stopped.code, re.DOTALL)
    mended = ""
    if call and stopped.span:
        number = call[2] if "." in call[2] else f"{call[2]}."
        mended = replaced(stopped.source, stopped.span, f"{call[1]}(torch.tensor({number}))")
    return Explanation("func-argument-no-tensor", {"type": found[1], "code": stopped.code}, mended, stopped.place)


@rule("RuntimeError", r"Got argnum=(-?\d+), but only (\d+) positional inputs")
def transform_argnum(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """argnums names an argument that the call does not have."""
    return Explanation("func-argnums", {"index": int(found[1]), "count": int(found[2])})


@rule("RuntimeError", r"backward\(\) called inside a functorch transform")
def backward_inside(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """backward() in a function that torch.func differentiates."""
    return Explanation("backward-inside-a-transform", {"code": stopped.code})


@rule("RuntimeError", r"Expected (primals|tangents) to be a tuple")
def jvp_tuple(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """jvp with tensors where tuples belong."""
    return Explanation("jvp-wants-tuples", {"what": found[1], "code": stopped.code})


@rule("RuntimeError", r"Tensor is of size \[(.*?)\] while the given forward gradient is of size \[(.*?)\]")
def jvp_shape(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """jvp with a tangent whose shape is not that of the point."""
    return Explanation("jvp-shape", {"wanted": _shape(found[1]), "given": _shape(found[2])})


def _function(stopped: Stopped) -> str:
    """The name of the Function whose backward was running."""
    trace, now = stopped.trace, stopped.backward
    if now is None or now.failed_node < 0:
        return "Function"
    return (trace.string(trace.nodes.name[now.failed_node]) or "Function").removesuffix("Backward")


def _recorded_inputs(stopped: Stopped) -> int:
    """How many leading arguments of the Function that ran get a gradient; -1 if unknown."""
    trace, now = stopped.trace, stopped.backward
    if now is None or now.failed_node < 0:
        return -1
    edges = trace.nodes.edges[now.failed_node]
    return max((i + 1 for i, edge in enumerate(edges) if edge >= 0), default=-1)


def _returned(stopped: Stopped, function: str) -> tuple[int, int | None]:
    """The cell and the line of the return in a Function's backward, if it has only one."""
    for cell, cell_run in enumerate(stopped.trace.cells):
        lines = cell_run.source.split("\n")
        starts = [i for i, line in enumerate(lines) if re.match(rf"class {re.escape(function)}\(", line)]
        if len(starts) != 1:
            continue
        end = next((i for i in range(starts[0] + 1, len(lines)) if lines[i][:1].strip()), len(lines))
        begin = next((i for i in range(starts[0], end) if re.match(r"\s+def backward\(", lines[i])), end)
        stop = next((i for i in range(begin + 1, end) if re.match(r"\s+(def|@)", lines[i])), end)
        found = [i + 1 for i in range(begin, stop) if re.match(r"\s+return\b", lines[i])]
        return cell, found[0] if len(found) == 1 else None
    return 0, None


def _shape(text: str) -> str:
    return sizes(tuple(int(size) for size in text.split(",") if size.strip().isdigit()))


RULES = (
    saved_tensors_are_a_tuple,
    count_of_gradients,
    shape_of_gradient,
    type_of_gradient,
    no_backward,
    no_forward,
    called_not_applied,
    saved_a_number,
    saved_tensors_count,
    context_attribute,
    function_arguments,
    hook_changed,
    hook_type,
    hook_arguments,
    module_hook_count,
    hook_of_a_result,
    nan_found,
    vmap_reads,
    vmap_random,
    vmap_dynamic,
    vmap_sizes,
    vmap_returns,
    vmap_dimension,
    transform_result,
    transform_type,
    hessian_of_several,
    transform_argument,
    transform_argnum,
    backward_inside,
    jvp_tuple,
    jvp_shape,
)

"""Tensors that cannot require gradients or be converted: whole numbers, results and constants."""

import re

from explorer.analysis.errors.expressions import WrittenCall, called
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.gradients.source_lines import (
    FACTORIES,
    headers,
    in_function,
    is_statement,
    made_by_call,
    makers,
    receiver,
    sources,
    tensor_of,
    with_requires_grad,
)
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.text_edits import replaced, with_argument
from explorer.trace import Span

SELECTING = ("max", "min", "sort", "topk", "median", "mode", "kthvalue", "cummax", "cummin")  # (entries, positions)
# Functions that have the same name and effect in NumPy and torch, with one tensor.
NUMPY_ALIKE = """sqrt exp log log2 log10 log1p expm1 sin cos tan tanh sinh cosh abs absolute square mean sum max min
maximum minimum dot matmul sign floor ceil""".split()


@rule("RuntimeError", r"[Oo]nly Tensors of floating point(?: and complex)? dtype can require gradients")
def whole_numbers(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A gradient is wanted of whole numbers or truth values."""
    trace, span = stopped.trace, stopped.span
    call = stopped.code if re.match(FACTORIES, stopped.code) else ""
    tensor = stopped.inputs[0] if stopped.inputs and not call else None
    every = makers(trace)
    if not call and (tensor is None or tensor not in every):  # torch.func and Parameter make a tensor of their own
        used = [
            i
            for i in every
            if "int" in stopped.dtype(i) and trace.text(trace.operations.span[every[i]]) in stopped.code
        ]
        used += [
            binding.tensor
            for binding in trace.bindings
            if re.search(rf"(?<![\w.]){re.escape(binding.name)}(?![\w.])", stopped.code)
        ]
        tensor = next((i for i in used if "int" in stopped.dtype(i)), tensor)
    made = None if tensor is None else made_by_call(trace, tensor, every)
    if made is not None:
        span = made
        call = trace.text(trace.operations.span[every[tensor]])
    values: dict[str, str | int] = {"code": call or stopped.code, "dtype": "int64"}
    if tensor is not None:
        values["dtype"] = stopped.dtype(tensor)
    elif written := re.search(r"dtype=torch\.(\w+)", call):
        values["dtype"] = written[1]
    elif re.search(r"\b(True|False)\b", re.sub(r"requires_grad=\w+", "", call)):
        values["dtype"] = "bool"
    values["code"] = re.sub(r"\.requires_grad(?:_\(.*\))?$", "", str(values["code"]), flags=re.DOTALL)
    position = None if tensor is None else _positions(stopped, tensor, every)
    if position is not None and trace.operations.span[position] >= 0:
        place = trace.operations.span[position]
        values |= {"made": trace.text(place), "line": trace.spans[place].line}
        return Explanation("positions-require-no-gradient", values)
    if not call or span is None:
        return Explanation("whole-numbers-require-no-gradient", values)
    new = as_floats(call)
    mended = replaced(trace.cells[span.cell].source, span, new) if new else ""
    return Explanation("whole-numbers-require-no-gradient", values, mended, span.cell)


def _positions(stopped: Stopped, tensor: int, made: dict[int, int]) -> int | None:
    """The operation that made a tensor of positions or class numbers, None for other whole numbers."""
    operations = stopped.trace.operations
    if tensor not in made:
        return None
    name = (stopped.trace.string(operations.function[made[tensor]]) or "").rpartition(".")[2]
    second = name in SELECTING and list(operations.outputs[made[tensor]])[1:] == [tensor]
    return made[tensor] if second or name in ("argmax", "argmin", "argsort", "nonzero", "multinomial") else None


@rule("RuntimeError", r"you can only change requires_grad flags of leaf variables")
def flag_of_a_result(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """requires_grad of a computed tensor is switched off."""
    code = _statement_text(stopped)
    name = re.match(r"(\w+)\.requires_grad", code[0])
    values = {"name": name[1] if name else stopped.code, "code": code[0]}
    mended = ""
    if name and code[1] and is_statement(stopped.trace, code[1]) and not in_function(stopped.source, code[1].line):
        mended = replaced(stopped.source, code[1], f"{name[1]} = {name[1]}.detach()")
    return Explanation("flag-of-a-result", values, mended, stopped.place)


@rule("RuntimeError", r"Can't call numpy\(\) on Tensor that requires grad")
def numpy_of_recorded(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A recorded tensor is handed to NumPy."""
    if stopped.span is None:
        return None
    code = stopped.code
    if code.endswith(".numpy()"):
        name = code.removesuffix(".numpy()")
        mended = replaced(stopped.source, stopped.span, f"{name}.detach().numpy()")
        return Explanation("numpy-of-recorded", {"name": receiver(name), "code": code}, mended, stopped.place)
    if (explanation := _kept_in_a_list(stopped)) is not None:
        return explanation
    function = re.match(r"(np|numpy)\.(\w+)\(", code)
    call = called(code)
    tensors = call is not None and all(tensor_of(stopped, argument) is not None for argument in call.arguments)
    if function and tensors and function[2] in NUMPY_ALIKE:
        torch = f"torch.{function[2]}"
        mended = replaced(stopped.source, stopped.span, torch + code[function.end(2) :])
        values = {"function": function[0][:-1], "torch": torch, "code": code}
        return Explanation("numpy-function-of-recorded", values, mended, stopped.place)
    flags, opened = stopped.trace.tensors.requires_grad, code.find("(") + 1
    names = {
        binding.name for binding in stopped.trace.bindings if flags[binding.tensor] and binding.name.isidentifier()
    }
    word = r"(\"[^\"]*\"|'[^']*')|(?<![\w.])([A-Za-z_]\w*)(?![\w(.]|\s*=(?!=))"
    changed = re.sub(word, lambda match: f"{match[0]}.detach()" if match[2] in names else match[0], code[opened:])
    name = next((match[2] for match in re.finditer(word, code[opened:]) if match[2] in names), "")
    within = "" if name or call is None else _argument(stopped, call)
    if within:
        mended = replaced(stopped.source, stopped.span, code.replace(within, f"{receiver(within)}.detach()", 1))
        return Explanation("numpy-of-recorded", {"name": receiver(within), "code": code}, mended, stopped.place)
    if not name:
        return Explanation("numpy-of-some-recorded", {"code": code})
    mended = replaced(stopped.source, stopped.span, code[:opened] + changed)
    return Explanation("numpy-of-recorded", {"name": name, "code": code}, mended, stopped.place)


def _argument(stopped: Stopped, call: WrittenCall) -> str:
    """The argument of a call that has a history and was computed inside the call, or ""."""
    flags = stopped.trace.tensors.requires_grad
    found = ((argument, tensor_of(stopped, argument)) for argument in call.arguments if "=" not in argument)
    return next((text for text, tensor in found if tensor is not None and flags[tensor]), "")


def _kept_in_a_list(stopped: Stopped) -> Explanation | None:
    """A list of recorded tensors is passed on: the line that appends them is the cause."""
    trace, flags = stopped.trace, stopped.trace.tensors
    for name in dict.fromkeys(re.findall(r"(?<![\w.])[A-Za-z_]\w*(?![\w(.])", stopped.code)):
        if trace.bound(name) is not None:
            continue
        put = re.compile(rf"(\s*{re.escape(name)}(?:\.append\(| = \[))(.{{1,200}}?)((?: for .{{1,200}}\])|\)\s*)")
        for cell, cell_run in enumerate(trace.cells):
            lines = cell_run.source.split("\n")
            for number, line in enumerate(lines, 1):
                into = put.fullmatch(line[:600])
                tensor = tensor_of(stopped, into[2]) if into else None
                if tensor is None or not flags.requires_grad[tensor]:
                    continue
                item = (
                    f"{receiver(into[2])}.{'item' if all(size == 1 for size in stopped.shape(tensor)) else 'detach'}()"
                )
                lines[number - 1] = right = f"{into[1]}{item}{into[3]}"
                values = {"name": name, "item": into[2], "line": number, "right": right.strip(), "code": stopped.code}
                return Explanation("numpy-of-a-list", values, "\n".join(lines), cell)
    return None


@rule("RuntimeError", r"Only Tensors created explicitly by the user \(graph leaves\) support the deepcopy protocol")
def deepcopy_of_a_result(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A computed tensor, or a module that keeps one, is deep-copied."""
    trace = stopped.trace
    call = re.fullmatch(r"(?:copy\.)?deepcopy\(\s*([A-Za-z_]\w*)\s*\)", stopped.code)
    tensor = trace.bound(call[1]) if call else None
    values = {"name": call[1] if call else stopped.code, "code": stopped.code}
    if tensor is None:
        return Explanation("deepcopy-of-something-with-a-result", values)
    made = makers(trace).get(tensor)
    values["made"] = trace.text(trace.operations.span[made]) if made is not None else call[1]
    mended = replaced(stopped.source, stopped.span, f"{call[1]}.detach().clone()") if stopped.span else ""
    return Explanation("deepcopy-of-a-result", values, mended, stopped.place)


@rule("RuntimeError", r"Can't detach views in-place")
def detach_of_a_view(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """detach_() of a view."""
    call = re.fullmatch(r"([A-Za-z_]\w*)\.detach_\(\)", stopped.code)
    mended = ""
    if call and stopped.span and is_statement(stopped.trace, stopped.span):
        mended = replaced(stopped.source, stopped.span, f"{call[1]} = {call[1]}.detach()")
    return Explanation("detach-of-a-view", {"name": call[1] if call else stopped.code}, mended, stopped.place)


@rule("RuntimeError", r"can't retain_grad on Tensor that has requires_grad=False")
def retain_without_gradient(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """retain_grad() of a tensor that requires no gradient."""
    return _wants_gradient(stopped, "retain-grad-without-gradient", r"(.+)\.retain_grad\(\)")


@rule("RuntimeError", r"cannot register a hook on a tensor that doesn't require gradient")
def hook_without_gradient(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A hook on a tensor that requires no gradient."""
    return _wants_gradient(stopped, "hook-without-gradient", r"(.+?)\.register_(?:post_accumulate_grad_)?hook\(.*")


@rule("RuntimeError", r"[Oo]ne of the differentiated Tensors does not require grad")
def input_requires_no_gradient(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """grad() of a result with respect to a tensor that requires no gradient."""
    trace, flags = stopped.trace, stopped.trace.tensors
    operation = stopped.operation
    names = [input_ for input_ in stopped.inputs[1:] if not flags.requires_grad[input_]]
    if operation is None or not names:
        now = stopped.backward
        names = [input_ for input_ in now.inputs if input_ >= 0 and not flags.requires_grad[input_]] if now else []
    if not names:
        return None
    span = made_by_call(trace, names[0], makers(trace))
    values = {"name": stopped.name(names[0]) or stopped.code, "code": stopped.code}
    mended = ""
    if span is not None and "int" not in stopped.dtype(names[0]) and len(names) == 1:
        mended = with_requires_grad(trace, span)
    return Explanation("input-requires-no-gradient", values, mended, span.cell if span else 0)


@rule("RuntimeError", r"appears to not have been used in the graph")
def input_not_used(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """grad() with respect to a tensor that the result was not computed from."""
    trace, now = stopped.trace, stopped.backward
    place = re.search(r"at index (\d+)", stopped.failure.text)
    if now is None or not now.inputs or not now.root_tensors:
        return None
    at = int(place[1]) if place else 0
    tensor = now.inputs[at] if at < len(now.inputs) else -1
    if tensor < 0 or now.root_tensors[0] < 0:
        return None
    root = now.root_tensors[0]
    used = set(sources(trace, root))
    beside = [source for source in sources(trace, tensor)[1:] if source in used and trace.tensors.requires_grad[source]]
    names = stopped.name(tensor), stopped.name(root)
    values: dict[str, str | int] = {"name": names[0] or stopped.code, "root": names[1] or stopped.code}
    if beside:
        return Explanation("input-made-beside", values | {"leaf": stopped.name(beside[0])})
    if (explanation := _cut_between(stopped, tensor, root, values)) is not None:
        return explanation
    mended, changed = "", with_argument(stopped.code, "allow_unused=True")
    last = stopped.span is not None and not stopped.source.split("\n")[stopped.span.end_line :]
    if changed and last and stopped.span and is_statement(trace, stopped.span):
        mended = replaced(stopped.source, stopped.span, changed)
    return Explanation("input-not-used", values, mended, stopped.place)


def _cut_between(stopped: Stopped, tensor: int, root: int, values: dict[str, str | int]) -> Explanation | None:
    """The result was computed from the tensor, but the history ends on the way."""
    trace, flags, operations = stopped.trace, stopped.trace.tensors.requires_grad, stopped.trace.operations
    goal, reached = set(sources(trace, root)), {tensor}
    for i in range(len(operations)):
        outputs = [output for output in operations.outputs[i] if output in goal]
        if not outputs or not reached & set(operations.inputs[i]):
            continue
        reached.update(outputs)
        place = operations.span[i]
        if place < 0:
            continue
        span, text = trace.spans[place], trace.text(place)
        values = values | {"made": text, "line": span.line}
        if trace.string(operations.name[i]) == "grad" and all(flags[output] for output in outputs):
            changed = with_argument(stopped.code, "materialize_grads=True") if "unused" not in stopped.code else None
            mended = replaced(stopped.source, stopped.span, changed) if changed and stopped.span else ""
            return Explanation("second-gradient-is-zero", values, mended, stopped.place)
        recorded = any(flags[given] for given in operations.inputs[i] if given in reached)
        if recorded and not any(flags[output] for output in outputs):
            mended = ""
            if text.endswith(".detach()"):
                mended = replaced(trace.cells[span.cell].source, span, text.removesuffix(".detach()"))
            return Explanation("input-cut-off", values, mended, span.cell)
    return None


@rule("RuntimeError", r"Inference tensors cannot be saved for backward|Inplace update to inference tensor outside"
      r"|Setting requires_grad=True on inference tensor outside")  # fmt: skip
def made_in_inference_mode(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor made in inference mode is used where gradients are recorded."""
    trace, made = stopped.trace, makers(stopped.trace)
    unrecorded = [
        input_ for input_ in stopped.inputs if input_ in made and not trace.operations.grad_enabled[made[input_]]
    ]
    values: dict[str, str | int] = {"name": stopped.code, "code": stopped.code}
    mended, cell = "", 0
    if unrecorded and trace.operations.span[made[unrecorded[0]]] >= 0:
        values["name"] = stopped.name(unrecorded[0]) or stopped.code
        span = trace.spans[trace.operations.span[made[unrecorded[0]]]]
        cell = span.cell
        for number, header in headers(trace.cells[cell].source, span.line).items():
            if re.match(r"\s*with torch\.inference_mode\(\):", header):
                lines = trace.cells[cell].source.split("\n")
                lines[number - 1] = header.replace("torch.inference_mode()", "torch.no_grad()")
                mended = "\n".join(lines)
    return Explanation("made-in-inference-mode", values, mended, cell)


def as_floats(call: str) -> str | None:
    """A call that makes whole numbers, changed to make floats; None if that is uncertain.

    >>> as_floats("torch.tensor([1, 2], requires_grad=True)")
    'torch.tensor([1., 2], requires_grad=True)'
    """
    if re.search(r"\bdtype=torch\.(long|int|short|bool|uint8|int\d+)\b", call):
        return re.sub(r"\bdtype=torch\.\w+", "dtype=torch.float32", call)
    literal = re.match(r"torch\.(?:tensor\(\s*[\[(]*\s*-?\d+|arange\(\s*-?\d+)(?=\s*[],)])", call)
    if literal:
        return f"{call[: literal.end()]}.{call[literal.end() :]}"
    return None if "dtype" in call else with_argument(call, "dtype=torch.float32")


def _wants_gradient(stopped: Stopped, kind: str, receiver: str) -> Explanation | None:
    """A method that only makes sense for a tensor that requires a gradient."""
    trace, made = stopped.trace, makers(stopped.trace)
    call = re.fullmatch(receiver, stopped.code, re.DOTALL)
    tensor = tensor_of(stopped, call[1]) if call else None
    if tensor is None:
        return Explanation(kind, {"name": call[1] if call else stopped.code, "code": stopped.code})
    leaves = [
        source for source in sources(trace, tensor) if source not in made or not trace.operations.inputs[made[source]]
    ]
    fit = [span for leaf in leaves if (span := made_by_call(trace, leaf, made)) and "float" in stopped.dtype(leaf)]
    recorded = all(trace.operations.grad_enabled[made[source]] for source in sources(trace, tensor) if source in made)
    single = len(fit) == 1 and recorded
    values = {"name": call[1], "code": stopped.code}
    mended = with_requires_grad(trace, fit[0]) if single else ""
    return Explanation(kind, values, mended, fit[0].cell if single else 0)


def _statement_text(stopped: Stopped) -> tuple[str, Span | None]:
    operation = stopped.operation
    if operation is not None and (span := stopped.trace.operations.span[operation]) >= 0:
        return stopped.trace.text(span), stopped.trace.spans[span]
    return stopped.code, stopped.span


RULES = (
    whole_numbers,
    flag_of_a_result,
    numpy_of_recorded,
    deepcopy_of_a_result,
    detach_of_a_view,
    retain_without_gradient,
    hook_without_gradient,
    input_requires_no_gradient,
    input_not_used,
    made_in_inference_mode,
)

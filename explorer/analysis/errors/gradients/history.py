"""Roots without a history: where it was lost after a tensor that requires a gradient."""

import re

from explorer.analysis.errors.gradients.tensor_origins import (
    factory_call,
    nodes_below,
    short_name,
    sources,
    with_requires_grad,
    written_in_place,
)
from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source import Code, Repair, find_lines, with_argument
from explorer.analysis.source import at as code_at
from explorer.trace import Trace

POSITIONS = {"argmax", "argmin", "argsort"}
FLAT = POSITIONS | set("long int bool byte round floor ceil sign trunc isclose unique bincount".split())
FLAT |= {f"{bars}{name}{bars}" for name in ("gt", "lt", "ge", "le", "eq", "ne") for bars in ("", "__")}
CHECKPOINT = "None of the inputs have requires_grad=True"  # torch's own warning
NO_RECORDING = r"\s*with (torch\.(?:no_grad|inference_mode|set_grad_enabled)\([^()]*\)):\s*(#.*)?$"

Values = dict[str, str | int]
RULES = Rules()


@RULES.rule("RuntimeError", r"element (?P<index>\d+) of tensors does not require grad and does not have a grad_fn")
def no_history(at: FailureContext) -> Explanation | None:
    """The root has no history; the Trace shows where it was lost."""
    trace, now, index = at.trace, at.backward, int(at["index"])
    root = now.root_tensors[index] if now is not None and index < len(now.root_tensors) else -1
    if root < 0:
        return None
    made, flags, behind = at.run.makers, trace.tensors.requires_grad, sources(trace, root)
    values: Values = {"name": at.name(root) or at.code}
    for tensor in behind:
        code = None if flags[tensor] or tensor not in made else at.code_of(made[tensor])
        explanation = _lost_at(at, made[tensor], code, tensor == root, values) if code else None
        if explanation is not None:
            return explanation
    if re.search(r"\bfrom_numpy\(|\bas_tensor\(|torch\.tensor\(", at.sources):
        numpy = [i for i in range(len(trace.operations)) if short_name(trace, i) in ("numpy", "__array__")]
        code = at.code_of(numpy[-1]) if numpy and any(each not in made for each in behind) else None
        if code:
            return at.explain("history-lost-in-numpy", **values | _place(code))
    return _nothing_requires(at, root, made, values)


def _place(code: Code) -> Values:
    return {"made": code.text, "line": code.line}


def _lost_at(at: FailureContext, operation: int, code: Code, is_root: bool, values: Values) -> Explanation | None:
    """Whether the history ends at an operation, and why."""
    trace, text, name = at.trace, code.text, short_name(at.trace, operation)
    required = [given for given in trace.operations.inputs[operation] if trace.tensors.requires_grad[given]]
    values = values | _place(code)
    if name == "grad" and trace.operations.outputs[operation]:
        return _first_gradient(at, operation, values)
    if name in ("tensor", "as_tensor", "Tensor", "FloatTensor"):
        return _remade(at, operation, code, required, values)
    if not required:
        return None
    if not trace.operations.grad_enabled[operation]:
        return _unrecorded_block(at, code, values)
    if name in ("detach", "data"):
        ending = ".detach()" if name == "detach" else ".data"
        repair = code.replace(text.removesuffix(ending)) if text.endswith(ending) else None
        return at.explain("history-detached", repair, **values)
    if name in POSITIONS:
        whole = is_root and text.endswith((".argmax()", ".argmin()"))
        repair = code.replace(f"{text.removesuffix(f'.{name}()')}.{name[3:]}()") if whole else None
        return at.explain("position-has-no-gradient", repair, **values)
    return at.explain("steps-have-no-gradient", **values) if name in FLAT else None


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
    curved = any(node in below and kept >= 0 and trace.tensors.requires_grad[kept] for node, kept in saved)
    changed = with_argument(call.text, "create_graph=True") if curved and "create_graph" not in call.text else None
    return at.explain("first-gradient-not-recorded", call.replace(changed) if changed else None, **values)


def _remade(at: FailureContext, operation: int, code: Code, required: list[int], values: Values) -> Explanation | None:
    """torch.tensor() made a new leaf from numbers that had a history."""
    trace, operations = at.trace, at.trace.operations
    inner = re.fullmatch(r"torch\.(?:as_)?tensor\(([^=]*)\)", code.text, re.DOTALL)
    argument = inner[1].strip() if inner else ""
    read = [
        i for i in range(operation) if _is_recorded(trace, i) and short_name(trace, i) in ("item", "tolist", "numpy")
    ]
    recorded = any(code.holds(at.code_of(i)) for i in read)
    if not required and not recorded:
        named = argument.isidentifier() and any(
            short_name(trace, i) != "tolist"
            and (made := at.code_of(i))
            and re.match(rf"\s*{argument}\s*=(?!=)", made.whole_line)
            for i in read
        )
        return at.explain("history-lost-in-numbers", **values) if named else None
    if inner and len(required) > 1:
        shapes = {trace.tensors.shape[tensor] for tensor in operations.inputs[operation]}
        alike = len(shapes) == 1 and re.fullmatch(r"\w+|\[[^\[\]]*\]", argument)
        return at.explain(
            "list-made-into-a-new-leaf", code.replace(f"torch.stack({argument})") if alike else None, **values
        )
    repair = None
    if len(required) == 1 and argument and not argument.startswith(("[", "(")):
        repair = code.replace(argument)
    elif recorded and argument.endswith(".item()"):
        repair = code.replace(argument.removesuffix(".item()"))
    return at.explain("history-lost-in-a-new-leaf", repair, **values)


def _is_recorded(trace: Trace, operation: int) -> bool:
    """Whether an operation was given a tensor that requires a gradient."""
    return any(trace.tensors.requires_grad[tensor] for tensor in trace.operations.inputs[operation])


def _unrecorded_block(at: FailureContext, code: Code, values: Values) -> Explanation:
    """Computed while recording was off: by a with block, a decorator, or a call."""
    for number, header in code.headers.items():
        if block := re.match(NO_RECORDING, header):
            values = values | {"block": block[1], "block-line": number}
            if step := _step(code.whole_line):
                repair = code.replace_lines(step[1], first=code.line, last=code.line)
                return at.explain("step-rebound-under-no-grad", repair, **values, leaf=step[0])
            body = code.lines[number : code.span.end_line]
            written = any(re.search(r"[-+*/]=|_\(|\.grad\b", text) for text in body)
            repair = None if written else code.line_at(number).dedent_block()
            return at.explain("computed-under-no-grad", repair, **values)
        above = code.lines[number - 2].strip() if number > 1 else ""
        if re.match(r"\s*def\b", header) and re.fullmatch(r"@torch\.(no_grad|inference_mode)\(\)", above):
            repair = code.replace_lines(first=number - 1, last=number - 1)
            return at.explain("computed-under-no-grad", repair, **values | {"block": above, "block-line": number - 1})
    for line, _ in find_lines(at.trace, r"^\s*torch\.set_grad_enabled\(False\)\s*$"):
        repair = None if line.indent else line.replace_lines()
        return at.explain(
            "recording-switched-off", repair, **values | {"block": line.text.strip(), "block-line": line.line}
        )
    if code.call and code.call.name == "sample":
        new = f"{code.call.receiver}.rsample({', '.join(code.call.arguments)})"
        return at.explain("sampled-without-gradient", code.replace(new), **values)
    return at.explain("computed-unrecorded", **values)


def _step(line: str) -> tuple[str, str] | None:
    """The name that a step of gradient descent gives to a new tensor, and the line that writes it in place.

    >>> _step("    w = w - 0.1 * w.grad")
    ('w', '    w -= 0.1 * w.grad')
    """
    found = re.fullmatch(r"(\s*)([A-Za-z_][\w.]*) = (\2) ([-+]) ([^-+#]*\b\2\.grad\b[^-+#]*)", line)
    return (found[2], f"{found[1]}{found[2]} {found[4]}= {found[5]}") if found else None


def _nothing_requires(at: FailureContext, root: int, made: dict[int, int], values: Values) -> Explanation:
    """No tensor that the result was computed from requires a gradient."""
    trace, behind = at.trace, sources(at.trace, root)
    leaves = [leaf for leaf in behind if leaf not in made or not trace.operations.inputs[made[leaf]]]
    if frozen := switched_off(at, set(behind), made.get(root, len(trace.operations))):
        return at.explain("flags-switched-off", **values | _place(frozen))
    if any(CHECKPOINT in getattr(output, "text", "") for cell in trace.cells for output in cell.outputs):
        return at.explain("checkpoint-of-data", _not_reentrant(at), **values)
    named = [name for leaf in leaves if at.bindings(leaf) and (name := at.name(leaf))]
    named = named or [name for leaf in leaves if (name := at.name(leaf))]
    values = values | {"names": ", ".join(dict.fromkeys(named[:4])) or at.name(root) or at.code}
    fit = [
        (at.name(each), code) for each in leaves if "float" in at.dtype(each) and (code := factory_call(trace, each))
    ]
    chosen = [each for each in fit if f"{each[0]}.grad" in at.sources] or fit
    if len({code.span for _, code in chosen}) != 1 or written_in_place(trace, chosen[0][0]):
        return at.explain("nothing-requires-gradient", **values)
    return at.explain("nothing-requires-gradient", with_requires_grad(chosen[0][1]), **values)


def _not_reentrant(at: FailureContext) -> Repair | None:
    """The program's only checkpoint(…, use_reentrant=True) in its other form."""
    asked = list(find_lines(at.trace, r"\buse_reentrant=True\b"))
    return (
        asked[0][0].replace(asked[0][0].text.replace(asked[0][1][0], "use_reentrant=False"))
        if len(asked) == 1
        else None
    )


def switched_off(at: FailureContext, tensors: set[int], before: int) -> Code | None:
    """Where requires_grad of one of these tensors was last set to False before an operation."""
    last: dict[int, Code] = {}
    for i in range(before):
        inputs = at.trace.operations.inputs[i]
        if inputs and inputs[0] in tensors and short_name(at.trace, i) in ("requires_grad_", "requires_grad"):
            code = at.code_of(i)
            if code and re.search(r"requires_grad(_\(|\s*=)", code.text):
                last[inputs[0]] = code
    return next((code for code in last.values() if re.search(r"\bFalse\b", code.text)), None)

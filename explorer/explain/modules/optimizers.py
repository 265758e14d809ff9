"""What torch.optim refuses: nothing to optimise, modules, results, numbers in place of parameters."""

import re

from explorer.explain.editing import replaced
from explorer.explain.expressions import shown
from explorer.explain.rule import Explanation, Rule, rule
from explorer.explain.stopped import Stopped
from explorer.explain.telling import told
from explorer.explain.words import assignments, made, made_once, with_value

TRAINED = r"(?:torch\.)?nn\.(?:Linear|Sequential|Conv[12]d|LSTM|GRU|RNN|Embedding)\("


@rule("ValueError", r"optimizer got an empty parameter list")
def nothing_to_optimise(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given no parameters."""
    if re.search(r"\(\s*(?:params=)?\[\]", stopped.code):
        names = {one.name for one in assignments(stopped.trace) if re.match(TRAINED, one.value)}
        mended = ""
        if len(names) == 1 and made(stopped, name := names.pop()):
            mended = replaced(stopped.source, stopped.span, stopped.code.replace("[]", f"{name}.parameters()", 1))
        return told(stopped, "optimizer-of-empty-list", mended)
    for cell, one in enumerate(stopped.trace.cells):
        lines = one.source.split("\n")
        for i, text in enumerate(lines):
            kept = re.fullmatch(r"(\s*self\.(\w+) = )(\[.*nn\.\w+\(.*\])\s*", text[:400])
            if kept:
                lines[i] = f"{kept[1]}nn.ModuleList({kept[3]})"
                has_nn = any(at.name == "nn" for at in assignments(stopped.trace))
                mended = "\n".join(lines) if has_nn else ""
                facts = {"line": i + 1, "name": kept[2], "code": shown(stopped.code)}
                return Explanation("layers-in-a-list", facts, mended, cell)
    if used := re.search(r"(\w+)\.parameters\(\)", stopped.code):
        return told(stopped, "module-without-parameters", name=used[1])
    return told(stopped, "optimizer-of-nothing")


@rule("TypeError", r"'(\w+)' object is not iterable")
def optimizer_of_module(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given the module, or the method instead of its result."""
    call = re.match(
        r"(?:torch\.)?(?:optim\.)?(SGD|Adam|AdamW|RMSprop|Adagrad|LBFGS)\(\s*(?:params=)?(\w[\w.]*)", stopped.code
    )
    if not call or stopped.span is None:
        return None
    old = call[2]
    if found[1] in ("method", "builtin_function_or_method", "function") and old.endswith("parameters"):
        new = stopped.code[: call.end()] + "()" + stopped.code[call.end() :]
        return told(stopped, "parameters-not-called", replaced(stopped.source, stopped.span, new), name=old)
    new = stopped.code[: call.end()] + ".parameters()" + stopped.code[call.end() :]
    if found[1] in ("int", "float", "NoneType", "method", "function"):
        return None
    return told(stopped, "optimizer-of-a-module", replaced(stopped.source, stopped.span, new), name=old, type=found[1])


@rule("TypeError", r"params argument given to the optimizer should be an iterable of Tensors")
def optimizer_of_tensor(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given a tensor without a list around it."""
    call = re.match(r"[\w.]+\(\s*(?:params=)?(\w+)\s*(?=[,)])", stopped.code)
    if not call or stopped.span is None:
        return told(stopped, "optimizer-of-a-tensor", name="w")
    new = stopped.code[: call.start(1)] + f"[{call[1]}]" + stopped.code[call.end(1) :]
    leaf = (tensor := stopped.trace.bound(call[1])) is not None and stopped.trace.tensors.is_leaf[tensor]
    mended = replaced(stopped.source, stopped.span, new) if leaf else ""
    return told(stopped, "optimizer-of-a-tensor", mended, name=call[1])


@rule("ValueError", r"can't optimize a non-leaf Tensor")
def optimizer_of_non_leaf(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given a tensor that an operation made."""
    trace = stopped.trace
    names = re.findall(r"\b[A-Za-z_]\w*\b", stopped.code)
    wrong = [one for one in names if (t := trace.bound(one)) is not None and not trace.tensors.is_leaf[t]]
    if not wrong:
        return None
    name = wrong[0]
    at = made_once(stopped, name)
    mended = ""
    if at:
        late = re.fullmatch(
            r"(torch\.\w+\([^#]*), requires_grad=True\)(\s*[*/]\s*[\d.]+|\.(?:double|float)\(\))", at.value
        )
        if late and at.indent == 0:
            made_whole = f"{late[1]}){late[2]}" if late[2].startswith(".") else f"({late[1]}){late[2]})"
            mended = with_value(trace, at, f"{made_whole}.requires_grad_()")
    where = at.line if at else stopped.span.line if stopped.span else 0
    return Explanation(
        "optimizer-of-non-leaf",
        {"name": name, "where": where, "code": shown(stopped.code)},
        mended,
        at.cell if at else stopped.place,
    )


@rule("TypeError", r"optimizer can only optimize Tensors, but one of the params is (\S+)")
def optimizer_of_numbers(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A list of numbers, or the names of a state_dict, are given to an optimizer."""
    if ".state_dict()" in stopped.code and stopped.span:
        new = stopped.code.replace(".state_dict()", ".parameters()", 1)
        return told(stopped, "optimizer-of-state-dict", replaced(stopped.source, stopped.span, new))
    if ".named_parameters()" in stopped.code and stopped.span:
        new = stopped.code.replace(".named_parameters()", ".parameters()", 1)
        return told(stopped, "optimizer-of-state-dict", replaced(stopped.source, stopped.span, new))
    return told(stopped, "optimizer-of-numbers", type=found[1])


RULES: tuple[Rule, ...] = (
    nothing_to_optimise,
    optimizer_of_module,
    optimizer_of_tensor,
    optimizer_of_non_leaf,
    optimizer_of_numbers,
)

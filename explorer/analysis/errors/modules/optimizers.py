"""Errors of torch.optim: nothing to optimise, modules, results, numbers in place of parameters."""

import re
from collections.abc import Callable

from explorer.analysis.errors.assignments import assignments, made, made_once, with_value
from explorer.analysis.errors.explanations import explanation
from explorer.analysis.errors.expressions import called, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import closing
from explorer.analysis.errors.text_edits import replaced
from explorer.trace import Span

TRAINED = r"(?:torch\.)?nn\.(?:Linear|Sequential|Conv[12]d|LSTM|GRU|RNN|Embedding)\("


@rule("ValueError", r"optimizer got an empty parameter list")
def nothing_to_optimise(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given no parameters."""
    if re.search(r"\(\s*(?:params=)?\[\]", stopped.code):
        names = {assignment.name for assignment in assignments(stopped.trace) if re.match(TRAINED, assignment.value)}
        mended = ""
        if len(names) == 1 and made(stopped, name := names.pop()):
            mended = replaced(stopped.source, stopped.span, stopped.code.replace("[]", f"{name}.parameters()", 1))
        return explanation(stopped, "optimizer-of-empty-list", mended)
    for cell, cell_run in enumerate(stopped.trace.cells):
        lines = cell_run.source.split("\n")
        for i, text in enumerate(lines):
            kept = re.search(r"(\bself\.(\w+) = )(\[.*nn\.\w+\(.*\]|\{.*nn\.\w+\(.*\})", text[:400])
            if kept:
                kind = "ModuleList" if kept[3].startswith("[") else "ModuleDict"
                lines[i] = f"{text[: kept.start(3)]}nn.{kind}({kept[3]}){text[kept.end(3) :]}"
                has_nn = any(at.name == "nn" for at in assignments(stopped.trace))
                mended = "\n".join(lines) if has_nn else ""
                facts = {"line": i + 1, "name": kept[2], "code": shown(stopped.code), "kind": kind}
                return Explanation("layers-in-a-list", facts, mended, cell)
            if collected := _collected(lines, i):
                kind = "ModuleDict" if "{" in text else "ModuleList"
                empty = re.search(r"(\[\s*\]|\{\s*\})\s*(?:#.*)?$", text)
                lines[i] = f"{text[: empty.start(1)]}nn.{kind}()" if empty else text
                facts = {"line": i + 1, "name": collected, "code": shown(stopped.code), "kind": kind}
                return Explanation("layers-in-a-list", facts, "\n".join(lines) if empty else "", cell)
    if used := re.search(r"(\w+(?:\([^()]*\))?)\.parameters\(\)", stopped.code):
        return explanation(stopped, "module-without-parameters", name=shown(used[1]))
    return explanation(stopped, "optimizer-of-nothing")


def _collected(lines: list[str], at: int) -> str:
    """The attribute that a line makes a list or dict, empty or over several lines, into which layers are put; or ""."""
    opened = re.match(r"\s*self\.(\w+)\s*=\s*[\[{]\s*(?:[\]}]\s*)?(?:#.*)?$", lines[at][:400])
    if not opened:
        return ""
    if not re.search(r"[\]}]", lines[at]):
        return opened[1] if at + 1 < len(lines) and re.search(r"\bnn\.[A-Z]\w*\(", lines[at + 1][:400]) else ""
    filled = re.compile(rf"self\.{opened[1]}(?:\.append\(|\s*\+=|\[[^\]]*\]\s*=)\s*\[?\s*(?:nn\.)?[A-Z]\w*\(")
    return opened[1] if any(filled.search(line[:400]) for line in lines) else ""


@rule("TypeError", r"'(\w+)' object is not iterable")
def optimizer_of_module(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given the module, or the method instead of its result."""
    call = re.match(
        r"(?:torch\.)?(?:optim\.|nn\.utils\.|utils\.)?"
        r"(SGD|Adam|AdamW|RMSprop|Adagrad|LBFGS|clip_grad_norm_|clip_grad_value_|parameters_to_vector)"
        r"\(\s*(?:params=|parameters=)?(\w[\w.]*)",
        stopped.code,
    )
    if not call or stopped.span is None:
        return None
    if stopped.code[call.end() : call.end() + 1] == "(" and (end := closing(stopped.code, call.end())) > 0:
        made = stopped.code[call.start(2) : end + 1]  # the module is created in the call itself
        new = f"{stopped.code[: end + 1]}.parameters(){stopped.code[end + 1 :]}"
        return explanation(
            stopped, "optimizer-of-a-module", replaced(stopped.source, stopped.span, new), name=made, type=found[1]
        )
    old = call[2]
    if found[1] in ("method", "builtin_function_or_method", "function") and old.endswith("parameters"):
        new = stopped.code[: call.end()] + "()" + stopped.code[call.end() :]
        return explanation(stopped, "parameters-not-called", replaced(stopped.source, stopped.span, new), name=old)
    new = stopped.code[: call.end()] + ".parameters()" + stopped.code[call.end() :]
    if found[1] in ("int", "float", "NoneType", "method", "function"):
        return None
    if not call[1][0].isupper():
        changed = replaced(stopped.source, stopped.span, new)
        return explanation(stopped, "parameters-of-a-module-wanted", changed, function=call[1], name=old, type=found[1])
    return explanation(
        stopped, "optimizer-of-a-module", replaced(stopped.source, stopped.span, new), name=old, type=found[1]
    )


@rule("TypeError", r"params argument given to the optimizer should be an iterable of Tensors")
def optimizer_of_tensor(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given a tensor without a list around it."""
    call = re.match(r"[\w.]+\(\s*(?:params=)?(\w+)\s*(?=[,)])", stopped.code)
    if not call or stopped.span is None:
        written = called(stopped.code)
        first = written.value(0) if written is not None and written.arguments else stopped.code
        return explanation(stopped, "optimizer-of-a-tensor", name=shown(first))
    new = stopped.code[: call.start(1)] + f"[{call[1]}]" + stopped.code[call.end(1) :]
    leaf = (tensor := stopped.trace.bound(call[1])) is not None and stopped.trace.tensors.is_leaf[tensor]
    mended = replaced(stopped.source, stopped.span, new) if leaf else ""
    return explanation(stopped, "optimizer-of-a-tensor", mended, name=call[1])


@rule("ValueError", r"can't optimize a non-leaf Tensor")
def optimizer_of_non_leaf(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An optimizer is given a tensor that an operation made: in the call itself, by a name, or in a list."""
    trace = stopped.trace
    if stopped.span is None:
        return None
    given = _given_results(stopped, lambda span: _is_within(span, stopped.span))
    if given and trace.string(trace.operations.name[given[0]]) == "unbind":
        return _rows(stopped, given[0])
    if given:
        return _result_given(stopped, given[0])
    names = list(dict.fromkeys(re.findall(r"(?<![\w.])[A-Za-z_]\w*\b", stopped.code)))
    wrong = [name for name in names if (t := trace.bound(name)) is not None and not trace.tensors.is_leaf[t]]
    if wrong:
        return _named_result(stopped, wrong[0])
    for name in [*names, *re.findall(r"\.([A-Za-z_]\w*)(?!\w|\()", stopped.code)]:
        if kept := _given_results(stopped, _is_on(_lines_of(stopped, name))):
            return _result_given(stopped, kept[0], name)
    return explanation(stopped, "optimizer-of-some-non-leaf")


def _is_within(inner: Span, outer: Span) -> bool:
    begin, end = (inner.line, inner.column), (inner.end_line, inner.end_column)
    return (
        inner.cell == outer.cell and (outer.line, outer.column) <= begin and end <= (outer.end_line, outer.end_column)
    )


def _is_on(lines: set[tuple[int, int]]) -> Callable[[Span], bool]:
    return lambda span: (span.cell, span.line) in lines


def _given_results(stopped: Stopped, is_here: Callable[[Span], bool]) -> list[int]:
    """The operations at some places whose results require a gradient, are no leaves, and are inputs of no other
    operation there.
    """
    trace, operations = stopped.trace, stopped.trace.operations
    here = [i for i in range(len(operations)) if (at := operations.span[i]) >= 0 and is_here(trace.spans[at])]
    used = {tensor for i in here for tensor in operations.inputs[i]}
    return [
        i
        for i in here
        for tensor in operations.outputs[i][:1]
        if trace.tensors.requires_grad[tensor] and not trace.tensors.is_leaf[tensor] and tensor not in used
    ]


def _lines_of(stopped: Stopped, name: str) -> set[tuple[int, int]]:
    """The lines that assign a name, or add to it."""
    put = re.compile(
        rf"\s*(?:[\w.]+\.)?{re.escape(name)}(?:\s*=(?!=)|\.(?:append|extend|insert)\(|\[[^\[\]]*\]\s*=(?!=)|\s*\+=)"
    )
    found = {(assignment.cell, assignment.line) for assignment in assignments(stopped.trace) if assignment.name == name}
    for cell, cell_run in enumerate(stopped.trace.cells):
        lines = cell_run.source.split("\n")
        found |= {(cell, number) for number, line in enumerate(lines, 1) if put.match(line[:400])}
        head = next((i for i, line in enumerate(lines) if re.match(rf"def {re.escape(name)}\(", line)), None)
        if head is not None:
            end = next((i for i in range(head + 1, len(lines)) if lines[i][:1].strip()), len(lines))
            found |= {(cell, number) for number in range(head + 1, end + 1)}
    return found


def _rows(stopped: Stopped, operation: int) -> Explanation | None:
    """The argument is a tensor itself: iterating it gives its rows."""
    name = stopped.name(stopped.trace.operations.inputs[operation][0])
    written = list(re.finditer(rf"\*\[{re.escape(name)}\]|(?<=[(,+\s]){re.escape(name)}(?=\s*[),])", stopped.code))
    mended = ""
    if len(written) == 1 and stopped.span and name.isidentifier():
        code = f"{stopped.code[: written[0].start()]}[{name}]{stopped.code[written[0].end() :]}"
        mended = replaced(stopped.source, stopped.span, code)
    return explanation(stopped, "optimizer-of-rows", mended, name=name)


def _result_given(stopped: Stopped, operation: int, name: str = "") -> Explanation | None:
    """A result is passed in the call, or is in the named list."""
    trace = stopped.trace
    place = trace.operations.span[operation]
    span, text = trace.spans[place], trace.text(place)
    values: dict[str, str | int] = {"made": shown(text), "where": span.line, "call": shown(stopped.code)}
    source = trace.cells[span.cell].source
    late = _asked_late(text)
    leaf = re.match(r"([A-Za-z_]\w*)(?:\s*[-+*/@]|\.\w+\()", text)
    mended = ""
    if late:
        mended = replaced(source, span, f"{late}.requires_grad_()")
    elif leaf and leaf[1] != "torch" and not name and not re.search(rf"[\[,]\s*{leaf[1]}\s*[\],]", stopped.code):
        mended = replaced(source, span, leaf[1])
    kind = "optimizer-of-a-list-of-results" if name else "optimizer-of-an-operation"
    return Explanation(kind, values | ({"name": name} if name else {}), mended, span.cell)


def _asked_late(text: str) -> str:
    """A factory call with requires_grad and an operation on it, without requires_grad; "" for another text.

    >>> _asked_late("torch.randn(3, requires_grad=True) * 0.1")
    '(torch.randn(3) * 0.1)'
    """
    late = re.fullmatch(r"(torch\.\w+\([^#]*), requires_grad=True\)(\s*[*/]\s*[\d.]+|\.\w+\([\w., -]*\))", text)
    if not late:
        return ""
    return f"{late[1]}){late[2]}" if late[2].startswith(".") else f"({late[1]}){late[2]})"


def _named_result(stopped: Stopped, name: str) -> Explanation | None:
    at = made_once(stopped, name)
    late = _asked_late(at.value) if at and at.indent == 0 else ""
    return Explanation(
        "optimizer-of-non-leaf",
        {"name": name, "where": at.line if at else stopped.span.line, "code": shown(stopped.code)},
        with_value(stopped.trace, at, f"{late}.requires_grad_()") if late else "",
        at.cell if at else stopped.place,
    )


@rule(
    "ValueError", r"loaded state dict (?:contains a parameter group that doesn't match the size|has a different number)"
)
def state_of_another_optimizer(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The saved state belongs to an optimizer with other parameters."""
    return explanation(stopped, "optimizer-state-of-another")


@rule("TypeError", r"optimizer can only optimize Tensors, but one of the params is (\S+)")
def optimizer_of_numbers(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A list of numbers, or the names of a state_dict, are given to an optimizer."""
    if ".state_dict()" in stopped.code and stopped.span:
        new = stopped.code.replace(".state_dict()", ".parameters()", 1)
        return explanation(stopped, "optimizer-of-state-dict", replaced(stopped.source, stopped.span, new))
    if ".named_parameters()" in stopped.code and stopped.span:
        new = stopped.code.replace(".named_parameters()", ".parameters()", 1)
        return explanation(stopped, "optimizer-of-state-dict", replaced(stopped.source, stopped.span, new))
    return explanation(stopped, "optimizer-of-numbers", type=found[1])


RULES: tuple[Rule, ...] = (
    nothing_to_optimise,
    optimizer_of_module,
    optimizer_of_tensor,
    optimizer_of_non_leaf,
    state_of_another_optimizer,
    optimizer_of_numbers,
)

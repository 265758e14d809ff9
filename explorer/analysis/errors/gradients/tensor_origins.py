"""Where a program's tensors come from, and changes of the lines that make them, for several rules about gradients."""

import re

from explorer.analysis.errors.rule import FailureContext
from explorer.analysis.operations.signatures import names_of
from explorer.analysis.run import run_of
from explorer.analysis.source.code import Code, Repair, code_at, find_lines
from explorer.analysis.source.expressions import bracketed, with_argument
from explorer.trace import Trace

FACTORIES = r"torch\.(tensor|ones|zeros|rand|randn|full|arange|linspace|eye|empty|as_tensor|randint|normal|logspace)\("


def sources(trace: Trace, tensor: int) -> list[int]:
    """The tensors that one was computed from, itself first, nearest first."""
    made, seen, visited = run_of(trace).makers, [tensor], {tensor}
    for reached in seen:
        for before in trace.operations.inputs[made[reached]] if reached in made else ():
            if before not in visited:
                visited.add(before)
                seen.append(before)
    return seen


def tensor_of(context: FailureContext, code: str) -> int | None:
    """The tensor that an expression means: a name, or the text of an operation."""
    code = code.strip()
    named, operations = context.trace.bound(code), context.trace.operations
    if named is not None:
        return named
    texts = {code, code[1:-1]} if code.startswith("(") and code.endswith(")") else {code}
    for i in range(len(operations) - 1, -1, -1):
        if operations.outputs[i] and context.written(i) in texts:
            return operations.outputs[i][0]
    return None


def short_name(trace: Trace, operation: int) -> str:
    """The name of the function that an operation called, without its module."""
    return (trace.string(trace.operations.function[operation]) or "").rpartition(".")[2]


def factory_call(trace: Trace, tensor: int) -> Code | None:
    """The torch.ones(...) or the like that makes a tensor without requires_grad, None for one made otherwise."""
    made = run_of(trace).makers.get(tensor)
    code = None if made is None else code_at(trace, trace.operations.span[made])
    whole = code and re.match(FACTORIES, code.text) and code.text.endswith(")") and "requires_grad" not in code.text
    return code if whole else None


def with_requires_grad(code: Code) -> Repair | None:
    """With requires_grad=True in the call that makes a tensor."""
    changed = with_argument(code.text, "requires_grad=True")
    return code.replace(changed) if changed else None


def written_in_place(trace: Trace, name: str) -> bool:
    """Whether the program changes a name in place outside torch.no_grad(), which no leaf with a gradient allows."""
    word = re.escape(name)
    change = rf"^\s*{word}(?:(?:\[.*\])?\s*(?:[-+*/]|\*\*|//)=|\.[a-z]+_\(|\[.*\]\s*=)"
    return any("no_grad" not in " ".join(line.headers.values()) for line, _ in find_lines(trace, change))


def computed_anew(code: Code) -> Repair | None:
    """A statement that overwrites a named tensor makes a new one instead, or first copies the old one."""
    if not code.is_statement or code.line != code.span.end_line:
        return None
    if match := re.fullmatch(r"(\w+)\s*(\*\*|//|[-+*/@])=(?!=)\s*(.+)", code.text):
        name, sign, rest = match.groups()
        return code.replace(f"{name} = {name} {sign} {bracketed(rest)}")
    if code.is_in_function:
        return None
    if match := re.fullmatch(r"(\w+)\.(\w+)_\((.*)\)", code.text):
        name, function, rest = match.groups()
        new = f"torch.zeros_like({name})" if function == "zero" else f"{name}.{function}({rest})"
        if function == "zero" or {function, f"{function}_"} <= names_of("torch.Tensor"):
            return code.replace(f"{name} = {new}")
    if match := re.match(r"(\w+)\[[^=]*\]\s*[-+*/]?=(?!=)", code.text):
        return code.add_before(f"{match[1]} = {match[1]}.clone()")
    return None

"""Errors of torch.autograd.Function, of hooks, of anomaly detection and of torch.func."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.operations.record import camel_case, stem_of
from explorer.analysis.source.code import Code, find_lines

RULES = Rules()


@RULES.rule(r"TypeError|AttributeError|RuntimeError: tuple|only integer tensors of a single element")
def saved_tensors_are_a_tuple(at: FailureContext) -> Explanation | None:
    """Explain a saved tensor unpacked from ctx.saved_tensors without a comma."""
    for number in range(at.line - 1, 0, -1):
        line = at.here.lines[number - 1]
        given = re.fullmatch(r"\s*(\w+) = (\w+\.saved_tensors)\s*(?:#.*)?", line[:400])
        if given and re.search(rf"(?<![\w.]){given[1]}(?!\w)", at.code):
            return at.explain("saved-tensors-are-a-tuple", name=given[1], saved=given[2], line=number)
        if re.match(r"\s*def\b", line):
            return None
    return None


@RULES.rule(
    r"RuntimeError: function (?P<function>\w+)Backward returned an incorrect number of gradients "
    r"\(expected (?P<wanted>\d+), got (?P<got>\d+)\)"
)
def count_of_gradients(at: FailureContext) -> Explanation:
    """Explain a Function whose backward returns a wrong number of values."""
    wanted, got, line = int(at["wanted"]), int(at["got"]), _returned(at, at["function"])
    listed = re.fullmatch(r"\s*return \[([^\[\]]+)\]\s*", line.text) if line and got == 1 else None
    several = listed and listed[1].count(",") + 1 == wanted and "(" not in listed[1]
    return at.explain("function-returned-a-list" if several else "function-count-of-gradients", wanted=wanted, got=got)


@RULES.rule(r"RuntimeError: Legacy autograd function with non-static forward method")
def called_not_applied(at: FailureContext) -> Explanation:
    """Explain a Function that is called as `F()(x)` instead of through apply."""
    call = re.fullmatch(r"([A-Za-z_]\w*)(\(\))?\((.*)\)", at.code, re.DOTALL)
    if call is None:
        return at.explain("function-called", function=at.code)
    only = None if call[2] else at.only_assignment(call[1])
    made = re.fullmatch(r"([A-Za-z_]\w*)\(\)", only.value) if only else None
    function = made[1] if made else call[1]
    return at.explain("function-called", f"{function}.apply({call[3]})" if call[2] or made else None, function=function)


@RULES.rule(r"ValueError: (?:not enough|too many) values to unpack \(expected (?P<wanted>\d+)(?:, got (?P<got>\d+))?\)")
def saved_tensors_count(at: FailureContext) -> Explanation | None:
    """Explain saved_tensors unpacked into a wrong number of names."""
    if at.backward is None or "saved_tensors" not in at.here.whole_line:
        return None
    values: dict[str, str | int] = {"wanted": int(at["wanted"]), "got": int(at["got"] or -1)}
    kind = "function-saved-nothing" if at["got"] == "0" else "function-saved-another-number"
    return at.explain(kind, **values, code=at.here.whole_line.strip())


@RULES.rule(
    r"TypeError: (?P<function>\w+)\.(?P<method>forward|backward)\(\) (?:takes \d+ positional arguments? "
    r"but \d+ (?:were|was) given"
    r"|missing \d+ required positional arguments?)"
)
def function_arguments(at: FailureContext) -> Explanation | None:
    """Explain a Function whose methods have a wrong number of parameters."""
    name = at["function"]
    if not any(re.search(rf"class {name}\(.*\bFunction\):", cell.source) for cell in at.trace.cells):
        return None
    called = re.search(rf"\b{name}(\(\))?\.forward\(", at.code)
    return at.explain("function-forward-called" if called else f"function-{at['method']}-parameters")


@RULES.rule(
    r"TypeError: ^(?P<hook>\S+?)\(\) (?:missing \d+ required positional|takes \d+ positional arguments? but \d+)"
)
def hook_arguments(at: FailureContext) -> Explanation | None:
    """Explain a tensor's hook that does not take exactly one argument."""
    name = re.escape(at["hook"].rpartition(".")[2]) if "<" not in at["hook"] else "lambda"
    registered = at.backward is not None and re.search(rf"\.register_hook\(\s*{name}\b", at.sources)
    return at.explain("hook-arguments") if registered else None


@RULES.rule(r"RuntimeError: Function '(?P<node>(?:\w+?)Backward\d*)' returned nan values in its (\d+)\w\w output")
def nan_found(at: FailureContext) -> Explanation:
    """Explain NaN that anomaly detection found in a backward."""
    nodes = at.trace.nodes
    made = [nodes.operation[i] for i, name in enumerate(nodes.name) if at.trace.string(name) == at["node"]]
    made = [operation for operation in made if operation >= 0]
    code = at.run.call(made[0]).place if len(made) == 1 else None
    return at.explain("anomaly-nan-at", code=code.text, line=code.line) if code else at.explain("anomaly-nan")


def _function(at: FailureContext) -> str:
    """Return the name of the Function whose backward was running."""
    trace, now = at.trace, at.backward
    if now is None or now.failed_node < 0:
        return "Function"
    return (trace.string(trace.nodes.name[now.failed_node]) or "Function").removesuffix("Backward")


def _returned(at: FailureContext, function: str) -> Code | None:
    """Return the only return line of a Function's backward."""
    for head, _ in find_lines(at.trace, r"^\s+def backward\("):
        owner = list(head.headers.values())[-1:]
        if owner and re.match(rf"class {re.escape(function)}\(", owner[0]):
            body = map(head.line_at, range(head.line + 1, head.end_of_block + 1))
            returns = [line for line in body if re.match(r"\s+return\b", line.text)]
            return returns[0] if len(returns) == 1 else None
    return None


RULES.rule(r"RuntimeError|TypeError: expected Variable or None \(got (?P<type>.+?)\)")(
    lambda at: at.explain("function-type-of-gradient", function=_function(at))
)
RULES.rule(r"NotImplementedError: You must implement either the backward or vjp method")(
    lambda at: at.explain("function-without-backward", function=_function(at))
)


_INSTEAD = {  # differentiable equivalents of functions without a derivative
    "heaviside": "smooth",
    "floor_divide": "smooth",
    "bincount": "index_add",
    "cdist": "norm",
    "pdist": "norm",
    "embedding_bag": "embedding",
    "scaled_dot_product": "math",
}


@RULES.rule(
    r"RuntimeError|NotImplementedError: (?:derivative for|Trying to use (?P<forward>forward) AD with) "
    r"'?(?:aten::)?_?(?P<function>\w+?)(?P<again>_backward)?(?:: \w+)?'? (?:is not implemented|that does not support)"
)
def derivative_missing(at: FailureContext) -> Explanation | None:
    """Explain a missing derivative: first, second or in forward mode."""
    order = at["forward"] or ("second" if at["again"] else "first")
    place = at.statement if order == "forward" else _not_differentiable(at)
    if place is None:
        return None
    instead = next((offer for name, offer in _INSTEAD.items() if at["function"].startswith(name)), order)
    return at.explain("derivative-missing", made=place.text, at=place.line, order=order, instead=instead)


def _not_differentiable(at: FailureContext) -> Code | None:
    """Return the place of the operation that stopped backward."""
    nodes, now = at.trace.nodes, at.backward
    names = list(map(at.trace.strings.__getitem__, nodes.name))
    if at["again"]:
        found = [node for node, name in enumerate(names) if stem_of(name) == camel_case(at["function"])]
    else:
        found = [now.failed_node] if now is not None else []
        found += [node for node, name in enumerate(names) if name == "NotImplemented"]
    made = [nodes.operation[node] for node in found if node >= 0 and nodes.operation[node] >= 0]
    return at.run.call(made[0]).place if made else None

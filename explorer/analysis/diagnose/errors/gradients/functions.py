"""Errors of torch.autograd.Function, of hooks, of anomaly detection and of torch.func."""

import ast
from collections.abc import Collection, Iterator

from explorer.analysis.diagnose.errors.evidence import FUNCTION
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.operations.record import camel_case, stem_of
from explorer.analysis.run.source.code import Code
from explorer.analysis.run.source.definitions import calls, classes, methods, returns

RULES = Rules()


@RULES.rule(r"TypeError|AttributeError|RuntimeError: tuple|only integer tensors of a single element")
def saved_tensors_are_a_tuple(at: FailureContext) -> Explanation | None:
    """Explain a saved tensor unpacked from ctx.saved_tensors without a comma."""
    saved = (part for part in at.parts if part.thing.type == "tuple" and part.made.endswith(".saved_tensors"))
    if (part := next(saved, None)) is None:
        return None
    return at.explain("saved-tensors-are-a-tuple", name=part.text, saved=part.made, line=part.where)


@RULES.rule(
    r"RuntimeError: function (?P<function>\w+)Backward returned an incorrect number of gradients "
    r"\(expected (?P<wanted>\d+), got (?P<got>\d+)\)"
)
def count_of_gradients(at: FailureContext) -> Explanation:
    """Explain a Function whose backward returns a wrong number of values."""
    wanted, got, own = int(at["wanted"]), int(at["got"]), classes(at.trace).get(at["function"])
    given = returns(methods(own)["backward"]) if own and "backward" in methods(own) else []
    listed = got == 1 and len(given) == 1 and isinstance(given[0], ast.List) and len(given[0].elts) == wanted
    return at.explain("function-returned-a-list" if listed else "function-count-of-gradients", wanted=wanted, got=got)


@RULES.rule(r"RuntimeError: Legacy autograd function with non-static forward method")
def called_not_applied(at: FailureContext) -> Explanation:
    """Explain a Function that is called as `F()(x)` instead of through apply."""
    made = at.callee and (at.callee.callee or at.callee.first("maker"))
    if made is None or at.call is None:
        return at.explain("function-called", function=(at.callee and at.callee.name) or at.code)
    new = f"{made.text}.apply({', '.join(at.call.arguments)})"
    return at.explain("function-called", new, function=made.text)


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
    owners = any(FUNCTION in part.thing.bases for part in at.parts)
    if not owners and f"{at['function']}Backward" not in map(at.trace.string, at.trace.nodes.name):
        return None
    called = at.callee is not None and at.callee.text.endswith(".forward")
    return at.explain("function-forward-called" if called else f"function-{at['method']}-parameters")


def hooks_named(at: FailureContext, name: str, methods: Collection[str]) -> Iterator[tuple[str, ast.Call, ast.expr]]:
    """Yield the calls that register a function by these methods: method, call, function as written."""
    last = name.rpartition(".")[2]
    for method, call, _ in calls(at.trace, methods):
        for hook in [*call.args, *(one.value for one in call.keywords if one.arg == "hook")][:1]:
            if last == ("<lambda>" if isinstance(hook, ast.Lambda) else ast.unparse(hook).rpartition(".")[2]):
                yield method, call, hook


@RULES.rule(
    r"TypeError: ^(?P<hook>\S+?)\(\) (?:missing \d+ required positional|takes \d+ positional arguments? but \d+)"
)
def hook_arguments(at: FailureContext) -> Explanation | None:
    """Explain a tensor's hook that does not take exactly one argument."""
    registered = at.backward is not None and any(hooks_named(at, at["hook"], ("register_hook",)))
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

"""Errors of torch.optim and of wrappers around modules: hooks, TorchScript, DistributedDataParallel."""

import ast
import re
from collections.abc import Callable

from explorer.analysis.diagnose.errors.evidence import MODULE, OPTIMIZER, Evidence
from explorer.analysis.diagnose.errors.gradients.functions import hooks_named
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.source.assignments import all_assignments
from explorer.analysis.run.source.code import Code, lines_of
from explorer.analysis.run.source.definitions import classes
from explorer.analysis.run.source.expressions import near, parse_call, shorten_code

RULES = Rules()

_DICTS = ast.Dict | ast.DictComp
_LISTS = ast.List | ast.ListComp | _DICTS
_UTILS = "torch.nn.utils"
TAKE_PARAMETERS = (
    f"{_UTILS}.clip_grad.clip_grad_norm_",
    f"{_UTILS}.clip_grad.clip_grad_value_",
    f"{_UTILS}.convert_parameters.parameters_to_vector",
)

_MODULE_HOOKS = {
    "register_forward_hook": "module, inputs, output",
    "register_forward_pre_hook": "module, inputs",
    "register_full_backward_hook": "module, grad_input, grad_output",
    "register_full_backward_pre_hook": "module, grad_output",
    "register_backward_hook": "module, grad_input, grad_output",
}


@RULES.rule(
    r"TypeError: ^(?P<hook>\S+?)\(\) (?:missing (?P<missing>\d+) required positional"
    r"|takes (?P<takes>\d+) positional arguments? but (?P<given>\d+))"
)
def module_hook_arguments(at: FailureContext) -> Explanation | None:
    """Explain a module's hook with a wrong number of parameters."""
    if not any(one.is_a(MODULE) for one in at.running) and at.backward is None:
        return None  # the program calls it itself
    registered = [
        (_MODULE_HOOKS[method], method, call.lineno)
        for method, call, hook in hooks_named(at, at["hook"], _MODULE_HOOKS)
        if not any(one.arg == "with_kwargs" for one in call.keywords) and _fits(at, _MODULE_HOOKS[method], hook)
    ]
    if len({wanted for wanted, *_ in registered}) != 1:
        return None
    wanted, method, line = registered[0]
    count = wanted.count(",") + 1
    return at.explain("module-hook-arguments", register=method, wanted=wanted, count=count, line=line, code=at.code)


def _fits(at: FailureContext, wanted: str, hook: ast.expr) -> bool:
    """Return whether a hook may be the function with wrong parameters."""
    count = wanted.count(",") + 1
    if at["given"] and int(at["given"]) != count:
        return False
    least = int(at["takes"]) if at["takes"] else count + int(at["missing"])
    return not isinstance(hook, ast.Lambda) or len(hook.args.args) == least


@RULES.rule(r"RuntimeError: Module '(?P<type>\w+)' has no attribute '(?P<name>\w+)'")
def attribute_missing(at: FailureContext) -> Explanation:
    """Explain a missing method or attribute of a scripted module."""
    inside = [node for own in classes(at.trace).values() for node in ast.walk(own)]
    stored = [node.attr for node in inside if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    right = near(at["name"], [*stored, *(node.name for node in inside if isinstance(node, ast.FunctionDef))])
    return at.explain("script-attribute", right=right or "none", at=_line(at))


def _line(at: FailureContext) -> str:
    """Return the line that torch marks as the cause, or "none"."""
    match = re.search(r"\n\s*((?!.*<--- HERE)\S[^\n]*)\n[ ~]*~+ ?<--- HERE", at.failure.text[:5_000])
    return shorten_code(match[1].strip()) if match else "none"


@RULES.rule(r"ValueError: optimizer got an empty parameter list")
def nothing_to_optimise(at: FailureContext) -> Explanation:
    """Explain an optimizer without parameters."""
    first = at.given[0] if at.given else None
    if first and first.text == "[]":
        return at.explain("optimizer-of-empty-list", _sole_model(at))
    called = first.callee if first else None
    model = called.receiver if called and called.text.endswith("parameters") else None
    if model is None or not model.thing.is_a(MODULE):
        return at.explain("optimizer-of-nothing")
    listed = _layers_in_a_list(at, model)
    return listed or at.explain("module-without-parameters", name=shorten_code(model.text))


def _sole_model(at: FailureContext) -> str | None:
    """Return the call with the parameters of the program's only layer."""
    made = {
        one.name
        for one in all_assignments(at.trace)
        if one.name.isidentifier() and (call := parse_call(one.value)) and call.name[:1].isupper()
    }
    return at.code.replace("[]", f"{made.pop()}.parameters()", 1) if len(made) == 1 else None


def _layers_in_a_list(at: FailureContext, model: Evidence) -> Explanation | None:
    """Explain an attribute that holds layers in a plain list or dict."""
    names = [base.rpartition(".")[2] for base in model.thing.bases]
    for own in (one for name, one in classes(at.trace).items() if name in names):
        for node in (node for node in ast.walk(own) if isinstance(node, ast.Assign) and isinstance(node.value, _LISTS)):
            target, kind = node.targets[0], "ModuleDict" if isinstance(node.value, _DICTS) else "ModuleList"
            if isinstance(target, ast.Attribute) and _gets_layers(own, target.attr):
                return at.explain("layers-in-a-list", line=node.lineno, name=target.attr, kind=kind)
    return None


def _gets_layers(own: ast.ClassDef, attribute: str) -> bool:
    """Return whether a statement about an attribute creates objects of a class."""
    for node in ast.walk(own):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
            inside = list(ast.walk(node))
            about = any(isinstance(one, ast.Attribute) and one.attr == attribute for one in inside)
            called = (ast.unparse(one.func).rpartition(".")[2] for one in inside if isinstance(one, ast.Call))
            if about and any(name[:1].isupper() for name in called):
                return True
    return False


@RULES.rule(r"TypeError: '(?P<type>(?!int'|float'|NoneType')\w+)' object is not iterable")
def optimizer_of_module(at: FailureContext) -> Explanation | None:
    """Explain an optimizer that gets the module, or a method instead of its result."""
    takes = at.callee is not None and (at.callee.thing.is_class_of(OPTIMIZER) or at.callee.thing.is_a(*TAKE_PARAMETERS))
    for part in (one for given in at.given[:1] for one in given.all()) if takes else ():
        if part.thing.is_a(MODULE):
            return at.explain("optimizer-of-a-module", function=at.callee.name, name=part.text)
        if part.thing.is_a(f"{MODULE}.parameters", f"{MODULE}.named_parameters") and not part.callee:
            return at.explain("parameters-not-called", name=part.text)
    return None


@RULES.rule(r"TypeError: params argument given to the optimizer should be an iterable of Tensors")
def optimizer_of_tensor(at: FailureContext) -> Explanation:
    """Explain an optimizer that gets a tensor without a list around it."""
    first = at.call.value(0) if at.call and at.call.arguments else at.code
    return at.explain("optimizer-of-a-tensor", name=shorten_code(first))


@RULES.rule(r"ValueError: can't optimize a non-leaf Tensor")
def optimizer_of_non_leaf(at: FailureContext) -> Explanation:
    """Explain an optimizer given a computed tensor, directly, by name, or in a list."""
    trace = at.trace
    given = _given_results(at, at.here.holds)
    if given and at.run.names[given[0]] == "unbind":
        return _rows(at, given[0])
    if given:
        return _result_given(at, given[0])
    for part in at.parts:
        if (tensor := trace.bound(part.text)) is not None and not trace.tensors.is_leaf[tensor]:
            return at.explain("optimizer-of-non-leaf", name=part.text, where=part.where or at.line)
    parts = (part.text.rpartition(".")[2] for part in at.parts[1:] if part.of.role != "maker")
    for name in dict.fromkeys((*parts, *at.names)):
        lines = _lines_of(at, name)
        if given := _given_results(at, lambda code, own=lines: (code.span.cell, code.line) in own):  # type: ignore[misc]
            return _result_given(at, given[0], name)
    return at.explain("optimizer-of-some-non-leaf")


def _given_results(at: FailureContext, is_here: Callable[[Code], bool]) -> list[int]:
    """Return the operations at these places that made non-leaf results for the optimizer."""
    trace, operations = at.trace, at.trace.operations
    here = [i for i in range(len(operations)) if (code := at.run.call(i).place) and is_here(code)]
    used = {tensor for i in here for tensor in operations.inputs[i]}
    made = [(i, tensor) for i in here for tensor in operations.outputs[i][:1] if tensor not in used]
    return [i for i, tensor in made if trace.tensors.requires_grad[tensor] and not trace.tensors.is_leaf[tensor]]


def _lines_of(at: FailureContext, name: str) -> set[tuple[int, int]]:
    """Return the lines that assign a name, or append to it."""
    put = re.compile(
        rf"\s*(?:[\w.]+\.)?{re.escape(name)}(?:\s*=(?!=)|\.(?:append|extend|insert)\(|\[[^\[\]]*\]\s*=(?!=)|\s*\+=)"
    )
    places = {(one.cell, one.line) for one in all_assignments(at.trace) if one.name == name}
    for line in lines_of(at.trace):
        if put.match(line.text[:400]):
            places.add((line.span.cell, line.line))
        elif line.text.startswith(f"def {name}("):
            places |= {(line.span.cell, number) for number in range(line.line + 1, line.end_of_block + 1)}
    return places


def _rows(at: FailureContext, operation: int) -> Explanation:
    """Explain a tensor as the argument itself: iterating it yields its rows."""
    name = at.name(at.trace.operations.inputs[operation][0])
    written = list(re.finditer(rf"\*\[{re.escape(name)}\]|(?<=[(,+\s]){re.escape(name)}(?=\s*[),])", at.code))
    once = len(written) == 1 and name.isidentifier()
    new = f"{at.code[: written[0].start()]}[{name}]{at.code[written[0].end() :]}" if once else None
    return at.explain("optimizer-of-rows", new, name=name)


def _result_given(at: FailureContext, operation: int, name: str = "") -> Explanation:
    """Explain a result passed in the call, or in the named list."""
    made = at.run.call(operation).place
    values: dict[str, str | int] = {"made": shorten_code(made.text), "where": made.line, "call": shorten_code(at.code)}
    kind = "optimizer-of-a-list-of-results" if name else "optimizer-of-an-operation"
    return at.explain(kind, name=name, **values)


@RULES.rule(r"TypeError: optimizer can only optimize Tensors, but one of the params is (?P<type>\S+)")
def optimizer_of_numbers(at: FailureContext) -> Explanation:
    """Explain an optimizer that gets something other than parameters."""
    given = list(at.given[0].all()) if at.given else []
    if any(part.producer in (f"{MODULE}.state_dict", f"{MODULE}.named_parameters") for part in given):
        return at.explain("optimizer-of-state-dict")
    if at["type"] == "Module.parameters":
        return at.explain("optimizer-of-generators")
    model = next((part for part in given if part.thing.is_a(MODULE)), None)
    if model is None:
        return at.explain("optimizer-of-numbers")
    new = at.code.replace(given[0].text, f"{model.text}.parameters()", 1) if len(given) <= 2 else None
    return at.explain("optimizer-of-modules", new, name=model.text, type=at["type"].rpartition(".")[2])


RULES.rule(r"RuntimeError: '(?P<type>\w+)' object has no attribute or method '(?P<name>\w+)'")(
    lambda at: at.explain("script-method", at=_line(at))
)

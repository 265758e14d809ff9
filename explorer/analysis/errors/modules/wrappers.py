"""What is put around a module: hooks, TorchScript, DistributedDataParallel."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source import find_lines, near, shorten_code, with_argument

_MODULE_HOOKS = {
    "register_forward_hook": "module, inputs, output",
    "register_forward_pre_hook": "module, inputs",
    "register_full_backward_hook": "module, grad_input, grad_output",
    "register_full_backward_pre_hook": "module, grad_output",
    "register_backward_hook": "module, grad_input, grad_output",
}
_REGISTERED = r"\.(register_(?:forward|full_backward|backward)(?:_pre)?_hook)\(\s*(?:hook=)?"

RULES = Rules()


@RULES.rule(
    "TypeError",
    r"^(?P<hook>\S+?)\(\) (?:missing (?P<missing>\d+) required positional"
    r"|takes (?P<takes>\d+) positional arguments? but (?P<given>\d+))",
)
def module_hook_arguments(at: FailureContext) -> Explanation | None:
    """A hook of a module takes another number of arguments than it is called with."""
    name = at["hook"].rpartition(".")[2] if "<" not in at["hook"] else "lambda"
    if name != "lambda" and re.search(rf"\b{re.escape(name)}\(", at.code):
        return None  # the program calls it itself
    pattern = _REGISTERED + rf"{re.escape(name)}\b\s*([\w, ]*)"
    registered = [
        (line, hook)
        for line, hook in find_lines(at.trace, pattern)
        if hook[1] in _MODULE_HOOKS and "with_kwargs" not in line.text and _fits(at, hook)
    ]
    given = {_MODULE_HOOKS[hook[1]] for _, hook in registered}
    if len(given) != 1:
        return None
    (line, hook), wanted = registered[0], given.pop()
    values = {"register": hook[1], "wanted": wanted, "count": wanted.count(",") + 1, "line": line.line, "code": at.code}
    return at.explain("module-hook-arguments", **values)


def _fits(at: FailureContext, hook: re.Match[str]) -> bool:
    """Whether a hook that is registered may be the function that got another number of arguments."""
    count, own = _MODULE_HOOKS[hook[1]].count(",") + 1, hook[2].count(",") + 1
    if at["given"] and int(at["given"]) != count:
        return False
    least = int(at["takes"]) if at["takes"] else count + int(at["missing"])
    return not hook[2] or own == least


@RULES.rule("RuntimeError", r"Module '(?P<type>\w+)' has no attribute '(?P<name>\w+)'")
def attribute_missing(at: FailureContext) -> Explanation:
    """A method or attribute that a scripted module does not have."""
    names = re.findall(r"\bself\.(\w+)\s*=|\bdef (\w+)\(self", at.sources)
    right = near(at["name"], [attribute or other for attribute, other in names])
    return at.explain("script-attribute", right=right or "none", at=_line(at))


@RULES.rule("RuntimeError", r"'(?P<type>\w+)' object has no attribute or method '(?P<name>\w+)'")
def method_missing(at: FailureContext) -> Explanation:
    """A method of a tensor that TorchScript does not know."""
    return at.explain("script-method", at=_line(at))


def _line(at: FailureContext) -> str:
    """The line of the program that torch marks as the cause, "none" without one."""
    found = re.search(r"\n\s*((?!.*<--- HERE)\S[^\n]*)\n[ ~]*~+ ?<--- HERE", at.failure.text[:5_000])
    return shorten_code(found[1].strip()) if found else "none"


@RULES.rule("RuntimeError", r"Expected to have finished reduction in the prior iteration before starting a new one")
def unused_parameters(at: FailureContext) -> Explanation:
    """DistributedDataParallel waits for gradients of parameters that the loss does not use."""
    wraps = [line for line, _ in find_lines(at.trace, r"\bDistributedDataParallel\(.*\)\s*$|\bDDP\(.*\)\s*$")]
    new = with_argument(wraps[0].text, "find_unused_parameters=True") if len(wraps) == 1 else None
    return at.explain("parameters-without-part", wraps[0].replace(new) if new else None)


RULES.message_rules(
    {
        r"RuntimeError: ^\s*undefined value (?P<name>\w+)": "script-undefined",
    }
)

"""Hooks of modules that take another number of arguments than they are called with."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules
from explorer.analysis.source import find_lines

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

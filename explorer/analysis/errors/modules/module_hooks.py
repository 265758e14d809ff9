"""Hooks of modules that take another number of arguments than they are called with."""

import re

from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule

_MODULE_HOOKS = {
    "register_forward_hook": "module, inputs, output",
    "register_forward_pre_hook": "module, inputs",
    "register_full_backward_hook": "module, grad_input, grad_output",
    "register_full_backward_pre_hook": "module, grad_output",
    "register_backward_hook": "module, grad_input, grad_output",
}
_REGISTERED = r"\.(register_(?:forward|full_backward|backward)(?:_pre)?_hook)\(\s*(?:hook=)?"


@rule("TypeError", r"^(\S+?)\(\) (?:missing (\d+) required positional|takes (\d+) positional arguments? but (\d+))")
def module_hook_arguments(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A hook of a module takes another number of arguments than it is called with."""
    name = found[1].rpartition(".")[2] if "<" not in found[1] else "lambda"
    if name != "lambda" and re.search(rf"\b{re.escape(name)}\(", stopped.code):
        return None  # the program calls it itself
    registered = []
    for cell, cell_run in enumerate(stopped.trace.cells):
        for line, text in enumerate(cell_run.source.split("\n"), 1):
            for hook in re.finditer(_REGISTERED + rf"{re.escape(name)}\b\s*([\w, ]*)", text[:400]):
                if hook[1] in _MODULE_HOOKS and "with_kwargs" not in text and _fits(hook, found):
                    registered.append((cell, line, text, hook))
    given = {_MODULE_HOOKS[hook[1]] for *_, hook in registered}
    if len(given) != 1:
        return None
    cell, line, text, hook = registered[0]
    wanted, mended = given.pop(), ""
    if name == "lambda" and wanted.count(",") == 2 and hook[2].count(",") == 1 and len(registered) == 1:
        first, last = (parameter.strip() for parameter in hook[2].split(","))
        middle = next(
            parameter for parameter in (wanted.split(", ")[1], "given", "before") if parameter not in (first, last)
        )
        lines = stopped.trace.cells[cell].source.split("\n")
        lines[line - 1] = text[: hook.start(2)] + f"{first}, {middle}, {last}" + text[hook.end(2) :]
        mended = "\n".join(lines)
    values = {"hook": found[1], "register": hook[1], "wanted": wanted, "count": wanted.count(",") + 1, "line": line}
    return Explanation("module-hook-arguments", values | {"code": stopped.code}, mended, cell)


def _fits(hook: re.Match[str], found: re.Match[str]) -> bool:
    """Whether a hook that is registered may be the function that got another number of arguments."""
    count, own = _MODULE_HOOKS[hook[1]].count(",") + 1, hook[2].count(",") + 1
    if found[4] and int(found[4]) != count:
        return False
    least = int(found[3]) if found[3] else count + int(found[2])
    return not hook[2] or own == least


RULES: tuple[Rule, ...] = (module_hook_arguments,)

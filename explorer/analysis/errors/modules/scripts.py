"""What torch.jit.script cannot compile."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules
from explorer.analysis.source import near, shorten_code

RULES = Rules()


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


RULES.message_rule("RuntimeError", r"^\s*undefined value (?P<name>\w+)", "script-undefined")

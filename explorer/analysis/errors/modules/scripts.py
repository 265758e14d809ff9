"""What torch.jit.script cannot compile, and what DistributedDataParallel waits for."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules
from explorer.analysis.source import find_lines, near, shorten_code, with_argument

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


@RULES.rule("RuntimeError", r"Expected to have finished reduction in the prior iteration before starting a new one")
def unused_parameters(at: FailureContext) -> Explanation:
    """DistributedDataParallel waits for gradients of parameters that the loss does not use."""
    wraps = [line for line, _ in find_lines(at.trace, r"\bDistributedDataParallel\(.*\)\s*$|\bDDP\(.*\)\s*$")]
    new = with_argument(wraps[0].text, "find_unused_parameters=True") if len(wraps) == 1 else None
    return at.explain("parameters-without-part", wraps[0].replace(new) if new else None)


RULES.message_rule("RuntimeError", r"^\s*undefined value (?P<name>\w+)", "script-undefined")

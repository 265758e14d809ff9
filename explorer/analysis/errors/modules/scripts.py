"""What torch.jit.script cannot compile."""

import re

from explorer.analysis.errors.explanations import explanation, known
from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import near


@rule("RuntimeError", r"Module '(\w+)' has no attribute '(\w+)'")
def attribute_missing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A method or attribute that a scripted module does not have."""
    sources = "\n".join(cell.source for cell in stopped.trace.cells)[:100_000]
    names = re.findall(r"\bself\.(\w+)\s*=|\bdef (\w+)\(self", sources)
    right = near(found[2], [attribute or other for attribute, other in names])
    return explanation(
        stopped, "script-attribute", type=found[1], name=found[2], right=right or "none", at=_line(stopped)
    )


@rule("RuntimeError", r"'(\w+)' object has no attribute or method '(\w+)'")
def method_missing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A method of a tensor that TorchScript does not know."""
    return explanation(stopped, "script-method", type=found[1], name=found[2], at=_line(stopped))


def _line(stopped: Stopped) -> str:
    """The line of the program that torch marks as the cause, "none" without one."""
    found = re.search(r"\n\s*((?!.*<--- HERE)\S[^\n]*)\n[ ~]*~+ ?<--- HERE", stopped.failure.text[:5_000])
    return shown(found[1].strip()) if found else "none"


RULES: tuple[Rule, ...] = (
    attribute_missing,
    method_missing,
    known("RuntimeError", r"^\s*undefined value (?P<name>\w+)", "script-undefined"),
)

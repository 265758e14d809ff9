"""All rules in order, and what is told of what they found."""

from collections.abc import Iterator

from explorer.diagnose import asked, flat, missing, nonfinite, overwritten, precision, uncalled, updating
from explorer.diagnose.facts import Facts
from explorer.diagnose.finding import Finding, Level, Rule
from explorer.patterns import plain
from explorer.trace import Failure, Trace

# By kind of a later finding the kinds that explain it: beside one of them it is not told.
EXPLAINED_BY = {
    "grad_of_result": ("leaf_rebound", "asked_too_late"),
    "gradient_cut": ("root_is_leaf", "not_called", "asked_too_late"),
    "step_without_gradient": ("root_is_leaf",),
    "gradient_stale": ("not_called",),
    "loss_grows": ("gradient_stale",),
    "gradient_stopped": ("softmax_of_one",),
}
LEVELS: dict[str, Level] = {"loss_grows": "note", "not_in_optimizer": "note"}  # the rest are faults
RULES: tuple[Rule, ...] = (
    *uncalled.RULES,
    *overwritten.RULES,
    *missing.RULES[:1],
    *updating.RULES,
    *missing.RULES[1:],
    *flat.RULES,
    *nonfinite.RULES,
    *asked.RULES,
    *precision.RULES,
)
_FINE = plain(r"#\s*fine:\s*([a-z_]+(?:\s*,\s*[a-z_]+)*)")


def diagnose(trace: Trace) -> list[Finding]:
    """What is wrong in a program that ran, the gravest family first; of a chain only its cause."""
    facts = Facts(trace)
    found: list[Finding] = []
    for finding in _found(facts):
        kinds = {one.kind for one in found}
        if finding.kind in kinds or kinds.intersection(EXPLAINED_BY.get(finding.kind, ())):
            continue
        if not _silenced(trace, finding) and not _failed_there(trace, finding):
            found.append(finding)
    return found


def level(kind: str) -> Level:
    """How grave a kind is: fault, or note."""
    return LEVELS.get(kind, "fault")


def _found(facts: Facts) -> Iterator[Finding]:
    for rule in RULES:
        yield from rule(facts)


def _silenced(trace: Trace, finding: Finding) -> bool:
    """Whether the line says `# fine: kind`."""
    place = finding.place
    said = _FINE.search(trace.cells[place.cell].lines[place.line - 1])
    return bool(said) and finding.kind in {kind.strip() for kind in said[1].split(",")}


def _failed_there(trace: Trace, finding: Finding) -> bool:
    """Whether an error ended the cell: what then is missing, is missing because of it."""
    cell = trace.cells[finding.place.cell]
    return finding.kind != "gradient_falsified" and any(isinstance(output, Failure) for output in cell.outputs)

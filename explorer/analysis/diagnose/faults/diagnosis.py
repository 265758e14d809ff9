"""Run all rules in order, and choose what to report."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from explorer.analysis.diagnose.faults import (
    attention,
    averages,
    axes,
    broadcasts,
    constant_terms,
    contradictions,
    data_relations,
    distributions,
    flat_functions,
    lost_results,
    misused_losses,
    modes,
    no_effect,
    nonfinite_entries,
    objectives,
    pairing,
    parameter_updates,
    policies,
    schedules,
    shared_memory,
    training_loops,
    training_steps,
    uncalled_methods,
    unreached_leaves,
    vanished,
    without_effect,
)
from explorer.analysis.diagnose.faults.finding import is_fine
from explorer.analysis.diagnose.faults.search_time import SearchTime, name_of
from explorer.analysis.diagnose.findings import Finding, Rule, bugs, findings
from explorer.analysis.diagnose.kinds import KINDS
from explorer.analysis.run.model import Run, run_of
from explorer.analysis.run.source.code import code_at
from explorer.trace import Failure, Trace, Word

MOST = 200  # most findings, and most rules; each kind is reported once
_COUNTS = ("rounds", "times", "graphs", "steps")  # values that count occurrences
RULES: tuple[Rule[Run, Finding], ...] = (
    *uncalled_methods.RULES,
    *shared_memory.OVERWRITING_RULES,
    *unreached_leaves.RULES[:1],
    *training_loops.RULES,
    *parameter_updates.LAYER_RULES,
    *parameter_updates.RULES,
    *lost_results.RULES,
    *unreached_leaves.RULES[1:],
    *flat_functions.RULES,
    *nonfinite_entries.RULES,
    *misused_losses.RULES,
    *pairing.RULES,
    *modes.RULES,
    *schedules.GROWTH_RULES,
    *nonfinite_entries.PRECISION_RULES,
    *flat_functions.WEIGHT_RULES,
    *shared_memory.RULES,
    *averages.RULES,
    *constant_terms.RULES,
    *data_relations.RULES,
    *objectives.RULES,
    *misused_losses.TARGET_RULES,
    *policies.RULES,
    *distributions.RULES,
    *attention.RULES,
    *axes.RULES,
    *broadcasts.RULES,
    *schedules.RULES,
    *without_effect.RULES,
    *unreached_leaves.CONSTANT_RULES,
    *contradictions.RULES,
    *vanished.RULES,
    *flat_functions.SQUASHED_RULES,
    *no_effect.RULES,
    *training_steps.RULES,
)

RULE_NAMES = frozenset(map(name_of, RULES))
KIND_NAMES = frozenset(KINDS)  # complete here, since every rule is imported


class Search(Struct, frozen=True):
    """Bugs in the order of a report, with one finding for each chain and rule.

    Attributes: unfinished: names of the rules that ran out of time.
    """

    findings: Annotated[tuple[Finding, ...], Meta(max_length=MOST)]
    unfinished: Annotated[tuple[Word, ...], Meta(max_length=MOST)] = ()


def diagnose(trace: Trace) -> list[Finding]:
    """Return a program's bugs."""
    return list(search(trace).findings)


def search(trace: Trace, seconds: float | None = None) -> Search:
    """Search a program for bugs.

    Args:
        seconds: of the processor for all rules. None: as long as it takes.
    """
    run, time = run_of(trace), SearchTime(seconds or 0.0)
    rules = RULES if seconds is None else tuple(map(time.limited, RULES))

    def may_report(finding: Finding) -> bool:
        readable = not KINDS[finding.kind].reads_text or code_at(run.trace, finding.place).is_readable
        is_meant = is_fine(trace, finding.place, *finding.kinds, in_cell=bool(finding.step))
        return readable and not is_meant and not _failed_there(trace, finding)

    found = [finding for bug in bugs(findings(rules, run, may_report)) for finding in bug]
    told = tuple(replace(finding, is_of_part=_is_partial(run, finding)) for finding in found)
    return Search(told, tuple(time.unfinished))


def _is_partial(run: Run, finding: Finding) -> bool:
    """Return whether a finding counts only a recorded part of a run."""
    bound = "calls" if KINDS[finding.kind].is_logged else "operations"
    counts = any(isinstance(finding.values.get(name), int) for name in _COUNTS)
    return counts and any(limit.kind == bound for limit in run.trace.limits)


def _failed_there(trace: Trace, finding: Finding) -> bool:
    """Return whether an error ended the finding's cell.

    Missing things then have that cause. NaN has not: it may be the reason, and the steps of a training were taken.
    """
    if finding.step:
        return False
    failures = [output for output in trace.cells[finding.place.cell].outputs if isinstance(output, Failure)]
    if finding.kind in ("nan_forward", "nan_backward", "nan_given"):
        texts = [failure.text.lower() for failure in failures]
        return bool(texts) and not any("nan" in text or "non-finite" in text or "converge" in text for text in texts)
    return finding.kind != "gradient_falsified" and bool(failures)

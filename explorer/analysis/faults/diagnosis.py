"""Run all rules in order, and choose what to report."""

from explorer.analysis.faults import (
    axes,
    flat_functions,
    misused_losses,
    modes,
    nonfinite_entries,
    parameter_updates,
    schedules,
    shared_memory,
    training_loops,
    uncalled_methods,
    unreached_leaves,
)
from explorer.analysis.faults.finding import Finding, Rule, is_fine
from explorer.analysis.run import run_of
from explorer.trace import Failure, Trace

# Kinds that explain another kind: beside one of them the other is not reported.
EXPLAINED_BY = {
    "grad_of_result": ("leaf_rebound", "asked_too_late"),
    "gradient_cut": ("root_is_leaf", "not_called", "asked_too_late"),
    "step_without_gradient": ("root_is_leaf", "gradient_cut", "not_called"),
    "loss_grows": ("gradient_stale",),
    "gradient_stopped": ("softmax_of_one",),
    "symmetric": ("zeros_hold",),
    "not_in_optimizer": ("layer_forgotten", "layer_in_forward"),
    "never_used": ("layer_in_forward",),
    "never_stepped": ("not_called",),
    "gradient_stale": ("not_called", "never_stepped"),
    "softmax_over_batch": ("not_log_probabilities",),
    "rate_tiny": ("rate_falls", "gradient_vanishes"),
    "activation_saturated": ("gradient_stopped",),
    "gradient_vanishes": ("gradient_stopped", "zeros_hold"),
    "data_rescaled": ("data_lost",),
}
# Kinds that words of the program rule out, such as a clock: without its text they are not told.
READS_TEXT = frozenset(("never_stepped", "grad_of_result", "wrong_mode", "plateau_upside_down", "likelihood_falls"))
RULES: tuple[Rule, ...] = (
    *uncalled_methods.RULES,
    *shared_memory.OVERWRITING_RULES,
    *unreached_leaves.RULES[:1],
    *training_loops.RULES,
    *parameter_updates.LAYER_RULES,
    *parameter_updates.RULES,
    *unreached_leaves.RULES[1:],
    *flat_functions.RULES,
    *nonfinite_entries.RULES,
    *misused_losses.RULES,
    *modes.RULES,
    *schedules.GROWTH_RULES,
    *nonfinite_entries.PRECISION_RULES,
    *parameter_updates.HOLDING_RULES,
    *flat_functions.WEIGHT_RULES,
    *shared_memory.RULES,
    *misused_losses.TARGET_RULES,
    *axes.RULES,
    *schedules.RULES,
    *flat_functions.SQUASHED_RULES,
)


def diagnose(trace: Trace) -> list[Finding]:
    """The bugs in a program that ran, gravest family first; of a chain only its cause, of a rule its first finding."""
    run = run_of(trace)
    found: dict[str, Finding] = {}
    for rule in RULES:
        for finding in rule(run):
            if finding.kind in found or found.keys() & EXPLAINED_BY.get(finding.kind, ()):
                break
            if finding.kind in READS_TEXT and not run.line_or_part(finding.place).is_readable:
                continue
            if not is_fine(trace, finding.place, finding.kind) and not _failed_there(trace, finding):
                found[finding.kind] = finding
                break
    return [finding for kind, finding in found.items() if not found.keys() & EXPLAINED_BY.get(kind, ())]


def _failed_there(trace: Trace, finding: Finding) -> bool:
    """Whether an error ended the cell: then missing things are missing because of it. NaN is not: it may be why."""
    failures = [output for output in trace.cells[finding.place.cell].outputs if isinstance(output, Failure)]
    if finding.kind in ("nan_forward", "nan_backward"):
        return bool(failures) and not any("nan" in failure.text.lower() for failure in failures)
    return finding.kind != "gradient_falsified" and bool(failures)

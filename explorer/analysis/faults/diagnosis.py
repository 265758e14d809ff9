"""Run all rules in order, and choose what to report."""

from collections.abc import Iterator

from explorer.analysis.faults import (
    axes,
    flat_functions,
    forgotten_layers,
    loss_growth,
    misplaced_parameters,
    misused_losses,
    modes,
    nonfinite_entries,
    parameter_updates,
    precision,
    schedules,
    shared_memory,
    silent_overwrites,
    targets,
    uncalled_methods,
    unreached_leaves,
    untrainable_leaves,
    vanishing_gradients,
)
from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding, Rule
from explorer.analysis.faults.fine_comments import is_fine
from explorer.trace import Failure, Trace

# Kinds that explain another kind: beside one of them the other is not reported.
EXPLAINED_BY = {
    "grad_of_result": ("leaf_rebound", "asked_too_late"),
    "gradient_cut": ("root_is_leaf", "not_called", "asked_too_late"),
    "step_without_gradient": ("root_is_leaf", "gradient_cut"),
    "gradient_stale": ("not_called",),
    "loss_grows": ("gradient_stale",),
    "gradient_stopped": ("softmax_of_one",),
    "symmetric": ("zeros_hold",),
    "not_in_optimizer": ("layer_forgotten",),
    "softmax_over_batch": ("not_log_probabilities",),
    "rate_tiny": ("rate_falls", "gradient_vanishes"),
    "activation_saturated": ("gradient_stopped",),
    "gradient_vanishes": ("gradient_stopped", "zeros_hold"),
    "data_rescaled": ("data_lost",),
}
RULES: tuple[Rule, ...] = (
    *uncalled_methods.RULES,
    *silent_overwrites.RULES,
    *unreached_leaves.RULES[:1],
    *forgotten_layers.RULES,
    *parameter_updates.RULES,
    *unreached_leaves.RULES[1:],
    *flat_functions.RULES,
    *nonfinite_entries.RULES,
    *misused_losses.RULES,
    *modes.RULES,
    *loss_growth.RULES,
    *precision.RULES,
    *misplaced_parameters.RULES,
    *untrainable_leaves.RULES,
    *shared_memory.RULES,
    *targets.RULES,
    *axes.RULES,
    *schedules.RULES,
    *vanishing_gradients.RULES,
)


def diagnose(trace: Trace) -> list[Finding]:
    """The bugs in a program that ran, gravest family first; of a chain only its cause."""
    facts = Facts(trace)
    found: list[Finding] = []
    for finding in _found(facts):
        kinds = {finding.kind for finding in found}
        if finding.kind in kinds or kinds.intersection(EXPLAINED_BY.get(finding.kind, ())):
            continue
        if not is_fine(trace, finding.place, finding.kind) and not _failed_there(trace, finding):
            found.append(finding)
    kinds = {finding.kind for finding in found}
    return [finding for finding in found if not kinds.intersection(EXPLAINED_BY.get(finding.kind, ()))]


def _found(facts: Facts) -> Iterator[Finding]:
    for rule in RULES:
        yield from rule(facts)


def _failed_there(trace: Trace, finding: Finding) -> bool:
    """Whether an error ended the cell: then missing things are missing because of it."""
    cell = trace.cells[finding.place.cell]
    return finding.kind != "gradient_falsified" and any(isinstance(output, Failure) for output in cell.outputs)

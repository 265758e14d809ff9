"""Run all rules in order, and choose the remarks to report."""

from collections.abc import Collection

import numpy as np
from msgspec.structs import replace

from explorer.analysis.faults import ORDER, is_fine_in_cell
from explorer.analysis.faults.levels import level_of
from explorer.analysis.health.training import gradients, loss, updates
from explorer.analysis.health.training.remark import Remark, Rule, clause
from explorer.analysis.health.training.stretches import Stretch, stretches
from explorer.trace import Trace

MOST = 20  # that are reported for a Trace
RULES: tuple[Rule, ...] = (*loss.RULES, *gradients.RULES, *updates.RULES, *loss.TARGET_RULES)

# For each kind of remark the kinds that replace it: remarks about the same steps, and diagnoses of the program, which
# say the same or its cause.
EXPLAINED_BY = {
    "loss-jumps": ("loss-grows",),
    "large-step": ("loss-grows", "loss-jumps", "zero"),
    "targets-scale": ("zero", "vanishing", "unmoved", "loss-grows", "loss-jumps", "large-step"),
}
_EXACT = ("loss-nonfinite", "loss-jumps", "large-step", "unmoved")  # the first bad loss is always kept
TOLD_BY_DIAGNOSIS = {
    "unmoved": (
        "layer_forgotten", "not_in_optimizer", "never_used", "update_lost", "step_without_gradient", "rate_tiny"
    ),
    "loss-grows": ("loss_grows", "gradient_stale"),
    "loss-jumps": ("loss_grows", "gradient_stale"),
    "large-step": ("loss_grows", "gradient_stale"),
    "targets-scale": ("loss_grows", "gradient_stale"),
    "gradient-nonfinite": ("gradient_stale",),
    "vanishing": ("gradient_vanishes",),
    "zero": ("zeros_hold", "hook_zeroes"),
}  # fmt: skip

CAUSE_BY_DIAGNOSIS = {"remark-because-flat": "gradient_stopped"}  # by clause


def remarks(trace: Trace, diagnoses: Collection[str] = ()) -> tuple[Remark, ...]:
    """The remarks about a Trace's training steps, place by place; () for a sound training, or for none.

    Args:
        diagnoses: kinds that are reported anyway: remarks that say the same are omitted.
    """
    found = trace.index.memoize(("remarks",), lambda: _found(trace))
    known = set(diagnoses)
    return tuple(_without(remark, known) for remark in found if not _is_told(remark, known))


def _is_told(remark: Remark, known: set[str]) -> bool:
    """Whether a diagnosis says the same: one that is as grave, so that a note hides no fault."""
    told = known.intersection(TOLD_BY_DIAGNOSIS.get(remark.kind, ()))
    return any(ORDER.index(level_of(kind)) <= ORDER.index(remark.level) for kind in told)


def kinds_of(remark: Remark) -> tuple[str, ...]:
    """The kinds that silence a remark: its own, and diagnoses that say the same."""
    return (remark.kind, *TOLD_BY_DIAGNOSIS.get(remark.kind, ()))


def _without(remark: Remark, known: set[str]) -> Remark:
    """A remark without the sentences that a diagnosis says too."""
    clauses = tuple(clause for clause in remark.clauses if CAUSE_BY_DIAGNOSIS.get(clause.id) not in known)
    return replace(remark, clauses=clauses)


def _found(trace: Trace) -> tuple[Remark, ...]:
    found: list[Remark] = []
    for stretch in stretches(trace):
        with np.errstate(all="ignore"):  # non-finite entries are expected here
            here = [remark for rule in RULES for remark in rule(stretch)]
        kinds, unmoved = {remark.kind for remark in here}, {one.leaf for one in found if one.kind == "unmoved"}
        for remark in here:
            told = kinds.intersection(EXPLAINED_BY.get(remark.kind, ()))
            again = remark.kind == "unmoved" and remark.leaf in unmoved  # at another place
            fine = any(is_fine_in_cell(trace, remark.place.cell, kind) for kind in kinds_of(remark))
            if not (told or again or fine):
                found.append(_thinned(remark, stretch))
    return tuple(sorted(found[:MOST], key=lambda remark: (remark.level == "info", remark.step)))


def _thinned(remark: Remark, stretch: Stretch) -> Remark:
    """A remark with a note that steps were not recorded, if it may have begun in one of them."""
    word = "thinned-counted" if remark.kind == "clipped" else "thinned"
    if stretch.of.stride == 1 or remark.kind in _EXACT or (remark.step.row == stretch.row(0) and word == "thinned"):
        return remark
    return replace(remark, clauses=(*remark.clauses, clause(word, stride=stretch.of.stride)))

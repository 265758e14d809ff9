"""Run all rules in order, and choose the remarks to report."""

from collections.abc import Collection

import numpy as np
from msgspec.structs import replace

from explorer.analysis.faults.finding import is_fine_in_cell
from explorer.analysis.findings import findings, is_explained
from explorer.analysis.health.training import gradients, loss, updates
from explorer.analysis.health.training.stretches import Remark, Rule, Stretch, clause, stretches
from explorer.analysis.levels import EXPLAINED_BY
from explorer.trace import Trace

MOST = 20  # that are reported for a Trace
RULES: tuple[Rule, ...] = (*loss.RULES, *gradients.RULES, *updates.RULES)

_EXACT = ("loss-nonfinite", "unmoved")  # the first bad loss is always kept
CAUSE_BY_DIAGNOSIS = {"remark-because-flat": "gradient_stopped"}  # by clause


def remarks(trace: Trace, diagnoses: Collection[str] = ()) -> tuple[Remark, ...]:
    """The remarks about a Trace's training steps, place by place; () for a sound training, or for none.

    Args:
        diagnoses: kinds that are reported anyway: remarks that say the same are omitted.
    """
    every = trace.index.memoize(("remarks",), lambda: _found(trace))
    kinds = set(diagnoses)
    return tuple(_without(remark, kinds) for remark in every if not is_explained(remark, kinds))


def kinds_of(remark: Remark) -> tuple[str, ...]:
    """The kinds that silence a remark: its own, and those that explain it."""
    return (remark.kind, *EXPLAINED_BY.get(remark.kind, ()))


def _without(remark: Remark, kinds: set[str]) -> Remark:
    """A remark without the sentences that a diagnosis says too."""
    clauses = tuple(clause for clause in remark.clauses if CAUSE_BY_DIAGNOSIS.get(clause.id) not in kinds)
    return replace(remark, clauses=clauses)


def _found(trace: Trace) -> tuple[Remark, ...]:
    remarks: list[Remark] = []

    def may_tell(remark: Remark) -> bool:
        again = remark.kind == "unmoved" and any(one.kind == "unmoved" and one.leaf == remark.leaf for one in remarks)
        return not again and not any(is_fine_in_cell(trace, remark.place.cell, kind) for kind in kinds_of(remark))

    for stretch in stretches(trace):
        rules = [rule for rule in RULES if not (rule is loss.loss_grows and stretch.tries)]
        with np.errstate(all="ignore"):  # non-finite entries are expected here
            remarks += [_thinned(remark, stretch) for remark in findings(rules, stretch, may_tell, of_each=MOST)]
    return tuple(sorted(remarks[:MOST], key=lambda remark: (remark.level == "info", remark.step)))


def _thinned(remark: Remark, stretch: Stretch) -> Remark:
    """A remark with a note that steps were not recorded, if it may have begun in one of them."""
    if stretch.of.stride == 1 or remark.kind in _EXACT or remark.step.row == stretch.row(0):
        return remark
    return replace(remark, clauses=(*remark.clauses, clause("thinned", stride=stretch.of.stride)))

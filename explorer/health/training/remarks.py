"""All rules in order, and what is told of what they find."""

from collections.abc import Collection

import numpy as np

from explorer.health.training import growing, losses, updates, vanishing
from explorer.health.training.remark import Clause, Rule, TrainingRemark
from explorer.health.training.stretches import Stretch, stretches
from explorer.trace import Trace

MOST = 20  # that are told of a Trace
RULES: tuple[Rule, ...] = (*losses.RULES, *growing.RULES, *vanishing.RULES, *updates.RULES)

# By kind of remark the kinds beside which it is not told: remarks about the same steps, and diagnoses of the program.
EXPLAINED_BY = {
    "loss-grows": ("uncleared",),
    "loss-jumps": ("loss-grows", "uncleared"),
    "large-step": ("loss-grows", "loss-jumps", "uncleared", "zero"),
    "gradient-nonfinite": ("uncleared",),
}
_EXACT = ("loss-nonfinite", "loss-jumps", "large-step", "unmoved")  # the first bad loss is always kept
TOLD_BY_DIAGNOSIS = {
    "uncleared": ("gradient_stale",),
    "unmoved": ("not_in_optimizer", "never_used", "update_lost", "step_without_gradient"),
    "loss-grows": ("loss_grows", "gradient_stale"),
}

CAUSE_BY_DIAGNOSIS = {"because-flat": "gradient_stopped"}  # by clause


def remarks(trace: Trace, diagnoses: Collection[str] = ()) -> tuple[TrainingRemark, ...]:
    """What the steps of a Trace show, place by place; () of a training that is sound, or of none.

    Args:
        diagnoses: kinds that are told beside it: what one of them says is not said again.
    """
    found = trace.index.once(("remarks",), lambda: _found(trace))
    known = set(diagnoses)
    return tuple(_without(one, known) for one in found if not known.intersection(TOLD_BY_DIAGNOSIS.get(one.kind, ())))


def _without(one: TrainingRemark, known: set[str]) -> TrainingRemark:
    """A remark without the sentences that a diagnosis says."""
    clauses = tuple(clause for clause in one.clauses if CAUSE_BY_DIAGNOSIS.get(clause.id) not in known)
    return TrainingRemark(one.kind, one.level, one.place, one.row, one.leaf, one.span, clauses)


def _found(trace: Trace) -> tuple[TrainingRemark, ...]:
    found: list[TrainingRemark] = []
    for stretch in stretches(trace):
        with np.errstate(all="ignore"):  # entries that are no numbers are what is looked for
            here = [remark for rule in RULES for remark in rule(stretch)]
        kinds = {one.kind for one in here}
        for one in here:
            if kinds.intersection(EXPLAINED_BY.get(one.kind, ())):
                continue
            if one.kind == "unmoved" and any((other.kind, other.leaf) == (one.kind, one.leaf) for other in found):
                continue  # at another place
            found.append(_thinned(one, stretch))
    return tuple(sorted(found[:MOST], key=lambda one: (one.level, one.row)))


def _thinned(one: TrainingRemark, stretch: Stretch) -> TrainingRemark:
    """With the word that steps were left out, where there were and it matters: it may have begun in one of them."""
    word = "thinned-counted" if one.kind == "clipped" else "thinned"
    if stretch.of.stride == 1 or one.kind in _EXACT or (one.row == stretch.row(0) and word == "thinned"):
        return one
    clause = Clause(word, {"stride": stretch.of.stride})
    return TrainingRemark(one.kind, one.level, one.place, one.row, one.leaf, one.span, (*one.clauses, clause))

"""Numbers of one recorded step of a watched training."""

import math
from collections.abc import Mapping

from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.health.report import report
from explorer.analysis.training.curves import LeafCurves, curves
from explorer.analysis.training.view import training_places, unit_axis
from explorer.trace import Trace
from explorer.trace.watched_runs import MOST_PARAMETERS, Number, ParameterNumbers, WatchedStep, number


def step_numbers(trace: Trace, step: int, names: Mapping[int, str]) -> WatchedStep:
    """Return the row of a recorded step (from 1), without its file. `names`: parameters by row of Trace.tensors."""
    leaves: dict[str, LeafCurves] = {}
    rates: dict[str, Number] = {}
    for here in filter(None, (curves(trace, place) for place in training_places(trace))):
        for leaf in filter(len, here.leaves):
            if leaf.optimizer and not math.isnan(leaf.rate[-1]):
                rates.setdefault(leaf.optimizer, number(float(leaf.rate[-1])))
            leaves.setdefault(names.get(leaf.tensor) or leaf.name or f"parameter {leaf.leaf}", leaf)
    shown = {name: _parameter(trace, leaf) for name, leaf in list(leaves.items())[:MOST_PARAMETERS]}
    contents = report(trace, diagnose(trace))
    levels = [*(one.level for one in contents.nonfinite), *(one.level for one in contents.diagnoses or ())]
    return WatchedStep(step, rates, shown, len(leaves) - len(shown), levels.count("fault"), "")


def _parameter(trace: Trace, leaf: LeafCurves) -> ParameterNumbers:
    axis = unit_axis(trace, leaf.tensor) if len(leaf.shape) > 1 and leaf.tensor >= 0 else None
    return ParameterNumbers(
        gradient=_norm(leaf.gradient_norm[-1], leaf.gradient_nonfinite[-1], leaf.gradient_nans[-1]),
        value=_norm(leaf.value_norm[-1], leaf.value_nonfinite[-1], leaf.value_nans[-1]),
        update=_known(leaf.update_norm[-1]),
        zeros=_known(leaf.gradient_zeros[-1]),
        units=None if axis is None else _known(leaf.zero_slices(axis)[-1]),
        shape=tuple(leaf.shape),
        sampled=leaf.sampled > 0,
    )


def _known(entry: float) -> Number:
    return None if math.isnan(entry) else number(float(entry))


def _norm(norm: float, bad: float, nans: float) -> Number:
    """Return a norm, NaN or ∞ if an entry was."""
    return "nan" if nans > 0 else "inf" if bad > 0 else _known(norm)

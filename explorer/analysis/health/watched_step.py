"""The numbers of one recorded step of a watched training, from its Trace."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from explorer.analysis.autograd.gradients import tensor_gradients
from explorer.analysis.faults.diagnosis import diagnose
from explorer.analysis.health.report import report
from explorer.analysis.health.report_text import origin_text
from explorer.analysis.levels import Level
from explorer.analysis.messages import told_text
from explorer.analysis.training.curves import Curves, LeafCurves, curves
from explorer.analysis.training.view import training_places, unit_axis
from explorer.text import LANGUAGES
from explorer.trace import Trace
from explorer.trace.watched_runs import MOST_PARAMETERS, Found, Number, ParameterNumbers, WatchedStep, number

_FOUND = 20  # findings of a step
_TEXT = 400  # characters of a finding
_SAME = 1e-6  # relative difference of two norms that are the same


def step_numbers(trace: Trace, step: int, seconds: float, names: Mapping[int, str]) -> WatchedStep:
    """The row of one recorded step; its file and cost are filled in later.

    Args:
        step: its number, from 1.
        seconds: since the beginning of the watch.
        names: of the model's parameters, by row of Trace.tensors.
    """
    parameters: dict[str, tuple[Curves, LeafCurves]] = {}
    rates: dict[str, Number] = {}
    for here in filter(None, (curves(trace, place) for place in training_places(trace))):
        for leaf in filter(len, here.leaves):
            if leaf.optimizer and not math.isnan(leaf.rate[-1]):
                rates.setdefault(leaf.optimizer, number(float(leaf.rate[-1])))
            parameters.setdefault(names.get(leaf.tensor) or leaf.name or f"parameter {leaf.leaf}", (here, leaf))
    shown = {name: _parameter(trace, *of) for name, of in list(parameters.items())[:MOST_PARAMETERS]}
    order = ("fault", "note", "info")
    found = sorted(_findings(trace), key=lambda finding: order.index(finding.level))[:_FOUND]
    return WatchedStep(step, round(seconds, 3), 0.0, rates, shown, len(parameters) - len(shown), found, "", 0)


def _parameter(trace: Trace, here: Curves, leaf: LeafCurves) -> ParameterNumbers:
    gradient = _with_bad(leaf.gradient_norm[-1], leaf.gradient_nonfinite[-1], leaf.gradient_nans[-1])
    local = None
    backward = int(here.backward[leaf.at[-1]])
    if leaf.tensor >= 0 and backward >= 0 and not leaf.before[-1] > 0:
        arrived = trace.value(tensor_gradients(trace, backward)[leaf.tensor][0])
        if arrived is not None and arrived.norm is not None and gradient is not None:
            same = math.isclose(arrived.norm, gradient, rel_tol=_SAME) or (arrived.nans > 0 and math.isnan(gradient))
            local = None if same else arrived.norm
    axis = unit_axis(trace, leaf.tensor) if len(leaf.shape) > 1 and leaf.tensor >= 0 else None
    return ParameterNumbers(
        gradient=number(gradient),
        local=number(local),
        used=number(_known(leaf.used[-1])),
        value=number(_with_bad(leaf.value_norm[-1], leaf.value_nonfinite[-1], leaf.value_nans[-1])),
        update=number(_known(leaf.update_norm[-1])),
        zeros=number(_known(leaf.gradient_zeros[-1])),
        units=None if axis is None else number(_known(leaf.zero_slices(axis)[-1])),
        shape=tuple(leaf.shape),
        sampled=leaf.sampled > 0,
    )


def _known(entry: float) -> float | None:
    return None if math.isnan(entry) else float(entry)


def _with_bad(norm: float, bad: float, nans: float) -> float | None:
    """A norm; NaN or ∞ where an entry was that."""
    return math.nan if nans > 0 else math.inf if bad > 0 else _known(norm)


def _findings(trace: Trace) -> Iterator[Found]:
    """What the report says of a step: non-finite values and diagnoses."""
    said = report(trace, diagnose(trace))
    for origin in said.nonfinite:
        yield _said("nonfinite", origin.level, origin.line, partial(origin_text, origin=origin))
    for finding in said.diagnoses or ():
        yield _said(finding.kind, finding.level, finding.place.line, partial(told_text, finding=finding, part="title"))


def _said(kind: str, level: Level, line: int, sentence: Callable[[str], str]) -> Found:
    return Found(kind, level, line, {lang: sentence(lang)[:_TEXT] for lang in LANGUAGES})

"""The recorded steps of a watched training as the Training page shows steps, from their index."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from explorer.analysis.training.strips import MEASURES, OF_SAMPLES, Numbers, remark
from explorer.analysis.training.view import ParameterSteps, TrainingView
from explorer.trace.watched_runs import MOST_PARAMETERS, Number, WatchedStep, WatchIndex


def run_view(index: WatchIndex) -> TrainingView:
    """The recorded steps of a run as the Training page shows them. Entries of parameters are in the Traces alone."""
    steps = index.steps
    names = list(dict.fromkeys(name for step in steps for name in step.parameters))
    rates = dict.fromkeys(name for step in steps for name in step.rates)
    return TrainingView(
        span=-1,
        line=0,
        cell=0,
        loss_name="",
        called=len(steps),
        steps=np.array([step.step for step in steps], np.int64),
        backwards=np.full(len(steps), -1),
        loops=tuple("" for _ in steps),
        loss=np.array([_float(step.loss) for step in steps], float),
        rates={name: np.array([_float(step.rates.get(name)) for step in steps]) for name in rates},
        parameters=tuple(_row(name, steps) for name in names[:MOST_PARAMETERS]),
        left=max(0, len(names) - MOST_PARAMETERS) + max((step.left for step in steps), default=0),
    )


def _row(name: str, steps: Sequence[WatchedStep]) -> ParameterSteps:
    rows = [step.parameters.get(name) for step in steps]
    measures = {kind: _numbers([None if row is None else getattr(row, kind) for row in rows]) for kind in MEASURES}
    if any(row is not None and row.sampled for row in rows):
        measures |= {measure: replace(measures[measure], sampled=True) for measure in OF_SAMPLES}
    shape = next((row.shape for row in reversed(rows) if row is not None), ())
    moved = measures["update"]
    return ParameterSteps(
        name=name,
        shape=shape,
        measures=measures,
        count=len(steps),
        at=np.zeros(0, np.int64),
        values=np.zeros((0, 0)),
        gradients=np.zeros((0, 0)),
        places=(),
        sampled=True,
        remark=remark(measures, moved=not moved.there.any() or bool((moved.of[moved.there] > 0).any())),
    )


def _numbers(found: Sequence[Number]) -> Numbers:
    return Numbers(np.array([_float(entry) for entry in found], float), np.array([e is not None for e in found], bool))


def _float(entry: Number) -> float:
    return math.nan if entry is None else float(entry)

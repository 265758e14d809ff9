"""Content of the Training page: one place's steps, loss, parameter rows and events."""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from explorer.analysis.explain.autograd.zero_gradients import exact_zeros
from explorer.analysis.run.curves import Curves, LeafCurves, curves, loss_name, main_place
from explorer.analysis.run.operations import operation_of
from explorer.analysis.views.training.strips import OF_SAMPLES, Measure, Numbers, RowRemark, remark
from explorer.trace import Trace

MOST_STEPS = 1_200  # shown steps: more than a screen has columns
MOST_PARAMETERS = 300  # shown parameters


@dataclass(frozen=True, eq=False)
class ParameterSteps:
    """One leaf over the kept steps.

    Attributes:
        name: name in the program. shape: of the leaf.
        measures: rows that a strip can show.
        count: number of shown steps. at: indices of the leaf's own.
        values, gradients: kept entries at these, (len(at), kept) float64.
        places: index of each kept entry.
        sampled: whether the leaf has more entries than are kept.
        remark: most important remark, or None.
    """

    name: str
    shape: tuple[int, ...]
    measures: Mapping[Measure, Numbers]
    count: int
    at: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    gradients: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    places: tuple[tuple[int, ...], ...] = ()
    sampled: bool = True
    remark: RowRemark | None = None

    @property
    def entries(self) -> np.ndarray:
        """Values of its kept entries, (steps, kept), NaN at steps without them."""
        return self._spread(self.values)

    @property
    def slopes(self) -> np.ndarray:
        """Gradients of its kept entries, (steps, kept)."""
        return self._spread(self.gradients)

    def _spread(self, numbers: np.ndarray) -> np.ndarray:
        wide = np.full((self.count, numbers.shape[1]), np.nan)
        wide[self.at] = numbers
        return wide

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    def entry_name(self, number: int) -> str:
        """Write w[0, 1], or w for a scalar."""
        place = self.places[number]
        return f"{self.name}[{', '.join(map(str, place))}]" if place else self.name


@dataclass(frozen=True, eq=False)
class TrainingView:
    """The steps of one place.

    Attributes:
        span: the backward call (Trace.spans). line: its line, 0 if unknown. cell: from 0.
        loss_name: text or name of the root.
        called: number of backward calls there. `steps` may have fewer.
        steps: numbers of the kept calls, from 1, ascending.
        backwards: row of Trace.backwards of each, −1 without a kept graph.
        loops: enclosing loops' variables at each: "epoch = 3, i = 17".
        loss: loss at each, possibly NaN.
        rates: learning rates of the following optimizer steps, by the optimizer's name.
        parameters: in program order, at most MOST_PARAMETERS. left: number of further leaves.
    """

    span: int
    line: int
    cell: int
    loss_name: str
    called: int
    steps: np.ndarray
    backwards: np.ndarray
    loops: tuple[str, ...]
    loss: np.ndarray
    rates: Mapping[str, np.ndarray]
    parameters: tuple[ParameterSteps, ...]
    left: int = 0

    @property
    def thinned(self) -> bool:
        """Return whether not every step was kept."""
        return self.called > len(self.steps)

    def nearest_kept(self, at: int) -> int | None:
        """Return the index of the nearest step with a kept graph, or None."""
        steps = np.flatnonzero(self.backwards >= 0)
        return int(steps[np.abs(steps - at).argmin()]) if len(steps) else None


def nearest(steps: np.ndarray, step: int) -> int:
    """Return the index of the recorded step nearest to `step`."""
    return int(np.abs(steps - step).argmin())


def training_places(trace: Trace) -> tuple[int, ...]:
    """Return the places with steps (Trace.steps), the training one first."""
    main = main_place(trace)
    if main is None:
        return ()
    others = sorted({*trace.steps.place} - {main})
    return (main, *others)


def training_view(trace: Trace, place: int) -> TrainingView:
    """Build the view of a place with at most MOST_STEPS evenly spread steps."""
    loop = curves(trace, place)
    if loop is None:
        raise LookupError("the program has no steps")
    every = len(loop)
    picked = np.unique(np.linspace(0, every - 1, min(MOST_STEPS, every)).round().astype(int))
    calls = loop.backward[loop.backward >= 0]
    exact = exact_zeros(trace, int(calls[-1])) if len(calls) else {}
    at = trace.spans[loop.span] if 0 <= loop.span < len(trace.spans) else None
    return TrainingView(
        span=loop.span,
        line=at.line if at else 0,
        cell=at.cell if at else 0,
        loss_name=loss_name(trace, loop),
        called=loop.calls,
        steps=loop.number[picked] + 1,
        backwards=loop.backward[picked],
        loops=tuple(_loops(loop.rounds[step], int(loop.number[step])) for step in picked.tolist()),
        loss=loop.loss[picked],
        rates=_rates(loop, picked),
        parameters=tuple(_parameter(trace, leaf, every, picked, exact) for leaf in loop.leaves[:MOST_PARAMETERS]),
        left=max(0, len(loop.leaves) - MOST_PARAMETERS),
    )


def _loops(variables: Sequence[tuple[str, str]], number: int) -> str:
    """Write the loop variables, "" if they only count the steps from 1."""
    if len(variables) == 1 and variables[0][1] == str(number + 1):
        return ""
    return ", ".join(f"{name} = {value}" for name, value in variables)


def _parameter(trace: Trace, leaf: LeafCurves, every: int, picked: np.ndarray, exact: Container[int]) -> ParameterSteps:
    """Build one parameter. `exact`: leaves whose gradient is 0 in exact arithmetic."""

    def spread(numbers: np.ndarray) -> np.ndarray:
        """Spread numbers over the shown steps, NaN where the leaf had no part."""
        wide = np.full(every, np.nan)
        wide[leaf.at] = numbers
        return wide[picked]

    def numbers(of: np.ndarray, bad: np.ndarray | None = None, nans: np.ndarray | None = None) -> Numbers:
        """Return norms of finite entries, ∞ or NaN if an entry was. `bad`, `nans`: their counts."""
        if bad is not None and nans is not None:
            of = np.where(nans > 0, np.nan, np.where(bad > 0, np.inf, of))
        there = ~np.isnan(of) if nans is None else ~np.isnan(of) | (nans > 0)
        return Numbers(spread(of), spread(there.astype(float)) == 1)

    axis = unit_axis(trace, leaf.tensor) if len(leaf.shape) > 1 else None
    measures: dict[Measure, Numbers] = {
        "gradient": numbers(leaf.gradient_norm, leaf.gradient_nonfinite, leaf.gradient_nans),
        "value": numbers(leaf.value_norm, leaf.value_nonfinite, leaf.value_nans),
        "update": numbers(leaf.update_norm),
        "ratio": numbers(leaf.ratio),
        "zeros": numbers(leaf.gradient_zeros),
        "units": numbers(np.full(len(leaf), np.nan) if axis is None else leaf.zero_slices(axis)),
    }
    if leaf.sampled:
        measures |= {measure: replace(measures[measure], sampled=True) for measure in OF_SAMPLES}
    where = np.searchsorted(picked, leaf.at)
    here = where < len(picked)
    here[here] = picked[where[here]] == leaf.at[here]
    norms = leaf.update_norm[~np.isnan(leaf.update_norm)]
    places = tuple(tuple(int(k) for k in np.unravel_index(index, leaf.shape)) for index in leaf.indices.tolist())
    return ParameterSteps(
        name=leaf.name or "?",
        shape=leaf.shape,
        measures=measures,
        count=len(picked),
        at=where[here],
        values=leaf.values[here],
        gradients=leaf.gradients[here],
        places=places,
        sampled=not leaf.whole,
        remark=remark(measures, not len(norms) or bool((norms > 0).any()), leaf.tensor in exact),
    )


def _rates(loop: Curves, picked: np.ndarray) -> dict[str, np.ndarray]:
    """Return the distinct learning rates by optimizer class, or by first parameter if shared."""
    series: dict[bytes, tuple[LeafCurves, np.ndarray]] = {}
    for leaf in loop.leaves:
        if leaf.optimizer and not np.isnan(leaf.rate).all():
            rates = np.full(len(loop), np.nan)
            rates[leaf.at] = leaf.rate
            series.setdefault(leaf.optimizer.encode() + rates.tobytes(), (leaf, rates[picked]))
    classes: Sequence[str] = [leaf.optimizer for leaf, _ in series.values()]
    return {
        leaf.optimizer if classes.count(leaf.optimizer) == 1 else f"{leaf.optimizer} ({leaf.name or '?'})": rates
        for leaf, rates in series.values()
    }


def unit_axis(trace: Trace, tensor: int) -> int | None:
    """Return the axis of a weight's units, None if unclear."""
    return trace.index.memoize(("unit axes",), lambda: _axes(trace)).get(tensor)


def _axes(trace: Trace) -> Mapping[int, int | None]:
    axes: dict[int, int | None] = {}
    operations = trace.operations
    for row, name in enumerate(operations.name):
        place, axis = operation_of(trace.strings[name]).units or (-1, -1)
        given = operations.inputs[row] if place >= 0 else []
        if len(given) <= place or place < 0:
            continue
        weight = given[place]
        two = len(trace.shapes[trace.tensors.shape[weight]]) == 2
        if given.count(weight) > 1 or (axis == 1 and not two):
            continue
        axes[weight] = axis if axes.get(weight, axis) == axis else None
    return axes


MOST_CHANGES = 8  # with more changes, a learning rate is a curve and gets no marks


class StepMark(NamedTuple):
    """One event. Attributes: at: index of the kept step. before, after: rates, or losses."""

    at: int
    kind: Literal["lowest", "bad", "rate"]
    before: float
    after: float


def step_marks(view: TrainingView) -> tuple[StepMark, ...]:
    """Return the marks in step order.

    A lowest loss is known only if every step was kept. One with a NaN gradient gets no mark.
    """
    marks: dict[int, StepMark] = {}
    loss = view.loss
    finite = np.isfinite(loss)
    if finite.any() and len(loss) > 1 and (np.diff(view.steps) == 1).all():
        lowest = int(np.where(finite, loss, np.inf).argmin())
        bad = any(steps.measures["gradient"].bad[lowest] for steps in view.parameters)
        if not bad and (loss[finite] > loss[lowest]).any():
            marks[lowest] = StepMark(lowest, "lowest", float(loss[lowest]), float(loss[lowest]))
    changed: dict[int, StepMark] = {}
    for rates in view.rates.values():
        there = np.flatnonzero(np.isfinite(rates))
        for last, at in zip(there.tolist(), there[1:].tolist(), strict=False):
            if rates[at] != rates[last]:
                changed.setdefault(at, StepMark(at, "rate", float(rates[last]), float(rates[at])))
    if len(changed) <= MOST_CHANGES:
        marks |= changed
    if not finite.all():
        at = int((~finite).argmax())
        marks[at] = StepMark(at, "bad", float(loss[at]), float(loss[at]))
    return tuple(marks[at] for at in sorted(marks))

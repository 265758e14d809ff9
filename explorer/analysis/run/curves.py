"""Curves over training steps: loss, and each leaf's norms, zero shares, ratios and entries."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.analysis.run.model import run_of
from explorer.analysis.run.names import loss_of, name_of
from explorer.trace import StepLeaf, Trace
from explorer.trace.steps import STATISTICS, places_of

SMALL = 1e-7  # a gradient with a smaller norm has vanished


def _statistic(name: str, doc: str) -> property:
    """Return a column of a leaf's STATISTICS."""
    at = STATISTICS.index(name)
    return property(lambda leaf: leaf.statistics[:, at], doc=doc)


@dataclass(frozen=True)
class LeafCurves:
    """One leaf's steps at a place, an array row for each.

    Unknown numbers are NaN. Norms cover finite entries.

    Attributes:
        leaf: index in Trace.steps.leaves.
        tensor: row in Trace.tensors, or -1.
        optimizer: class of the optimizer that last updated it, or "".
        at: positions in the arrays of Curves.
        whole: whether all its entries are kept.
        indices: kept entries, flat in row-major order.
        values, gradients: kept entries, (steps, entries). Missing gradients are NaN.
        updates: later change of each entry, (steps, 0) for a sampled leaf.
        has_gradient: whether there was a gradient.
        before: norm of `.grad` just before backward, 0 if empty.
        used: norm of the gradient used by the optimizer, NaN if there is none.
        rate: learning rate, NaN without an optimizer.
        sampled: number of sampled entries, as in trace.StepLeaf.
        multiples: how many times as far as its optimizer's own step it moved, as in trace.StepLeaf.
        slices: number of all-zero gradient slices along the first and second axis, (steps, 2), NaN if unknown.
    """

    leaf: int
    name: str
    tensor: int
    shape: tuple[int, ...]
    optimizer: str
    at: np.ndarray
    whole: bool
    indices: np.ndarray
    values: np.ndarray
    gradients: np.ndarray
    updates: np.ndarray
    has_gradient: np.ndarray
    before: np.ndarray
    used: np.ndarray
    rate: np.ndarray
    statistics: np.ndarray
    sampled: int
    multiples: np.ndarray
    slices: np.ndarray

    def __len__(self) -> int:
        return len(self.at)

    value_norm = _statistic("value_norm", "‖w‖ when backward was called.")
    value_mean = _statistic("value_mean", "Mean of its finite entries.")
    value_nonfinite = _statistic("value_nonfinite", "How many entries are NaN or infinite.")
    value_nans = _statistic("value_nans", "How many entries are NaN.")
    gradient_norm = _statistic("gradient_norm", "‖∂L/∂w‖ when backward had returned.")
    gradient_zeros = _statistic("gradient_zeros", "Share of the gradient's entries that are 0, from 0 to 1.")
    gradient_nonfinite = _statistic("gradient_nonfinite", "How many entries of the gradient are NaN or infinite.")
    gradient_nans = _statistic("gradient_nans", "How many entries of the gradient are NaN.")
    update_norm = _statistic("update_norm", "‖w next − w‖, to when backward reached it again, or the end of the run.")

    def zero_slices(self, axis: int) -> np.ndarray:
        """Return the share of all-zero gradient slices along an axis."""
        with np.errstate(all="ignore"):
            return self.slices[:, axis] / self.shape[axis]

    @property
    def ratio(self) -> np.ndarray:
        """‖w next − w‖ / ‖w‖, NaN if w is 0."""
        with np.errstate(all="ignore"):
            return np.where(self.value_norm > 0, self.update_norm / self.value_norm, np.nan)


@dataclass(frozen=True, eq=False)
class Curves:
    """Steps of one place. Arrays have an entry for each kept step.

    Attributes:
        place: index in Trace.steps.places. span, kind, calls, stride: as there.
        rows: rows of Trace.steps.
        number: number of each call at the place, from 0.
        backward: row in Trace.backwards, -1 without a kept graph.
        base: last kept row of Trace.backwards, whose cards all pictures use, or -1.
        rounds: variables of the enclosing loops, outermost first, with values as text.
        loss: the root, or the mean of its entries.
        leaves: in order of first use.
    """

    place: int
    span: int
    kind: str
    calls: int
    stride: int
    rows: np.ndarray
    number: np.ndarray
    backward: np.ndarray
    base: int
    rounds: tuple[tuple[tuple[str, str], ...], ...]
    loss: np.ndarray
    leaves: tuple[LeafCurves, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, backward: int) -> int:
        """Return a step's position by its row of Trace.backwards, or -1."""
        return _first(self.backward == backward)

    def numbered(self, number: int) -> int:
        """Return a call's position by its number from 1, -1 if not recorded."""
        return _first(self.number == number - 1)

    def graph(self, position: int) -> int:
        """Return a step's row in Trace.backwards, -1 without a kept graph."""
        return int(self.backward[position])

    @property
    def thinned(self) -> bool:
        """Return whether there were more calls than are kept."""
        return self.calls > len(self)

    @cached_property
    def gradient_norm(self) -> np.ndarray:
        """Norm of all leaves' gradients together, NaN if there are none."""
        return self._together([leaf.gradient_norm for leaf in self.leaves])

    @cached_property
    def used_norm(self) -> np.ndarray:
        """Norm as the optimizer used it, such as after clipping, over its updated leaves."""
        return self._together([leaf.used for leaf in self.leaves])

    @cached_property
    def rate(self) -> np.ndarray:
        """Learning rate of the first leaf with an optimizer, or NaN."""
        rates = np.full(len(self), np.nan)
        for leaf in reversed(self.leaves):
            there = ~np.isnan(leaf.rate)
            rates[leaf.at[there]] = leaf.rate[there]
        return rates

    def _together(self, norms: list[np.ndarray]) -> np.ndarray:
        squares, mask = np.zeros(len(self)), np.zeros(len(self), bool)
        with np.errstate(all="ignore"):
            for leaf, norm in zip(self.leaves, norms, strict=True):
                there = ~np.isnan(norm)
                squares[leaf.at[there]] += norm[there] ** 2
                mask[leaf.at[there]] = True
            return np.where(mask, np.sqrt(squares), np.nan)


def _first(holds: np.ndarray) -> int:
    return int(np.argmax(holds)) if holds.any() else -1


def main_place(trace: Trace) -> int | None:
    """Return the place whose steps move leaves most often, or None."""
    places = trace.steps.places
    if not len(trace.steps):
        return None
    moved = trace.index.memoize(("moved",), lambda: _moved(trace))
    return max(
        range(len(places)), key=lambda place: (moved[place], places[place].kind == "backward", places[place].calls)
    )


def _moved(trace: Trace) -> list[int]:
    """Count how often leaves moved after the steps of each place."""
    steps = trace.steps
    place, counts = np.asarray(steps.place, np.int64), np.zeros(len(steps.places), np.int64)
    for leaf in steps.leaves:
        if leaf.whole:
            moved = np.nan_to_num(_rows(leaf, leaf.updates, leaf.count)).any(1)
        else:
            moved = np.frombuffer(leaf.statistics, "<f8").reshape(len(leaf), len(STATISTICS))[:, -1] > 0
        np.add.at(counts, place[np.frombuffer(leaf.steps, "<i4")[moved]], 1)
    return counts.tolist()


def _rows(leaf: StepLeaf, data: bytes, count: int) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # a signalling NaN
        return np.frombuffer(data, "<f4" if leaf.dtype == "float32" else "<f8").reshape(len(leaf), count).astype(float)


def curves(trace: Trace, place: int | None = None) -> Curves | None:
    """Return a place's curves (default: the main one), or None."""
    place = main_place(trace) if place is None else place
    if place is None:
        return None
    return trace.index.memoize(("curves", place), lambda: _curves(trace, place))


def _curves(trace: Trace, place: int) -> Curves:
    steps = trace.steps
    rows = np.flatnonzero(np.asarray(steps.place, np.int64) == place)
    position = np.full(len(steps), -1)
    position[rows] = np.arange(len(rows))
    leaves = []
    for index in trace.index.memoize(("leaves of places",), lambda: _leaves(trace)).get(place, ()):
        leaf = steps.leaves[index]
        at = position[np.frombuffer(leaf.steps, "<i4")]
        here = np.flatnonzero(at >= 0)
        leaves.append(_leaf(trace, index, leaf, here, at[here]))
    backward = np.asarray(steps.backward, np.int64)[rows]
    calls = backward[backward >= 0].tolist()
    good = [row for row in calls if trace.backwards[row].status == "ok"]
    called, number = steps.places[place], np.asarray(steps.number, np.int64)[rows]
    base, rounds = (good or calls or [-1])[-1], tuple(_rounds(trace, steps.rounds[row]) for row in rows)
    kept = rows, number, backward, base, rounds, np.frombuffer(steps.loss, "<f8")[rows], tuple(leaves)
    return Curves(place, called.span, called.kind, called.calls, called.stride, *kept)


def _leaves(trace: Trace) -> dict[int, list[int]]:
    """Return the leaves of each place."""
    leaves: dict[int, list[int]] = {}
    for index, leaf in enumerate(trace.steps.leaves):
        for place in places_of(trace.steps, leaf):
            leaves.setdefault(place, []).append(index)
    return leaves


def _rounds(trace: Trace, pairs: list[int]) -> tuple[tuple[str, str], ...]:
    texts = [trace.strings[pair] for pair in pairs]
    return tuple(zip(texts[::2], texts[1::2], strict=True))


def _leaf(trace: Trace, index: int, leaf: StepLeaf, here: np.ndarray, at: np.ndarray) -> LeafCurves:
    values, gradients = (_rows(leaf, data, leaf.count)[here] for data in (leaf.values, leaf.gradients))
    updates = _rows(leaf, leaf.updates, leaf.count if leaf.whole else 0)[here]
    has_gradient = np.frombuffer(leaf.has_gradient, np.uint8)[here] > 0
    if leaf.whole:
        statistics = _statistics(values, gradients, updates, has_gradient)
    else:
        statistics = np.frombuffer(leaf.statistics, "<f8").reshape(len(leaf), len(STATISTICS))[here]
    shape = tuple(trace.shapes[leaf.shape])
    is_parameter = leaf.tensor >= 0 and trace.tensors.is_parameter[leaf.tensor]  # other leaves are new each time
    name = (name_of(run_of(trace), leaf.tensor) if is_parameter else "") or leaf.name
    kept = np.arange(leaf.count) * leaf.pick, values, gradients, updates, has_gradient
    numbers = (np.frombuffer(data, "<f8")[here] for data in (leaf.before, leaf.used, leaf.rate))
    multiples = np.frombuffer(leaf.multiples, "<f8")[here] if leaf.multiples else np.full(len(here), np.nan)
    parts = *kept, *numbers, statistics, leaf.sampled, multiples, _slices(leaf, shape, gradients, has_gradient, here)
    return LeafCurves(index, name, leaf.tensor, shape, leaf.optimizer, at, leaf.whole, *parts)


def _slices(
    leaf: StepLeaf, shape: tuple[int, ...], gradients: np.ndarray, there: np.ndarray, here: np.ndarray
) -> np.ndarray:
    """Count zero gradient slices along the first two axes, recorded or computed."""
    counts = np.full((len(here), 2), np.nan)
    if leaf.slices:
        own = np.frombuffer(leaf.slices, "<i4").reshape(-1, 2)[here]
        counts = np.where((own >= 0) & there[:, None], own, np.nan)
    elif leaf.whole and len(shape) > 1:
        zero = (gradients == 0).reshape(len(here), *shape)
        for axis in (0, 1):
            others = tuple(other for other in range(1, len(shape) + 1) if other != axis + 1)
            counts[:, axis] = np.where(there, zero.all(others).sum(1), np.nan)
    return counts


def _statistics(values: np.ndarray, gradients: np.ndarray, updates: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Compute the columns of STATISTICS from complete entries."""
    of_gradients = np.where(there[:, None], _summary(gradients), np.nan)
    with np.errstate(all="ignore"):
        return np.hstack([_summary(values), of_gradients, np.sqrt(np.square(updates).sum(1, keepdims=True))])


def _summary(entries: np.ndarray) -> np.ndarray:
    finite = np.isfinite(entries)
    any_finite, count = finite.any(1), finite.sum(1)
    with np.errstate(all="ignore"):
        low = np.where(any_finite, np.where(finite, entries, np.inf).min(1), np.nan)
        high = np.where(any_finite, np.where(finite, entries, -np.inf).max(1), np.nan)
        numbers = np.where(finite, entries, 0.0)
        mean = np.where(any_finite, numbers.sum(1) / count, np.nan)
        norm = np.where(any_finite, np.sqrt(np.square(numbers).sum(1)), np.nan)
    zeros = (entries == 0).mean(1)
    return np.stack([low, high, mean, norm, zeros, (~finite).sum(1), np.isnan(entries).sum(1)], 1)


def loss_name(trace: Trace, loop: Curves) -> str:
    """Return the text or name of a place's root, "" for torch.autograd.grad."""
    if loop.kind != "backward":
        return ""
    calls = [int(backward) for backward in loop.backward if backward >= 0]
    named = loss_of(run_of(trace), trace.backwards[calls[-1]]) if calls else ""
    return named or (trace.text(loop.span) or "").partition(".backward(")[0]


def last_run(holds: np.ndarray) -> int:
    """Return the start of the final run of True, or the length.

    >>> last_run(np.array([True, False, True, True]))
    2
    """
    broken = np.flatnonzero(~holds)
    return int(broken[-1]) + 1 if len(broken) else 0

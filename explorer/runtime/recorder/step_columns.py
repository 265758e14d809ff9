"""Convert the recorded training steps to the columns of a Trace."""

import math
from collections.abc import Callable

import numpy as np

from explorer.runtime.recorder.measures import NO_SUMMARY, difference, norms_of
from explorer.runtime.recorder.rows import BindingRow
from explorer.runtime.recorder.table import IndexOf
from explorer.runtime.recorder.training_rows import LeafRow, PlaceRow, TrackedLeaf
from explorer.runtime.recorder.training_steps import TrainingSteps
from explorer.trace.steps import CURVES, PLACES, STATISTICS, StepLeaf, StepPlace, Steps


def columns_of(
    training: TrainingSteps,
    bindings: list[BindingRow],
    strings: IndexOf,
    shapes: IndexOf,
    tensor: Callable[[int], int],
    backward: Callable[[int], int],
) -> Steps:
    """Return the steps of frequently called places.

    Args:
        bindings: all names of the run.
        strings, shapes: the Trace's tables.
        tensor, backward: from ids to rows of the Trace.
    """
    places = _frequent_places(training)
    every = ((row, at) for at, place in enumerate(places) for row in place.all())
    ordered = sorted(every, key=lambda step: step[0].order)
    by_leaf: dict[int, tuple[TrackedLeaf, list[int], list[LeafRow]]] = {}
    for index, (row, _) in enumerate(ordered):
        for held in row.leaves:
            _, steps, rows = by_leaf.setdefault(id(held.leaf), (held.leaf, [], []))
            steps.append(index)
            rows.append(held)
    names = _names(bindings)
    leaves = sorted(by_leaf.values(), key=lambda found_leaf: found_leaf[0].tensor or math.inf)
    return Steps(
        [StepPlace(place.span, _kind(place.kind), place.calls, place.stride) for place in places],
        [at for _, at in ordered],
        [row.number for row, _ in ordered],
        [backward(row.backward) for row, _ in ordered],
        [[strings[text] for pair in row.rounds for text in pair] for row, _ in ordered],
        np.array([row.loss for row, _ in ordered], "<f8").tobytes(),
        [_leaf(leaf, steps, rows, _called(leaf, names), shapes, tensor) for leaf, steps, rows in leaves],
    )


def left_out(training: TrainingSteps) -> int:
    """Count the measured calls of such places that are not kept as steps."""
    called = sum(place.calls - place.unmeasured for place in training.places.values() if place.calls > training.few)
    return called - sum(len(place.all()) for place in _frequent_places(training))


def _frequent_places(training: TrainingSteps) -> list[PlaceRow]:
    """Return the places that make steps, only the most frequent of very many."""
    places = [place for place in training.places.values() if place.calls > training.few and place.all()]
    left, most = CURVES, set()
    for place in sorted(places, key=lambda place: -place.calls)[:PLACES]:
        left -= len({id(held.leaf) for row in place.all() for held in row.leaves})
        if left < 0:
            break
        most.add(id(place))
    return [place for place in places if id(place) in most]


def _kind(kind: str):
    return "backward" if kind == "backward" else "grad"


def _names(bindings: list[BindingRow]) -> tuple[dict[int, str], dict[int, str]]:
    """Return each tensor's first unshared name, and its first name."""
    ordered = sorted(bindings, key=lambda row: row.scope != "")
    standing: dict[str, set[int]] = {}
    for row in ordered:
        standing.setdefault(row.name, set()).add(row.tensor)
    first = {row.tensor: row.name for row in reversed(ordered)}
    return {row.tensor: row.name for row in reversed(ordered) if len(standing[row.name]) == 1}, first


def _called(leaf: TrackedLeaf, names: tuple[dict[int, str], dict[int, str]]) -> str:
    own, first = names
    return own.get(leaf.tensor) or leaf.name or first.get(leaf.tensor, "")


def _leaf(
    leaf: TrackedLeaf, steps: list[int], rows: list[LeafRow], name: str, shapes: IndexOf, tensor: Callable[[int], int]
) -> StepLeaf:
    width, multiples = leaf.count * np.dtype(leaf.dtype).itemsize, [row.multiple() for row in rows]
    unknown = np.full(leaf.count, math.nan, leaf.dtype).tobytes()
    updates, statistics, slices = b"", b"", b""
    if leaf.whole:
        after = b"".join(row.after if len(row.after) == width else unknown for row in rows)
        updates = difference(after, b"".join(row.value for row in rows), leaf.dtype)
    else:
        table = [
            (*(row.value_summary or NO_SUMMARY), *(row.gradient_summary or NO_SUMMARY), row.update_norm) for row in rows
        ]
        statistics = np.array(table, "<f8").reshape(-1, len(STATISTICS)).tobytes()
        slices = np.array([row.slices for row in rows], "<i4").tobytes() if len(leaf.shape) > 1 else b""
    return StepLeaf(
        name=name,
        tensor=tensor(leaf.tensor),
        shape=shapes[leaf.shape],
        dtype="float64" if leaf.dtype is np.float64 else "float32",
        count=leaf.count,
        pick=leaf.pick,
        optimizer=leaf.optimizer,
        steps=np.array(steps, "<i4").tobytes(),
        values=b"".join(row.value for row in rows),
        gradients=b"".join(row.gradient for row in rows),
        has_gradient=bytes(row.has_gradient for row in rows),
        updates=updates,
        statistics=statistics,
        before=_norms([row.before for row in rows], leaf.dtype),
        used=_norms([row.used for row in rows], leaf.dtype),
        rate=_numbers([row.rate for row in rows]),
        slices=slices,
        sampled=leaf.sampled,
        multiples=_numbers(multiples) if any(one == one for one in multiples) else b"",
    )


def _norms(norms: list[float | bytes], dtype: type) -> bytes:
    """Encode norms, including those of copied entries."""
    copies = [one for one in norms if isinstance(one, bytes)]
    taken = iter(norms_of(copies, dtype) if copies else ())
    return _numbers([next(taken) if isinstance(one, bytes) else one for one in norms])


def _numbers(numbers: list[float]) -> bytes:
    return np.array(numbers, "<f8").tobytes()

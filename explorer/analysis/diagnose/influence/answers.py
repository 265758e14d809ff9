"""Compare a module's results on equal data before and after a merge, a load or a copy."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import itemgetter

import numpy as np

from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import RANDOM
from explorer.trace import sample_shape

DIFFERS = 1e-3  # relative to the largest result; more than rounding
_LAST = 3  # calls of a model that are compared, the last ones
_MODELS = 8


@dataclass(frozen=True)
class OtherAnswer:
    """Two models with equal weights that answer the same question differently.

    Attributes: first, second: the last operation of each call. state: of the second, which is not equal. differs: the
    largest difference of the results. numbers: without a state, the operations of both that compute with other numbers.
    """

    first: Call
    second: Call
    state: Tensor | None
    differs: float
    numbers: tuple[Call, Call] | None = None


def forwards(run: Run) -> list[list[Call]]:
    """Return the operations of each call of an outermost module."""
    roots = ((run.call(at), at) for at in range(run.count))
    parts = groupby(((call, call.model) for call, _ in roots), key=itemgetter(1))
    return [[call for call, _ in part] for name, part in parts if name]


def inputs_of(calls: list[Call]) -> set[int]:
    """Return what operations read."""
    return {one.id for call in calls for one in call.inputs}


def difference(before: list[Call], after: list[Call], known: set[int]) -> np.ndarray | None:
    """Return the difference of two results if the data, all but known tensors, are equal and the results are not."""
    data = [[one.before(at) for one, at in given if one.id not in known] for given in (_given(before), _given(after))]
    same = len(data[0]) == len(data[1]) and all(
        a is not None and b is not None and np.array_equal(a, b) for a, b in zip(*data, strict=True)
    )
    return _gap(before[-1], after[-1]) if same and data[0] else None


def _given(calls: list[Call]) -> list[tuple[Tensor, Call]]:
    """Return the tensors that a call of a module did not make, with their first readers."""
    made = {one for call in calls for one in call.outputs}
    given = {one: call for call in reversed(calls) for one in reversed(call.inputs) if one not in made}
    return sorted(given.items(), key=lambda pair: (pair[1].id, pair[1].inputs.index(pair[0])))


def _gap(before: Call, after: Call) -> np.ndarray | None:
    """Return the difference of two results if it is more than rounding."""
    a, b = before.made, after.made
    if a is None or b is None or a.size != b.size:
        return None
    gap = b - a
    if gap.dtype.kind != "f" or not np.abs(gap).max(initial=0) > DIFFERS * np.abs(a).max(initial=0):
        return None
    shape = before.outputs[0].shape
    return gap.reshape(shape if gap.size == before.outputs[0].size else sample_shape(shape))


def is_steady(calls: list[Call]) -> bool:
    """Return whether a call of a module would repeat its result, without draws and statistics of a batch."""
    return all(
        _keeps(call) if call.name in RANDOM else call.arguments.named.get("training") is not True
        for call in calls
        if call.name in RANDOM or call.name == "batch_norm"
    )


def _keeps(call: Call) -> bool:
    before, made = call.inputs[0].before(call) if call.inputs else None, call.made
    return before is not None and made is not None and np.array_equal(before, made)


def other_answers(run: Run) -> Iterator[OtherAnswer]:
    """Yield models with equal weights that answer the same data differently."""
    models: dict[tuple[str, ...], dict[frozenset[int], list[list[Call]]]] = {}
    for calls in forwards(run):
        weights = frozenset(one.id for call in calls for one in call.inputs if one.is_parameter)
        if weights and is_steady(calls):
            alike = models.setdefault(tuple(call.name for call in calls), {})
            alike.setdefault(weights, []).append(calls)
    for alike in models.values():
        for one, other in combinations(list(alike.items())[:_MODELS], 2):
            pairs = ((a, b) for a in one[1][-_LAST:] for b in other[1][-_LAST:]) if one[0].isdisjoint(other[0]) else ()
            yield from (
                found
                for a, b in pairs
                if (found := _compared(*sorted((a, b), key=lambda calls: calls[0].id))) is not None
            )


def _compared(before: list[Call], after: list[Call]) -> OtherAnswer | None:
    """Compare two calls that read equal weights and data, but not an equal state."""
    given = _given(before), _given(after)
    if [call.evaluates for call in before] != [call.evaluates for call in after] or len(given[0]) != len(given[1]):
        return None
    states = []
    for (a, at), (b, then) in zip(*given, strict=True):
        was, now = a.before(at), b.before(then)
        if was is None or now is None or was.shape != now.shape or a.is_parameter is not b.is_parameter:
            return None
        if not np.array_equal(was, now):
            if a.is_parameter or not _is_state(a, b):
                return None
            states.append(b)
    numbers = None if states else _other_numbers(before, after)
    gap = _gap(before[-1], after[-1]) if states or numbers else None
    state = states[0] if states else None
    return None if gap is None else OtherAnswer(before[-1], after[-1], state, float(np.abs(gap).max()), numbers)


def _other_numbers(before: list[Call], after: list[Call]) -> tuple[Call, Call] | None:
    """Return the first operations that compute with other numbers, after a step has trained the first model."""
    if not any(step.end < before[0].id for step in before[0].run.steps):
        return None
    pairs = zip(before, after, strict=True)
    return next(((a, b) for a, b in pairs if len(a.numbers) == len(b.numbers) and a.numbers != b.numbers), None)


def _is_state(a: Tensor, b: Tensor) -> bool:
    """Return whether two tensors are the same attribute of two modules."""
    names = [{name.rpartition(".")[2] for name in one.names if "." in name} for one in (a, b)]
    return a is not b and not names[0].isdisjoint(names[1])

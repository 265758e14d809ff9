"""Which entries of which leaves to move, and before which operation.

A leaf is moved before the first operation that reads it after the last change of any leaf before the backward: an
earlier move would move the changes too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from explorer.analysis.autograd.gradients import tensor_gradient
from explorer.analysis.run import READ_ONLY, Run, run_of
from explorer.trace import Backward, Trace, Value, real, sample_shape, sample_steps

MOST_ENTRIES = 64  # of a program
MOST_CALLS = 8  # backwards that are checked
_COUNTED = ("operations", "nodes", "backwards", "lost", "threads")  # limits after which operations have other numbers

_NARROW = ("float16", "bfloat16")  # dtypes coarser than the steps of a check

Obstacle = Literal["counted", "dtype", "changed", "unread", "kept", "inside", "shared"]

# counted: the middle of the run was not kept; dtype: neither float32 nor float64; changed: the leaf changed between its
# uses; unread: no recorded operation reads it; kept: its entries were not kept; inside: backward in a backward;
# shared: another leaf is the same memory, and moves with it.


@dataclass(frozen=True)
class CheckedLeaf:
    """A leaf and a backward, with the entries to move.

    Attributes:
        leaf, backward: tensor and index of the backward.
        operation, operand, name: the operation before which it is moved, and the number and name of that input.
        call, root: identify the backward in a probe.
        value: the recorded root, or None.
        entries: flat index, entry and gradient of each; the gradient may be None.
    """

    leaf: int
    backward: int
    operation: int
    operand: int
    name: str
    call: int
    root: tuple[int, int]
    value: float | None
    entries: tuple[tuple[int, float, float | None], ...]


@dataclass(frozen=True)
class Unchecked:
    """A leaf and a backward that cannot be checked, and why."""

    leaf: int
    backward: int
    why: Obstacle


def subjects(
    trace: Trace, backward: int | None = None, most: int = MOST_ENTRIES, only: tuple[int, int] | None = None
) -> list[CheckedLeaf | Unchecked]:
    """The leaves to check, with at most so many entries in all: the requested or last backward first.

    Args:
        backward: the index of the backward that comes first, None for the selected one.
        only: one leaf and one flat index, and nothing else.
    """
    run = run_of(trace)
    calls = [i for i, call in enumerate(trace.backwards) if call.status == "ok" and call.inside < 0]
    if not calls:
        return []
    first = calls[-1] if backward is None or backward not in calls else backward
    others = [i for i in (calls[-1], calls[0], *calls[:: max(1, len(calls) // MOST_CALLS)]) if i != first]
    order = [first] if only else [first, *dict.fromkeys(others)][:MOST_CALLS]
    candidates: list[CheckedLeaf | Unchecked] = []
    for number in order:
        candidates += _Plan(run, number).subjects(None if only is None else only[0], cut=number == first)
    return _shared_out(candidates, most, first, None if only is None else only[1])


class _Plan:
    """The plan for one backward: the tensors behind its root, and when leaves changed."""

    def __init__(self, run: Run, number: int) -> None:
        self.run, self.trace, self.number = run, run.trace, number
        self.call = run.trace.backwards[number]
        self.before = min(self.call.operations, run.count)
        self.below: set[int] = set()  # tensors whose entries went into the root
        self.flow = self._flow()
        if any(self.trace.nodes.made_by[node] >= 0 for node in self.call.order):  # gradients are on the way too
            for leaf in self.flow:
                self.flow[leaf] = sorted({*self.flow[leaf], *self._reads(leaf)})
        changes = [write for leaf in run.leaves for write in run.writes(leaf) if write < self.before]
        dtypes = {run.dtype(tensor) for tensor in self.below}
        self.narrow = not dtypes.isdisjoint(_NARROW)
        last = max((at for reads in self.flow.values() for at in reads), default=-1)
        self.since = max((write for write in changes if write < last), default=-1)

    def _flow(self) -> dict[int, list[int]]:
        """By leaf the operations that read it on the way to the root, in order."""
        operations, leaves = self.trace.operations, set(self.run.leaves)
        live = {tensor for tensor in self.call.root_tensors if tensor >= 0}
        readers: dict[int, list[int]] = {}
        for at in range(self.before - 1, -1, -1):
            if self.run.names[at] in READ_ONLY or not any(made in live for made in operations.outputs[at]):
                continue
            inputs = operations.inputs[at]
            live.update(inputs)
            for tensor in leaves.intersection(inputs):
                readers.setdefault(tensor, []).append(at)
        self.below = live
        return {leaf: readers[leaf][::-1] for leaf in sorted(readers)}

    def subjects(self, only: int | None, cut: bool) -> list[CheckedLeaf | Unchecked]:
        """A subject for each leaf; with `cut` also for those without a gradient."""
        call, got = self.call, {self.trace.nodes.variable[node] for node in self.call.order}
        leaves = [leaf for leaf in self.flow if not call.inputs or leaf in call.inputs]
        leaves += [leaf for leaf in self.run.leaves if leaf in got and leaf not in self.flow]
        if cut and not call.inputs:
            leaves += [leaf for leaf in self.run.leaves if leaf not in self.run.received and leaf not in self.flow]
        roots = set(call.root_tensors)
        wanted = [leaf for leaf in dict.fromkeys(leaves) if leaf not in roots and only in (None, leaf)]
        return [self._subject(leaf, leaf in got) for leaf in wanted if leaf in self.flow or self._reads(leaf)]

    def _reads(self, leaf: int) -> list[int]:
        """Operations that read a leaf before the backward, if none leads to the root."""
        run = self.run
        return [
            at
            for at in run.users.get(leaf, ())
            if at < self.before
            and run.names[at] not in READ_ONLY
            and at not in run.inside
            and leaf not in run.operations.outputs[at]
        ]

    def _subject(self, leaf: int, reached: bool) -> CheckedLeaf | Unchecked:
        trace, run = self.trace, self.run
        if any(bound.kind in _COUNTED for bound in trace.limits):
            return Unchecked(leaf, self.number, "counted")
        if self.narrow or run.dtype(leaf) not in ("float32", "float64"):
            return Unchecked(leaf, self.number, "dtype")
        alike = trace.index.in_storage[trace.tensors.storage[leaf]] if trace.tensors.storage[leaf] >= 0 else ()
        own = run.tensor(leaf)
        if any(one != leaf and one in self.flow and own.shares_entries(run.tensor(one)) for one in alike):
            return Unchecked(leaf, self.number, "shared")
        reads = self.flow.get(leaf) or self._reads(leaf)
        if not reads:
            return Unchecked(leaf, self.number, "unread")
        later = [at for at in reads if at > self.since]
        if not later or (leaf in self.flow and self._in_graph_before(leaf)):
            return Unchecked(leaf, self.number, "changed")
        at = later[0]
        row = trace.index.before(leaf, at)
        gradient = tensor_gradient(trace, leaf, self.number)[0] if reached else -1
        entries = _entries(trace, -1 if row is None else trace.versions.value[row], gradient)
        if not entries:
            return Unchecked(leaf, self.number, "kept")
        call, root = self._identify()
        if call < 0 and root[0] < 0:
            return Unchecked(leaf, self.number, "inside")
        operand = trace.operations.inputs[at].index(leaf)
        value = _root_value(trace, self.call)
        return CheckedLeaf(leaf, self.number, at, operand, run.names[at], call, root, value, entries)

    def _in_graph_before(self, leaf: int) -> bool:
        """Whether the backward went through a use of a leaf from before the last change."""
        made = {self.trace.nodes.operation[node] for node in self.call.order}
        return any(at in made and at <= self.since for at in self.flow[leaf])

    def _identify(self) -> tuple[int, tuple[int, int]]:
        """The identification of the backward in a probe."""
        calls = self.trace.backwards
        if self.call.kind != "implicit":
            return sum(call.kind != "implicit" and call.inside < 0 for call in calls[: self.number]), (-1, -1)
        root = self.call.root_tensors[0] if self.call.root_tensors else -1
        made = self.trace.maker(root) if root >= 0 else -1
        if made < 0 or root not in self.trace.operations.outputs[made]:
            return -1, (-1, -1)
        return -1, (made, self.trace.operations.outputs[made].index(root))


def _entries(trace: Trace, value: int, gradient: int) -> tuple[tuple[int, float, float | None], ...]:
    """The recorded entries of a leaf, each with its index and its gradient."""
    there, got = trace.value(value), trace.value(gradient)
    if there is None or not there.entries or (got is not None and got.shape != there.shape):
        return ()
    places = places_of(there)
    slopes = got.entries if got is not None else (None,) * len(there.entries)
    if len(slopes) != len(there.entries) or any(isinstance(entry, complex) for entry in (*there.entries, *slopes)):
        return ()
    return tuple(
        (place, real(entry), None if slope is None else real(slope))
        for place, entry, slope in zip(places, there.entries, slopes, strict=True)
    )


def places_of(value: Value) -> Sequence[int]:
    """The flat indices of a value's recorded entries."""
    if value.data is not None:
        return range(len(value.data))
    shape = value.shape
    counts, steps = sample_shape(shape), sample_steps(shape)
    if len(counts) == 1:
        return [i * steps[0] for i in range(counts[0])]
    width = shape[-1]
    return [i * steps[0] * width + j * steps[1] for i in range(counts[0]) for j in range(counts[1])]


def _root_value(trace: Trace, call: Backward) -> float | None:
    """The root: the sum of the roots' entries, each times its starting gradient."""
    total = 0.0
    for at, tensor in enumerate(call.root_tensors):
        row = trace.index.before(tensor, call.operations) if tensor >= 0 else None
        root = None if row is None else trace.value(trace.versions.value[row])
        seed = trace.value(call.seeds[at]) if at < len(call.seeds) else None
        if root is None or root.data is None or (seed is not None and len(seed.entries) != len(root.data)):
            return None
        weights = seed.entries if seed is not None else (1.0,) * len(root.data)
        if any(isinstance(entry, complex) for entry in (*root.data, *weights)):
            return None
        total += sum(real(entry) * real(weight) for entry, weight in zip(root.data, weights, strict=True))
    return total


def _shared_out(
    candidates: list[CheckedLeaf | Unchecked], most: int, first: int, entry: int | None
) -> list[CheckedLeaf | Unchecked]:
    """The subjects with at most so many entries in all: up to three quarters for the first backward."""
    asked = [subject for subject in candidates if isinstance(subject, CheckedLeaf)]
    if entry is not None:
        entries = {id(subject): tuple(each for each in subject.entries if each[0] == entry) for subject in asked}
    else:
        mine, rest = (
            [subject for subject in asked if subject.backward == first],
            [subject for subject in asked if subject.backward != first],
        )
        entries = _dealt(mine, most * 3 // 4 if rest else most)
        entries |= _dealt(rest, most - sum(map(len, entries.values())))
    with_entries = [
        replace(subject, entries=entries[id(subject)]) if isinstance(subject, CheckedLeaf) else subject
        for subject in candidates
    ]
    return [with_entry for with_entry in with_entries if isinstance(with_entry, Unchecked) or with_entry.entries]


def _dealt(asked: list[CheckedLeaf], most: int) -> dict[int, tuple]:
    """Distribute so many entries over the subjects in turns, spread evenly within each."""
    counts = dict.fromkeys(map(id, asked), 0)
    left = most
    while left > 0:
        open_ = [subject for subject in asked if counts[id(subject)] < len(subject.entries)]
        if not open_:
            break
        for subject in open_[:left]:
            counts[id(subject)] += 1
        left -= len(open_[:left])
    return {id(subject): _spread_out(subject.entries, counts[id(subject)]) for subject in asked}


def _spread_out(entries: tuple, count: int) -> tuple:
    return tuple(entries[i * len(entries) // count] for i in range(count))

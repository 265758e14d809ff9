"""Choose which leaves to move, and before which operation.

A leaf is moved before the first operation that reads it after the last change of any leaf before the backward: an
earlier move would move the changes too.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from explorer.analysis.explain.autograd.gradient_cuts import all_cuts
from explorer.analysis.explain.autograd.python_numbers import becomes_python_value, is_only_inspected
from explorer.analysis.explain.autograd.reasons import tensor_gradient
from explorer.analysis.run.model import GRAD_CALL, READ_ONLY, Run, run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.objects import Call
from explorer.analysis.run.operations import names_where
from explorer.text.numbers import shape_text
from explorer.trace import PADDING, TARGET, Backward, Trace, Value, real, sample_shape, sample_steps

_SKIPPED = {"operations", "nodes", "backwards"}  # limits after which later operations have other numbers
_UNKNOWN = {"lost", "threads"}  # limits after which every operation has other numbers

_ASKS = ("requires_grad_", "requires_grad=")
_DRAWS = ("_standard_gamma", "_sample_dirichlet")  # draws without a smooth map from noise
_STEPS = names_where(lambda one: one.flat == "step")
_LOSSES = ("cross_entropy", "nll_loss")  # losses whose targets are classes
FLOATING = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")

Obstacle = Literal["counted", "dtype", "changed", "unread", "kept", "inside", "shared", "late", "drawn"]

# counted: the middle of the run was not kept. dtype: one that float64 does not replace. changed: the leaf changed
# between its uses. unread: no recorded operation reads it. kept: its entries were not kept. inside: backward in a
# backward. shared: another leaf uses the same memory and moves with it. late: it was used before it required grad.
# drawn: it sets a draw, whose gradient torch takes at a fixed quantile, not with the same random numbers.


@dataclass(frozen=True)
class CheckedLeaf:
    """A leaf and a backward.

    Attributes:
        leaf, backward: tensor, and index of the backward.
        operation, operand, name: operation before which it is moved, and number and name of that input.
        call, root: identify the backward in a probe.
        value: recorded root, or None.
        reached: whether the backward reached it.
        entry: flat index, entry and gradient, if a single entry was requested. The gradient may be None.
    """

    leaf: int
    backward: int
    operation: int
    operand: int
    name: str
    call: int
    root: tuple[int, int]
    value: float | None
    reached: bool
    entry: tuple[int, float, float | None] | None = None


@dataclass(frozen=True)
class Unchecked:
    """A leaf and a backward that cannot be checked, and why."""

    leaf: int
    backward: int
    why: Obstacle


def subjects(
    trace: Trace, backward: int | None = None, only: tuple[int, int] | None = None
) -> list[CheckedLeaf | Unchecked]:
    """List the leaves to check, those of the given backward first.

    Args:
        backward: index of the backward to check first, None for the selected one.
        only: a single leaf and flat index to check.
    """
    run = run_of(trace)
    calls = [i for i, call in enumerate(trace.backwards) if call.status == "ok" and call.inside < 0]
    calls = [i for i in calls if not is_of_transform(trace, trace.backwards[i])]
    if not calls:
        return []
    first = calls[-1] if backward is None or backward not in calls else backward
    order = [first] if only else dict.fromkeys((first, calls[0], calls[-1]))
    found: list[CheckedLeaf | Unchecked] = []
    for number in order:
        plan = _Plan(run, number, number == calls[0])
        found += plan.subjects(only, cut=number == first)
        found += () if only else [*plan.padding(), *plan.targets()]
    return found


def is_of_transform(trace: Trace, call: Backward) -> bool:
    """Return whether a transform of torch.func ran a backward, for wrappers without memory."""
    ends = [one for one in (*call.inputs, *call.root_tensors) if one >= 0]
    return bool(call.inputs) and all(trace.tensors.storage[one] < 0 for one in ends)


class _Plan:
    """Plan for one backward: tensors behind its root, and times of changes to leaves."""

    def __init__(self, run: Run, number: int, is_first: bool) -> None:
        self.run, self.trace, self.number, self.is_first = run, run.trace, number, is_first
        limits = {bound.kind for bound in run.trace.limits}
        self.counted = bool(limits & (_UNKNOWN if is_first else _UNKNOWN | _SKIPPED))
        self.call = run.trace.backwards[number]
        self.before = min(self.call.operations, run.count)
        self.below: set[int] = set()  # tensors whose entries reached the root
        self.flow = self._flow()
        got = {run.trace.nodes.variable[node] for node in self.call.order}.intersection(run.leaves)
        by_gradients = any(self.trace.nodes.made_by[node] >= 0 for node in self.call.order)  # in between
        for leaf in self.flow.keys() | got if by_gradients else got - self.flow.keys():  # torch.func hides the rest
            self.flow[leaf] = sorted({*self.flow.get(leaf, ()), *self._reads(leaf)})
        self.flow = {leaf: reads for leaf, reads in sorted(self.flow.items()) if reads}
        steps = {call.operations for call in run.log_of("step")}
        self.hooked = sorted(at for at in steps if at >= run.count or run.names[at] not in _STEPS)  # within a backward
        changes = [write for leaf in run.leaves for write in self._changes(leaf) if write < self.before]
        last = max((at for reads in self.flow.values() for at in reads), default=-1)
        self.since = max((write for write in changes if write < last), default=-1)
        draws = [made for made in run.calls(_DRAWS) if self.since < made.id < self.before]
        inputs = [one for made in draws if made.outputs and made.outputs[0].id in self.below for one in made.inputs]
        self.drawn = run.below(inputs)  # tensors that set the parameters of such draws

    def _flow(self) -> dict[int, list[int]]:
        """Map leaves to the operations that read them, in order."""
        operations, leaves = self.trace.operations, set(self.run.leaves)
        live = {tensor for tensor in self.call.root_tensors if tensor >= 0}
        readers: dict[int, list[int]] = {}
        for at in range(self.before - 1, -1, -1):
            if self._is_skipped(at) or not any(made in live for made in operations.outputs[at]):
                continue
            inputs = operations.inputs[at]
            live.update(inputs)
            for tensor in leaves.intersection(inputs):
                readers.setdefault(tensor, []).append(at)
        self.below = live
        return {leaf: readers[leaf][::-1] for leaf in sorted(readers)}

    def _changes(self, leaf: int) -> list[int]:
        """Return the operations that wrote to a leaf, or after which it changed: the latest step in a hook, if any."""
        versions, changes = self.trace.versions, []
        for row in list(self.trace.versions_of(leaf))[1:]:
            seen = versions.seen[row]
            hooked = self.hooked[bisect_right(self.hooked, seen) - 1] if self.hooked else seen
            changes.append(versions.operation[row] if versions.operation[row] >= 0 else min(hooked, seen) - 1)
        return changes

    def _is_skipped(self, operation: int) -> bool:
        """Return whether an operation reads no entries or copies a model."""
        operations, strings = self.trace.operations, self.trace.strings
        name, frames = self.run.names[operation], operations.frames[operation]
        return (name in READ_ONLY and name != GRAD_CALL) or (frames >= 0 and " deepcopy" in strings[frames])

    def subjects(self, only: tuple[int, int] | None, cut: bool) -> list[CheckedLeaf | Unchecked]:
        """Return a subject for each leaf. With `cut`, also for leaves without a gradient."""
        call, got = self.call, {self.trace.nodes.variable[node] for node in self.call.order}
        leaves = [leaf for leaf in self.flow if not call.inputs or leaf in call.inputs]
        leaves += [leaf for leaf in self.run.leaves if leaf in got and leaf not in self.flow]
        if cut and not call.inputs:
            leaves += [leaf for leaf in self.run.leaves if leaf not in self.run.received and leaf not in self.flow]
        roots = set(call.root_tensors)
        wanted = [leaf for leaf in dict.fromkeys(leaves) if leaf not in roots and (only is None or only[0] == leaf)]
        wanted = [leaf for leaf in wanted if leaf in self.flow or leaf in got or self._reads(leaf)]
        return [self._subject(leaf, leaf in got, None if only is None else only[1]) for leaf in wanted]

    def targets(self) -> Iterator[CheckedLeaf]:
        """Yield embedded inputs behind the root that may be the targets of its scores."""
        run, (call, root) = self.run, self._identify()
        begin = -1 if self.is_first else self.since
        losses = [one for one in run.calls(_LOSSES) if begin < one.id < self.before and one.leads_to_root]
        if self.counted or (call < 0 and root[0] < 0) or len(losses) != 1:
            return
        loss, value = losses[0], _root_value(self.trace, self.call)
        for made in run.calls(("embedding",)):
            if begin < made.id < loss.id and made.outputs[0].id in self.below and _may_be_next(made, loss):
                leaf = made.outputs[0].id
                yield CheckedLeaf(leaf, self.number, made.id, loss.id, TARGET, call, root, value, False)

    def padding(self) -> Iterator[CheckedLeaf]:
        """Yield results of `embedding` and `pad_sequence` behind the root whose padding can be moved."""
        run, (call, root) = self.run, self._identify()
        if self.counted or (call < 0 and root[0] < 0) or any("conv" in name for name in run.by_name):
            return  # convolutions read past the edge on purpose
        begin = -1 if self.is_first else self.since
        for made in run.calls(("embedding", "pad_sequence")):
            if not (begin < made.id < self.before and made.outputs and made.outputs[0].id in self.below):
                continue
            pads = made if made.name == "pad_sequence" else made.inputs[0].made_by(("pad_sequence",))
            if made.outputs[0].dtype in FLOATING and (pads or isinstance(made.argument(2, "padding_idx"), int)):
                at, value = pads.id if pads else -1, _root_value(self.trace, self.call)
                yield CheckedLeaf(made.outputs[0].id, self.number, made.id, at, PADDING, call, root, value, False)

    def _reads(self, leaf: int) -> list[int]:
        """Return a leaf's readers, if none leads to the root."""
        run, outputs = self.run, self.run.operations.outputs
        reads = (at for at in run.users.get(leaf, ()) if at < self.before and at not in run.inside)
        return [at for at in reads if not self._is_skipped(at) and leaf not in outputs[at]]

    def _subject(self, leaf: int, reached: bool, place: int | None) -> CheckedLeaf | Unchecked:
        trace, run = self.trace, self.run
        if self.counted:
            return Unchecked(leaf, self.number, "counted")
        if run.dtype(leaf) not in FLOATING:
            return Unchecked(leaf, self.number, "dtype")
        if leaf in self.drawn:
            return Unchecked(leaf, self.number, "drawn")
        alike = trace.index.in_storage[trace.tensors.storage[leaf]] if trace.tensors.storage[leaf] >= 0 else ()
        own = run.tensor(leaf)
        if any(one != leaf and one in self.flow and own.shares_entries(run.tensor(one)) for one in alike):
            return Unchecked(leaf, self.number, "shared")
        reads = self.flow.get(leaf) or self._reads(leaf)
        if not reads:
            return Unchecked(leaf, self.number, "unread")
        later = sorted(at for at in {*reads, *self._reads(leaf)} if at > self.since)  # including reads that leave torch
        if self._asked_late(leaf):
            return Unchecked(leaf, self.number, "late")
        if not later or (leaf in self.flow and self._in_graph_before(leaf)) or self._left_before(leaf):
            return Unchecked(leaf, self.number, "changed")
        at = later[0]
        entry = None if place is None else self._entry(leaf, at, reached, place)
        if place is not None and entry is None:
            return Unchecked(leaf, self.number, "kept")
        call, root = self._identify()
        if call < 0 and root[0] < 0:
            return Unchecked(leaf, self.number, "inside")
        operand = trace.operations.inputs[at].index(leaf)
        value = _root_value(trace, self.call)
        return CheckedLeaf(leaf, self.number, at, operand, run.names[at], call, root, value, reached, entry)

    def _asked_late(self, leaf: int) -> bool:
        """Return whether the root depends on a use of a leaf from before it required grad."""
        run, made = self.run, self.run.operations.outputs
        asked = next((at for at in run.users.get(leaf, ()) if run.names[at] in _ASKS), -1)
        early = [at for at in self._reads(leaf) if at < asked]
        used = (becomes_python_value(self.trace, at) or not self.below.isdisjoint(made[at]) for at in early)
        return not run.tensor(leaf).is_parameter and any(used)

    def _entry(self, leaf: int, at: int, reached: bool, place: int) -> tuple[int, float, float | None] | None:
        """Return a recorded entry of the leaf with its gradient."""
        row = self.trace.index.before(leaf, at)
        gradient = tensor_gradient(self.trace, leaf, self.number)[0] if reached else -1
        entries = _entries(self.trace, -1 if row is None else self.trace.versions.value[row], gradient)
        return next((entry for entry in entries if entry[0] == place), None)

    def _in_graph_before(self, leaf: int) -> bool:
        """Return whether a leaf was used before its last change."""
        made = {self.trace.nodes.operation[node] for node in self.call.order}
        return any(at in made and at <= self.since for at in self.flow[leaf])

    def _left_before(self, leaf: int) -> bool:
        """Return whether entries left the graph before the last change."""
        cut = all_cuts(self.trace, self.number)[1].get(leaf)
        own = max((write for write in self._changes(leaf) if write <= self.since), default=-1)
        return self._leads_past(leaf, own + 1, cut is not None and 0 <= cut.operation <= self.since)

    def _leads_past(self, leaf: int, begin: int, is_cut: bool) -> bool:
        """Return whether the root depends on values that a leaf had before its last change.

        Tensors that these values changed in place, such as an average of weights, count as the program's state.

        Args:
            begin: the first operation that may have read the leaf.
            is_cut: whether entries left torch in between. Nothing links numbers, and results of torch.func, to their
                operands.
        """
        run, operations, live = self.run, self.trace.operations, {leaf}
        calls = [call for call in self.trace.backwards if begin <= call.operations <= self.since]
        for at in range(begin, self.since + 1):
            given, made = operations.inputs[at], operations.outputs[at]
            if run.names[at] == "grad":
                if any(call.operations <= at and not live.isdisjoint(call.root_tensors) for call in calls):
                    live.update(made)
                continue
            if self._is_skipped(at) or at in run.inside or live.isdisjoint(given):
                continue
            is_wrapped = any(self.trace.tensors.storage[tensor] < 0 for tensor in given)
            leaves = becomes_python_value(self.trace, at) and not is_only_inspected(self.trace, at)
            if is_cut and (is_wrapped or leaves):
                return True
            live.update(tensor for tensor in made if tensor not in given)
        live.discard(leaf)
        rest = range(self.since + 1, self.before)
        return any(
            not live.isdisjoint(operations.inputs[at]) and not self.below.isdisjoint(operations.outputs[at])
            for at in rest
        )

    def _identify(self) -> tuple[int, tuple[int, int]]:
        """Return how a probe identifies the backward."""
        calls = self.trace.backwards
        if self.call.kind != "implicit":
            return sum(call.kind != "implicit" and call.inside < 0 for call in calls[: self.number]), (-1, -1)
        root = self.call.root_tensors[0] if self.call.root_tensors else -1
        made = self.trace.maker(root) if root >= 0 else -1
        if made < 0 or root not in self.trace.operations.outputs[made]:
            return -1, (-1, -1)
        return -1, (made, self.trace.operations.outputs[made].index(root))


def _entries(trace: Trace, value: int, gradient: int) -> tuple[tuple[int, float, float | None], ...]:
    """Return a leaf's recorded entries with index and gradient."""
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
    """Return the flat indices of a value's recorded entries."""
    if value.data is not None:
        return range(len(value.data))
    shape = value.shape
    counts, steps = sample_shape(shape), sample_steps(shape)
    if len(counts) == 1:
        return [i * steps[0] for i in range(counts[0])]
    width = shape[-1]
    return [i * steps[0] * width + j * steps[1] for i in range(counts[0]) for j in range(counts[1])]


def _root_value(trace: Trace, call: Backward) -> float | None:
    """Return the root: entries times starting gradients, summed."""
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


def _may_be_next(embedding: Call, loss: Call) -> bool:
    """Return whether a loss has a target for each input of an embedding, or for all but one along an axis."""
    ids, target = embedding.inputs[0], loss.inputs[1].size if len(loss.inputs) > 1 else 0
    return target in (ids.size, *(ids.size - ids.size // length for length in ids.shape if length))


def leaf_name(trace: Trace, leaf: int) -> str:
    """Return a leaf's name as in other views, otherwise its shape."""
    return name_of(run_of(trace), leaf) or shape_text(tuple(trace.shapes[trace.tensors.shape[leaf]]))

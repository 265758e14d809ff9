"""Derive the history of a leaf and of its `.grad`."""

from collections import defaultdict
from itertools import pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradients import gradient_leaves, node_gradients
from explorer.analysis.explain.why.derivation_steps import same_entries
from explorer.analysis.run.model import READ_ONLY, run_of
from explorer.trace import Trace
from explorer.trace.index import names_in

MOST = 400  # most events of one leaf; the middle of longer tapes is only counted
_CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "clip_grads_with_norm_")
_ZEROES = ("zero_", "_foreach_zero_", "zeros_")

Kind = Literal[
    "created", "used", "written", "stepped", "backward", "clipped", "zeroed", "changed", "cleared", "assigned", "read",
    "left_out",
]  # fmt: skip


class TapeEvent(Struct, frozen=True):
    """One or several equal consecutive events in a leaf's history.

    Attributes:
        kind: created, used (by an operation), written, stepped (written by an optimizer), backward (it added to
            `.grad`), clipped, zeroed, changed (of `.grad` in place), cleared (`.grad` became None), assigned (another
            tensor became `.grad`), read (`.grad` was), left_out (the middle of a long tape).
        operation: first operation, -1 for a backward or an unrecorded change.
        span: place (Trace.spans), or -1.
        backward: index of the backward, -1 for another kind.
        before, after: values of the leaf for a write, otherwise of `.grad`. -1: none or unknown.
        added: value id of a backward's addition, -1 if not kept.
        version: the leaf's version after a write, -1 if unknown.
        count: number of events.
    """

    kind: Kind
    operation: int = -1
    span: int = -1
    backward: int = -1
    before: int = -1
    after: int = -1
    added: int = -1
    version: int = -1
    count: int = 1

    @property
    def stores(self) -> bool:
        """Whether it changed `.grad`."""
        return self.kind in ("backward", "clipped", "zeroed", "changed", "cleared", "assigned")


class Tapes:
    """Look-ups for the tapes of a Trace, gathered once."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.facts = trace, run_of(trace)
        self.gradient_of = gradient_leaves(trace)
        self._stepping = {operation for phase in self.facts.steps for operation in self.facts.own_of(phase)}
        self.accumulated: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, call in enumerate(trace.backwards):
            for position, leaf in enumerate(call.accumulated):
                self.accumulated[leaf].append((number, position))
        self.collector = {leaf: node for node, leaf in enumerate(trace.nodes.variable) if leaf >= 0}
        self.gradients: dict[int, list[int]] = defaultdict(list)  # a leaf's gradient tensors, with their aliases
        for tensor, leaf in self.gradient_of.items():
            storage = trace.tensors.storage[tensor]
            same = trace.index.in_storage.get(storage, [tensor]) if storage >= 0 else [tensor]
            alike = [alias for alias in same[:20] if trace.tensors.shape[alias] == trace.tensors.shape[tensor]]
            self.gradients[leaf] += [alias for alias in alike if alias not in self.gradients[leaf]]

    def stepping(self, operation: int) -> bool:
        """Return whether an optimizer's step, not its closure, ran an operation."""
        return operation in self._stepping

    def events(self, leaf: int) -> list[TapeEvent]:
        """Return all events of a leaf, in order."""
        events = [*self._life(leaf), *self._stored(leaf)]
        return _merged([event for _, event in sorted(events, key=lambda pair: pair[0])])

    def stored(self, leaf: int, time: float | None = None) -> list[tuple[float, TapeEvent]]:
        """Return the timed events that determined a leaf's `.grad`."""
        key = ("tape stored", leaf)
        events = self.trace.index.memoize(key, lambda: sorted(self._stored(leaf), key=lambda pair: pair[0]))
        return [(at, event) for at, event in events if event.stores and (time is None or at < time)]

    def _life(self, leaf: int) -> list[tuple[float, TapeEvent]]:
        trace, operations = self.trace, self.trace.operations
        events: list[tuple[float, TapeEvent]] = []
        wrote = set()
        rows = list(trace.versions_of(leaf))
        for row, before in zip(rows, [-1, *rows], strict=False):
            operation = trace.versions.operation[row]
            span = operations.span[operation] if operation >= 0 else -1
            kind: Kind = "created" if before < 0 else "stepped" if self.stepping(operation) else "written"
            was = trace.versions.value[before] if before >= 0 else -1
            event = TapeEvent(
                kind, operation, span, -1, was, trace.versions.value[row], -1, trace.versions.version[row]
            )
            events.append((operation if operation >= 0 or before < 0 else len(operations), event))
            wrote.add(operation)
        for operation in self.facts.users.get(leaf, ()):
            name = self.facts.names[operation]
            if operation not in wrote and name not in READ_ONLY and not self.stepping(operation):
                events.append((operation, TapeEvent("used", operation, operations.span[operation])))
            elif name == "grad" and operations.outputs[operation]:
                if operation in self.facts.inside or self._is_clip(operation):
                    continue  # an optimizer or clipping call, not the program, read it
                events.append((operation, TapeEvent("read", operation, operations.span[operation])))
        return events

    def _stored(self, leaf: int) -> list[tuple[float, TapeEvent]]:
        trace, operations = self.trace, self.trace.operations
        events: list[tuple[float, TapeEvent]] = []
        for number, position in self.accumulated.get(leaf, ()):
            call = trace.backwards[number]
            node = self.collector.get(leaf, -1)
            arrived = node_gradients(trace, number)[node] if node >= 0 else ()
            before, after = call.before[position], call.after[position]
            event = TapeEvent("backward", -1, call.span, number, before, after, arrived[0] if arrived else -1)
            events.append((call.operations - 0.5 + number / 1e7, event))
        for operation in self.facts.users.get(leaf, ()):
            name, inputs = self.facts.names[operation], operations.inputs[operation]
            if name != "zero_grad" and (name != "grad=" or inputs[0] != leaf):
                continue
            given = inputs[1:2] if name == "grad=" else []
            row = trace.index.before(given[0], operation) if given else None
            after = -1 if row is None else trace.versions.value[row]
            kind: Kind = "assigned" if given else "cleared"
            events.append((operation, TapeEvent(kind, operation, operations.span[operation], after=after)))
        seen: set[int] = set()
        for tensor in self.gradients.get(leaf, ()):
            rows = list(trace.versions_of(tensor))
            for before, row in pairwise(rows):
                operation = trace.versions.operation[row]
                if operation < 0 or operation in seen or tensor not in operations.inputs[operation]:
                    continue
                seen.add(operation)
                was, now = trace.versions.value[before], trace.versions.value[row]
                kind = self._change(operation)
                events.append((operation, TapeEvent(kind, operation, operations.span[operation], -1, was, now)))
        return events

    def _change(self, operation: int) -> Kind:
        if self.facts.names[operation] in _ZEROES:
            return "zeroed"
        return "clipped" if self._is_clip(operation) else "changed"

    def _is_clip(self, operation: int) -> bool:
        return any(name.rpartition(".")[2] in _CLIPS for name in names_in(self.facts.text(operation)))


def _merged(events: list[TapeEvent]) -> list[TapeEvent]:
    """Merge consecutive uses and reads at one place into one event with their count."""
    runs: list[TapeEvent] = []
    for event in events:
        last = runs[-1] if runs else None
        if last is not None and event.kind in ("used", "read") and (event.kind, event.span) == (last.kind, last.span):
            runs[-1] = replace(last, count=last.count + 1)
        else:
            runs.append(event)
    return runs


def tapes(trace: Trace) -> Tapes:
    """Return the tapes of a Trace, cached with it."""
    return trace.index.memoize(("tapes",), lambda: Tapes(trace))


def tape(trace: Trace, leaf: int) -> list[TapeEvent]:
    """Return a leaf's history in order. Beyond MOST events the middle is counted."""
    events = tapes(trace).events(leaf)
    if len(events) <= MOST:
        return events
    left = len(events) - MOST + 1
    return [*events[: MOST // 2], TapeEvent("left_out", count=left), *events[MOST // 2 + left :]]


class Account(Struct, frozen=True):
    """Origin of a leaf's `.grad` at a time.

    Attributes:
        value: value id of its entries, -1 for None or unknown.
        known: whether the events explain the recorded value without a gap.
        added: backward calls whose contributions add up to it, oldest first.
        base: preceding event, after which it was empty or different, or None.
        base_time: its time.
        rest: value id of an unexplained earlier value, or -1.
    """

    value: int
    known: bool = True
    added: tuple[TapeEvent, ...] = ()
    base: TapeEvent | None = None
    base_time: float = -1.0
    rest: int = -1


def _changes(trace: Trace, event: TapeEvent) -> bool:
    """Return whether an event changed entries. Clipping keeps gradients below the bound."""
    return min(event.before, event.after) < 0 or not same_entries(trace, event.before, event.after)


def account(trace: Trace, leaf: int, time: float | None = None) -> Account:
    """Return the origin of a leaf's `.grad` at an operation."""
    stored = tapes(trace).stored(leaf, time)
    events = [(at, event) for at, event in stored if event.kind != "clipped" or _changes(trace, event)]
    if not events:
        at_end = trace.tensors.grad[leaf] if time is None else -1
        return Account(at_end, at_end < 0)
    last = events[-1][1]
    value = last.after
    if time is None and not same_entries(trace, value, trace.tensors.grad[leaf]):
        return Account(trace.tensors.grad[leaf], False)  # something wrote to it unseen, or it is still hidden
    added: list[TapeEvent] = []
    for position in range(len(events) - 1, -1, -1):
        at, event = events[position]
        if event.kind != "backward":
            return Account(value, True, tuple(reversed(added)), event, at)
        added.append(event)
        if event.before < 0:
            break
        previous = events[position - 1][1].after if position else -1
        if position == 0 or not same_entries(trace, previous, event.before):
            return Account(value, True, tuple(reversed(added)), rest=event.before)
    return Account(value, True, tuple(reversed(added)))

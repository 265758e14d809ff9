"""The memory that is kept for backward over a run: it rises in the forward pass and falls as backward frees its nodes.

Only graphs that a backward frees count: when other graphs end is not recorded. Memory of parameters
and of the program's tensors without requires_grad, its data, does not count: it is there anyway.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.run import one_line
from explorer.text.numbers import shorten
from explorer.trace import Trace, memoized

Phase = Literal["forward", "backward"]
MOST_LINES = 8  # that are named at the peak
_CODE = 60  # characters of a line's text
_DEEP = 40  # backward calls within one another
_CHECKPOINT = "CheckpointFunctionBackward"
# Nodes that always save a tensor. One that shows none hands it to hooks, as checkpoint(use_reentrant=False) does.
_SAVING = ("Addmm", "Mm", "Bmm", "Relu", "Gelu", "Silu", "Tanh", "Sigmoid", "Softmax", "Convolution", "NativeLayerNorm")
_ALWAYS = frozenset(f"{name}Backward0" for name in _SAVING)


@dataclass(frozen=True)
class HeldAtPeak:
    """What one place keeps at the peak. Attributes: line: 0 if unknown; code: its text; module: path, or ""."""

    bytes: int
    line: int
    code: str
    module: str


@dataclass(frozen=True, eq=False)
class MemoryCurve:
    """Memory kept for backward over the moments of a run.

    Attributes:
        bytes: after each moment, int64; backward: whether the moment is a node of a backward, bool.
        lines: the line of each moment's operation, 0 if unknown.
        peak: index of the largest, the first of several.
        held: what keeps memory at the peak, the largest first, MOST_LINES at most; left: bytes of the others.
        open: how many nodes keep memory in graphs that no backward frees; they are left out.
        hooked: how many nodes hand what they save to hooks, as of a checkpoint; what those keep, or compute again, is
            left out.
    """

    bytes: np.ndarray
    backward: np.ndarray
    lines: np.ndarray
    peak: int
    held: tuple[HeldAtPeak, ...]
    left: int
    open: int
    hooked: int

    @property
    def most(self) -> int:
        """The bytes at the peak."""
        return int(self.bytes[self.peak])


@dataclass(frozen=True)
class _Moment:
    """One moment.

    Attributes:
        operation: -1 if unknown.
        backward: whether it is a node of a backward.
        node: that is freed, -1 in the forward pass.
        made: the backward whose own graph has just been computed by `operation`, a checkpoint, otherwise -1.
    """

    operation: int
    backward: bool
    node: int
    made: int = -1


@memoized
def memory_curve(trace: Trace) -> MemoryCurve | None:
    """The curve of a run; None if it was not recorded, or if no backward frees anything that was kept."""
    memory = _find_kept(trace)
    freed = {node for call in trace.backwards for node in call.freed}
    counted = {node: pieces for node, pieces in memory.items() if node in freed}
    if not counted:
        return None
    made = _find_made(trace, counted)
    moments = list(_moments(trace))
    alive, totals = _Alive(counted), np.zeros(len(moments), np.int64)
    for at, moment in enumerate(moments):
        _pass(alive, moment, made)
        totals[at] = alive.total
    peak = int(totals.argmax())
    at_peak = _Alive(counted)
    for moment in moments[: peak + 1]:
        _pass(at_peak, moment, made)
    again = {moment.made: moment.operation for moment in moments if moment.made >= 0}
    held = _list_held(trace, at_peak, again)
    return MemoryCurve(
        totals,
        np.array([moment.backward for moment in moments], bool),
        np.array([_line(trace, moment.operation) for moment in moments], np.int64),
        peak,
        tuple(held[:MOST_LINES]),
        sum(line.bytes for line in held[MOST_LINES:]),
        len(memory) - len(counted),
        hooked_nodes(trace),
    )


def _find_made(trace: Trace, nodes: Iterable[int]) -> dict[tuple[str, int], list[int]]:
    """The nodes that an operation made, and those that a backward within another has computed again."""
    again = {node: number for number, call in enumerate(trace.backwards) if call.inside >= 0 for node in call.freed}
    made: dict[tuple[str, int], list[int]] = {}
    for node in nodes:
        key = ("backward", again[node]) if node in again else ("operation", trace.nodes.operation[node])
        made.setdefault(key, []).append(node)
    return made


def computed_again(trace: Trace) -> dict[int, int]:
    """The nodes that a reentrant checkpoint has computed again in backward, each with the checkpoint's operation."""
    calls = trace.backwards
    again: dict[int, int] = {}
    checkpoints = [
        iter([node for node in call.order if trace.strings[trace.nodes.name[node]].startswith(_CHECKPOINT)])
        for call in calls
    ]
    for call in calls:
        checkpoint = next(checkpoints[call.inside], -1) if call.inside >= 0 else -1
        if checkpoint >= 0:
            made = trace.nodes.operation[checkpoint]
            again |= {node: made for node in call.order if trace.nodes.operation[node] >= 0}
    return again


def hooked_nodes(trace: Trace) -> int:
    """How many nodes that ran in a backward must have saved something and show nothing."""
    saved = trace.saved
    shown = (max(size, saved.tensor[row] + 1, saved.value[row] + 1) for row, size in enumerate(saved.size))
    saves = {saved.node[row] for row, shows in enumerate(shown) if shows > 0}
    ran = {node for call in trace.backwards for node in call.order}
    names = trace.strings
    return sum(node not in saves and names[trace.nodes.name[node]] in _ALWAYS for node in ran)


def _find_kept(trace: Trace) -> dict[int, dict[int, int]]:
    """By node the memory that it keeps: bytes by storage, without that of leaves and of tensors without gradients."""
    saved, tensors = trace.saved, trace.tensors
    if not saved.size:
        return {}
    with_graph = {s for s, wants in zip(tensors.storage, tensors.requires_grad, strict=True) if wants}
    leaves = {s for s, leaf in zip(tensors.storage, tensors.is_leaf, strict=True) if leaf or s not in with_graph}
    pieces: dict[int, dict[int, int]] = {}
    for row, node in enumerate(saved.node):
        tensor, size = saved.tensor[row], saved.size[row]
        own = tensors.storage[tensor] if tensor >= 0 else -1
        storage = own if own >= 0 else saved.storage[row]
        if storage != -1 and size > 0 and storage not in leaves and trace.nodes.operation[node] >= 0:
            pieces.setdefault(node, {})[storage] = size
    return pieces


def _moments(trace: Trace) -> Iterator[_Moment]:
    """Operations in the order they began, and the nodes of each backward in the engine's order."""
    calls = trace.backwards
    inner: dict[int, list[int]] = {}
    for number, call in enumerate(calls):
        if call.inside >= 0:
            inner.setdefault(call.inside, []).append(number)
    begun = 0

    def forward(until: int) -> Iterator[_Moment]:
        nonlocal begun
        while begun < min(until, len(trace.operations)):
            yield _Moment(begun, False, -1)
            begun += 1

    def backward(number: int, depth: int, checkpoint: int = -1) -> Iterator[_Moment]:
        call, freed, within = calls[number], set(calls[number].freed), list(inner.get(number, ()))
        yield from forward(call.operations)
        if call.inside >= 0:
            yield _Moment(checkpoint, True, -1, number)
        for node in call.order:
            name = trace.strings[trace.nodes.name[node]]
            if within and depth < _DEEP and name.startswith(_CHECKPOINT):  # it computes its part again
                yield from backward(within.pop(0), depth + 1, trace.nodes.operation[node])
            yield _Moment(trace.nodes.operation[node], True, node if node in freed else -1)
        for rest in within if depth < _DEEP else ():
            yield from backward(rest, depth + 1)
        yield from (_Moment(trace.nodes.operation[node], True, node) for node in sorted(freed - {*call.order}))

    for number, call in enumerate(calls):
        if call.inside < 0:
            yield from backward(number, 0)
    yield from forward(len(trace.operations))


class _Alive:
    """The memory that nodes keep now, each piece once."""

    def __init__(self, pieces: dict[int, dict[int, int]]) -> None:
        self._pieces = pieces
        self.nodes: dict[int, None] = {}
        self._holders: dict[int, int] = {}
        self.total = 0

    def add(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            self.nodes[node] = None
            for storage, size in self._pieces[node].items():
                self._holders[storage] = self._holders.get(storage, 0) + 1
                self.total += size if self._holders[storage] == 1 else 0

    def free(self, node: int) -> None:
        if node in self.nodes:
            del self.nodes[node]
            for storage, size in self._pieces[node].items():
                self._holders[storage] -= 1
                self.total -= size if not self._holders[storage] else 0

    def first_holders(self) -> Iterator[tuple[int, int]]:
        """Each piece once: the first node that keeps it, and its bytes."""
        seen: set[int] = set()
        for node in self.nodes:
            for storage, size in self._pieces[node].items():
                if storage not in seen:
                    seen.add(storage)
                    yield node, size


def _pass(alive: _Alive, moment: _Moment, made: dict[tuple[str, int], list[int]]) -> None:
    if not moment.backward:
        alive.add(made.get(("operation", moment.operation), ()))
    elif moment.made >= 0:
        alive.add(made.get(("backward", moment.made), ()))
    else:
        alive.free(moment.node)


def _list_held(trace: Trace, alive: _Alive, again: Mapping[int, int]) -> list[HeldAtPeak]:
    """`again`: by backward within another the operation, a checkpoint, whose part was computed again for it."""
    within = {node: again[number] for number in again for node in trace.backwards[number].freed}
    sizes: dict[tuple[int, int], int] = {}
    for node, size in alive.first_holders():
        operation = within.get(node, trace.nodes.operation[node])
        place = (trace.operations.span[operation], trace.operations.module[operation]) if operation >= 0 else (-1, -1)
        sizes[place] = sizes.get(place, 0) + size
    ordered = sorted(sizes.items(), key=lambda item: -item[1])
    return [
        HeldAtPeak(size, trace.line(span), shorten(one_line(trace.text(span)), _CODE), trace.string(module) or "")
        for (span, module), size in ordered
    ]


def _line(trace: Trace, operation: int) -> int:
    return 0 if operation < 0 else int(trace.line(trace.operations.span[operation]))

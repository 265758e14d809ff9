"""The memory that is kept for backward over a run: it rises in the forward pass and falls as backward frees its nodes.

Only graphs that a backward frees count: when other graphs end is not recorded. Memory of parameters
and of the program's tensors without requires_grad, its data, does not count: it is there anyway.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from explorer.text import LANGUAGES, say
from explorer.text.numbers import bytes_text
from explorer.trace import PACKED, RECOMPUTED, Trace, memoized

_DEEP = 40  # backward calls within one another
_CHECKPOINT = "CheckpointFunctionBackward"


@dataclass(frozen=True)
class BackwardMemory:
    """The memory kept for backward at its peak.

    Attributes:
        peak: bytes, the largest over the run.
        line: of the operation that reached it, 0 if unknown.
        open: how many nodes keep memory in graphs that no backward frees; they are left out.
        hooked: how many nodes hand what they save to hooks, as of a checkpoint; what those keep, or compute again, is
            left out.
    """

    peak: int
    line: int
    open: int
    hooked: int

    def text(self, lang: str) -> str:
        """The number, and below it what it leaves out."""
        said = [say(lang, "memory-peak", size=bytes_text(self.peak), line=self.line)]
        if self.open:
            said.append(say(lang, "memory-open", count=self.open))
        if self.hooked:
            said.append(say(lang, "memory-hooked", count=self.hooked))
        return "\n".join(said)

    def __str__(self) -> str:
        return self.text(LANGUAGES[0])


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
def backward_memory(trace: Trace) -> BackwardMemory | None:
    """The peak of a run; None if it was not recorded, or if no backward frees anything that was kept."""
    memory = _find_kept(trace)
    freed = {node for call in trace.backwards for node in call.freed}
    counted = {node: pieces for node, pieces in memory.items() if node in freed}
    if not counted:
        return None
    made = _find_made(trace, counted)
    alive, peak, operation = _Alive(counted), 0, -1
    for moment in _moments(trace):
        _pass(alive, moment, made)
        if alive.total > peak:
            peak, operation = alive.total, moment.operation
    line = trace.line(trace.operations.span[operation]) if operation >= 0 else 0
    return BackwardMemory(peak, line, len(memory) - len(counted), hooked_nodes(trace))


def _find_made(trace: Trace, nodes: Iterable[int]) -> dict[tuple[str, int], list[int]]:
    """The nodes that an operation made, and those that a backward within another has computed again."""
    again = {node: number for number, call in enumerate(trace.backwards) if call.inside >= 0 for node in call.freed}
    made: dict[tuple[str, int], list[int]] = {}
    for node in nodes:
        key = ("backward", again[node]) if node in again else ("operation", trace.nodes.operation[node])
        made.setdefault(key, []).append(node)
    return made


def hooked_nodes(trace: Trace) -> int:
    """How many nodes that ran in a backward had given to a hook what they save."""
    saved, ran = trace.saved, {node for call in trace.backwards for node in call.order}
    constants = zip(saved.node, saved.constant, strict=True)
    return len({node for node, text in constants if trace.string(text) in (PACKED, RECOMPUTED)} & ran)


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


def _pass(alive: _Alive, moment: _Moment, made: dict[tuple[str, int], list[int]]) -> None:
    if not moment.backward:
        alive.add(made.get(("operation", moment.operation), ()))
    elif moment.made >= 0:
        alive.add(made.get(("backward", moment.made), ()))
    else:
        alive.free(moment.node)

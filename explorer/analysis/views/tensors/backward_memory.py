"""Measure the memory kept for backward.

Only graphs that a backward frees count, because the end of others is not recorded. Parameters and tensors without
requires_grad do not count, because they exist anyway.
"""

from collections import Counter, deque
from dataclasses import dataclass

from explorer.text import LANGUAGES, say
from explorer.text.numbers import bytes_text
from explorer.trace import PACKED, RECOMPUTED, Trace, memoized

_CHECKPOINT = "CheckpointFunctionBackward"


@dataclass(frozen=True)
class BackwardMemory:
    """Peak memory kept for backward.

    Attributes:
        peak: maximum bytes over the run.
        line: line of the operation that reached it, 0 if unknown.
        open: number of nodes in graphs that no backward frees, not included.
        hooked: number of nodes whose saved tensors go to hooks, as in a checkpoint, not included.
    """

    peak: int
    line: int
    open: int
    hooked: int

    def text(self, lang: str) -> str:
        """Describe the peak and its omissions."""
        sentences = [say(lang, "memory-peak", size=bytes_text(self.peak), line=self.line)]
        if self.open:
            sentences.append(say(lang, "memory-open", count=self.open))
        if self.hooked:
            sentences.append(say(lang, "memory-hooked", count=self.hooked))
        return "\n".join(sentences)

    def __str__(self) -> str:
        return self.text(LANGUAGES[0])


@memoized
def backward_memory(trace: Trace) -> BackwardMemory | None:
    """Find a run's peak, None if unrecorded or if no backward frees anything.

    It rises until a backward begins and falls during it, so the peak is at the start of one: the program's own, or a
    nested one for which a checkpoint has recomputed its part.
    """
    memory, made = _find_kept(trace), trace.nodes.operation
    freed = {node for call in trace.backwards for node in call.freed}
    waiting = deque(sorted((node for node in memory if node in freed), key=made.__getitem__))
    if not (count := len(waiting)):
        return None
    alive, holders, total, peak, operation = set[int](), Counter[int](), 0, 0, -1
    for number, call in enumerate(trace.backwards):
        for node in alive & _passed(trace, number):
            alive.remove(node)
            holders.subtract(memory[node].keys())
            total -= sum(size for storage, size in memory[node].items() if not holders[storage])
        while waiting and made[waiting[0]] < call.operations:
            alive.add(node := waiting.popleft())
            total += sum(size for storage, size in memory[node].items() if not holders[storage])
            holders.update(memory[node].keys())
            if total > peak:
                peak, operation = total, made[node]
    line = trace.line(trace.operations.span[operation]) if operation >= 0 else 0
    return BackwardMemory(peak, line, len(memory) - count, hooked_nodes(trace))


def _passed(trace: Trace, number: int) -> set[int]:
    """Return the nodes freed before a backward began, and by its enclosing backwards."""
    calls, freed = trace.backwards, set[int]()
    running = [number]
    while (outer := calls[running[-1]].inside) >= 0:
        running.append(outer)
    for call, inner in zip(running[1:], running, strict=False):
        order = calls[call].order
        checkpoints = [
            at for at, node in enumerate(order) if trace.strings[trace.nodes.name[node]].startswith(_CHECKPOINT)
        ]
        place = sum(calls[other].inside == call for other in range(call, inner))
        freed |= set(calls[call].freed) & set(order[: checkpoints[place] if place < len(checkpoints) else len(order)])
    earlier = (at for at in reversed(range(number)) if calls[at].inside < 0)
    since = running[-1] if len(running) > 1 else next(earlier, 0)
    return freed.union(*(calls[call].freed for call in range(since, number) if call not in running))


def hooked_nodes(trace: Trace) -> int:
    """Count the nodes run in a backward whose saved tensors went to a hook."""
    saved, ran = trace.saved, {node for call in trace.backwards for node in call.order}
    constants = zip(saved.node, saved.constant, strict=True)
    return len({node for node, text in constants if trace.string(text) in (PACKED, RECOMPUTED)} & ran)


def _find_kept(trace: Trace) -> dict[int, dict[int, int]]:
    """Map nodes to their kept bytes by storage, without leaves and tensors without gradients."""
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

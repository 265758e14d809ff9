"""Audit of each optimizer: groups, frozen or idle parameters, those it misses or shares."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from explorer.analysis.run.model import run_of
from explorer.analysis.run.objects import Optimizer, Tensor
from explorer.trace import Trace


@dataclass(frozen=True)
class GroupAudit:
    """The audit of a group.

    Attributes: trains: names with gradients, from backward or the program, or with changes. frozen:
    requires_grad=False. idle: without a gradient. unknown: rounds were only counted, so nothing is known.
    twice: names that the group lists more than once. still: whether no step changed any of them.
    """

    rate: float | None
    last_rate: float | None
    weight_decay: float | None
    count: int
    trains: tuple[str, ...]
    frozen: tuple[str, ...]
    idle: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    still: bool = False


@dataclass(frozen=True)
class OptimizerAudit:
    """The audit of an optimizer: line of its creation (0 if unknown), number of logged steps."""

    name: str
    kind: str
    line: int
    steps: int
    groups: tuple[GroupAudit, ...]


@dataclass(frozen=True)
class ModeAudit:
    """Successive backward calls at the same line and in the same mode.

    Attributes: modes: the outermost modules called until then with train, eval or mixed, "net train, teacher eval".
    line: of the backward, 0 if unknown. calls: their number.
    """

    modes: str
    line: int
    calls: int


@dataclass(frozen=True)
class Audit:
    """The audit of a run: optimizers, parameters with gradients in no or several optimizers, modes."""

    optimizers: tuple[OptimizerAudit, ...] = ()
    in_none: tuple[str, ...] = ()
    in_several: tuple[str, ...] = ()
    modes: tuple[ModeAudit, ...] = ()


def audit(trace: Trace) -> Audit:
    """Audit the optimizers of a run, empty if there are none."""
    run, modes = run_of(trace), _modes(trace)
    if not run.optimizers:
        return Audit(modes=modes)
    held = {tensor for optimizer in run.optimizers for tensor in optimizer.tensors}
    kept = set()  # leaves with .grad at the end, for example from backward calls that were only counted
    if any(bound.kind == "backwards" for bound in trace.limits):
        kept = {tensor for tensor, gradient in enumerate(trace.tensors.grad) if gradient >= 0}
    received = [leaf for leaf in run.tensors(run.leaves) if leaf.is_parameter and leaf.id in run.received | kept]
    return Audit(
        tuple(_audit(optimizer, kept) for optimizer in run.optimizers),
        tuple(leaf.path for leaf in received if leaf not in held),
        tuple(leaf.path for leaf in _shared_tensors(run.stepped)),
        modes,
    )


def _shared_tensors(optimizers: Sequence[Optimizer]) -> Iterator[Tensor]:
    """Find tensors that several optimizers move in turn, rather than in separate stages."""
    times: dict[Tensor, list[tuple[int, int]]] = {}
    for optimizer in optimizers:
        made = optimizer.row.operations if optimizer.row.span >= 0 else 0  # before the recording
        for tensor in dict.fromkeys(optimizer.tensors):
            times.setdefault(tensor, []).append((made, optimizer.steps[-1].operations))
    for tensor, stages in times.items():
        if any(made <= ended for (_, ended), (made, _) in pairwise(sorted(stages))):
            yield tensor


def _audit(optimizer: Optimizer, kept: Collection[int]) -> OptimizerAudit:
    run, row, steps = optimizer.run, optimizer.row, optimizer.steps
    groups = []
    for group in row.groups:
        names: dict[str, list[str]] = {"trains": [], "frozen": [], "idle": [], "unknown": []}
        held = run.tensors(group.tensors)
        twice = [tensor for tensor in dict.fromkeys(held) if group.tensors.count(tensor.id) > 1]
        still = not run.is_shortened and not any(write.is_of_optimizer for tensor in held for write in tensor.writes)
        for tensor in dict.fromkeys(held):
            trains = tensor.id in run.received or any(write.is_of_optimizer for write in tensor.writes)
            if not trains and tensor.requires_grad:  # the program itself may write frozen tensors
                trains = tensor.id in kept or tensor.changed_unseen
            rests = "unknown" if trains is None else "idle"
            kind = "trains" if trains else rests if tensor.requires_grad else "frozen"
            names[kind].append(tensor.path)
        count = group.count - len(held) + len(set(held))
        often = tuple(tensor.path for tensor in twice)
        rate, last, decay = group.rate, group.last_rate, group.weight_decay
        kinds = tuple(names["trains"]), tuple(names["frozen"]), tuple(names["idle"]), tuple(names["unknown"])
        groups.append(GroupAudit(rate, last, decay, count, *kinds, often, still))
    return OptimizerAudit(optimizer.name, row.kind, run.trace.line(row.span), len(steps), tuple(groups))


def _unambiguous(modes: str) -> str:
    """Drop modes of names that several models have."""
    parts = modes.split(", ")
    names = [part.rpartition(" ")[0] for part in parts]
    return ", ".join(part for part, name in zip(parts, names, strict=True) if names.count(name) == 1)


def _modes(trace: Trace) -> tuple[ModeAudit, ...]:
    """Return train or eval at each backward, () for older recordings."""
    called = [(call, _unambiguous(call.name)) for call in trace.log.calls if call.kind == "backward" and call.name]
    places = [(modes, trace.line(call.span)) for call, modes in called if modes]
    return tuple(ModeAudit(modes, line, len(list(calls))) for (modes, line), calls in groupby(places))

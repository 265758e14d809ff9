"""A program's training: optimizers, and calls of backward, step, clipping and schedulers.

These calls are not operations. Up to CALLS of them are recorded, even if operations in the middle of a long loop are
only counted.
"""

from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from explorer.trace.columns import Columns, Ids
from explorer.trace.outputs import Word

CALLS = 4_000  # calls kept per run, starting with the first
OPTIMIZERS, GROUPS = 100, 100  # most optimizers in a run, and most groups in an optimizer
SETS = 200  # most distinct sets of tensors
HELD = 20_000  # most tensors of all groups and sets together
DEEP = 100  # most loops around a call

CallKind = Literal["backward", "step", "clip", "scheduler", "schedule", "hook", "retain", "load"]
_Tensors = Annotated[list[int], Meta(max_length=HELD), Ids("tensors", 0)]
_Pair = Annotated[list[int], Meta(min_length=2, max_length=2), Ids("tensors", 0)]
_Place = Annotated[int, Ids("spans")]
_Begun = Annotated[int, Ids("operations", 0, 1)]


class ParameterGroup(Struct, frozen=True):
    """One group of an optimizer.

    Attributes:
        tensors: known tensors (rows of Trace.tensors).
        count: total number of tensors.
        rate, weight_decay: initial options, with the rate of the optimizer's first step if any. None if absent or
            not a number.
        last_rate: rate at the last step, or as a scheduler has set it since. None if absent or without a step.
    """

    tensors: _Tensors
    count: int
    rate: float | None
    weight_decay: float | None
    last_rate: float | None = None


class OptimizerRow(Struct, frozen=True):
    """An optimizer.

    Attributes:
        kind: its class.
        span: where the program created it, -1 if that was before the recording.
        operations: operations begun by then.
        groups: groups at the last step.
        name: variable that holds it at the end, or "".
    """

    kind: Word
    span: _Place
    operations: _Begun
    groups: Annotated[list[ParameterGroup], Meta(max_length=GROUPS)]
    name: Word = ""


class TrainingCall(Struct, frozen=True, array_like=True):
    """One training call.

    Attributes:
        kind: backward, step (of an optimizer), clip (clip_grad_norm_, clip_grad_value_), scheduler (creation of a
            learning rate scheduler), schedule (its step), hook (register_hook of a tensor), retain (retain_grad) or
            load (load_state_dict of a module).
        span: where the program called it, or -1.
        operations: operations begun by then.
        iteration: counts of the enclosing loops, innermost last.
        subject: row of Trace.backwards, the optimizer (step, scheduler, schedule), the set of tensors (clip) or the
            tensor (hook, retain). -1 if unknown, and for a load.
        name: scheduler's class, clip function or, for a backward, the outermost modules called so far with their
            modes, "net train, teacher eval". Otherwise "".
        value: largest rate (step), new rate (schedule), bound (clip) or number of entries that were loaded (load).
        before: previous rate (schedule), total gradient norm (clip) or number of entries given (load). Both are None
            for other calls and if unknown.
        planned: intended number of schedule calls, 0 without an end.
        given: number passed to a schedule's step: a metric or, in place of the number of calls, an epoch. Otherwise
            None, and for other calls.
        maximizes: whether the scheduler waits for a larger metric.
    """

    kind: CallKind
    span: _Place
    operations: _Begun
    iteration: Annotated[list[int], Meta(max_length=DEEP)]
    subject: int
    name: Word = ""
    value: float | None = None
    before: float | None = None
    planned: Annotated[int, Meta(ge=0)] = 0
    given: float | None = None
    maximizes: bool = False


class TrainingLog(Columns, Struct, frozen=True):
    """All of a run.

    Attributes:
        sets: tensors that were clipped together.
        strayed: pairs of a parameter, and another one whose state its optimizer has loaded for it.
    """

    optimizers: Annotated[list[OptimizerRow], Meta(max_length=OPTIMIZERS)] = field(default_factory=list)
    sets: Annotated[list[_Tensors], Meta(max_length=SETS), Ids("tensors", 0)] = field(default_factory=list)
    calls: Annotated[list[TrainingCall], Meta(max_length=CALLS)] = field(default_factory=list)
    strayed: Annotated[list[_Pair], Meta(max_length=SETS), Ids("tensors", 0)] = field(default_factory=list)


def faulty(log: TrainingLog, tensors: int, backwards: int) -> str:
    """Return the first fault that the declaration of a log cannot express, or ""."""
    held = [group.tensors for optimizer in log.optimizers for group in optimizer.groups] + log.sets
    if sum(map(len, held)) > HELD:
        return "too many tensors of optimizers"
    if any(group.count < len(group.tensors) for optimizer in log.optimizers for group in optimizer.groups):
        return "a group of an optimizer that cannot be"
    most = {
        "backward": backwards,
        "step": len(log.optimizers),
        "scheduler": len(log.optimizers),
        "schedule": len(log.optimizers),
        "clip": len(log.sets),
        "hook": tensors,
        "retain": tensors,
        "load": 0,
    }
    if any(not -1 <= call.subject < most[call.kind] for call in log.calls):
        return "a call of training of something that does not exist"
    if any(later.operations < call.operations for call, later in pairwise(log.calls)):
        return "calls of training that are not in order"
    return ""

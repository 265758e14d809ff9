"""How a program trains: its optimizers, and its calls of backward, step, clipping and schedulers in order.

These calls are no operations. They are recorded, up to CALLS of them, even where the operations in the middle of a
long loop were only counted.
"""

from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from explorer.trace.columns import Columns, Ids
from explorer.trace.outputs import Word

CALLS = 4_000  # calls of a run that are kept, from the first on
OPTIMIZERS, GROUPS = 100, 100  # of a run; of an optimizer
SETS = 200  # different sets of tensors
HELD = 20_000  # tensors of all groups and sets together
DEEP = 100  # loops around a call

CallKind = Literal["backward", "step", "clip", "schedule", "hook"]
_Tensors = Annotated[list[int], Meta(max_length=HELD), Ids("tensors", 0)]
_Place = Annotated[int, Ids("spans")]
_Begun = Annotated[int, Ids("operations", 0, 1)]


class ParameterGroup(Struct, frozen=True):
    """One group of an optimizer.

    Attributes:
        tensors: those that are known (rows of Trace.tensors).
        count: how many it holds in all.
        rate, weight_decay: its options when it was made, the rate that of the optimizer's first step if it made one;
            None if it has none, or it is not a number.
        last_rate: its rate at the optimizer's last step, or as a scheduler has set it since; None if it has none, or no
            step was made.
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
        span: where the program made it, -1 where that is unknown: before the recording began.
        operations: how many operations had begun then.
        groups: its groups at its last step.
        name: of a variable that holds it at the end, "" for none.
    """

    kind: Word
    span: _Place
    operations: _Begun
    groups: Annotated[list[ParameterGroup], Meta(max_length=GROUPS)]
    name: Word = ""


class TrainingCall(Struct, frozen=True, array_like=True):
    """One call.

    Attributes:
        kind: backward; step of an optimizer; clip (clip_grad_norm_, clip_grad_value_); schedule (step of a learning
            rate scheduler); hook (register_hook of a tensor).
        span: where the program called it, -1 unknown.
        operations: how many operations had begun then.
        iteration: counts of the loops around it, innermost last.
        subject: of a backward its row in Trace.backwards; of a step and a schedule the optimizer; of a clip the set of
            tensors; of a hook the tensor. -1 unknown.
        name: of a schedule the scheduler's class, of a clip the function; of a backward the outermost modules called
            so far with their modes, "net train, teacher eval"; otherwise "".
        value: of a step the largest rate; of a schedule the rate that it set; of a clip the bound.
        before: of a schedule the rate before; of a clip the norm of all gradients before.
            Both are None of other calls, and where there is no such number.
        planned: of a schedule how many calls it was made for, 0 where it has no end.
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


class TrainingLog(Columns, Struct, frozen=True):
    """All of a run. Attributes: sets: tensors that were clipped together."""

    optimizers: Annotated[list[OptimizerRow], Meta(max_length=OPTIMIZERS)] = field(default_factory=list)
    sets: Annotated[list[_Tensors], Meta(max_length=SETS), Ids("tensors", 0)] = field(default_factory=list)
    calls: Annotated[list[TrainingCall], Meta(max_length=CALLS)] = field(default_factory=list)


def faulty(log: TrainingLog, tensors: int, backwards: int) -> str:
    """Check what the declaration of a log cannot say. Return the first fault in words, or ""."""
    held = [group.tensors for optimizer in log.optimizers for group in optimizer.groups] + log.sets
    if sum(map(len, held)) > HELD:
        return "too many tensors of optimizers"
    if any(group.count < len(group.tensors) for optimizer in log.optimizers for group in optimizer.groups):
        return "a group of an optimizer that cannot be"
    most = {
        "backward": backwards,
        "step": len(log.optimizers),
        "schedule": len(log.optimizers),
        "clip": len(log.sets),
        "hook": tensors,
    }
    if any(not -1 <= call.subject < most[call.kind] for call in log.calls):
        return "a call of training of something that does not exist"
    if any(later.operations < call.operations for call, later in pairwise(log.calls)):
        return "calls of training that are not in order"
    return ""

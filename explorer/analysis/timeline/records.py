"""The time line of a run as plain records: chapters, and moments that only contain their changes.

A position is a number of moments: 0 is before the first line, `len(moments)` the end.
"""

from typing import Literal

from msgspec import Struct

ChapterKind = Literal["forward", "backward", "update", "after"]
_Ran = Literal["statement", "round", "branch", "operation", "write", "show", "enter", "leave", "raise"]
MomentKind = _Ran | Literal["backward", "update", "clear"]


class Change(Struct, frozen=True, gc=False):
    """The value of a name from a moment on; `return` is the result of a function that ends.

    Attributes:
        call: the running function that the name belongs to (Timeline.calls), 0 for the program itself.
        tensor: the tensor it is bound to, -1 for another value.
        text: a plain Python value as Python writes it, bounded; "" of a tensor.
        gone: whether the name no longer exists.
    """

    call: int
    name: str
    tensor: int = -1
    text: str = ""
    gone: bool = False


class GradState(Struct, frozen=True, gc=False):
    """`.grad` of a leaf from a moment on: value ids of the Trace, -1 for None. known: whether the Trace has it."""

    leaf: int
    value: int
    before: int = -1
    added: int = -1
    known: bool = True


class Moment(Struct, gc=False):
    """One moment, with its changes. It grows while `run_moments` reads the run, and is only read afterwards.

    Attributes:
        kind: statement (one ended that recorded nothing), round (a loop took its next value, or its condition held),
            branch (a condition was tested), operation (torch ran one or several), write (one wrote in place), show
            (something was printed or shown), enter and leave (a function of the program), raise (an exception left a
            statement), backward, update (an optimizer stepped), clear (gradients became zero or None).
        span: what ran (Trace.spans), -1 unknown.
        first, operations: the operations first … operations - 1 are new; `operations` have run in all.
        backwards: how many calls of backward have ended.
        step: of a backward its position in `BackwardSteps.steps` of the view; -1 when the moment is the whole call.
        shown: cell, outputs of it and characters of the last one (-1: all) that are shown by now.
        call: the running function (Timeline.calls), 0 for the program itself.
        names: names whose value has changed.
        versions: rows of Trace.versions that are current from now on, including those of new tensors.
        gradients: leaves whose `.grad` has changed.
        truth: for a branch or a round whether its condition held, None if unknown.
        text: of raise the exception's type; otherwise "".
        chapter: its index in Timeline.chapters.
        backward: the call of backward that it is of, or -1.
        trains: whether it updates, clips or clears leaves of a backward.
        records: whether it made a node of the graph.
        loops: rounds of the loops around its operations, of a backward around the operation before.
    """

    kind: MomentKind
    span: int
    first: int
    operations: int
    backwards: int
    step: int = -1
    shown: tuple[int, int, int] = (0, 0, 0)
    call: int = 0
    names: list[Change] = []
    versions: list[int] = []
    gradients: list[GradState] = []
    truth: bool | None = None
    text: str = ""
    chapter: int = 0
    backward: int = -1
    trains: bool = False
    records: bool = False
    loops: list[int] = []


class Chapter(Struct, frozen=True):
    """A stretch of moments.

    Attributes:
        kind: forward, backward, update, or after (what follows the last backward without an update).
        start, end: its moments, as positions: start is the position before its first one.
        backward: the call of backward that it leads to, is, or follows (Trace.backwards), or -1.
        round: if the program calls backward several times at one place, the number of this call, from 0; -1 otherwise.
    """

    kind: ChapterKind
    start: int
    end: int
    backward: int
    round: int = -1


class FunctionCall(Struct, frozen=True):
    """A call of a function of the program. Attributes: caller: of Timeline.calls; the first one is the program."""

    function: str
    caller: int


class Timeline(Struct, frozen=True):
    """A run in order.

    Attributes:
        calls: the first is the program itself.
        watched: whether statements and Python values were recorded (Options.statements); otherwise there are only
            operations, backward calls and each cell's outputs at its end.
        left_out: statements that were not recorded because there were too many.
    """

    chapters: tuple[Chapter, ...]
    moments: tuple[Moment, ...]
    calls: tuple[FunctionCall, ...]
    watched: bool = False
    left_out: int = 0


class Life(Struct, frozen=True):
    """When a card of a picture appears.

    Attributes:
        made: the position at which it appears.
        settled: the position from which its value is that of the picture; for a folded loop after the last round.
    """

    made: int
    settled: int

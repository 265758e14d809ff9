"""The timeline of a run as plain records: chapters, and moments with their changes.

A position is a number of moments: 0 is before the first line, `len(moments)` the end.
"""

from typing import Literal

from msgspec import Struct

ChapterKind = Literal["forward", "backward", "update", "after"]
_Ran = Literal["statement", "round", "branch", "operation", "write", "show", "enter", "leave", "raise"]
MomentKind = _Ran | Literal["backward", "update", "clear"]


class Change(Struct, frozen=True, gc=False):
    """A name's value from a moment on. `return` is an ending function's result.

    Attributes:
        call: function call of the name (Timeline.calls), 0 for the program.
        tensor: tensor it is bound to, or -1.
        text: bounded repr of a plain Python value, "" for a tensor.
        gone: whether the name no longer exists.
    """

    call: int
    name: str
    tensor: int = -1
    text: str = ""
    gone: bool = False


class GradState(Struct, frozen=True, gc=False):
    """A leaf's `.grad` from a moment on: value ids, -1 for None. known: whether the Trace has it."""

    leaf: int
    value: int
    before: int = -1
    added: int = -1
    known: bool = True


class Moment(Struct, gc=False):
    """One moment with its changes. Only `run_moments` modifies it.

    Attributes:
        kind: statement (ended without an operation), round (next value or true condition of a loop), branch
            (tested condition), operation (by torch), write (in place), show (output), enter and leave (a function),
            raise (an exception), backward, update (optimizer step) or clear (gradients to zero or None).
        span: executed code (Trace.spans), or -1.
        first, operations: operations first … operations - 1 are new. `operations` have run in total.
        backwards: number of ended backward calls.
        step: position in the view's `BackwardSteps.steps`, -1 for a whole call.
        shown: shown cell, number of outputs, and characters of the last one (-1: all).
        call: running function (Timeline.calls), 0 for the program.
        names: names with changed values.
        versions: newly current rows of Trace.versions.
        gradients: leaves with changed `.grad`.
        truth: whether a branch's or round's condition held, None if unknown.
        text: exception type of raise, otherwise "".
        chapter: index in Timeline.chapters.
        backward: its backward call, or -1.
        trains: whether it updates, clips or clears leaves of a backward.
        records: whether it made a node of the graph.
        loops: rounds of the loops around its operations, or around the operation before a backward.
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


class TimelineChapter(Struct, frozen=True):
    """A range of moments.

    Attributes:
        kind: forward, backward, update, or after (after the last backward, without an update).
        start, end: its moments as positions. start precedes the first.
        backward: backward call (Trace.backwards) that it leads to, is, or follows, or -1.
        round: number of this call at its place, from 0, if there are several. Otherwise -1.
    """

    kind: ChapterKind
    start: int
    end: int
    backward: int
    round: int = -1


class FunctionCall(Struct, frozen=True):
    """A call of a program function. Attributes: caller: index in Timeline.calls, where 0 is the program."""

    function: str
    caller: int


class Timeline(Struct, frozen=True):
    """A run in order.

    Attributes:
        calls: calls, starting with the program.
        watched: whether statements and Python values were recorded (Options.statements). Otherwise there are only
            operations, backward calls and each cell's outputs at its end.
        left_out: number of unrecorded statements.
    """

    chapters: tuple[TimelineChapter, ...]
    moments: tuple[Moment, ...]
    calls: tuple[FunctionCall, ...]
    watched: bool = False
    left_out: int = 0


class Life(Struct, frozen=True):
    """Positions at which a card appears, and from which its value is the picture's (a loop's last round)."""

    made: int
    settled: int

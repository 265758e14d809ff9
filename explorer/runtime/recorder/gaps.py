"""The gaps of a recording: stretches of long loops whose operations are only counted.

Any round of a loop may be its last, so a few rounds are recorded periodically. In a gap the recorder leaves torch's
stack of modes, so that operations run at their normal speed. Python calls back at each line of the loop
(`sys.settrace`): this counts the rounds and shows the loop's end.
"""

import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from explorer.runtime.recorder.hidden_calls import put_mode, take_mode
from explorer.runtime.recorder.nodes import sequence_number
from explorer.runtime.recorder.own_hooks import OwnHandle, restore_module_hooks, take_module_hooks
from explorer.runtime.recorder.rows import OP_ITERATION, OP_NAME, OP_SPAN, OperationRows
from explorer.runtime.recorder.source_map import Activation, SourceMap, release_variables
from explorer.runtime.recorder.statements import Loop, repeated

_RECENT = 400  # recent operations, in which the length of a round is searched
_LEAST = 16  # fewest operations between two gaps of a loop, at least two rounds
_SPARSE = 60  # then this many times as many operations are skipped
_SKIPPED = 3_000  # fewest operations skipped
_RECORDED = 6  # multiple of the kept operations recorded before the first gap, so that most runs keep their real end


class SkippedLoop:
    """A skipped stretch of a loop's rounds.

    `SourceMap.locate` finds the start of a round, as in a full recording.

    Attributes: frame: the loop's frame. loop: of its code. backwards: their number in it. began: operations begun
    before. start: autograd's sequence number then. round: operations of a round. rounds: how many have begun. most: how
    many are skipped. recorded: operations recorded before the next gap.
    """

    def __init__(
        self, activation: Activation, depth: int, source_map: SourceMap, begun: tuple[int, int], round: float
    ) -> None:
        self.frame: FrameType = activation.frame
        self.loop: Loop = activation.around[depth]
        self.backwards = self.rounds = 0
        self.began, self.start = begun
        self.round = round
        self.recorded = int(max(_LEAST, 2 * round))
        self.most = int(max(_SKIPPED, _SPARSE * self.recorded) / round)
        self._activation, self._depth, self._source_map = activation, depth, source_map
        self._count = activation.counts[depth]

    def contains(self, frame: FrameType | None) -> bool:
        """Return whether an operation from `frame` is inside the gap."""
        mine, callee = self.frame, None
        while frame is not mine:
            if frame is None:  # an exception left the loop
                return False
            frame, callee = frame.f_back, frame
        if not self.loop.start <= mine.f_lasti <= self.loop.end:
            return False
        self._source_map.locate(mine, callee)
        before, self._count = self._count, self._activation.counts[self._depth]
        if self._count == before:
            return True
        self.rounds += 1
        if self.rounds <= self.most:
            return True
        self._activation.at = -1  # locate the operation again to record it in this same round
        return False

    def passed(self, rounds: int) -> int:
        """Skip rounds without visible operations. Estimate their operations."""
        release_variables(self.frame, self.frame.f_locals)  # line tracing has left a copy
        counts = self._activation.counts
        if rounds > 0 and self._depth < len(counts):
            counts[self._depth] += rounds
            self._count = counts[self._depth]
            self._activation.at = self.loop.end
        self.rounds += rounds
        return round(rounds * self.round)


def gap_here(source_map: SourceMap, operations: OperationRows, end: int, begun: tuple[int, int]) -> SkippedLoop | None:
    """Find a gap in the outermost fitting loop around the latest operation.

    Args: end: recorded operations at an end of the run. begun: the number of this operation, and autograd's sequence
    number.
    """
    outer = 0
    for activation in source_map.stack:
        for depth in range(len(activation.counts)):
            round = _operations_of(operations, begun[0], outer + depth)
            if 0 < round <= end:
                return SkippedLoop(activation, depth, source_map, begun, round)
        outer += len(activation.around)
    return None


def _operations_of(operations: OperationRows, last: int, at: int) -> float:
    """Count a loop round's recent operations, 0 if no round has ended.

    Args: last: the last operation. at: index of the loop among those around it.
    """
    now, name, span = (operations.field(last, of) for of in (OP_ITERATION, OP_NAME, OP_SPAN))
    for index in range(max(1, last - _RECENT), last):
        if index in operations and operations.field(index, OP_SPAN) == span:
            before = operations.field(index, OP_ITERATION)
            same = (
                before[:at] == now[:at]
                and before[at + 1 :] == now[at + 1 :]
                and name == operations.field(index, OP_NAME)
            )
            if same and before[at] < now[at]:
                return (last - index) / (now[at] - before[at])
    return 0


_BETWEEN = 500  # operations recorded between two gaps


class Gaps:
    """The recorder's gaps, in which its mode may leave torch's stack.

    Attributes: open: the present gap. next: the operation at which the next gap may begin. away: whether the mode has
    left torch's stack of modes.
    """

    def __init__(self, recorder: Any) -> None:
        self.open: SkippedLoop | None = None
        cap = recorder.operation_cap
        self.next: float = math.inf if cap is None else _RECORDED * cap
        self.away = False
        self._recorder = recorder
        self._suspension: ModeSuspension | None = None  # suspends the mode during part of the gap
        self._depth = 0  # the mode's place on torch's stack when it left
        self._leaves: list[tuple[OwnHandle, object | None]] = []  # hooks with nothing to record in the meantime
        self._modules: list[tuple[Any, dict]] = []

    def begin(self, operation: int) -> None:
        """Begin a gap after this operation if its loop is long."""
        recorder = self._recorder
        if recorder.running or recorder.marks:
            return
        self.next = operation + _BETWEEN
        end, begun = recorder.operation_cap // 4, (operation, sequence_number())
        self.open = gap_here(recorder.source_map, recorder.rows.operations, end, begun)
        if self.open is not None and sys.gettrace() is None:  # no other tracer uses this thread
            self._suspension = ModeSuspension(self, self.open, recorder.source_map.code(self.open.frame.f_code).loops)

    def skip_or_close(self, frame: FrameType) -> bool:
        """Return whether a call is inside the open gap, closing an ended gap."""
        if self.open is None:
            return False
        try:
            if self._suspension is not None:
                if self._suspension.away:
                    return True
                if self._suspension.ended:
                    self._return()
            if not self.open.contains(frame):
                self.close()
        except Exception as problem:
            self.close()
            self.count_unrecorded(problem)
        return self.open is not None

    def close(self) -> None:
        """Record everything again from now on."""
        if self._suspension is not None:
            self._return()
        gap, self.open = self.open, None
        if gap is None:
            return
        recorder = self._recorder
        recorder.values.summary_cache.moment += 1
        counted, unwatched = recorder.rows.counted, sequence_number() - gap.start
        counted.update(operations=recorder.operation_count - gap.began, nodes=unwatched, backwards=gap.backwards)
        self.next = recorder.operation_count + 1 + gap.recorded
        with recorder.paused():
            recorder.nodes.skip(gap.start, recorder.operation_count)
            recorder.tensors.sweep()
            for index, tensor in recorder.tensors.living():
                recorder.tensors.renewed(index, tensor)

    # ---- without the mode ---------------------------------------------------------------------------------------

    def leave(self) -> bool:
        """Leave torch's stack of modes. Return whether that is possible."""
        recorder = self._recorder
        if recorder.marks or recorder.pauses or recorder.running:
            return False
        self._depth = take_mode(recorder)
        if self._depth < 0:
            return False
        self.away = True
        if not recorder.nodes.user_code:  # the program's hooks stay behind ours
            self._leaves = [(handle, handle.taken()) for handle in recorder.nodes.on_leaves]
        self._modules = take_module_hooks()
        return True

    def come_back(self) -> None:
        """Return to torch's stack of modes, unless the recording has ended."""
        if not self.away:
            return
        self.away = False
        for handle, hook in self._leaves:
            handle.put_back(hook)
        restore_module_hooks(self._modules)
        self._leaves, self._modules = [], []
        put_mode(self._recorder, self._depth)

    def pause(self) -> None:
        """Pause tracing while torch or the recorder works."""
        if self._suspension is not None:
            self._suspension.pause()

    def go_on(self) -> None:
        """Continue after a pause."""
        if self._suspension is not None:
            self._suspension.go_on()

    def count_unrecorded(self, problem: Exception) -> None:
        """Count something that could not be recorded."""
        self._recorder.count_unrecorded(problem)

    def _return(self) -> None:
        """Return to torch's stack of modes, and count the skipped operations."""
        suspension, self._suspension = self._suspension, None
        if suspension is not None:
            suspension.end()
            recorder = self._recorder
            with recorder.paused():
                about = self.open.passed(suspension.rounds) if self.open is not None else 0
                recorder.operation_count += about
                recorder.rows.counted["about"] += about


_COMPARED = 4  # rounds in which counting by lines must match counting by operations


class ModeSuspension:
    """A gap's rounds without the mode.

    Attributes: away: whether the mode has left and not come back. ended: whether tracing has ended. rounds: how many
    have begun while the mode was away.
    """

    def __init__(self, mode: Gaps, gap: SkippedLoop, loops: list[Loop]) -> None:
        self.away = self.ended = self._paused = False
        self.rounds = self._compared = 0
        self._mode, self._gap, self._loops = mode, gap, loops
        # the last line's instruction, and whether a round continues there
        self._at, self._within = gap.frame.f_lasti, False
        self._began: dict[tuple[int, int], bool] = {}
        self._high, self._traces = gap.loop.end, self._event
        gap.frame.f_trace = self._traces
        sys.settrace(_no_function)

    def end(self) -> None:
        """Restore the mode."""
        if self.ended:
            return
        self.ended, self._high = True, -1
        if self._gap.frame.f_trace is self._traces:
            self._gap.frame.f_trace = None
            if sys.gettrace() is _no_function:
                sys.settrace(None)
        if self.away:
            self.away = False
            self._mode.come_back()

    def pause(self) -> None:
        """Stop callbacks temporarily: no line of the loop's frame runs."""
        if self.away and sys.gettrace() is _no_function:
            sys.settrace(None)
            self._paused = True

    def go_on(self) -> None:
        """Call back again after a pause."""
        if self._paused and not self.ended and sys.gettrace() is None:
            sys.settrace(_no_function)
        self._paused = False

    def _event(self, frame: FrameType, event: str, _argument: object) -> Any:
        """Handle each line, exception and return of the loop's frame.

        Until Python 3.12 the frame's variables must not be touched here: Python writes them back afterwards.
        """
        at = frame.f_lasti
        if self._at < at <= self._high and event == "line":  # the next line of the same round
            self._at, self._within = at, True
            return self._traces
        try:
            if event == "exception" or self.ended:
                return self._traces
            if event != "line" or not self._gap.loop.start <= at <= self._high:
                self.rounds += self._within and self.away
                self.end()
            else:
                before, self._at = self._at, at
                self._within = not self._begins(before, at)
                if not self._within:
                    self._round_begins()
        except Exception as problem:
            self._mode.count_unrecorded(problem)
            self.end()
        return None if self.ended else self._traces

    def _round_begins(self) -> None:
        if self.away:
            self.rounds += 1
            if self.rounds + self._gap.rounds >= self._gap.most:
                self.end()
        elif self._compared < _COMPARED:
            self._compared += 1
        elif self._gap.rounds == self._compared and self._mode.leave():
            self.away = True
        else:
            self.end()

    def _begins(self, before: int, at: int) -> bool:
        """Return whether exactly this loop jumps between two instructions."""
        begins = self._began.get((before, at))
        if begins is None:
            around = [loop for loop in self._loops if loop.start <= at <= loop.end]
            begins = self._began[before, at] = around[repeated(around, before)] is self._gap.loop
        return begins


# Python calls it when a function begins. It answers None, "trace nothing in it", and does so without running Python:
# getattr(frame, "call", None).
_no_function: Callable[..., Any] = getattr

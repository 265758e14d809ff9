"""Rounds of a loop in which the recorder has left torch's stack of modes, so that an operation costs what it costs.

Python calls back at each line of the loop (`sys.settrace`): this counts the rounds and shows when the loop is left.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from explorer.runtime.recorder.code_loops import Loop, repeated
from explorer.runtime.recorder.skipped_loops import SkippedLoop

_COMPARED = 4  # rounds over which lines have to tell as many as operations do


class LeavableMode(Protocol):
    """A mode that can leave torch's stack and come back."""

    def leave(self) -> bool: ...
    def come_back(self) -> None: ...
    def count_unrecorded(self, problem: Exception) -> None: ...


class ModeSuspension:
    """A stretch of a gap's rounds without the mode, from the start of a round on.

    Attributes:
        away: whether the mode has left and not come back; ended: whether nothing is traced any more.
        rounds: how many have begun while the mode was away.
    """

    def __init__(self, mode: LeavableMode, gap: SkippedLoop, loops: list[Loop]) -> None:
        self.away = self.ended = self._paused = False
        self.rounds = self._compared = 0
        self._mode, self._gap, self._loops = mode, gap, loops
        self._at, self._within = gap.frame.f_lasti, False  # the last line's instruction; whether a round goes on there
        self._began: dict[tuple[int, int], bool] = {}
        self._high, self._traces = gap.loop.end, self._event
        gap.frame.f_trace = self._traces
        sys.settrace(_no_function)

    def end(self) -> None:
        """Bring the mode back."""
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
        """Call nothing back for a while: no line of the loop's frame runs."""
        if self.away and sys.gettrace() is _no_function:
            sys.settrace(None)
            self._paused = True

    def go_on(self) -> None:
        """Call back again after a pause."""
        if self._paused and not self.ended and sys.gettrace() is None:
            sys.settrace(_no_function)
        self._paused = False

    def _event(self, frame: FrameType, event: str, _argument: object) -> Any:
        """Called by Python at each line, exception and return of the loop's frame.

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
        """Whether it is this loop that goes from one instruction back to another, and none inside it."""
        begins = self._began.get((before, at))
        if begins is None:
            around = [loop for loop in self._loops if loop.start <= at <= loop.end]
            begins = self._began[before, at] = around[repeated(around, before)] is self._gap.loop
        return begins


def can_trace() -> bool:
    """Whether nothing else traces this thread."""
    return sys.gettrace() is None


# Python calls it when a function begins. It answers None, "trace nothing in it", and does so without running Python:
# getattr(frame, "call", None).
_no_function: Callable[..., Any] = getattr

"""Rounds of a loop in which the recorder has left torch's stack of modes, so that an operation costs what it costs.

Python calls back at each line of the loop (`sys.settrace`): this counts the rounds and shows when the loop is left.
If each round calls backward, the engine's patch tells the rounds instead, and nothing is traced.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from explorer.runtime.recorder.code_loops import Loop, repeated

LEAST = 8  # rounds that are worth it
_COMPARED = 4  # rounds over which lines have to tell as many as operations do


class LeavableMode(Protocol):
    """A mode that can leave torch's stack and come back."""

    def leave(self) -> bool: ...
    def come_back(self) -> None: ...
    def count_unrecorded(self, problem: Exception) -> None: ...


class ModeSuspension:
    """A stretch of rounds without the mode.

    Attributes:
        begun: whether the mode has left. It leaves where the next round begins, outside of all calls.
        ended: whether it has come back.
        rounds: how many have begun meanwhile, if lines are traced.
        traced: whether lines tell the rounds.

    Args:
        loops: all loops of the frame's code.
        most: rounds after which the mode comes back.
        told: how many rounds operations have told so far, if nothing else counts them.
    """

    def __init__(
        self,
        recorder: LeavableMode,
        frame: FrameType,
        loop: Loop,
        loops: list[Loop],
        most: int,
        traced: bool,
        told: Callable[[], int] | None = None,
    ) -> None:
        self.begun = self.ended = self._paused = False
        self.rounds = 0
        self._recorder, self._frame, self._loop, self._loops = recorder, frame, loop, loops
        self._most, self.traced = most, traced
        self._at, self._within = frame.f_lasti, False  # the last line's instruction; whether it is not a round's first
        self._told, self._before = told, told() if told is not None else 0
        self._again: dict[tuple[int, int], bool] = {}
        self._high, self._traces = loop.end, self._event
        frame.f_trace = self._traces
        sys.settrace(_no_function)

    def end(self) -> None:
        """Bring the mode back."""
        if not self.ended:
            self.ended, self._high = True, -1
            self._stop_tracing()
            if self.begun:
                self._recorder.come_back()

    def pause(self) -> None:
        """Call nothing back for a while: no line of the loop's frame runs."""
        if self.begun and sys.gettrace() is _no_function:
            sys.settrace(None)
            self._paused = True

    def go_on(self) -> None:
        """Call back again after a pause."""
        if self._paused and not self.ended and sys.gettrace() is None:
            sys.settrace(_no_function)
        self._paused = False

    def _stop_tracing(self) -> None:
        if self._frame.f_trace is self._traces:
            self._frame.f_trace = None
            if sys.gettrace() is _no_function:
                sys.settrace(None)

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
            if event != "line" or not self._loop.start <= at <= self._high:
                self.rounds += self._within and self.begun
                self.end()
            else:
                before, self._at = self._at, at
                self._within = not self._begins(before, at)
                if not self._within:
                    self._round_begins()
        except Exception as problem:
            self._recorder.count_unrecorded(problem)
            self.end()
        return None if self.ended else self._traces

    def _round_begins(self) -> None:
        if self.begun:
            self.rounds += 1
            if self.rounds >= self._most:
                self.end()
        elif self._told is not None and self.rounds < _COMPARED:
            self.rounds += 1
        elif (self._told is not None and self._told() - self._before != self.rounds) or not self._recorder.leave():
            self.end()
        else:
            self.begun, self.rounds = True, 0
            if not self.traced:
                self._stop_tracing()

    def _begins(self, before: int, at: int) -> bool:
        """Whether it is this loop that goes from one instruction back to another, and none inside it."""
        known = self._again.get((before, at))
        if known is None:
            around = [loop for loop in self._loops if loop.start <= at <= loop.end]
            known = self._again[before, at] = around[repeated(around, before)] is self._loop
        return known


def can_trace() -> bool:
    """Whether nothing else traces this thread."""
    return sys.gettrace() is None


# Python calls it when a function begins. It answers None, "trace nothing in it", and does so without running Python:
# getattr(frame, "call", None).
_no_function: Callable[..., Any] = getattr

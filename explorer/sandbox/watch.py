"""The server's view of a child's usage: precise CPU clock, memory and page tables.

The kernel's own limits (explorer.sandbox.rlimits) have gaps: some kernels count CPU time by ticks, which a program can
sleep over, and none counts page tables. clock_getcpuclockid(3) is precise everywhere, and /proc/PID/status has the
rest. If another process's status is hidden, only the clock is read.
"""

import contextlib
import signal
import sys
import time
from typing import Literal, NamedTuple

from explorer.sandbox.fair_queue import Place
from explorer.sandbox.own_files import used_mb
from explorer.sandbox.protocol import ChildLimits

EVERY_S = 0.1  # seconds between checks
KILL_S = 1.0  # CPU seconds allowed after the signal that reports the line
_REST_S = 0.3  # seconds without computing after which a child rests
_BUSY = 0.1  # share of the time between checks that a child must compute to count as busy
_KEPT = (b"\nRssAnon:", b"\nRssShmem:", b"\nVmSwap:", b"\nVmPTE:")  # fields of /proc/PID/status, in kB


class Usage(NamedTuple):
    """Current usage of a process.

    Attributes:
        seconds: CPU seconds.
        mb: its own MB, page tables included, 0 if hidden.
        runs: whether it computes or waits for a processor, False if hidden.
    """

    seconds: float
    mb: float
    runs: bool


def usage(pid: int) -> Usage | None:
    """Return a process's usage, None if ended or, off Linux, without psutil."""
    if sys.platform != "linux":
        return _asked_of_psutil(pid)
    try:
        seconds = time.clock_gettime(~pid << 3 | 2)  # linux/posix-timers.h: CPUCLOCK_SCHED of this process
    except OSError:
        return None
    return Usage(seconds, *_memory_and_state(pid))


def _asked_of_psutil(pid: int) -> Usage | None:
    try:
        import psutil

        process = psutil.Process(pid)
        return Usage(sum(process.cpu_times()[:2]), process.memory_info().rss / 1e6, False)
    except (ImportError, OSError, psutil.Error):
        return None


def _memory_and_state(pid: int) -> tuple[float, bool]:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", "rb") as file:
        status = file.read()
        found = (status.partition(name)[2][:20].split(None, 1) for name in _KEPT)
        return sum(int(field[0]) for field in found if field) / 1000, b"\nState:\tR" in status
    return 0.0, False


class ChildWatch:
    """The limits and the turn of one child.

    Args:
        pid: the child, which has just got its order.
        order: its limits.
        turn: the turn that it has, None if it needs none.
        files: a folder on the disk for its files, "" for none: their size is watched.
        born: its usage at its birth, from which its memory counts. None: now.

    Attributes:
        ends: when it is killed whatever it does, in seconds on the monotonic clock.
        ended_for: the limit for which it was killed, "" for none.
    """

    def __init__(
        self, pid: int, order: ChildLimits, turn: Place | None, files: str = "", born: Usage | None = None
    ) -> None:
        self._pid, self._order, self._turn, self._files = pid, order, turn, files
        self._at = self._idle_since = time.monotonic()
        self.ends = self._at + order.lasting
        self._first = self._last = usage(pid)
        self._born = born or self._first
        self._warned = self._resting = self._paused = False
        self.ended_for: Literal["", "time", "memory", "files"] = ""

    @property
    def seconds(self) -> float:
        """Return the CPU seconds since the order, as last measured."""
        return 0.0 if self._first is None or self._last is None else self._last.seconds - self._first.seconds

    @property
    def out_of_time(self) -> bool:
        """Return whether it has computed as long as it may."""
        return self.seconds >= self._order.seconds

    def look(self) -> list[int]:
        """Look at the child, and return the signals to send to it."""
        now, use = time.monotonic(), usage(self._pid)
        passed, self._at = now - self._at, now
        if self._paused:
            self.ends += passed
        elif now >= self.ends:
            self.ended_for = "time"
        if use is None or self._born is None or self._last is None:
            return _signals("SIGKILL") if self.ended_for else []
        computed, runs = use.seconds - self._last.seconds, self._last.runs and use.runs
        self._last = use
        if self.seconds >= self._order.seconds + KILL_S:
            self.ended_for = "time"
        if use.mb - self._born.mb > self._order.memory_mb:
            self.ended_for = "memory"
        if self._files and used_mb(self._files) > self._order.files_mb:
            self.ended_for = "files"
        if self.ended_for:
            return _signals("SIGKILL")
        if self.out_of_time and not self._warned:
            self._warned = True
            return _signals("SIGXCPU")  # faulthandler then writes its current line
        return self._go_on() if self._paused else self._take_turns(now, runs or computed >= _BUSY * passed)

    def _take_turns(self, now: float, busy: bool) -> list[int]:
        """Return an idle child's turn, and request it before it continues."""
        if busy:
            self._idle_since = now
        if self._turn is None:
            return []
        if self._resting and busy:
            self._turn.wake()
            self._resting, self._paused = False, not self._turn.has_turn()
            return _signals("SIGSTOP") if self._paused else []
        if not self._resting and now - self._idle_since >= _REST_S:
            self._turn.rest()
            self._resting = True
        return []

    def _go_on(self) -> list[int]:
        if self._turn is None or not self._turn.has_turn():
            return []
        self._paused, self._idle_since = False, self._at
        return _signals("SIGCONT")


def _signals(name: str) -> list[int]:
    """Return a signal's number, if this system has it."""
    return [getattr(signal, name)] if hasattr(signal, name) else []

"""The runner of a server: programs in, Traces out, one confined child each."""

import atexit
import functools
import os
import threading

from explorer.program import Program, encode_request
from explorer.sandbox.limited import limited_trace
from explorer.sandbox.parent import Answer, Call, Parent
from explorer.trace import MAX_BYTES, InvalidTrace, Options, Trace, decode

MEMORY_MB = 200.0  # by which a program may grow beyond the preloaded parent
RECORDING_MB = 100.0  # beside that, for what the recorder writes down
GRACE = 1.0  # seconds after its time limit at which a program that does not end itself is killed

_MB = 1_000_000


class Cancelled(Exception):
    """The run was cancelled, or its runner closed, before it had a result."""


class Run:
    """A program that runs or waits for its turn. Threads may share it."""

    def __init__(self, program: Program, options: Options, call: Call, turns: threading.Semaphore):
        self._program, self._options = program, options
        self._call, self._turns = call, turns
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._outcome: Trace | BaseException | None = None
        threading.Thread(target=self._work, name="run", daemon=True).start()

    def done(self) -> bool:
        """Whether `result` would answer at once."""
        return self._finished.is_set()

    def cancel(self) -> bool:
        """Ends the run, and its child if there is one; False when it already had a result."""
        if self._finish(Cancelled()):
            self._call.cancel()
        return isinstance(self._outcome, Cancelled)

    def result(self, timeout: float | None = None) -> Trace:
        """The Trace, waiting for it; a killed or crashed child leaves one whose cell says so.

        Raises Cancelled, TimeoutError when it is not there after `timeout` seconds.
        """
        if not self._finished.wait(timeout):
            raise TimeoutError
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def _work(self) -> None:
        try:
            with self._turns:
                answer = self._call.wait()
            self._finish(Cancelled() if answer.outcome == "cancelled" else _trace(self._program, self._options, answer))
        except OSError as problem:  # no descriptors or processes left in the server
            self._finish(limited_trace(self._program, self._options, "crash", 0.0, detail=type(problem).__name__))
        except BaseException as problem:
            self._finish(problem)

    def _finish(self, outcome: Trace | BaseException) -> bool:
        with self._lock:
            if self._finished.is_set():
                return False
            self._outcome = outcome
            self._finished.set()
            return True


class Runner:
    """Both preloaded parents of a server process: one with torch for programs, one without it for layouts.

    Each starts with the first call that needs it, or with `start`.

    Attributes:
        programs, layouts: the parents.
    """

    def __init__(self, module: str = "explorer.runtime.child", layout_module: str = "explorer.sandbox.layout_child"):
        self.programs = Parent(module)
        self.layouts = Parent(layout_module)
        self._turns = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))

    def start(self) -> None:
        """Begins preloading both and returns at once. Raises OSError."""
        self.programs.start()
        self.layouts.start()

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether programs can run at once: the parent with torch has preloaded. Waits at most so many seconds."""
        return self.programs.ready(timeout)

    def submit(self, program: Program, options: Options = Options()) -> Run:  # noqa: B008 (frozen)
        """Runs a program; its time limit begins when its child does. Returns at once."""
        request = encode_request(program, options)
        call = self.programs.call(request, options.time_limit + GRACE, MEMORY_MB + RECORDING_MB, MAX_BYTES)
        return Run(program, options, call, self._turns)

    def close(self) -> None:
        """Ends the parents and all their children; runs that are open raise Cancelled."""
        self.programs.close()
        self.layouts.close()


@functools.cache
def _shared() -> Runner:
    runner = Runner()
    atexit.register(runner.close)
    return runner


_sharing = threading.Lock()


def default_runner() -> Runner:
    """The one runner of this process, closed when the process ends."""
    with _sharing:
        return _shared()


def _trace(program: Program, options: Options, answer: Answer) -> Trace:
    """What a child answered, checked; otherwise what is known of its end."""
    if answer.outcome == "reply":
        try:
            trace = decode(answer.reply)
        except InvalidTrace:
            return limited_trace(program, options, "result", MAX_BYTES / _MB, detail="invalid")
        if [cell.source for cell in trace.cells] != [cell.text for cell in program.cells]:
            return limited_trace(program, options, "result", MAX_BYTES / _MB, detail="invalid")
        return trace
    limit, bound = {
        "time": ("time", options.time_limit),
        "memory": ("memory", MEMORY_MB),
        "result": ("result", MAX_BYTES / _MB),
    }.get(answer.outcome, ("crash", 0.0))
    detail = answer.outcome if answer.outcome == "lost" else answer.detail
    return limited_trace(program, options, limit, bound, answer.cell, answer.line, detail)

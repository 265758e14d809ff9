"""The server's runner: programs in, Traces out, one confined child each, for many sessions."""

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import structs

from explorer.extras import need
from explorer.once import once
from explorer.program import Program, Unusable, encode_request, needs
from explorer.program.given_files import most_bytes
from explorer.sandbox import hosting
from explorer.sandbox.access import NOTHING_OPEN, Opened, opened_to, remember
from explorer.sandbox.calls import Answer, Executor, ProcessCall
from explorer.sandbox.cluster.settings import cluster_settings
from explorer.sandbox.confine import Level
from explorer.sandbox.fair_queue import FairQueue, Place, QueueFull, others_first
from explorer.sandbox.limits import machine_memory
from explorer.sandbox.parent import Parent
from explorer.sandbox.partial_traces import EndingLimit, bounded, limited_trace
from explorer.sandbox.protocol import ChildLimits
from explorer.sandbox.staying import StayingProcesses
from explorer.trace import MAX_BYTES, InvalidTrace, Limit, Options, Trace, decode

if TYPE_CHECKING:
    from explorer.sandbox.cluster.remote import Cluster

RECORDING_MB = 100.0  # MB for the recorder, besides the program's own memory
GRACE = 1.0  # seconds after its time limit until a program that does not end is killed
STOP_GRACE = 5.0  # seconds in which a program that was stopped may still send its Trace
LASTING = 8  # multiple of the time limit after which even an idle run is killed

AT_ONCE = max(2, os.cpu_count() or 1)  # programs that compute at the same time on this machine
_MB = 1_000_000
# Idle programs that may wait at the same time; each may hold 400 MB, all of them half the memory.
_RESTING = max(1, min(4 * AT_ONCE, (machine_memory() or 1 << 40) // 800_000_000))


class Cancelled(Exception):
    """Raised if a run was cancelled, replaced or closed."""


class SubmittedRun(Place):
    """A program that runs or waits for its turn. Thread-safe.

    Attributes:
        session: session, or "".
        visitor: visitor of the session, or "".
        options: options of the run.
        call: request to its process.
        on_trace: called with its Trace before `result` returns it, and whether its process sent it unchanged.
    """

    def __init__(
        self,
        program: Program,
        options: Options,
        session: str,
        call: ProcessCall,
        turns: FairQueue,
        log: Callable[[hosting.RunRecord], None],
        visitor: str = "",
    ):
        super().__init__(turns, visitor)
        self.session, self.options = session, options
        self._program = program
        self.call, self._log = call, log
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._outcome: Trace | BaseException | None = None
        self._requested_at = time.monotonic()
        self._began: float | None = None
        self._stopping = False
        self.on_trace: Callable[[Trace, bool], None] = lambda trace, is_own: None

    @property
    def seconds(self) -> float:
        """Seconds since its first turn."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    @property
    def position(self) -> int:
        """Place in the queue: 1 for the next, 0 with a turn or when over."""
        return self._turns.position(self)

    @property
    def expected_wait(self) -> float | None:
        """Estimated seconds until its turn, None if no run has ended yet."""
        return self._turns.expected_wait(self)

    def done(self) -> bool:
        """Return whether `result` would return immediately."""
        return self._finished.is_set()

    def cancelled(self) -> bool:
        """Return whether `result` would raise Cancelled."""
        return isinstance(self._outcome, Cancelled)

    def cancel(self) -> bool:
        """End the run and its child. Return False if it already had a result."""
        if self._finish(Cancelled()):
            self._turns.leave(self)
            self.call.cancel()
        return self.cancelled()

    def stop(self, timeout: float = 2.0) -> Trace | None:
        """End the run and return its Trace so far.

        An uninterruptible program is killed. Then only its cells' shown output is known, and None is returned without
        any.
        """
        self._stopping = True
        try:
            if self._began is not None and self.call.interrupt():
                with contextlib.suppress(TimeoutError):
                    return self.result(STOP_GRACE)
            self.call.cancel()
            return self.result(timeout) if self._began is not None else None
        except (Cancelled, TimeoutError):
            return None
        finally:
            self.cancel()

    def result(self, timeout: float | None = None) -> Trace:
        """Wait for the Trace. After a kill or crash, its cell says so.

        Raises Cancelled. Raises TimeoutError if there is no result after `timeout` seconds.
        """
        if not self._finished.is_set():
            with others_first():
                self._finished.wait(timeout)
        if not self._finished.is_set():
            raise TimeoutError
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def work(self) -> None:
        """Wait for the call and store its result. Called by the runner's thread."""
        self._began = time.monotonic()
        try:
            answer = self.call.wait(self)
            if answer.outcome == "cancelled" or (self._stopping and answer.outcome != "reply"):
                self._finish(self._stopped(answer) if self._stopping and answer.messages else Cancelled())
            else:
                self._finish(*_trace(self._program, self.options, answer))
        except OSError as problem:  # the server has no descriptors or processes left
            self.fail(problem)
        except BaseException as problem:
            self._finish(problem)

    def _stopped(self, answer: Answer) -> Trace:
        return limited_trace(self._program, self.options, "stopped", round(self.seconds), pieces=answer.messages)

    def fail(self, problem: Exception) -> None:
        """End the run because the server lacked something to run it."""
        self._finish(limited_trace(self._program, self.options, "crash", 0.0, detail=type(problem).__name__))

    def _finish(self, outcome: Trace | BaseException, is_own: bool = False) -> bool:
        with self._lock:
            if self._finished.is_set():
                return False
            self._outcome = outcome
            if isinstance(outcome, Trace):
                self.on_trace(outcome, is_own)
            self._finished.set()
        self._log(self._record(outcome))
        return True

    def _record(self, outcome: Trace | BaseException) -> hosting.RunRecord:
        now = time.monotonic()
        began = now if self._began is None else self._began
        if isinstance(outcome, Trace):
            limits: list[str] = [
                output.limit for cell in outcome.cells for output in cell.outputs if isinstance(output, Limit)
            ]
            status = outcome.status
        else:
            status, limits = "cancelled" if isinstance(outcome, Cancelled) else "error", []
        seconds, waited = (round(length, 3) for length in (now - began, began - self._requested_at))
        return hosting.RunRecord(round(time.time(), 3), status, limits, seconds, waited)


def executor(module: str, least: Level = "none") -> Executor:
    """Return this system's executor: forks on Linux, warm spare processes elsewhere."""
    if sys.platform == "linux":
        return Parent(module, least)
    from explorer.sandbox.spares import Spares

    return Spares(module, least)


class Runner:
    """Runs programs of many sessions, and layouts, each in a separate process.

    Processes are preloaded by the first call for its needs, or by `start` for everything.

    Args:
        module, layout_module: modules to preload for programs (with torch), and for everything else.
        make: creates the executors. The default suits the system.
        least: a less confined process runs nothing.
        at_once: number of concurrent programs, or a function that returns it. The default is one for each
            processor.
        log: called with every finished run.

    Attributes:
        programs, layouts: the executors. The second also explains errors.
        on_run, on_layout: called with each finished run's record and layout's outcome.
    """

    def __init__(
        self,
        module: str = "explorer.workers.programs",
        layout_module: str = "explorer.workers.service",
        make: Callable[[str, Level], Executor] = executor,
        least: Level = "none",
        at_once: int | Callable[[], int] = AT_ONCE,
        log: Callable[[hosting.RunRecord], None] | None = None,
    ):
        self.on_run: Callable[[hosting.RunRecord], None] = lambda record: None
        self.on_layout: Callable[[str], None] = lambda outcome: None
        self.programs = make(module, least)
        self.layouts = make(layout_module, least)
        self._connecting: Parent | None = None  # for programs with network access
        self._making = threading.Lock()
        self._turns = FairQueue[SubmittedRun | Place](at_once, self._begin, resting=_RESTING)
        self.staying = StayingProcesses(self._turns)
        self._log = log

    def start_soon(self) -> None:
        """Start, and run programs before everything is preloaded. Raises OSError."""
        self.programs.start_soon()
        self.layouts.start()

    def start(self, opened: Opened = NOTHING_OPEN) -> None:
        """Start preloading for layouts and programs with this access in the background.

        Raises OSError.
        """
        executor = self._granted(opened) if opened else self.programs
        if executor is not None:
            executor.start()
        self.layouts.start()

    def ready(self, timeout: float = 0.0) -> bool:
        """Return whether programs can run immediately, waiting at most `timeout` seconds."""
        return self.programs.ready(timeout)

    def waiting(self) -> int:
        """Return the number of waiting runs."""
        return len(self._turns.waiting())

    def submit(
        self,
        program: Program,
        options: Options = Options(),  # noqa: B008 (frozen)
        session: str = "",
        visitor: str = "",
        opened: Opened = NOTHING_OPEN,
        like: Trace | None = None,
    ) -> SubmittedRun:
        """Submit a program, whose time limit begins when its child starts.

        A session has at most one running and one waiting program. A newer one replaces the waiting one, which ends as
        Cancelled. Runs without a session ("") only wait for their place in the queue. Visitors have equal shares,
        however many sessions they open. `opened` is the program's access to this machine. A program run `like` an
        earlier one may read the earlier run's folder, but never writes or connects, because the user did not request
        the run. Raises Unusable if too many programs of the visitor wait, and MissingExtra without the needed
        libraries.
        """
        need("app")
        if like is not None:
            opened = (opened or opened_to(like)).tried()
        program = structs.replace(program, folder=opened.of_run())
        request = encode_request(program, options)
        order = ChildLimits(
            options.time_limit + GRACE,
            LASTING * options.time_limit + GRACE,
            options.memory_limit + RECORDING_MB,
            (most_bytes(options.memory_limit) + sum(len(file.content) for file in program.files)) / _MB,
            program.folder.write,
            program.folder.network,
            stays=isinstance(self.programs, Parent) and not (program.folder.write or program.folder.network),
        )
        call = self._call(request, order, program, opened)
        run = SubmittedRun(program, options, session, call, self._turns, self._over, visitor)

        def made(trace: Trace, is_own: bool) -> None:
            remember(opened, trace)
            self.staying.keep(session, visitor, trace, call if is_own else None)

        run.on_trace = made
        try:
            replaced = self._turns.enqueue(run)
        except QueueFull:
            raise Unusable.of("crowded", "") from None
        if isinstance(replaced, SubmittedRun):
            replaced.cancel()
        return run

    def _call(self, request: bytes, order: ChildLimits, program: Program, opened: Opened) -> ProcessCall:
        parts = needs(program)
        if not opened:
            self.programs.start(parts)
            return self.programs.call(request, order, MAX_BYTES)
        granted = self._granted(opened)
        if granted is None:
            raise Unusable.of("not-opened", "")
        granted.start(parts)
        return granted.call(request, order, MAX_BYTES, program.folder)

    def _granted(self, opened: Opened) -> Parent | None:
        """Return the executor for programs with access to this machine, None if forbidden."""
        if hosting.hosted() or not isinstance(self.programs, Parent):
            return None
        if not opened.network:
            return self.programs
        with self._making:
            if self._connecting is None:
                self._connecting = self.programs.with_network()
            return self._connecting

    def turns_changed(self) -> None:
        """Start waiting runs after the number of turns has changed."""
        self._turns.again()

    def close(self) -> None:
        """End all processes. Open runs raise Cancelled."""
        for run in self._turns.waiting():
            if isinstance(run, SubmittedRun):
                run.cancel()
        self.staying.close()
        for opened in filter(None, (self.programs, self.layouts, self._connecting)):
            opened.close()

    def _over(self, record: hosting.RunRecord) -> None:
        self.on_run(record)
        if self._log is not None:
            self._log(record)

    def _begin(self, run: SubmittedRun | Place) -> None:
        if not isinstance(run, SubmittedRun):
            return run.begin()
        try:
            threading.Thread(target=self._work, args=(run,), name="run", daemon=True).start()
        except RuntimeError as problem:  # the server has no threads left
            run.fail(problem)
            self._turns.end(run)

    def ask(self, call: ProcessCall, visitor: str, patience: float) -> Answer:
        """Ask a process that has run no program, in the visitor's turn. "lost" without one in these seconds."""
        place = Place(self._turns, visitor)
        try:
            return call.wait(place) if place.ask(patience, True) else Answer("lost")
        finally:
            place.give_back()

    def _work(self, run: SubmittedRun) -> None:
        try:
            run.work()
        finally:
            self._turns.end(run)
            self.staying.forget(run.call)


def cluster_runner(
    cluster: "Cluster", least: Level = "none", log: Callable[[hosting.RunRecord], None] | None = None
) -> Runner:
    """Create a runner with as many turns as cluster workers."""
    runner = Runner(make=cluster.executor, least=least, at_once=cluster.at_once, log=log)
    cluster.watch(runner.turns_changed)
    return runner


@once
def default_runner() -> Runner:
    """Return this process's only runner, on a cluster if the environment names one.

    Raises BadScheduler.
    """
    strict = hosting.hosted()
    least, log = (hosting.LEAST, hosting.log) if strict else ("none", None)
    settings = cluster_settings()
    if settings is None:
        runner = Runner(least=least, log=log)
    else:
        from explorer.sandbox.cluster.remote import Cluster

        runner = cluster_runner(Cluster(settings), least, log)
    process = os.getpid()
    atexit.register(lambda: runner.close() if os.getpid() == process else None)  # a forked worker must not close it
    return runner


def _trace(program: Program, options: Options, answer: Answer) -> tuple[Trace, bool]:
    """Return a child's checked Trace, or one built from its ending."""
    if answer.outcome == "reply":
        try:
            trace = decode(answer.reply)
        except InvalidTrace:
            return limited_trace(program, options, "result", MAX_BYTES / _MB, detail="invalid"), False
        count = len(program.cells)
        own, imported = trace.cells[:count], trace.cells[count:]
        wanted = [(cell.text, "") for cell in program.cells]
        if [(cell.source, cell.name) for cell in own] != wanted or not all(cell.name for cell in imported):
            return limited_trace(program, options, "result", MAX_BYTES / _MB, detail="invalid"), False
        kept = bounded(trace, options)
        return kept, kept is trace
    limits: dict[str, tuple[EndingLimit, float]] = {
        "time": ("time", options.time_limit),
        "memory": ("memory", options.memory_limit),
        "files": ("files", most_bytes(options.memory_limit) / _MB),
        "result": ("result", MAX_BYTES / _MB),
    }
    limit, bound = limits.get(answer.outcome, ("crash", 0.0))
    detail = answer.detail or "lost" if answer.outcome == "lost" else answer.detail
    trace = limited_trace(program, options, limit, bound, answer.cell, answer.line, detail, answer.messages)
    return bounded(trace, options), False

"""The runner of a server: programs in, Traces out, one confined child each; for many sessions at once."""

import atexit
import functools
import os
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec

from explorer.program import Program, Unusable, encode_request
from explorer.sandbox import hosted
from explorer.sandbox.calls import Answer, ProcessCall
from explorer.sandbox.cluster.remote import Cluster
from explorer.sandbox.cluster.settings import cluster_settings
from explorer.sandbox.confine import Level
from explorer.sandbox.counts import Counts
from explorer.sandbox.executor import Executor, executor
from explorer.sandbox.limited import EndingLimit, limited_trace
from explorer.sandbox.turns import Crowded, Turns
from explorer.sandbox.wire import Order
from explorer.trace import MAX_BYTES, InvalidTrace, Limit, Options, Trace, decode
from explorer.tracing import trace_file

RECORDING_MB = 100.0  # beside the program's own memory, for what the recorder writes down
GRACE = 1.0  # seconds after its time limit at which a program that does not end itself is killed
LASTING = 8  # times its time limit after which it is killed however little it computed: its patience, and to end itself

AT_ONCE = max(2, os.cpu_count() or 1)  # programs that run at the same time on this machine

_MB = 1_000_000


class Cancelled(Exception):
    """The run was cancelled, replaced by a newer one of its session, or its runner closed, before it had a result."""


class Run:
    """A program that runs or waits for its turn. Threads may share it.

    Attributes:
        session: whose it is, "" for nobody's.
        visitor: who opened the session, "" where nobody knows.
        options: what it was asked for.
    """

    def __init__(
        self,
        program: Program,
        options: Options,
        session: str,
        call: ProcessCall,
        turns: Turns,
        log: Callable[[hosted.RunRecord], None],
        visitor: str = "",
    ):
        self.session, self.visitor, self.options = session, visitor, options
        self._program = program
        self._call, self._turns, self._log = call, turns, log
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._outcome: Trace | BaseException | None = None
        self._asked = time.monotonic()
        self._began: float | None = None

    @property
    def seconds(self) -> float:
        """How long it has had its turn."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    @property
    def position(self) -> int:
        """Its place in the queue, 1 for the next; 0 when it has its turn or is over."""
        return self._turns.position(self)

    def done(self) -> bool:
        """Whether `result` would answer at once."""
        return self._finished.is_set()

    def cancelled(self) -> bool:
        """Whether `result` would raise Cancelled."""
        return isinstance(self._outcome, Cancelled)

    def cancel(self) -> bool:
        """Ends the run, and its child if there is one; False when it already had a result."""
        if self._finish(Cancelled()):
            self._turns.leave(self)
            self._call.cancel()
        return self.cancelled()

    def result(self, timeout: float | None = None) -> Trace:
        """The Trace, waiting for it; a killed or crashed child leaves one whose cell says so.

        Raises Cancelled, TimeoutError when it is not there after `timeout` seconds.
        """
        if not self._finished.wait(timeout):
            raise TimeoutError
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return self._outcome

    def work(self) -> None:
        """Waits for the call and keeps what came of it. For the thread that the runner gives it."""
        self._began = time.monotonic()
        if (file := trace_file()) is not None:
            file.write("turn", int(self._asked * 1e9), int(self._began * 1e9))
        try:
            answer = self._call.wait()
            self._finish(Cancelled() if answer.outcome == "cancelled" else _trace(self._program, self.options, answer))
        except OSError as problem:  # no descriptors or processes left in the server
            self.fail(problem)
        except BaseException as problem:
            self._finish(problem)

    def fail(self, problem: Exception) -> None:
        """It could not be run, for want of something in the server."""
        self._finish(limited_trace(self._program, self.options, "crash", 0.0, detail=type(problem).__name__))

    def _finish(self, outcome: Trace | BaseException) -> bool:
        with self._lock:
            if self._finished.is_set():
                return False
            self._outcome = outcome
            self._finished.set()
        self._log(self._record(outcome))
        return True

    def _record(self, outcome: Trace | BaseException) -> hosted.RunRecord:
        now = time.monotonic()
        began = now if self._began is None else self._began
        if isinstance(outcome, Trace):
            limits = [output.limit for cell in outcome.cells for output in cell.outputs if isinstance(output, Limit)]
            return hosted.record(outcome.status, limits, now - began, began - self._asked)
        status = "cancelled" if isinstance(outcome, Cancelled) else "error"
        return hosted.record(status, [], now - began, began - self._asked)


class Runner:
    """Programs of many sessions, and layouts, each in a process of its own; at most so many at once.

    Processes are preloaded with the first call that needs them, or with `start`.

    Args:
        module, layout_module: what is preloaded for programs (with torch), and for all else (without it).
        make: how their executors are made; the default takes what suits the system.
        least: a process that is confined less runs nothing.
        at_once: programs that run at the same time, or what says how many; the default is one for each processor.
        log: told of every run that is over.

    Attributes:
        programs, layouts: the executors; the second also explains errors.
        counts: how its runs and layouts ended.
    """

    def __init__(
        self,
        module: str = "explorer.runtime.child",
        layout_module: str = "explorer.aside",
        make: Callable[[str, Level], Executor] = executor,
        least: Level = "none",
        at_once: int | Callable[[], int] = AT_ONCE,
        log: Callable[[hosted.RunRecord], None] | None = None,
    ):
        self.counts = Counts()
        self.programs = make(module, least)
        self.layouts = make(layout_module, least)
        self._turns = Turns(at_once, self._begin)
        self._log = log

    def start(self) -> None:
        """Begins preloading both and returns at once. Raises OSError."""
        self.programs.start()
        self.layouts.start()

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether programs can run at once: what they need has been preloaded. Waits at most so many seconds."""
        return self.programs.ready(timeout)

    def waiting(self) -> int:
        """How many runs wait for their turn."""
        return len(self._turns.waiting())

    def submit(
        self,
        program: Program,
        options: Options = Options(),  # noqa: B008 (frozen)
        session: str = "",
        visitor: str = "",
    ) -> Run:
        """Runs a program when its turn comes; its time limit begins when its child does. Returns at once.

        A session has at most one program running and one waiting: a newer one takes the place of the one that waits,
        which ends as Cancelled. Runs of no session ("") wait for nothing but their place in the queue. Visitors have
        equal shares, however many sessions they open. Raises Unusable when too many of one visitor's wait already,
        and ImportError where only the core is installed, without the libraries that programs find.
        """
        if find_spec("pandas") is None:
            raise ImportError('to run programs: python -m pip install "autograd-explorer[app]"', name="pandas")
        request = encode_request(program, options)
        order = Order(
            options.time_limit + GRACE, LASTING * options.time_limit + GRACE, options.memory_limit + RECORDING_MB
        )
        call = self.programs.call(request, order, MAX_BYTES)
        run = Run(program, options, session, call, self._turns, self._over, visitor)
        try:
            replaced = self._turns.ask(run)
        except Crowded:
            raise Unusable.of("crowded", "") from None
        if replaced is not None:
            replaced.cancel()
        return run

    def turns_changed(self) -> None:
        """What says how many programs run at the same time says another number: who waits may begin."""
        self._turns.again()

    def close(self) -> None:
        """Ends all processes; runs that are open raise Cancelled."""
        for run in self._turns.waiting():
            run.cancel()
        self.programs.close()
        self.layouts.close()

    def _over(self, record: hosted.RunRecord) -> None:
        self.counts.run(record)
        if self._log is not None:
            self._log(record)

    def _begin(self, run: Run) -> None:
        try:
            threading.Thread(target=self._work, args=(run,), name="run", daemon=True).start()
        except RuntimeError as problem:  # no threads left in the server
            run.fail(problem)
            self._turns.end(run)

    def _work(self, run: Run) -> None:
        try:
            run.work()
        finally:
            self._turns.end(run)


def cluster_runner(
    cluster: Cluster, least: Level = "none", log: Callable[[hosted.RunRecord], None] | None = None
) -> Runner:
    """A runner whose programs and layouts run on the workers of a cluster, as many at once as those have turns."""
    runner = Runner(make=cluster.executor, least=least, at_once=cluster.at_once, log=log)
    cluster.watch(runner.turns_changed)
    return runner


@functools.cache
def _shared() -> Runner:
    strict = hosted.hosted()
    least, log = (hosted.LEAST, hosted.log) if strict else ("none", None)
    settings = cluster_settings()
    runner = Runner(least=least, log=log) if settings is None else cluster_runner(Cluster(settings), least, log)
    atexit.register(runner.close)
    return runner


_sharing = threading.Lock()


def default_runner() -> Runner:
    """The one runner of this process, closed when the process ends; of a cluster where the environment names one.

    Raises BadScheduler.
    """
    with _sharing:
        return _shared()


def _trace(program: Program, options: Options, answer: Answer) -> Trace:
    """What a child answered, checked; otherwise what is known of its end."""
    if answer.outcome == "reply":
        try:
            trace = decode(answer.reply)
        except InvalidTrace:
            return limited_trace(program, options, "result", MAX_BYTES / _MB, detail="invalid")
        count = len(program.cells)
        own, imported = trace.cells[:count], trace.cells[count:]
        wanted = [(cell.text, "") for cell in program.cells]
        if [(cell.source, cell.name) for cell in own] != wanted or not all(cell.name for cell in imported):
            return limited_trace(program, options, "result", MAX_BYTES / _MB, detail="invalid")
        return trace
    known: dict[str, tuple[EndingLimit, float]] = {
        "time": ("time", options.time_limit),
        "memory": ("memory", options.memory_limit),
        "result": ("result", MAX_BYTES / _MB),
    }
    limit, bound = known.get(answer.outcome, ("crash", 0.0))
    detail = answer.detail or "lost" if answer.outcome == "lost" else answer.detail
    return limited_trace(program, options, limit, bound, answer.cell, answer.line, detail, answer.told)

"""Worker and scheduler processes: dask's own, without its pages, logs and limits.

A worker runs servers' calls with its own runner, and ends abandoned ones (`Serving`).
"""

import asyncio
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import dask
from distributed import Scheduler, Worker, WorkerPlugin

from explorer.sandbox.calls import Answer, ProcessCall
from explorer.sandbox.cluster.settings import ClusterSettings
from explorer.sandbox.cluster.task import PLUGIN, TURNS, decode_task, encode_answer
from explorer.sandbox.confine import LEVELS, Level
from explorer.sandbox.runner import Runner


class Serving(WorkerPlugin):
    """A worker's calls, kept as long as its process, beyond a scheduler's end.

    Args:
        least: a less confined process runs nothing here, even if a server requests it.
    """

    name = PLUGIN

    def __init__(self, least: Level = "none") -> None:
        self._least: Level = least
        self._lock = threading.Lock()
        self._runners = {least: Runner(least=least)}
        self._calls: dict[str, ProcessCall] = {}
        self._given_up: set[str] = set()  # calls that were abandoned before they were made

    def preloaded(self, seconds: float) -> bool:
        """Return whether calls would be served immediately, waiting at most `seconds`. Raises OSError."""
        runner = self._runners[self._least]
        runner.start()
        return runner.programs.ready(seconds) and runner.layouts.ready(seconds)

    def perform(self, key: str, data: bytes) -> bytes:
        """Make a call. Raises nothing: dask would log the request."""
        try:
            return encode_answer(self._made(key, data))
        except Exception as problem:
            return encode_answer(Answer("lost", detail=type(problem).__name__))
        finally:
            with self._lock:
                self._calls.pop(key, None)
                self._given_up.discard(key)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Cancel a task released while it runs, because it was abandoned. Called by dask."""
        if start != "executing" or finish != "released":
            return
        with self._lock:
            call = self._calls.get(str(key))
            if call is None:
                self._given_up.add(str(key))
        if call is not None:
            call.cancel()

    def teardown(self, worker: Any) -> None:
        """Cancel all calls when the worker leaves. Other workers restart them."""
        with self._lock:
            calls = list(self._calls.values())
        for call in calls:
            call.cancel()

    def close(self) -> None:
        """End all processes."""
        for runner in self._runners.values():
            runner.close()

    def _made(self, key: str, data: bytes) -> Answer:
        task = decode_task(data)
        runner = self._runner(max(task.least, self._least, key=LEVELS.index))
        executor = runner.programs if task.kind == "programs" else runner.layouts
        call = executor.call(task.request, task.order, task.most)
        with self._lock:
            if key in self._given_up:
                return Answer("cancelled")
            self._calls[key] = call
        return call.wait()

    def _runner(self, least: Level) -> Runner:
        with self._lock:
            if least not in self._runners:
                self._runners[least] = Runner(least=least)
                self._runners[least].start()  # with all libraries, because a call doesn't name what its program needs
            return self._runners[least]


TRIES_ELSEWHERE = 1  # how often a run is restarted when its worker is lost
SILENCE = 30  # seconds without a message after which a worker counts as lost
BESIDE = 2  # runs per turn that a worker accepts, because dask may give it two while another worker is free
PRELOADING = 300.0  # seconds
HIDDEN = "127.0.0.1:0"  # dask opens this port for its pages, which are all turned off

# Dask's logs would contain programs, and its pages would show them.
_QUIET = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.low-level-log-length": 0,
    "distributed.scheduler.work-stealing": True,
}


def listen(settings: ClusterSettings, ready: Callable[[], None]) -> None:
    """Run a scheduler until a signal, calling `ready`. Raises OSError."""

    async def life() -> None:
        async with Scheduler(
            host=settings.host.strip("[]"),
            port=settings.port,
            protocol=settings.scheme,
            security=settings.security(),
            allowed_failures=TRIES_ELSEWHERE,
            worker_ttl=SILENCE,
            dashboard=False,
            dashboard_address=HIDDEN,
        ) as scheduler:
            ready()
            await scheduler.finished()

    _live(life)


def serve(settings: ClusterSettings, least: Level, at_once: int, ready: Callable[[], None]) -> None:
    """Run a worker until a signal ends the process, waiting for the scheduler.

    Args:
        settings: how to reach the scheduler.
        least: a less confined process runs nothing.
        at_once: number of concurrent programs.
        ready: called whenever the worker is ready for calls.

    Raises OSError, and TimeoutError if the runner does not start.
    """
    serving = Serving(least)
    security = settings.security()

    async def life() -> None:
        if not await asyncio.to_thread(serving.preloaded, PRELOADING):
            raise TimeoutError
        while True:
            with tempfile.TemporaryDirectory(prefix="autograd-explorer-") as folder:
                async with Worker(
                    settings.address,
                    name=f"{socket.gethostname()}-{os.getpid()}",
                    host="127.0.0.1" if settings.scheme == "tcp" else None,
                    protocol=settings.scheme,
                    security=security,
                    nthreads=2 * BESIDE * at_once,  # the threads only wait for a process
                    resources={TURNS: at_once, "programs": BESIDE * at_once, "layouts": BESIDE * at_once},
                    memory_limit=0,  # the processes have their own limits
                    local_directory=folder,
                    dashboard_address=HIDDEN,
                    plugins=(serving,),
                ) as worker:
                    ready()
                    await worker.finished()

    try:
        _live(life)
    finally:
        serving.close()


def _live(life: Callable[[], Awaitable[None]]) -> None:
    """Run a node until it or the process is ended."""

    async def until_told() -> None:
        task = asyncio.ensure_future(life())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, task.cancel)
        await asyncio.gather(task, return_exceptions=True)
        if not task.cancelled() and (problem := task.exception()) is not None:
            raise problem

    with dask.config.set(_QUIET):
        asyncio.run(until_told())

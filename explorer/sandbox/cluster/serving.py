"""Inside a worker: run servers' calls with the worker's own runner, and end those that are abandoned."""

import threading
from typing import Any

from distributed import WorkerPlugin

from explorer.sandbox.calls import Answer, ProcessCall
from explorer.sandbox.cluster.task import PLUGIN, decode_task, encode_answer
from explorer.sandbox.confine import LEVELS, Level
from explorer.sandbox.runner import Runner


class Serving(WorkerPlugin):
    """A worker's calls. It lives as long as its process: preloaded parents outlive a scheduler that ends.

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
        """Whether calls would be served at once, waiting at most this many seconds for preloading. Raises OSError."""
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
        """Called by dask when a task changes state: a task released while it runs was abandoned."""
        if start != "executing" or finish != "released":
            return
        with self._lock:
            call = self._calls.get(str(key))
            if call is None:
                self._given_up.add(str(key))
        if call is not None:
            call.cancel()

    def teardown(self, worker: Any) -> None:
        """The worker leaves its scheduler: other workers restart its runs."""
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
                self._runners[least].start()  # with all libraries: a call does not say which its program needs
            return self._runners[least]

"""The server's lasting connection to the cluster, and the executor that uses it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from explorer.program import Parts
from explorer.sandbox.calls import Answer, Executor, ProcessCall
from explorer.sandbox.cluster.settings import ClusterSettings
from explorer.sandbox.cluster.task import TURNS, Kind, decode_answer, encode_task, perform
from explorer.sandbox.confine import Level
from explorer.sandbox.fair_queue import Place
from explorer.sandbox.protocol import ChildLimits

if TYPE_CHECKING:
    from distributed import Client, Future
    from tornado.ioloop import IOLoop

PATIENCE = 10.0  # seconds that a call waits for a scheduler, or for the first worker
CLOSING = 3.0  # seconds
INTERVAL = 1.0  # seconds between checks of the workers

# Details of `lost`: the missing part of the cluster; the limits' catalogue has their messages.
NO_SCHEDULER, NO_WORKER, LOST_TWICE = "no-scheduler", "no-worker", "worker-lost"

_KINDS: dict[str, Kind] = {"explorer.workers.programs": "programs", "explorer.workers.service": "layouts"}
_LARGE = "distributed.admin.large-graph-warning-threshold"


class Cluster:
    """A server's connection to its scheduler. Threads may share it.

    Its own thread connects, watches the workers, and reconnects when the scheduler was gone.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._client: Client | None = None
        self._turns = 0
        self._keeper: threading.Thread | None = None
        self._closed = False
        self._watchers: list[Callable[[], None]] = []

    @property
    def closed(self) -> bool:
        """Return whether it accepts no more calls."""
        return self._closed

    def start(self) -> None:
        """Start connecting and return at once."""
        with self._changed:
            if self._keeper is None and not self._closed:
                self._keeper = threading.Thread(target=self._keep, name="cluster", daemon=True)
                self._keeper.start()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Register a function called in the cluster's thread when the number of turns changes."""
        self._watchers.append(watcher)

    def executor(self, module: str, least: Level) -> RemoteExecutor:
        """Return the executor for one kind of process."""
        return RemoteExecutor(self, _KINDS[module], least)

    def workers_turns(self) -> int:
        """Return the turns of the present workers, at the last check."""
        return self._turns

    def at_once(self) -> int:
        """Return a runner's turns, at least one so that a call reports missing workers."""
        return max(1, self._turns)

    def client(self, seconds: float) -> Client | None:
        """Return the connection, waiting at most this many seconds for it."""
        self.start()
        with self._changed:
            self._changed.wait_for(lambda: self._client is not None or self._closed, seconds)
            return self._client

    def lost(self, client: Client) -> None:
        """Report a failed call over a connection. Reconnect unless it still works."""
        if client.status == "running":  # other calls use it
            return
        with self._changed:
            if client is self._client:
                self._client, self._turns = None, 0
                self._changed.notify_all()
        _end(client)

    def ready(self, seconds: float) -> bool:
        """Return whether a worker is available, waiting at most `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: self._turns > 0 or self._closed, seconds) and not self._closed

    def close(self) -> None:
        """Close the connection. Workers end running calls."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._keeper is not None:
            self._keeper.join(CLOSING)

    def _keep(self) -> None:
        """Keep the connection until it is closed."""
        with _loop() as loop:
            while not self._closed:
                client, turns = self._client, 0
                try:
                    client = client or _connected(self._settings, loop)
                    workers = client.scheduler_info()["workers"].values()
                    turns = sum(int(worker["resources"].get(TURNS, 0)) for worker in workers)
                except Exception:  # dask may raise anything, and the next check may succeed
                    _end(client)
                    time.sleep(INTERVAL)
                self._now(client, turns)
                with self._changed:
                    self._changed.wait_for(lambda: self._closed or self._client is None, INTERVAL)
            _end(self._client)

    def _now(self, client: Client | None, turns: int) -> None:
        running = client is not None and client.status == "running"  # dask's answer may be outdated
        if not running:
            _end(client)
        with self._changed:
            before = self._turns
            self._client, self._turns = (client, turns) if running else (None, 0)
            self._changed.notify_all()
        if before != self._turns:
            for watcher in self._watchers:
                watcher()


@contextlib.contextmanager
def _loop() -> Iterator[IOLoop]:
    """Run a leak-free event loop in a separate thread."""
    from tornado.ioloop import IOLoop

    made: queue.SimpleQueue[IOLoop] = queue.SimpleQueue()
    end = asyncio.Event()

    async def life() -> None:
        made.put(IOLoop.current())
        await end.wait()

    threading.Thread(target=lambda: asyncio.run(life()), name="cluster loop", daemon=True).start()
    loop = made.get()
    try:
        yield loop
    finally:
        loop.add_callback(end.set)


def _connected(settings: ClusterSettings, loop: IOLoop) -> Client:
    """Connect. Raises OSError."""
    import dask
    from distributed import Client

    dask.config.set({_LARGE: "1 GB"})  # programs are sent with their files
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # the result of a run reports losses
    return Client(
        settings.address,
        security=settings.security(),
        loop=loop,
        timeout=PATIENCE,
        set_as_default=False,
        name="autograd-explorer",
    )


def _end(client: Client | None) -> None:
    if client is not None:
        with contextlib.suppress(Exception):  # it is discarded anyway
            client.close(timeout=1)


class RemoteExecutor(Executor):
    """Assigns each call a process of some worker (explorer.sandbox.calls). Thread-safe."""

    pid = None  # the processes are elsewhere

    def __init__(self, cluster: Cluster, kind: Kind, least: Level) -> None:
        self._cluster, self._kind, self._least = cluster, kind, least

    def start(self, parts: Parts | None = None) -> None:
        """Start connecting and return at once. The workers have preloaded everything."""
        self._cluster.start()

    def ready(self, timeout: float = 0.0) -> bool:
        """Return whether a worker is available, waiting at most `timeout` seconds."""
        return self._cluster.ready(timeout)

    def call(self, request: bytes, order: ChildLimits, most: int) -> ProcessCall:
        """Create a call within the limits of `order`. Its reply has at most `most` bytes."""
        task = encode_task(self._kind, self._least, order, most, request)
        return RemoteCall(self._cluster, self._kind, task, order, most)

    def close(self) -> None:
        """Close the connection. Open and later calls answer `cancelled`."""
        self._cluster.close()


class RemoteCall:
    """One request to a worker's process. One thread calls `wait`, and any may call `cancel`."""

    def __init__(self, cluster: Cluster, kind: Kind, task: bytes, order: ChildLimits, most: int) -> None:
        self._cluster, self._kind, self._task, self._most = cluster, kind, task, most
        self._longest = 2 * (order.lasting + PATIENCE)  # seconds, including one restart on another worker
        self._lock = threading.Lock()
        self._future: Future | None = None
        self._cancelled = False
        self._woken = threading.Event()

    def interrupt(self) -> bool:
        """Return False, because a worker's call can only be abandoned."""
        return False

    def cancel(self) -> None:
        """Let the worker kill the process, or keep it from starting."""
        with self._lock:
            self._cancelled = True
            if self._future is not None:
                self._future.release()  # dask informs the worker that the call is abandoned
        self._woken.set()

    def wait(self, turn: Place | None = None) -> Answer:
        """Run the request to its end, retrying once if the scheduler ends."""
        answer = self._attempt()
        if answer.outcome == "lost" and answer.detail == NO_SCHEDULER and not self._over():
            answer = self._attempt()
        return Answer("cancelled") if self._over() else answer

    def _over(self) -> bool:
        return self._cancelled or self._cluster.closed

    def _attempt(self) -> Answer:
        client = self._cluster.client(PATIENCE)
        if client is None:
            return Answer("lost", detail=NO_SCHEDULER)
        with self._lock:
            if self._cancelled:
                return Answer("cancelled")
            self._woken.clear()
            try:
                future = self._future = client.submit(
                    perform, self._task, key=f"{self._kind}-{uuid4().hex}", pure=False, resources={self._kind: 1}
                )
            except Exception:  # closed in the meantime, which dask reports in several ways
                return self._lost(client)
        try:
            future.add_done_callback(lambda _: self._woken.set())
            gone = self._awaited(future)
            return Answer("lost", detail=gone) if gone else self._answer(client, future)
        finally:
            with self._lock:
                self._future = None
            future.release()

    def _lost(self, client: Client) -> Answer:
        self._cluster.lost(client)
        return Answer("lost", detail=NO_SCHEDULER)

    def _awaited(self, future: Future) -> str:
        """Wait for the result or cancellation. Return the missing cluster part, or ""."""
        began = seen = time.monotonic()
        while not self._woken.wait(INTERVAL) and not future.done():
            now = time.monotonic()
            seen = now if self._cluster.workers_turns() else seen
            if now - seen > PATIENCE:
                return NO_WORKER
            if now - began > self._longest:
                return LOST_TWICE
        return ""

    def _answer(self, client: Client, future: Future) -> Answer:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        if self._cancelled:
            return Answer("cancelled")
        try:
            return decode_answer(future.result(timeout=PATIENCE), self._most)
        except (ValueError, msgspec.DecodeError):
            return Answer("result")
        except (KilledWorker, TimeoutError):  # the second: worker unreachable
            return Answer("lost", detail=LOST_TWICE)
        except (FutureCancelledError, asyncio.CancelledError, OSError):
            return self._lost(client)
        except Exception as problem:
            return Answer("lost", detail=type(problem).__name__)

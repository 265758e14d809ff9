"""In the server: a connection to the cluster that is kept, and the executor that sends calls over it."""

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

from explorer.sandbox.calls import Answer, ProcessCall
from explorer.sandbox.cluster.settings import ClusterSettings
from explorer.sandbox.cluster.task import TURNS, Kind, decode_answer, encode_task, perform
from explorer.sandbox.confine import Level
from explorer.sandbox.wire import Order

if TYPE_CHECKING:
    from distributed import Client, Future
    from tornado.ioloop import IOLoop

PATIENCE = 10.0  # seconds that a call waits for a scheduler, or for the first worker
CLOSING = 3.0  # seconds
INTERVAL = 1.0  # seconds between two looks at who is there

# Details of `lost`: which part of the cluster was not there. Their sentences are those of limits.
NO_SCHEDULER, NO_WORKER, LOST_TWICE = "no-scheduler", "no-worker", "worker-lost"

_KINDS: dict[str, Kind] = {"explorer.runtime.child": "programs", "explorer.aside": "layouts"}
_LARGE = "distributed.admin.large-graph-warning-threshold"


class Cluster:
    """The connection of one server to its scheduler. Threads may share it.

    A thread of its own keeps it: connects, looks who is there, and connects anew when the scheduler was gone.
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
        """Whether it takes no more calls."""
        return self._closed

    def start(self) -> None:
        """Begins to connect and returns at once."""
        with self._changed:
            if self._keeper is None and not self._closed:
                self._keeper = threading.Thread(target=self._keep, name="cluster", daemon=True)
                self._keeper.start()

    def watch(self, told: Callable[[], None]) -> None:
        """Has that called, in a thread of the cluster, whenever there are other turns than before."""
        self._watchers.append(told)

    def executor(self, module: str, least: Level) -> RemoteExecutor:
        """The executor for what a module preloads."""
        return RemoteExecutor(self, _KINDS[module], least)

    def workers_turns(self) -> int:
        """How many programs the workers that are there are to have at once, when last looked."""
        return self._turns

    def at_once(self) -> int:
        """As many turns as a runner gives; one without workers, so that somebody is told so."""
        return max(1, self._turns)

    def client(self, seconds: float) -> Client | None:
        """The connection, waiting at most so many seconds for it."""
        self.start()
        with self._changed:
            self._changed.wait_for(lambda: self._client is not None or self._closed, seconds)
            return self._client

    def lost(self, client: Client) -> None:
        """A call met no scheduler over that connection: unless it still holds, the next is another."""
        if client.status == "running":  # it serves other calls
            return
        with self._changed:
            if client is self._client:
                self._client, self._turns = None, 0
                self._changed.notify_all()
        _end(client)

    def ready(self, seconds: float) -> bool:
        """Whether a worker is there, waiting at most so many seconds for one."""
        with self._changed:
            return self._changed.wait_for(lambda: self._turns > 0 or self._closed, seconds) and not self._closed

    def close(self) -> None:
        """Ends the connection; what still runs is ended by the workers."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._keeper is not None:
            self._keeper.join(CLOSING)

    def _keep(self) -> None:
        """Until it is closed."""
        with _loop() as loop:
            while not self._closed:
                client, turns = self._client, 0
                try:
                    client = client or _connected(self._settings, loop)
                    workers = client.scheduler_info()["workers"].values()
                    turns = sum(int(worker["resources"].get(TURNS, 0)) for worker in workers)
                except Exception:  # whatever dask meets, the next look may find it mended
                    _end(client)
                    time.sleep(INTERVAL)
                self._now(client, turns)
                with self._changed:
                    self._changed.wait_for(lambda: self._closed or self._client is None, INTERVAL)
            _end(self._client)

    def _now(self, client: Client | None, turns: int) -> None:
        running = client is not None and client.status == "running"  # dask's answer may be an old one
        if not running:
            _end(client)
        with self._changed:
            before = self._turns
            self._client, self._turns = (client, turns) if running else (None, 0)
            self._changed.notify_all()
        if before != self._turns:
            for told in self._watchers:
                told()


@contextlib.contextmanager
def _loop() -> Iterator[IOLoop]:
    """An event loop in a thread of its own: those that dask makes are left behind when it finds no scheduler."""
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
    """A connection. Raises OSError."""
    import dask
    from distributed import Client

    dask.config.set({_LARGE: "1 GB"})  # files go along with a program
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what is lost is told in the result of a run
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
        with contextlib.suppress(Exception):  # it is given up, whatever state it is in
            client.close(timeout=1)


class RemoteExecutor:
    """Gives a process of some worker to each call (explorer.sandbox.executor). Threads may share it."""

    pid = None  # the processes are elsewhere

    def __init__(self, cluster: Cluster, kind: Kind, least: Level) -> None:
        self._cluster, self._kind, self._least = cluster, kind, least

    def start(self) -> None:
        """Begins to connect and returns at once."""
        self._cluster.start()

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether a worker is there, waiting at most so many seconds for one."""
        return self._cluster.ready(timeout)

    def call(self, request: bytes, order: Order, most: int) -> ProcessCall:
        """A call to be waited for, which may take what the order says; its reply is at most `most` bytes."""
        task = encode_task(self._kind, self._least, order, most, request)
        return RemoteCall(self._cluster, self._kind, task, order, most)

    def close(self) -> None:
        """Ends the connection. Open and later calls answer `cancelled`."""
        self._cluster.close()


class RemoteCall:
    """One request to one process of some worker. `wait` is for one thread, `cancel` for any."""

    def __init__(self, cluster: Cluster, kind: Kind, task: bytes, order: Order, most: int) -> None:
        self._cluster, self._kind, self._task, self._most = cluster, kind, task, most
        self._longest = 2 * (order.lasting + PATIENCE)  # seconds: also of a run that is begun anew elsewhere
        self._lock = threading.Lock()
        self._future: Future | None = None
        self._cancelled = False
        self._woken = threading.Event()

    def cancel(self) -> None:
        """Has the worker kill the process, or keeps it from starting."""
        with self._lock:
            self._cancelled = True
            if self._future is not None:
                self._future.release()  # dask tells the worker that nobody waits for it
        self._woken.set()

    def wait(self) -> Answer:
        """Runs the request to its end. A scheduler that ends meanwhile is asked anew, once."""
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
            except Exception:  # it was closed since, which dask says in several ways
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
        """Waits until the future is done or the call cancelled; what was not there, "" when nothing was missing."""
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
        except (KilledWorker, TimeoutError):  # the second: who has the answer does not give it
            return Answer("lost", detail=LOST_TWICE)
        except (FutureCancelledError, asyncio.CancelledError, OSError):
            return self._lost(client)
        except Exception as problem:
            return Answer("lost", detail=type(problem).__name__)

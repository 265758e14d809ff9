"""A worker and a scheduler as processes: dask's own, with its pages, logs and limits turned off."""

import asyncio
import os
import signal
import socket
import tempfile
from collections.abc import Awaitable, Callable

import dask
from distributed import Scheduler, Worker

from explorer.sandbox.cluster.serving import Serving
from explorer.sandbox.cluster.settings import ClusterSettings
from explorer.sandbox.cluster.task import TURNS
from explorer.sandbox.confine import Level

TRIES_ELSEWHERE = 1  # how often a run is restarted when its worker is lost
SILENCE = 30  # seconds without a message after which a worker counts as lost
BESIDE = 2  # times its turns that a worker accepts: dask may place two runs on one worker while another is free
PRELOADING = 300.0  # seconds
HIDDEN = "127.0.0.1:0"  # dask opens a port for its pages, which are all turned off

# Dask's logs would contain programs, and its pages would show them.
_QUIET = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.low-level-log-length": 0,
    "distributed.scheduler.work-stealing": True,
}


def listen(settings: ClusterSettings, ready: Callable[[], None]) -> None:
    """Run a scheduler until a signal ends the process. Calls `ready` when workers and servers may connect. Raises
    OSError.
    """

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
    """Run a worker until a signal ends the process. It waits for a scheduler that is not there yet, or that ended.

    Args:
        settings: how to reach the scheduler.
        least: a less confined process runs nothing.
        at_once: how many programs run at the same time.
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
                    nthreads=2 * BESIDE * at_once,  # they only wait for a process
                    resources={TURNS: at_once, "programs": BESIDE * at_once, "layouts": BESIDE * at_once},
                    memory_limit=0,  # limits are the processes' own
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

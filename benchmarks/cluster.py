"""Measure programs on the workers of a cluster: scheduler and workers as local processes, with TLS.

usage: python -m benchmarks cluster [WORKERS 1 2 4]         how many runs end in a second
       python -m benchmarks cluster --sessions N [WORKERS]  cost of a server of N sessions when runs are elsewhere

A worker runs one program at a time. "waits" runs programs that sleep and let another run meanwhile. It measures the
limits of scheduler and server, since the workers could be on as many machines. "computes" runs computing programs: more
workers than processors do not help. "lost" kills a worker after a second and reports the seconds until the same runs
have ended. With --sessions: milliseconds of processor time per action of benchmarks/load.py, in the server's and the
cluster's processes.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.load import Machine, first, run
from explorer.program import read_text
from explorer.sandbox import Runner
from explorer.sandbox.cluster.remote import Cluster
from explorer.sandbox.cluster.settings import cluster_settings
from explorer.sandbox.runner import cluster_runner
from explorer.trace import Options
from tests.deploy.proxy import free_port
from tests.sandbox.machines import Certificates, Machines, environment
from tests.visitor import server

SECONDS = 0.25  # per program
PROGRAMS = {
    "waits": f"import time\ntime.sleep({SECONDS})",
    "computes": f"import time\nuntil = time.process_time() + {SECONDS}\nwhile time.process_time() < until: pass",
}
RUNS = 12  # for each worker
OPTIONS = Options(time_limit=60)


@contextmanager
def machines(workers: int) -> Iterator[Machines]:
    """Yield a scheduler and so many workers, which have certificates."""
    with tempfile.TemporaryDirectory() as folder:
        started = Machines(environment(free_port(), Certificates(Path(folder))), Path(folder) / "log")
        try:
            started.start_scheduler()
            for _ in range(workers):
                started.start_worker()
            yield started
        finally:
            started.end()


def runs_per_second(runner: Runner, text: str, count: int) -> float:
    """Return runs per second; each run has its own visitor, so that none waits for its share."""
    began = time.monotonic()
    runs = [runner.submit(read_text(text), OPTIONS, session=f"{i}", visitor=f"{i}") for i in range(count)]
    statuses = {one.result(300).status for one in runs}
    assert statuses == {"ok"}, statuses
    return count / (time.monotonic() - began)


def throughput(workers: int) -> dict[str, float]:
    """Return runs per second by kind of program; with two or more workers, also the seconds a lost one costs."""
    with machines(workers) as started:
        cluster = Cluster(cluster_settings(started.settings))
        try:
            assert started.full(cluster)
            runner, count = cluster_runner(cluster), RUNS * workers
            runs_per_second(runner, "import torch", workers)  # the first program of a worker is slower
            row = {kind: runs_per_second(runner, text, count) for kind, text in PROGRAMS.items()}
            if workers > 1:
                began = time.monotonic()
                runs = [runner.submit(read_text(PROGRAMS["waits"]), OPTIONS, visitor=f"{i}") for i in range(count)]
                time.sleep(1)
                started.kill(next(iter(started.workers)))
                assert {one.result(300).status for one in runs} == {"ok"}
                row["lost"] = time.monotonic() - began - count / row["waits"]
        finally:
            cluster.close()
    return {kind: round(figure, 2) for kind, figure in row.items()}


def sessions(count: int, workers: int) -> dict:
    """Return load.py's results for half a minute of sessions, and the cluster's share."""
    with machines(workers) as started:
        settings = started.settings | {"EXPLORER_HOSTED": "1", "EXPLORER_SESSIONS": str(count + 1)}
        with server(**settings) as (process, port):  # type: ignore[arg-type]  # no setting is called log or root
            asyncio.run(first(port))
            before = _used(started)
            row = asyncio.run(run(port, Machine(process.pid), "steady", count, 30))
            deeds = sum(figures["count"] for figures in row.values() if isinstance(figures, dict) and "p95" in figures)
            return {
                "edit": row["edit"],
                "lost": row["lost"],
                "server_ms_per_deed": row["server_ms_per_deed"],
                "cluster_ms_per_deed": round((_used(started) - before) / deeds * 1000),
            }


def _used(started: Machines) -> float:
    """Return seconds of processors of scheduler and workers, with the processes that they had and have."""
    assert started.scheduler is not None
    total = 0.0
    for process in (started.scheduler, *started.workers.values()):
        for one in (own := psutil.Process(process.pid), *own.children(recursive=True)):
            times = one.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def main() -> None:
    """Print a line for each number of workers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("workers", nargs="*", type=int, default=[1, 2, 4])
    parser.add_argument("--sessions", type=int, default=0)
    asked = parser.parse_args()
    for workers in asked.workers:
        row = sessions(asked.sessions, workers) if asked.sessions else throughput(workers)
        print(json.dumps({"workers": workers} | row), flush=True)


if __name__ == "__main__":
    main()

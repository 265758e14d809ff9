"""Measure an edit's processor time in all processes; with another checkout, in turns.

usage: python -m benchmarks.processor [EDITS 20] [OTHER-CHECKOUT]   (from the project's root)

For each of the three programs of `load.py`, milliseconds of the processor: "edit", one edit in one session without a
browser on a hosted site, including the page's questions about its run; "server", the part of the process with
Streamlit; "run", only `explorer.run` of the program. "picture" is the median time until the visitor sees it. Processes
that prepare for the next edit are counted with the previous one. Ratios are to the other checkout.
"""

import asyncio
import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from benchmarks.browserless import Session
from benchmarks.load import PROGRAMS
from benchmarks.start import spent
from tests.visitor import server

NAMES = ("four lines", "15 nodes", "20 training steps")
REST = 1.2  # seconds after an edit for its processes to end and the next ones to start
RUNS = """
import sys, explorer
for line in sys.stdin:
    explorer.run(eval(line))
    print(flush=True)
"""
Rows = dict[tuple[str, str], list[float]]


class Server:
    """A hosted site of a checkout with one session."""

    def __init__(self, process: subprocess.Popen, session: Session):
        self._process, self._session = psutil.Process(process.pid), session

    async def edit(self, text: str) -> dict[str, float]:
        """Return milliseconds of one edit."""
        before = self._used()
        took = await self._session.type(text)
        await self._session.idle(REST)
        own, everyone = (after - was for after, was in zip(self._used(), before, strict=True))
        assert self._session.shown.state == "ok", self._session.shown.errors
        return {"edit": everyone * 1000, "server": own * 1000, "picture": took * 1000}

    def _used(self) -> tuple[float, float]:
        own = self._process.cpu_times()
        return own.user + own.system, spent(self._process)


class Runs:
    """A process of a checkout that runs programs."""

    def __init__(self, process: subprocess.Popen):
        self._process = process

    def run(self, text: str) -> float:
        """Return the processor milliseconds of one run."""
        process = psutil.Process(self._process.pid)
        before = spent(process)
        print(repr(text), file=self._process.stdin, flush=True)
        self._process.stdout.readline()
        time.sleep(REST)
        return (spent(process) - before) * 1000


@contextlib.contextmanager
def runs(checkout: Path) -> Iterator[Runs]:
    """Yield a process that runs programs, as that checkout does it."""
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", RUNS], cwd=checkout, env=environment, text=True, **pipes) as process:
        try:
            yield Runs(process)
        finally:
            process.kill()


async def measure(count: int, checkouts: list[Path]) -> dict[Path, Rows]:
    """Return each row's figures of every checkout, which take turns."""
    rows: dict[Path, Rows] = {checkout: {} for checkout in checkouts}
    async with contextlib.AsyncExitStack() as stack:
        servers, alone = {}, {}
        for checkout in checkouts:
            started = stack.enter_context(server(root=checkout, EXPLORER_HOSTED="1"))
            session = await stack.enter_async_context(Session(started[1], "198.19.0.1"))
            await session.load()
            servers[checkout] = Server(started[0], session)
            alone[checkout] = stack.enter_context(runs(checkout))
        for turn in range(-3, count):  # the first rounds import and preload
            for name, program in zip(NAMES, PROGRAMS, strict=True):
                text = program.format(n=turn + 3, x=f"0.{turn + 10}")
                for checkout in checkouts:
                    took = await servers[checkout].edit(text)
                    took["run"] = alone[checkout].run(f"import torch\n{text}")
                    for what, figure in took.items() if turn >= 0 else ():
                        rows[checkout].setdefault((name, what), []).append(figure)
    return rows


def main(count: int, others: list[Path]) -> None:
    """Measure, and print a row for each program."""
    here = Path.cwd()
    measured = asyncio.run(measure(count, [*others, here]))
    kinds = ("edit", "server", "run", "picture")
    print(f"{'':34}" + "".join(f"{kind:>12}" for kind in kinds))
    for name in NAMES:
        figures = {}
        for checkout, rows in measured.items():
            values = {
                kind: statistics.median(rows[name, kind]) if kind == "picture" else statistics.fmean(rows[name, kind])
                for kind in kinds
            }
            figures[checkout] = values
            print(f"{name}: {checkout.name:{32 - len(name)}}" + "".join(f"{values[kind]:9.0f} ms" for kind in kinds))
        for other in others:
            ratios = "".join(f"{figures[here][kind] / figures[other][kind]:12.2f}" for kind in kinds)
            print(f"{name}: ×{'':{31 - len(name)}}{ratios}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 20, [Path(other).resolve() for other in given[1:]])

"""What a run costs before and beside its program: processor time and page faults of its child, and how long one waits.

usage: python benchmarks/floor.py [RUNS]   (from the project's root; Linux)

A small program is run by one session and then by four, with pauses. Processor time is the kernel's own sum, so that a
busy machine, which waits longer, tells much the same.
"""

import os
import random
import statistics
import sys
import threading
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.program import read_text
from explorer.sandbox import Runner
from explorer.sandbox.parent import Parent

PROGRAM = "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"
TICK = 1000 / os.sysconf("SC_CLK_TCK")  # ms
SESSIONS = {"one session": (1, 0.1), "four sessions": (4, 0.6)}  # how many, and seconds of their pauses


def spent(parent: int) -> list[float]:
    """Page faults of its ended children, their processor time, its own and this process's, in ms (proc(5), stat)."""
    with open(f"/proc/{parent}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    own, children = (sum(map(int, fields[at : at + 2])) * TICK for at in (11, 13))
    return [int(fields[8]), children, own, time.process_time() * 1000]


def took(runner: Runner, session: str) -> float:
    """Milliseconds of one run."""
    began = time.perf_counter()
    assert runner.submit(read_text(PROGRAM), session=session).result(60).status == "ok"
    return (time.perf_counter() - began) * 1000


def measure(runner: Runner, count: int, sessions: int, pause: float) -> tuple[list[float], list[float]]:
    """How long each run took, and per run what `spent` tells."""
    waited: list[float] = []

    def work(session: str) -> None:
        for _ in range(count // sessions):
            time.sleep(random.uniform(0.5, 1.5) * pause)
            waited.append(took(runner, session))

    time.sleep(0.5)  # earlier children have ended, the next is forked ahead
    before = spent(runner.programs.pid)
    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.5)
    after = spent(runner.programs.pid)
    return waited, [(then - now) / len(waited) for now, then in zip(before, after, strict=True)]


def main() -> None:
    """One parent for all of it, as in the middle of its life."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    runner = Runner(make=partial(Parent, replace_after=1_000_000))
    runner.start()
    assert runner.ready(60)
    for _ in range(5):
        took(runner, "first")
        time.sleep(0.5)
    for name, (sessions, pause) in SESSIONS.items():
        waited, (faults, child, parent, server) = measure(runner, count, sessions, pause)
        p50, p95 = statistics.median(waited), statistics.quantiles(waited, n=20)[-1]
        print(
            f"{name}: p50 {p50:.0f} ms, p95 {p95:.0f} ms; processor {child + parent + server:.0f} ms (child "
            f"{child:.0f}, parent {parent:.0f}, server {server:.0f}); {faults:.0f} page faults"
        )
    runner.close()


if __name__ == "__main__":
    main()

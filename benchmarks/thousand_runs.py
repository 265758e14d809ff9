"""A thousand runs, many sessions at once: what each costs, and what is left when they are over.

usage: python benchmarks/thousand_runs.py [RUNS]   (from the project's root)
"""

import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.program import read_text
from explorer.sandbox import Run, Runner

PROGRAM = "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"
TOGETHER = 20


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1000


def left(runner: Runner) -> str:
    """What this process and the parent hold now."""
    time.sleep(0.5)  # the last child has answered and is about to end
    parent = runner.programs.pid
    states = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) in (os.getpid(), parent):
            states.append(fields[0])
    descriptors = [len(os.listdir(f"/proc/{pid}/fd")) for pid in (os.getpid(), parent)]
    return (
        f"descriptors {descriptors[0]} here, {descriptors[1]} in the parent; {memory_mb(os.getpid()):.0f} MB here, "
        f"{memory_mb(parent):.0f} MB in the parent; {len(states)} processes, {states.count('Z')} zombies"
    )


def main() -> None:
    """Runs one after the other, then many at once."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    runner = Runner()
    runner.start()
    assert runner.ready(60) and runner.layouts.ready(60)
    took = []
    for _ in range(30):
        began = time.perf_counter()
        assert runner.submit(read_text(PROGRAM)).result(30).status == "ok"
        took.append((time.perf_counter() - began) * 1000)
    print(f"one after the other: {statistics.median(took):.1f} ms, at best {min(took):.1f} ms")
    print(f"before: {left(runner)}")
    began, parents, open_runs = time.perf_counter(), set(), list[Run]()
    for i in range(count):
        open_runs.append(runner.submit(read_text(PROGRAM), session=str(i)))
        parents.add(runner.programs.pid)
        if len(open_runs) >= TOGETHER:
            assert open_runs.pop(0).result(60).status == "ok"
    assert all(run.result(60).status == "ok" for run in open_runs)
    seconds = time.perf_counter() - began
    print(f"{count} runs, {TOGETHER} at once: {seconds / count * 1000:.1f} ms each, {len(parents)} parents")
    time.sleep(5)  # until the retired parents are gone
    assert runner.submit(read_text(PROGRAM)).result(30).status == "ok"
    print(f"after: {left(runner)}")
    runner.close()


if __name__ == "__main__":
    main()

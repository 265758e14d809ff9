"""What confining costs: one run with every mechanism over one with none, and the memory that is a child's own.

python benchmarks/confinement.py [RUNS]
"""

import os
import statistics
import sys
import time
from functools import partial

from explorer.program import read_text
from explorer.sandbox import Runner
from explorer.sandbox.confine import Confinement
from explorer.sandbox.parent import Parent

PROGRAMS = {
    "trivial": "x = 1",
    "small backward": "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)",
    "training": "w = torch.zeros(4, requires_grad=True)\nfor i in range(100):\n    loss = ((w - 1) ** 2).sum()\n"
    "    loss.backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n        w.grad.zero_()\n",
}


def took(runner: Runner, text: str) -> float:
    """Milliseconds of one run."""
    began = time.perf_counter()
    assert runner.submit(read_text(text)).result(60).status == "ok"
    return (time.perf_counter() - began) * 1000


def memory(parent: int) -> dict[str, int]:
    """Kilobytes of the parent's one child: its own and its share. Only readable where children stay dumpable."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                of = int(file.read().rsplit(")", 1)[1].split()[1])
            if of == parent:
                with open(f"/proc/{name}/smaps_rollup") as file:
                    rows = [line.split() for line in file.read().splitlines()[1:]]
                kilobytes = {row[0]: int(row[1]) for row in rows}
                own = kilobytes["Private_Clean:"] + kilobytes["Private_Dirty:"]
                return {"private": own, "proportional": kilobytes["Pss:"]}
        except (FileNotFoundError, ProcessLookupError):
            continue
    raise LookupError("no child")


def main() -> None:
    """Runs both kinds in turn, so that both meet the same load."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    without = Confinement.__struct_fields__
    confined, plain = Runner(), Runner(make=partial(Parent, without=without))
    for runner in (confined, plain):
        runner.start()
        assert runner.ready(60)
    for name, text in PROGRAMS.items():
        times = [(took(confined, text), took(plain, text)) for _ in range(count)]
        mine, theirs = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name}: {mine:.1f} ms confined, {theirs:.1f} ms plain, {mine / theirs:.2f}x, {mine - theirs:+.1f} ms")
    run = confined.submit(read_text(PROGRAMS["small backward"] + "\nwhile True: pass"))
    time.sleep(1)
    print("one child, kB:", memory(confined.programs.pid))
    run.cancel()
    for runner in (confined, plain):
        runner.close()


if __name__ == "__main__":
    main()

"""What workers of a cluster bring and cost: programs in a second with one and with two, and what the way takes.

usage: python benchmarks/cluster.py [RUNS]   (from the project's root; needs dask.distributed)
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.program import read_text
from explorer.sandbox import Runner
from explorer.sandbox.cluster.remote import Cluster
from explorer.sandbox.cluster.settings import cluster_settings
from explorer.sandbox.wire import LAYOUT, Order
from explorer.trace import Options
from tests.sandbox.machines import Machines, free_port

SMALL = "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n"
LONG = "for _ in range(20_000_000): pass\n"  # about half a second of a processor
GRAPH = LAYOUT + b"digraph { a -> b; b -> c; a -> c }"


def rate(runner: Runner, count: int) -> float:
    """Long programs of as many sessions that end in a second."""
    began = time.perf_counter()
    runs = [runner.submit(read_text(LONG), Options(time_limit=60), session=str(i)) for i in range(count)]
    assert all(run.result(600).status == "ok" for run in runs)
    return count / (time.perf_counter() - began)


def waits(runner: Runner, times: int = 50) -> tuple[float, float]:
    """Milliseconds, in the middle, until a small program and a small layout are there; one after the other."""
    programs, layouts = [], []
    for _ in range(times):
        began = time.perf_counter()
        assert runner.submit(read_text(SMALL)).result(60).status == "ok"
        programs.append(time.perf_counter() - began)
        began = time.perf_counter()
        assert runner.layouts.call(GRAPH, Order(1.0, 5.0, 200.0), 10**6).wait().outcome == "reply"
        layouts.append(time.perf_counter() - began)
    return statistics.median(programs) * 1000, statistics.median(layouts) * 1000


def report(name: str, runner: Runner, count: int) -> float:
    """Prints a row of figures; gives the rate."""
    waits(runner, 5)
    program, layout = waits(runner)
    found = rate(runner, count)
    print(f"{name:24} {found:5.2f} programs/s   small program {program:5.1f} ms   layout {layout:5.1f} ms", flush=True)
    return found


def main() -> None:
    """Here, then over a scheduler on this machine with one worker, then with two."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    here = Runner(at_once=1)
    here.start()
    assert here.ready(120)
    report("here, one at a time", here, count)
    here.close()
    settings = {"EXPLORER_SCHEDULER": f"tcp://127.0.0.1:{free_port()}"}
    with tempfile.TemporaryDirectory() as folder:
        machines, cluster = Machines(settings, Path(folder) / "log"), Cluster(cluster_settings(settings))
        try:
            machines.start_scheduler()
            rates = []
            for workers in (1, 2):
                machines.start_worker()
                assert machines.full(cluster)
                runner = Runner(make=cluster.executor, at_once=cluster.at_once)
                runner.start()
                rates.append(report(f"{workers} worker{'s' * (workers > 1)}", runner, count))
            print(f"two workers end {rates[1] / rates[0]:.2f} times as many programs as one")
        finally:
            cluster.close()
            machines.end()


if __name__ == "__main__":
    main()

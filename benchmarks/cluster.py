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
ROUNDS = 5
GRAPH = LAYOUT + b"digraph { a -> b; b -> c; a -> c }"


def rate(runner: Runner, count: int) -> float:
    """Long programs of as many sessions that end in a second."""
    began = time.perf_counter()
    runs = [runner.submit(read_text(LONG), Options(time_limit=60), session=str(i)) for i in range(count)]
    assert all(run.result(600).status == "ok" for run in runs)
    return count / (time.perf_counter() - began)


def waits(runner: Runner, times: int) -> tuple[float, float]:
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


def main() -> None:
    """Here and on a cluster on this machine, in turns, since others may use it too."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    settings = {"EXPLORER_SCHEDULER": f"tcp://127.0.0.1:{free_port()}"}
    with tempfile.TemporaryDirectory() as folder:
        machines, cluster = Machines(settings, Path(folder) / "log"), Cluster(cluster_settings(settings))
        runners = {
            "here, one at a time": Runner(at_once=1),
            "one worker": Runner(make=cluster.executor, at_once=1),
            "two workers": Runner(make=cluster.executor, at_once=2),
        }
        try:
            machines.start_scheduler()
            for _ in range(2):
                machines.start_worker()
            assert machines.full(cluster)
            for runner in runners.values():
                runner.start()
                waits(runner, 5)
            rounds = [
                {name: (rate(runner, count), *waits(runner, 15)) for name, runner in runners.items()}
                for _ in range(ROUNDS)
            ]
        finally:
            for runner in runners.values():
                runner.close()
            machines.end()
    for name in runners:
        rates, programs, layouts = zip(*(one[name] for one in rounds), strict=True)
        print(
            f"{name:20} {max(rates):5.2f} programs/s   small program {min(programs):5.1f} ms"
            f"   layout {min(layouts):5.1f} ms   (the best of {ROUNDS} rounds)"
        )
    more = [one["two workers"][0] / one["one worker"][0] for one in rounds]
    print("two workers against one:", "  ".join(f"{factor:.2f}" for factor in more))


if __name__ == "__main__":
    main()

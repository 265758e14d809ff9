"""What one edit of a 15-node program costs, stage by stage: CPU of this process and of the children it causes, in ms.

usage: python benchmarks/interaction.py   (from the project's root)
Stages: split the text, run it (fork, run, record, encode; CPU of the child and its parent), decode and check, view,
DOT, layout (CPU of the layout child and its parent), render. The last line is the sum; the goal is 70 ms.
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.analysis.autograd import graph_view, sentence
from explorer.drawing.graph.dot import to_dot
from explorer.drawing.graph.legend import legend
from explorer.drawing.graph.svg import to_svg
from explorer.program import read_text
from explorer.sandbox import Runner, layout
from explorer.trace import Options, Trace, decode, encode

ROUNDS = 15
PROGRAM = """\
import torch
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w1 = torch.tensor([[0.5, -0.5], [0.25, 0.75]], requires_grad=True)
b1 = torch.zeros(2, requires_grad=True)
w2 = torch.tensor([[1.0], [-1.0]], requires_grad=True)
h = torch.relu(x @ w1 + b1)
z = h @ w2
p = torch.sigmoid(z)
y = torch.tensor([[1.0], [0.0]])
error = (p - y) ** 2
penalty = 0.01 * ((w1 ** 2).sum() + (w2 ** 2).sum())
loss = error.mean() + penalty
loss.backward()
"""


def used(pid: int) -> float:
    """CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / 100


def main() -> None:
    """Measures and prints."""
    runner = Runner()
    runner.start()
    runner.ready(60)
    runner.layouts.ready(60)
    took: dict[str, list[float]] = {}

    def stage(name: str, work):
        start = time.process_time()
        result = work()
        took.setdefault(name, []).append((time.process_time() - start) * 1e3)
        return result

    children = {"run: child and parent": runner.programs.pid, "layout: child and parent": runner.layouts.pid}
    trace: Trace | None = None
    before = {name: used(pid) for name, pid in children.items()}
    for _ in range(ROUNDS):
        program = stage("split", lambda: read_text(PROGRAM))
        trace = stage("run: server's part, decode and check", lambda: runner.submit(program, Options()).result())  # noqa: B023
        view = stage("view", lambda: graph_view(trace))  # noqa: B023
        dot = stage("dot", lambda: to_dot(view))  # noqa: B023
        positions = stage("layout: server's part", lambda: layout(dot, runner))  # noqa: B023
        stage("render", lambda: (to_svg(view, positions, "en"), legend(view, "en"), sentence(view, "en")))  # noqa: B023
    time.sleep(0.2)  # until the last child is reaped
    figures = {name: statistics.median(values) for name, values in took.items()}
    for name, pid in children.items():
        figures[name] = (used(pid) - before[name]) * 1e3 / ROUNDS
    encoded = encode(trace)
    start = time.process_time()
    decode(encoded)
    print(
        f"{len(trace.nodes)} nodes, {len(encoded)} bytes, decode and check {(time.process_time() - start) * 1e3:.1f} ms"
    )
    for name, figure in figures.items():
        print(f"{figure:6.1f} ms  {name}")
    print(f"{sum(figures.values()):6.1f} ms  in all")
    runner.close()


if __name__ == "__main__":
    main()

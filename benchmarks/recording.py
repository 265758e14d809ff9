"""What recording costs: CPU of `explorer.record()` around forward and backward, as a ratio to the plain program.

usage: python benchmarks/recording.py [NODES ...]   (from the project's root; default 1000 10000 100000)
Prints a line per shape and size: light, complete, and the torchviz picture of the same graph where it draws one.
"""

import gc
import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from torchviz import make_dot

import explorer

D = 4  # rows and columns of every tensor: small, so that nothing hides the cost of recording
A, B = torch.full((D, D), 0.999, requires_grad=True), torch.full((D, D), 0.001, requires_grad=True)
W = [torch.randn(D, D, requires_grad=True) for _ in range(6)]


def chain(nodes: int) -> torch.Tensor:
    """One operation after the other, as a recurrent network or an optimisation loop makes them."""
    x = torch.ones(D, D, requires_grad=True)
    for _ in range(nodes // 2):
        x = x * A + B
    return x.sum()


def wide(nodes: int) -> torch.Tensor:
    """Two layers of many attention heads side by side."""
    x = torch.ones(D, D, requires_grad=True)
    for _ in range(2):
        heads = []
        for head in range(nodes // 14):
            q, k, v = x @ W[head % 2], x @ W[2 + head % 2], x @ W[4 + head % 2]
            heads.append(torch.softmax(q @ k.t(), -1) @ v)
        x = torch.tanh(torch.stack(heads).mean(0) + x)
    return x.sum()


def plain(shape, nodes: int) -> None:
    """The program itself."""
    shape(nodes).backward()


def recorded(shape, nodes: int, detail: str) -> None:
    """The program under the recorder, which is gone before its graph is."""
    with explorer.record(detail=detail):
        out = shape(nodes)
        out.backward()
    del out


def cpu(work, *args, rounds: int = 5) -> float:
    """The least CPU seconds of several rounds."""
    best = math.inf
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        work(*args)
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Measures and prints."""
    torch.set_num_threads(1)
    for shape in (chain, wide):
        for nodes in map(int, sys.argv[1:] or (1_000, 10_000, 100_000)):
            base = cpu(plain, shape, nodes)
            light, complete = (cpu(recorded, shape, nodes, detail) / base for detail in ("light", "complete"))
            line = f"{shape.__name__} {nodes}: {base * 1e6 / nodes:.1f} µs per node plain, "
            line += f"light {light:.1f}x, complete {complete:.1f}x"
            if shape is wide and nodes <= 10_000:  # it recurses over the graph: a chain of 1000 is too deep for it
                drawn = cpu(lambda: make_dot(wide(nodes), show_attrs=True, show_saved=True).source, rounds=2)  # noqa: B023
                line += f", torchviz with attributes {drawn / base:.1f}x"
            print(line, flush=True)


if __name__ == "__main__":
    main()

"""What long loops cost under the recorder of a run: CPU time as a multiple of the plain program, in turns.

usage: python -m benchmarks.loops [ROUNDS 2]
"""

import gc
import sys
import time
from collections.abc import Callable

import torch

from explorer.program.reader import read_program
from explorer.runtime.child import OPERATION_CAP
from explorer.runtime.execute import execute
from explorer.trace import Options

_MODEL = """
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.linspace(-1, 1, 20).reshape(-1, 1)
y = 2 * x + 1
def step(x, y):
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
_DATA = """
from torch.utils.data import DataLoader, TensorDataset
data = DataLoader(TensorDataset(x, y), batch_size=4)
"""
_H = "h, i = torch.ones(4), 0\n"
LOOPS = {
    "training, for": f"{_MODEL}for i in range(5_000): step(x, y)",
    "training, break": f"{_MODEL}i = 0\nwhile True:\n    step(x, y)\n    i += 1\n    if i == 5_000: break",
    "training, DataLoader": f"{_MODEL}{_DATA}for i in range(1_000):\n    for a, b in data: step(a, b)",
    "operations, for": f"{_H}for i in range(40_000): h = h * 0.999 + 0.001",
    "operations, break": f"{_H}while True:\n    h = h * 0.999 + 0.001\n    i += 1\n    if i == 40_000: break",
    "operations, generator": f"{_H}for v in (k for k in range(40_000)):\n    h = h * 0.999 + v",
    "operations, function": f"{_H}def f(h):\n    return h * 0.999 + 0.001\n"
    "while i < 40_000 and True:\n    h, i = f(h), i + 1",
}


def _plain(source: str) -> None:
    exec(compile(source, "loop.py", "exec"), {"torch": torch, "__name__": "loop"})


def _recorded(source: str) -> None:
    execute(read_program("loop.py", source.encode()), Options(), operation_cap=OPERATION_CAP)


def _seconds(run: Callable[[str], None], source: str) -> float:
    gc.collect()
    began = time.process_time()
    run(source)
    return time.process_time() - began


def main(rounds: int) -> None:
    """Print the least time of each loop, plain and recorded."""
    torch.set_num_threads(1)
    for run in (_plain, _recorded):
        run(LOOPS["training, for"])  # what torch prepares on first use
    for name, source in LOOPS.items():
        times = [(_seconds(_plain, source), _seconds(_recorded, source)) for _ in range(rounds)]
        plain, recorded = (min(column) for column in zip(*times, strict=True))
        print(f"{name}: plain {plain:.2f} s, recorded {recorded:.2f} s, {recorded / plain:.1f} x", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)

"""Measure long loops under a run's recorder: CPU time as a multiple of the plain program.

usage: python -m benchmarks.loops [ROUNDS 2] [NAMES, of the table below or parts of them] [--keep]

Ratios are compared with those in benchmarks/results.json; `--keep` replaces them.
"""

import gc
import sys
import time
from collections.abc import Callable

import torch

from benchmarks.results import hold
from explorer.program.reader import read_program
from explorer.runtime.child import OPERATION_CAP
from explorer.runtime.execute import execute
from explorer.trace import Options

_XY = """
torch.manual_seed(0)
x = torch.linspace(-1, 1, 20).reshape(-1, 1)
y = 2 * x + 1
i = 0
"""
_STEP = """
def step(x, y):
    global loss
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
_MODEL = f"{_XY}model = torch.nn.Linear(1, 1)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.01)\n{_STEP}"
_DEEP = f"""{_XY}model = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
{_STEP}"""
_DATA = """
from torch.utils.data import DataLoader, TensorDataset
data = DataLoader(TensorDataset(x, y), batch_size=4)
"""
_HAND = f"""{_XY}w, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
def step():
    loss = ((x * w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w, b):
            p -= 0.01 * p.grad
            p.grad = None
"""
_H = "h, i = torch.ones(4), 0\n"
LOOPS = {
    "training, for": f"{_MODEL}for i in range(5_000): step(x, y)",
    "training, break": f"{_MODEL}while True:\n    step(x, y)\n    i += 1\n    if i == 5_000: break",
    "training, DataLoader": f"{_MODEL}{_DATA}for i in range(1_000):\n    for a, b in data: step(a, b)",
    "training, loss": f"{_MODEL}loss = 1\nwhile loss > 1e-30 and i < 5_000:\n    step(x, y)\n    i += 1",
    "training, by hand": f"{_HAND}for i in range(5_000): step()",
    "training, batches": f"{_MODEL}batches = [(x[at : at + 4], y[at : at + 4]) for at in range(0, 20, 4)]\n"
    "for epoch in range(1_000):\n    for a, b in batches: step(a, b)",
    "training, Adam": f"{_DEEP}for i in range(5_000): step(x, y)",
    "training, Adam, function": f"{_DEEP}def fit():\n    for i in range(5_000):\n        step(x, y)\nfit()",
    "training, Adam, break": f"{_DEEP}while True:\n    step(x, y)\n    i += 1\n    if i == 5_000: break",
    "operations, for": f"{_H}for i in range(40_000): h = h * 0.999 + 0.001",
    "operations, break": f"{_H}while True:\n    h = h * 0.999 + 0.001\n    i += 1\n    if i == 40_000: break",
    "operations, generator": f"{_H}for v in (k for k in range(40_000)):\n    h = h * 0.999 + v",
    "operations, function": f"{_H}def f(h):\n    return h * 0.999 + 0.001\n"
    "while i < 40_000 and True:\n    h, i = f(h), i + 1",
    "operations, functions": f"{_H}def a(h): return h * 0.999\ndef b(h): return h + 0.001\n"
    "def c(h): return b(a(h))\nwhile i < 40_000 and True:\n    h, i = c(h), i + 1",
    "operations, exception": f"{_H}try:\n    while True:\n        h, i = h * 0.999 + 0.001, i + 1\n"
    "        assert i < 40_000\nexcept AssertionError: pass",
    "operations, method": f"{_H}class M:\n    h = torch.ones(4)\n    def run(self):\n"
    "        for i in range(1_000_000):\n            self.h = self.h * 0.999 + 0.001\n"
    "            if i == 40_000: return\nM().run()",
    "operations, __iter__": f"{_H}class Bar:\n    def __iter__(self):\n        for v in range(40_000): yield v\n"
    "for v in Bar(): h = h * 0.999 + v",
    "operations, yielded": f"{_H}def values(h):\n    for i in range(40_000):\n        h = h * 0.999 + 0.001\n"
    "        yield h\nfor h in values(h): pass",
    "operations, no_grad": f"{_H}with torch.no_grad():\n    while True:\n        h = h * 0.999 + 0.001\n"
    "        i += 1\n        if i == 40_000: break",
    "operations, comprehension": f"{_H}x = [(h * v + 0.001).sum().item() for v in range(20_000)]",
    "operations, map": f"{_H}for v in map(lambda v: h * v + 0.001, range(40_000)): pass",
    "operations, reduce": f"{_H}import functools\nx = functools.reduce(lambda h, v: h * 0.999 + v, range(40_000), h)",
    "operations, sum": f"{_H}x = sum(h * v for v in range(40_000))",
    "operations, recursion": f"{_H}def f(h, n): return f(h * 0.999 + 0.001, n - 1) if n else h\n"
    "for i in range(400): h = f(h, 100)",
    "operations, around a loop": f"{_H}while True:\n    for j in range(10): h = h * 0.999 + 0.001\n    i += 10\n"
    "    if i == 40_000: break",
    "operations, DataLoader": "from torch.utils.data import DataLoader, TensorDataset\nh = torch.ones(4)\n"
    "for v, in DataLoader(TensorDataset(torch.arange(40_000.0)), batch_size=4): h = h * 0.999 + v",
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


def main(rounds: int, names: list[str], write: bool) -> bool:
    """Print the least time of each loop matching `names`; return whether none is slower than before."""
    rows: dict[str, tuple[float, float]] = {}
    torch.set_num_threads(1)
    for run in (_plain, _recorded):
        run(LOOPS["training, for"])  # warms torch up
    gc.collect()
    gc.freeze()  # as before a run's process is forked; otherwise the collector visits all modules
    for name, source in LOOPS.items():
        if names and not any(part in name for part in names):
            continue
        times = [(_seconds(_plain, source), _seconds(_recorded, source)) for _ in range(rounds)]
        plain, recorded = (min(column) for column in zip(*times, strict=True))
        print(f"{name}: plain {plain:.2f} s, recorded {recorded:.2f} s, {recorded / plain:.1f} x", flush=True)
        rows[name] = recorded, recorded / plain
    return hold("loops", rows, write)


if __name__ == "__main__":
    asked = [given for given in sys.argv[1:] if given != "--keep"]
    sys.exit(not main(int(asked[0]) if asked else 2, asked[1:], "--keep" in sys.argv))

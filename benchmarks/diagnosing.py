"""What diagnoses cost: seconds of all rules beside the seconds of the run, for small programs and for long ones.

usage: python benchmarks/diagnosing.py [PATH ...]   (from the project's root; programs besides those below)
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import explorer
from explorer.analysis.faults import diagnose

TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(32, 8), torch.randn(32, 1)
total = 0.0
for epoch in range({rounds}):
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    total += loss.item()
print(total)
"""
CHAIN = "import torch\nx = torch.ones(4, requires_grad=True)\ny = x\n{steps}y.sum().backward()\n"
PROGRAMS = {
    "three lines": "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x + x).backward()\n",
    "10 rounds": TRAINING.format(rounds=10),
    "100 rounds": TRAINING.format(rounds=100),
    "300 rounds": TRAINING.format(rounds=300),
    "2000 operations": CHAIN.format(steps="y = torch.tanh(y * 1.01)\n" * 1_000),
}


def main() -> None:
    """A line for each program."""
    programs = PROGRAMS | {path: Path(path) for path in sys.argv[1:]}
    explorer.run("import torch")
    for name, program in programs.items():
        began = time.monotonic()
        trace = explorer.run(program)
        ran = time.monotonic() - began
        began = time.process_time()
        found = diagnose(trace)
        took = time.process_time() - began
        kinds = [one.kind for one in found]
        share = f"{100 * took / ran:.1f} %"
        print(f"{name}: run {ran:.3f} s, diagnoses {took:.4f} s = {share}; {len(trace.operations)} operations", *kinds)


if __name__ == "__main__":
    main()

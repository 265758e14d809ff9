"""Measure the search for bugs: the cost of each rule, and how it grows with the program.

usage: python -m benchmarks.rules [NAMES, of the table below or parts of them] [--sizes 500 2000 8000] [--rows 12]

Each program is recorded with about so many operations. A line per rule, the most expensive first: milliseconds of the
processor at each size, its share of the whole search at the largest, and the growth (1 is in proportion to the
operations, 2 to their square). Look-ups that rules share are rows of their own, in brackets.
"""

import argparse
import gc
import math
import time
from collections.abc import Callable

from explorer.analysis.diagnose.faults.diagnosis import RULES
from explorer.analysis.diagnose.faults.search_time import name_of
from explorer.analysis.run.model import run_of
from explorer.program.reader import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace

_HEAD = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\ntorch.manual_seed(0)\n"
_TEACHER = """
student, teacher = (nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2)) for _ in range(2))
teacher.load_state_dict(student.state_dict())
for p in teacher.parameters():
    p.requires_grad = False
x, y = torch.randn(20, 2), torch.randint(0, 2, (20,))
for step in range({0}):
    opt = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9)
    loss = F.cross_entropy(student(x), y)
    with torch.no_grad():
        target = teacher(x).softmax(1)
    loss = loss + F.mse_loss(student(x).softmax(1), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.data.mul_(0.9).add_(s.data, alpha=0.1)
"""
_TRAINING = """
net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
opt = torch.optim.AdamW(net.parameters())
x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
total = 0.0
for step in range({0}):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    total += loss.item()
"""
_DEEP = """
net = nn.Sequential(*[m for _ in range({0}) for m in (nn.Linear(8, 8), nn.Tanh())], nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
x, y = torch.randn(16, 8), torch.randn(16, 1)
for _ in range(2):
    loss = F.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
"""
_LOOP = """
w, h = (torch.randn(4, 4) * 0.3).requires_grad_(), torch.ones(3, 4)
for _ in range({0}):
    h = torch.tanh(h @ w) + 0.1 * h
h.square().mean().backward()
"""
_ATTENTION = """
embed, block, head = nn.Embedding(9, 8), nn.ModuleList(nn.Linear(8, 24) for _ in range(3)), nn.Linear(8, 9)
opt = torch.optim.Adam([*embed.parameters(), *block.parameters(), *head.parameters()])
ids = torch.randint(0, 9, (4, 7))
for _ in range({0}):
    h = embed(ids[:, :-1])
    for layer in block:
        q, k, v = layer(h).chunk(3, -1)
        s = (q @ k.transpose(1, 2)).masked_fill(torch.ones(6, 6, dtype=torch.bool).triu(1), float("-inf"))
        h = h + s.softmax(-1) @ v
    loss = F.cross_entropy(head(h).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad(); loss.backward(); opt.step()
"""
_AGENT = """
actor, critic, old = nn.Linear(4, 2), nn.Linear(4, 1), nn.Linear(4, 2)
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()])
for _ in range({0}):
    s = torch.randn(6, 4)
    policy = torch.distributions.Categorical(logits=actor(s))
    a = policy.sample()
    value = critic(s).squeeze(1)
    weight = torch.randn(6) - value.detach()
    loss = -(policy.log_prob(a) * weight).mean() + F.smooth_l1_loss(value, torch.randn(6))
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(actor.parameters(), 1.0); opt.step()
"""
PROGRAMS = {  # program → operations per round
    "student and teacher": (_TEACHER, 38),
    "training": (_TRAINING, 28),
    "deep network": (_DEEP, 9),
    "loop": (_LOOP, 4),
    "attention": (_ATTENTION, 65),
    "agent": (_AGENT, 55),
}
LOOK_UPS = ("names", "by_name", "makers", "users", "places", "leads_to_root", "bringers", "phases", "inside")


def recorded(source: str, each: int, size: int) -> Trace:
    """Record a program with about so many operations."""
    program = read_program("program.py", (_HEAD + source.format(max(1, size // each))).encode())
    return execute(program, Options())


def costs(trace: Trace) -> dict[str, float]:
    """Return the milliseconds of each rule on a fresh Trace, and of the look-ups."""
    run, found = run_of(trace), dict[str, float]()
    steps: list[tuple[str, Callable[[], object]]] = [
        (f"[{name}]", lambda name=name: getattr(run, name)) for name in LOOK_UPS
    ]
    steps += [
        (f"{rule.__module__.rpartition('.')[2]}.{name_of(rule)}", lambda rule=rule: list(rule(run))) for rule in RULES
    ]
    gc.collect()
    gc.freeze()  # the Trace, so that it isn't walked before each rule
    for label, step in steps:
        gc.collect()
        gc.disable()
        begin = time.process_time()
        step()
        found[label] = found.get(label, 0.0) + 1000 * (time.process_time() - begin)
        gc.enable()
    gc.unfreeze()
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sizes", nargs="+", type=int, default=[500, 2_000, 8_000])
    parser.add_argument("--rows", type=int, default=12)
    asked = parser.parse_args()
    for title, (source, each) in PROGRAMS.items():
        if asked.names and not any(part in title for part in asked.names):
            continue
        traces = [recorded(source, each, size) for size in asked.sizes]
        counts = [len(trace.operations) for trace in traces]
        tables = [costs(trace) for trace in traces]
        whole = [sum(table.values()) for table in tables]
        print(
            f"\n{title}: {', '.join(f'{count:,}' for count in counts)} operations; milliseconds of the whole search: "
            f"{', '.join(f'{one:.0f}' for one in whole)}, growth {_growth(counts, whole):.2f}",
            flush=True,
        )
        for label in sorted(tables[-1], key=lambda label: -tables[-1][label])[: asked.rows]:
            each_size = [table[label] for table in tables]
            share = 100 * each_size[-1] / whole[-1]
            shown = "".join(f"{one:9.1f}" for one in each_size)
            print(f"  {label:44}{shown}  {share:4.0f} %  growth {_growth(counts, each_size):.2f}")


def _growth(counts: list[int], values: list[float]) -> float:
    """Return the exponent of the growth from the first to the last size."""
    if len(counts) < 2 or counts[0] == counts[-1] or min(values[0], values[-1]) <= 0:
        return math.nan
    return math.log(values[-1] / values[0]) / math.log(counts[-1] / counts[0])


if __name__ == "__main__":
    main()

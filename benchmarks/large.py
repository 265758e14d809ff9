"""What a hand waits for with large programs on the Autograd page, in a real Chromium against a server of its own.

usage: python benchmarks/large.py [NAME …]   (from the project's root; without names all of `PROGRAMS`)
Per program a row: milliseconds from Ctrl+Enter to the frame with its picture, what the line above the editor says then,
nodes and cards by the page's own words, kilobytes to the browser. The goals: 10 000 nodes 0.5 s, 100 000 nodes 3 s.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.workbench import watched  # noqa: E402

CHAIN = """import torch
x = torch.tensor(1., requires_grad=True)
y = x
for i in range({}):
    y = y * 1.00001
(y * NUMBER).backward()
"""
PROGRAMS = {
    "ten nodes": CHAIN.format(10),
    "chain of 1 000": CHAIN.format(1_000),
    "chain of 10 000": CHAIN.format(10_000),
    "chain of 100 000": CHAIN.format(100_000),
    "nn.Sequential of 2 500 layers": """import torch
from torch import nn
model = nn.Sequential(*(layer for _ in range(1250) for layer in (nn.Linear(4, 4), nn.Tanh())))
loss = model(torch.ones(2, 4)).pow(2).mean() * NUMBER
loss.backward()
""",
    "RNN cell, 1 000 steps": """import torch
from torch import nn
cell = nn.RNNCell(4, 8)
h = torch.zeros(2, 8)
for t in range(1000):
    h = cell(torch.ones(2, 4), h)
(h.sum() * NUMBER).backward()
""",
    "scalar MLP by hand, 30 000 nodes": """import torch
torch.manual_seed(0)
def neuron(inputs):
    out = torch.zeros((), requires_grad=True)
    for one in inputs:
        weight = torch.randn((), requires_grad=True)
        out = out + weight * one
    return out.tanh()
values = [torch.tensor(float(k)) for k in range(50)]
for layer in range(4):
    values = [neuron(values) for _ in range(50)]
(sum(values) * NUMBER).backward()
""",
    "500 training steps": """import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
X, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(500):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(X), y) * NUMBER
    loss.backward()
    optimizer.step()
""",
}
ROUNDS = 3


def main(names: list[str]) -> None:
    """Measures and prints."""
    print("| program | ms to the picture, best of three | all | the page says | KB | SVG's cards |")
    print("|---|---|---|---|---|---|")
    with watched() as (page, _, received):
        area = page.locator(".st-key-editor textarea").first
        for name in names:
            took = []
            for number in range(ROUNDS):
                area.fill(PROGRAMS[name].replace("NUMBER", f"1.0{number + 1}"))  # another picture each time
                page.wait_for_timeout(100)
                before = sum(received)
                page.evaluate("drawn.length = 0")
                area.press("Control+Enter")
                while not page.evaluate("drawn.length"):  # the policy for scripts forbids wait_for_function
                    page.wait_for_timeout(200)
                page.wait_for_timeout(1000)
                took.append(page.evaluate("drawn.at(-1) - pressed"))
            said = page.locator(".st-key-status, [class*=status]").first.inner_text().replace("\n", " ")
            cards = page.locator(".st-key-graph g.node").count()
            kilobytes = (sum(received) - before) / 1000
            shown = ", ".join(f"{one:.0f}" for one in took)
            print(f"| {name} | {min(took):.0f} | {shown} | {said} | {kilobytes:.0f} | {cards} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(PROGRAMS))

"""How long a step of the player takes until its frame, in a real Chromium against a server of its own.

usage: python benchmarks/playing.py [STEPS] [WORD]   (from the project's root; WORD: only programs whose name has it)

For each program the player goes to its first moment; then Right is pressed so many times, spread over the whole line.
Told are the time from the key until the frame stands, the time of the browser's thread that a step takes by its own
clock (what others take of the machine is not in it) with what of it is style and layout, the longest step, how long the
server took until the line was there, and how many bytes it is. The goal is 100 ms from the key to the frame.
"""

import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.workbench import BROWSER, SWITCHES, server  # noqa: E402
from explorer.program.permalink import to_fragment  # noqa: E402
from tests.timeline.programs import GPT, MLP  # noqa: E402

LAYERS = """\
import torch
from torch import nn
x, y = torch.randn(120, 2), torch.randint(0, 2, (120,))
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(300):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
"""
TWENTY = """\
import torch
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(-3., requires_grad=True)
c = torch.tensor(10., requires_grad=True)
h = a * b + c
for i in range(3):
    h = h * a + b * i
g = torch.tanh(h) + torch.sigmoid(c) * h.exp().log()
y = g * g - a / 2
y.backward()
"""
ROUNDS = """\
import torch
w = torch.tensor(1.0, requires_grad=True)
for i in range(2500):
    loss = ((w * 2 - 3) ** 2) * 0.5
    loss.backward()
    w.data -= 0.001 * w.grad
    w.grad = None
"""
CHAIN = """\
import torch
x = torch.ones(3, requires_grad=True)
for i in range(2500):
    x = torch.tanh(x * 0.999)
x.sum().backward()
"""
BLOCKS = (
    GPT.split("tokens =")[0]
    + """
tokens = torch.tensor([[1, 4, 2, 0, 3]])
embed, head = nn.Embedding(5, 8), nn.Linear(8, 5, bias=False)
blocks = nn.Sequential(*[Block(8, 2) for _ in range(4)])
optimizer = torch.optim.SGD([*embed.parameters(), *blocks.parameters(), *head.parameters()], lr=0.1)
for i in range(36):
    logits = head(blocks(embed(tokens[:, :-1])))
    loss = F.cross_entropy(logits.view(-1, 5), tokens[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
)
PROGRAMS = {
    "20 nodes": TWENTY,
    "MLP, 20 steps": MLP,
    "3 layers, 300 steps": LAYERS,
    "1 000 operations": ROUNDS.replace("2500", "100"),
    "10 000 operations": ROUNDS.replace("2500", "1000"),
    "25 000 operations": ROUNDS,
    "GPT, 10 000 operations": BLOCKS,
    "chain of 2500 layers": CHAIN,
}

# In the page: presses Right at a moment, and says in ms how long the script of the page and the whole frame took.
PRESS = """() => new Promise((done) => {
  const start = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""
JUMP = """(share) => {
  const marks = [...document.querySelectorAll(".player .track [data-from]")], last = Number(marks.at(-1).dataset.to);
  const to = Math.max(1, Math.round(share * last)), mark = marks.find((one) => Number(one.dataset.to) >= to);
  const from = Number(mark.dataset.from), box = mark.getBoundingClientRect();
  const x = box.left + box.width * (to - from + 0.5) / (Number(mark.dataset.to) - from + 1);
  return [x, box.top + box.height / 2];
}"""


def main() -> None:
    """Measures and prints."""
    steps, word = int(sys.argv[1]) if len(sys.argv) > 1 else 40, "".join(sys.argv[2:])
    with server() as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=SWITCHES.split())
        for name, program in PROGRAMS.items():
            if word in name:
                page = browser.new_page(viewport={"width": 1400, "height": 900})
                page.goto(f"{address}/#{to_fragment({'program': program, 'name': 'program.py'})}")
                _measure(page, name, steps)
                page.close()
        browser.close()


def _measure(page: Page, name: str, steps: int) -> None:
    page.wait_for_selector(".player .track [data-from]", timeout=300_000)
    page.wait_for_timeout(1000)
    start = time.perf_counter()
    page.get_by_label("Back to the start").click()
    page.locator(".stepno", has_text="Step 1 of").wait_for(timeout=300_000)
    waited = time.perf_counter() - start
    size = page.evaluate("explorerReel.line.packed.length")
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    took: list[float] = []
    spent = dict.fromkeys(_FIGURES, 0.0)
    for at in range(5):  # a fifth of the presses each from another place of the line
        page.mouse.click(*page.evaluate(JUMP, at / 5))
        page.wait_for_timeout(400)
        page.evaluate(PRESS)
        before = _figures(devtools)
        took += [page.evaluate(PRESS) for _ in range(steps // 5)]
        spent = {key: spent[key] + now - before[key] for key, now in _figures(devtools).items()}
        page.wait_for_timeout(300)
    each = {key: 1e3 * value / len(took) for key, value in spent.items()}
    took.sort()
    print(
        f"{name}: p50 {statistics.median(took):.0f} ms, p95 {took[int(len(took) * 0.95)]:.0f} ms, "
        f"longest {took[-1]:.0f} ms; "
        f"thread {each['TaskDuration']:.1f} ms a step (script {each['ScriptDuration']:.1f}, "
        f"style {each['RecalcStyleDuration']:.1f}, layout {each['LayoutDuration']:.1f}); "
        f"line after {waited:.1f} s, {size / 1e3:.0f} KB",
        flush=True,
    )


_FIGURES = ("TaskDuration", "ScriptDuration", "RecalcStyleDuration", "LayoutDuration")


def _figures(devtools: CDPSession) -> dict[str, float]:
    """Seconds that the page's thread has worked, by its own clock."""
    metrics = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
    return {key: metrics[key] for key in _FIGURES}


if __name__ == "__main__":
    main()

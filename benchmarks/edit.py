"""Measure from Ctrl+Enter to the frame with the new picture, in Chromium against a local server.

usage: python -m benchmarks.edit [ROUNDS 10] [NAMES, of the programs below or parts of them] [--keep]

Each round runs the program with another number. A line per program: median and slowest in ms, processor time and bytes
sent by the server's process, cards of the picture. "drag" turns a number of the first example over 40 px in a second:
the row is the longest time without a new picture. "steps" presses the player's Step in programs of several sizes, from
the press to the frame. Goals: 15 nodes 100 ms, 10 000 nodes 0.5 s, 100 000 nodes 3 s, 19 of 20 steps 100 ms. Ratios are
to a fixed loop of Python.
"""

import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.results import hold
from tests.visitor import server

SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_CHAIN = """import torch
x = torch.tensor(1., requires_grad=True)
y = x
for i in range({}):
    y = y * 1.00001
(y * NUMBER).backward()
"""
PROGRAMS = {
    "15 nodes": """import torch
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w1 = torch.tensor([[0.5, -0.5], [0.25, 0.75]], requires_grad=True)
b1 = torch.zeros(2, requires_grad=True)
w2 = torch.tensor([[1.0], [-1.0]], requires_grad=True)
h = torch.relu(x @ w1 + b1)
z = h @ w2
p = torch.sigmoid(z)
y = torch.tensor([[1.0], [0.0]])
error = (p - y) ** 2
penalty = NUMBER * ((w1 ** 2).sum() + (w2 ** 2).sum())
loss = error.mean() + penalty
loss.backward()
""",
    **{f"chain of {nodes}": _CHAIN.format(nodes) for nodes in (1_000, 10_000, 100_000)},
    "nn.Sequential of 2500 layers": """import torch
from torch import nn
model = nn.Sequential(*(layer for _ in range(1250) for layer in (nn.Linear(4, 4), nn.Tanh())))
loss = model(torch.ones(2, 4)).pow(2).mean() * NUMBER
loss.backward()
""",
    "RNN cell, 1000 steps": """import torch
from torch import nn
cell = nn.RNNCell(4, 8)
h = torch.zeros(2, 8)
for t in range(1000):
    h = cell(torch.ones(2, 4), h)
(h.sum() * NUMBER).backward()
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

STEPPED = {
    "MLP": """import torch
from torch import nn
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))
loss = nn.functional.cross_entropy(model(torch.randn(8, 16)) * NUMBER, torch.arange(8) % 4)
loss.backward()
""",
    **{name: PROGRAMS[name] for name in ("chain of 1000", "chain of 10000")},
    "Transformer of 6 layers": """import torch
from torch import nn
words = torch.randint(64, (2, 16))
embed, head = nn.Embedding(64, 32), nn.Linear(32, 64)
blocks = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True), 6)
loss = nn.functional.cross_entropy(head(blocks(embed(words))).flatten(0, 1) * NUMBER, words.flatten())
loss.backward()
""",
}
STEPS = 60

# In the page: `drawn` holds the times of frames with a new picture, `stepped` the duration of steps in ms.
WATCH = """() => {
  window.drawn = [];
  const frame = (act) => requestAnimationFrame(() => setTimeout(() => act(performance.now())));
  document.addEventListener("explorer:drawn", () => frame((at) => drawn.push(at)));
  const press = (event) => event.ctrlKey && event.key === "Enter" && (window.pressed = performance.now());
  document.addEventListener("keydown", press, true);
  window.stepped = [];
  document.addEventListener("click", () => (window.clicked = performance.now()), true);
  document.addEventListener("explorer:step", () => frame((at) => stepped.push(at - clicked)));
}"""


def used(pid: int) -> float:
    """Return CPU seconds of a process and of its children that have ended (proc(5), stat)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / 100


def fixed_loop() -> float:
    """Return the seconds of a fixed amount of work: the machine's current speed."""
    took = []
    for _ in range(5):
        began = time.perf_counter()
        sum(number * number % 7 for number in range(300_000))
        took.append(time.perf_counter() - began)
    return min(took)


@contextmanager
def watched() -> Iterator[tuple[Page, int, list[int]]]:
    """Open the Autograd page of a new server with WATCH; yield page, server process and message sizes."""
    with server() as (process, port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=SWITCHES.split())
        page = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-GB").new_page()
        received: list[int] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
        page.goto(f"http://localhost:{port}")
        page.wait_for_selector(".st-key-graph g.node", timeout=60_000)
        page.evaluate(WATCH)
        time.sleep(1)
        yield page, process.pid, received
        browser.close()


def drag(page: Page) -> float:
    """Turn the first number of the first example; return the longest time between two pictures in ms."""
    for _ in range(2):  # the first time warms up and removes the banner
        box = page.evaluate(
            "(b => [b.left + b.width / 2, b.top + b.height / 2])"
            "(document.querySelector('.c-num').getBoundingClientRect())"
        )
        page.evaluate("drawn.length = 0")
        page.mouse.move(*box)
        page.mouse.down()
        start = time.perf_counter()
        for pixel in range(1, 41):
            page.mouse.move(box[0] + pixel, box[1])
            time.sleep(max(0, start + pixel / 40 - time.perf_counter()))
        page.mouse.up()
        page.wait_for_timeout(800)
        page.keyboard.press("Control+z")
        page.wait_for_timeout(800)
    times = page.evaluate("drawn")[:-1]  # the last belongs to the undo
    return max(after - before for before, after in pairwise(times))


def run(page: Page, program: str, rounds: int) -> list[float]:
    """Return the milliseconds until each round's picture, after a warm-up round."""
    area, took = page.locator(".st-key-editor textarea").first, []
    for number in range(rounds + 1):
        page.evaluate("drawn.length = 0")
        area.fill(program.replace("NUMBER", f"0.0{number + 11}"))  # a different picture each time
        page.keyboard.press("Control+Enter")  # immediately, before the program runs by itself
        page.wait_for_timeout(700)  # without asking the page whether it is ready
        while not page.evaluate("drawn.length"):  # the policy for scripts forbids wait_for_function
            page.wait_for_timeout(200)
        page.wait_for_timeout(300)
        took.append(page.evaluate("drawn.at(-1) - pressed"))
    return took[1:]


def step(page: Page) -> list[float]:
    """Return milliseconds from a press of Step to the frame that shows it, for STEPS presses."""
    page.get_by_label("Back to the start").click()
    page.locator(".stepno", has_text="Step 1 of").wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    page.evaluate("stepped.length = 0")
    for _ in range(STEPS):
        page.get_by_label("Step", exact=True).click()
        page.wait_for_timeout(200)
    return page.evaluate("stepped")


def main(rounds: int, names: list[str], write: bool) -> bool:
    """Measure and print; return whether no row became slower than in the table."""
    rows, unit = {}, fixed_loop()
    asked = [name for name in PROGRAMS if not names or any(part in name for part in names)]
    with watched() as (page, pid, received):
        if not names or "drag" in names:
            gap = drag(page)
            rows["drag"] = gap / 1000, gap / 1000 / unit
            print(f"drag: longest gap between pictures {gap:.0f} ms", flush=True)
        for name in asked:
            cpu, count = used(pid), sum(received)
            took = run(page, PROGRAMS[name], rounds)
            spent, sent = (used(pid) - cpu) * 1000 / (rounds + 1), (sum(received) - count) / (rounds + 1) / 1000
            middle, cards = statistics.median(took), page.locator(".st-key-graph g.node").count()
            rows[name] = middle / 1000, middle / 1000 / unit
            print(
                f"{name}: p50 {middle:.0f} ms, slowest {max(took):.0f} ms; {cards} cards; "
                f"server {spent:.0f} ms CPU, {sent:.0f} KB a run",
                flush=True,
            )
        for name in STEPPED if not names or "steps" in names else []:
            run(page, STEPPED[name], 0)
            took = sorted(step(page))
            middle, late = statistics.median(took), took[-len(took) // 20]
            rows[f"step, {name}"] = late / 1000, late / 1000 / unit
            print(f"step, {name}: p50 {middle:.0f} ms, p95 {late:.0f} ms of {len(took)} steps", flush=True)
    return hold("edit", rows, write)


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--keep"]
    sys.exit(not main(int(given[0]) if given else 10, given[1:], "--keep" in sys.argv))

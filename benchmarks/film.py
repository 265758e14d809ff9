"""How smoothly the time line of a training loop moves, in a real Chromium against a server of its own.

usage: python benchmarks/film.py [SECONDS]   (from the project's root)

For each program the hand is dragged over the player's whole track and back for so many seconds, a movement every 16 ms.
Told are the pictures per second (frames of the browser in which the drawing of the graph was another), the longest gap
between two of them, the time that a picture takes of the browser (script, style, layout and paint, by its own
measure), how long the server took until the frames were there, and how many bytes they are.
"""

import sys
import time
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.workbench import BROWSER, SWITCHES, server  # noqa: E402
from explorer.program.permalink import to_fragment  # noqa: E402

LINEAR = """\
import torch
X = torch.randn(100, 2)
y = X @ torch.tensor([2.0, -3.4]) + 4.2
w = torch.zeros(2, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(10):
    for i in range(0, 100, 10):
        loss = ((X[i:i + 10] @ w + b - y[i:i + 10]) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
            b -= 0.03 * b.grad
            w.grad.zero_()
            b.grad.zero_()
"""
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
# In the page: `drawn` are the times of the frames in which the drawing had changed.
WATCH = """() => {
  window.drawn = [];
  let changed = false;
  new MutationObserver(() => (changed = true))
    .observe(document.querySelector(".scroller"), { subtree: true, characterData: true, childList: true });
  const look = (at) => { if (changed) drawn.push(at); changed = false; requestAnimationFrame(look); };
  requestAnimationFrame(look);
}"""


def main() -> None:
    """Measures and prints."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    with server() as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=SWITCHES.split())
        for name, program in {"linear regression, 100 steps": LINEAR, "three layers, 300 steps": LAYERS}.items():
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(f"{address}/#{to_fragment({'program': program, 'name': 'program.py'})}")
            page.wait_for_selector(".player .loss path", timeout=120_000)
            start = time.perf_counter()
            page.wait_for_selector(".strip[data-frames=here]", state="attached", timeout=120_000)
            waited = time.perf_counter() - start
            size = page.evaluate("explorerReel.frames.packed.length")
            page.evaluate(WATCH)
            devtools = page.context.new_cdp_session(page)
            devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
            before = _busy(devtools)
            _drag(page, seconds)
            times = page.evaluate("drawn")
            spent = (_busy(devtools) - before) / max(1, len(times))
            gaps = [later - sooner for sooner, later in pairwise(times)]
            rate = len(gaps) / ((times[-1] - times[0]) / 1e3)
            print(
                f"{name}: {rate:.0f} pictures a second, longest gap {max(gaps):.0f} ms, "
                f"{spent * 1e3:.0f} ms of the browser's thread each; "
                f"frames after {waited:.1f} s, {size / 1e3:.0f} KB"
            )
            page.close()
        browser.close()


def _busy(devtools: CDPSession) -> float:
    """Seconds that the page's thread has worked, by its own clock: what others take of the machine is not in it."""
    return {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}["TaskDuration"]


def _drag(page: Page, seconds: float) -> None:
    box = page.locator(".player .track").bounding_box()
    height, left, width = box["y"] + box["height"] / 2, box["x"] + 2, box["width"] - 4
    page.mouse.move(left + width, height)
    page.mouse.down()
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        share = abs((spent / seconds * 4) % 2 - 1)  # to the left, and back, twice
        page.mouse.move(left + width * share, height)
        time.sleep(0.016)
    page.mouse.up()


if __name__ == "__main__":
    main()

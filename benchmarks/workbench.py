"""What a hand waits for on the Autograd page, in a real Chromium against a server of its own.

usage: python benchmarks/workbench.py [ROUNDS]   (from the project's root)

- run: Ctrl+Enter until the frame that shows the new picture of a 15-node program; goal p50 100 ms, p95 250 ms
- inspector: click on a card until the inspector shows it; goal 70 ms
- hover: pointer over a card until card and expression are lit; goal: the same frame
- drag: a number of the first example turned over 40 px in a second: pictures per second, longest gap
- server: CPU of the server's process and bytes to the browser per run of the program
"""

import contextlib
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.interaction import PROGRAM, used  # noqa: E402

SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# In the page: `drawn` are the times at which a frame with a new picture was made.
WATCH = """() => {
  window.drawn = [];
  const frame = (act) => requestAnimationFrame(() => setTimeout(() => act(performance.now())));
  document.addEventListener("explorer:drawn", () => frame((at) => drawn.push(at)));
  const press = (event) => event.ctrlKey && event.key === "Enter" && (window.pressed = performance.now());
  document.addEventListener("keydown", press, true);
  document.addEventListener("click", () => (window.clicked = performance.now()), true);
  new MutationObserver(() => frame((at) => (window.inspected = at)))
    .observe(document.querySelector(".st-key-inspector"), { childList: true, subtree: true, characterData: true });
  document.addEventListener("pointerover", (event) => {
    const card = event.target.closest?.("g.node");
    const lit = () => card.matches(".is-hovered") && CSS.highlights.has("explorer-hover");
    if (card) requestAnimationFrame(() => (window.lit = lit()));
  });
}"""


@contextlib.contextmanager
def watched():
    """The Autograd page of a server of its own, with WATCH in it, the server's process and bytes of each message."""
    with server() as (address, pid), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=SWITCHES.split())
        page = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-GB").new_page()
        received: list[int] = []
        size = lambda frame: received.append(len(frame))  # noqa: E731
        page.on("websocket", lambda socket: socket.on("framereceived", size))
        page.goto(address)
        page.wait_for_selector(".st-key-graph g.node", timeout=60_000)
        page.evaluate(WATCH)
        time.sleep(1)
        yield page, pid, received
        browser.close()


def main(rounds: int) -> None:
    """Measures and prints."""
    with watched() as (page, pid, received):
        drag(page)
        run(page, rounds, pid, received)
        inspector(page, rounds)
        hover(page, rounds)


def drag(page: Page) -> None:
    """Turns the first number of the first example over 40 px in a second."""
    box = page.evaluate(
        "(b => [b.left + b.width / 2, b.top + b.height / 2])(document.querySelector('.c-num').getBoundingClientRect())"
    )
    for _ in range(2):  # the first time warms up
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
    times = page.evaluate("drawn")[:-1]  # the last is that of the undo
    gaps = [after - before for before, after in pairwise(times)]
    print(f"drag: {(len(times) - 1) * 1000 / (times[-1] - times[0]):.1f} pictures/s, longest gap {max(gaps):.0f} ms")


def run(page: Page, rounds: int, pid: int, received: list[int]) -> None:
    """Runs the program again and again, each time with another number in it."""
    area = page.locator(".st-key-editor textarea").first
    took, cpu, count = [], 0.0, 0
    for number in range(-3, rounds):  # the first warm up
        if number == 0:
            cpu, count = used(pid), sum(received)
        area.fill(PROGRAM.replace("0.01", f"0.0{number + 11}"))
        page.evaluate("drawn.length = 0")
        area.press("Control+Enter")
        time.sleep(1)  # nothing asks the page meanwhile whether it is ready
        took.append(page.evaluate("drawn[0] - pressed"))
    show("run", took[3:])
    spent, sent = (used(pid) - cpu) * 1000 / rounds, (sum(received) - count) / rounds / 1000
    print(f"server: {spent:.1f} ms CPU, {sent:.1f} KB per run")


def inspector(page: Page, rounds: int) -> None:
    """Clicks on one card after another."""
    cards = page.locator(".st-key-graph g.node")
    took = []
    for number in range(rounds):
        page.evaluate("window.inspected = 0")
        cards.nth(number % cards.count()).locator("text").first.click(force=True)
        time.sleep(0.6)
        took.append(page.evaluate("inspected - clicked"))
    show("inspector", took)


def hover(page: Page, rounds: int) -> None:
    """Moves over one card after another."""
    lit = 0
    boxes = [box.bounding_box() for box in page.locator(".st-key-graph g.node").all()]
    boxes = [box for box in boxes if 150 < box["y"] < 600]
    for number in range(rounds):
        box = boxes[number % len(boxes)]
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(40)
        lit += bool(page.evaluate("window.lit"))
        page.evaluate("window.lit = null")
    print(f"hover: {lit} of {rounds} lit in the same frame")


def show(name: str, took: list[float]) -> None:
    """Prints the middle and the slow end."""
    ordered = sorted(took)
    slow = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    print(f"{name}: p50 {statistics.median(took):.0f} ms, p95 {slow:.0f} ms, {len(took)} rounds")


@contextlib.contextmanager
def server():
    """The app on a free port: its address and the id of its process."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://localhost:{port}/_stcore/health"):
                break
            time.sleep(0.1)
        yield f"http://localhost:{port}", process.pid
    finally:
        process.terminate()
        process.wait(10)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)

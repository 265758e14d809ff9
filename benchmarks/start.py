"""What the first visitors of a server that has just started wait for, in a real Chromium, against an import of torch.

usage: python -m benchmarks.start [ROUNDS] [OTHER-CHECKOUT] [--keep]   (from the project's root)

Prints for each checkout the least seconds from the start of the server until it answers, the editor stands, the picture
of the offered program stands, and three programs of the visitor have ended: a short one, one with an optimizer, and one
that draws a figure. Then how long a second visitor waits for the picture, and the processor time of all of it. The
other checkout takes turns with this one. No run of an earlier start is kept, except in the last row of each. Ratios are
held against those kept last in benchmarks/results/start; `--keep` keeps these.
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
from playwright.sync_api import Browser, sync_playwright

from benchmarks.figures import hold
from benchmarks.workbench import BROWSER, SWITCHES

PROGRAMS = {
    "own": "w = torch.tensor(3.0, requires_grad=True)\n(w * 7).backward()\nprint('ended' * 2)",
    "optimizer": "import torch\nw = torch.tensor(3.0, requires_grad=True)\nstep = torch.optim.SGD([w], 0.1)\n"
    "(w * 7).backward()\nstep.step()\nprint('ended' * 2)",
    "drawing": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('ended' * 2)",
}


def imported() -> tuple[float, float]:
    """Seconds, and those of the processor, of the import that all is compared with."""
    code = "import torch, pandas, time, os; print(sum(os.times()[:2]))"
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return time.monotonic() - began, float(done.stdout)


@contextlib.contextmanager
def starting(checkout: Path, cache: str) -> Iterator[tuple[str, psutil.Process]]:
    """A server that is being started: its address and process."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    process = psutil.Popen(
        command,
        cwd=checkout,
        env=os.environ | {"EXPLORER_CACHE": cache},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://localhost:{port}", process
    finally:
        process.terminate()
        process.wait(10)


def spent(process: psutil.Process) -> float:
    """Seconds of the processor of a process and all below it, also of those that have ended."""
    below = [process, *process.children(recursive=True)]
    times = [one.cpu_times() for one in below if one.is_running()]
    return sum(one.user + one.system for one in times) + sum(one.children_user + one.children_system for one in times)


def start(checkout: Path, browser: Browser, cache: str, program: str) -> dict[str, float]:
    """One start with one own program."""
    told: dict[str, float] = {}
    began = time.monotonic()
    with starting(checkout, cache) as (address, process):

        def tell(name: str, since: float = began) -> None:
            told[name] = time.monotonic() - since

        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health"):
                break
            time.sleep(0.02)
        tell("server")
        page = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-GB").new_page()
        page.goto(address)
        page.wait_for_selector(".st-key-editor textarea", timeout=120_000)
        tell("editor")
        page.wait_for_selector(".st-key-graph g.node", timeout=120_000)
        tell("picture")
        area = page.locator(".st-key-editor textarea").first
        area.fill(PROGRAMS[program])
        area.press("Control+Enter")
        page.get_by_text("endedended").first.wait_for(timeout=120_000)
        tell(program)
        page.context.close()
        other = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-GB").new_page()
        opened = time.monotonic()
        other.goto(address)
        other.wait_for_selector(".st-key-graph g.node", timeout=120_000)
        tell("second visitor", opened)
        other.context.close()
        time.sleep(3)
        told["processor"] = spent(process)
    return told


def main(rounds: int, checkouts: list[Path], write: bool) -> bool:
    """Measure, and print the least of all rounds; whether none became slower than in the results kept last."""
    took: dict[tuple[str, str], list[float]] = {}
    alone = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as kept:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=SWITCHES.split())
        for number in range(rounds):
            alone.append(imported())
            for checkout in checkouts:
                for program in PROGRAMS:
                    for name, seconds in start(checkout, browser, "", program).items():
                        took.setdefault((checkout.name, name), []).append(seconds)
                cache = str(Path(kept, checkout.name))
                for name, seconds in start(checkout, browser, cache, "own").items():
                    if number:  # the first leaves the run
                        took.setdefault((checkout.name, f"{name}, kept"), []).append(seconds)
        browser.close()
    wall, processor = (min(one) for one in zip(*alone, strict=True))
    print(f"{'import torch, pandas':40} {wall:6.2f} s, of the processor {processor:.2f} s")
    own = {}
    for (checkout, name), seconds in took.items():
        least = min(seconds)
        ratio = least / (processor if "proc" in name else wall)
        print(f"{checkout + ': ' + name:40} {least:6.2f} s {ratio:6.2f}")
        if checkout == Path.cwd().name:
            own[name] = (least, ratio)
    return hold("start", own, write)


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if word != "--keep"]
    others = [Path(other).resolve() for other in given[1:]]
    sound = main(int(given[0]) if given else 2, [*others, Path.cwd()], "--keep" in sys.argv)
    sys.exit(0 if sound else 1)

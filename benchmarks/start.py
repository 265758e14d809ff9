"""Measure a user's first wait: the first visitors of a server, and a command in a fresh terminal.

usage: python -m benchmarks.start [ROUNDS 2] [OTHER-CHECKOUT] [--commands] [--keep]   (from the project's root)

For a server, in a real Chromium: seconds from its start until it answers, the editor is shown, the picture of the
offered program is shown, and three programs of the visitor have ended; then a second visitor's wait for the picture,
and the total processor time. "kept" rows are starts with the cache of an earlier one. For commands, the processor time
of all their processes; `--commands` measures only these. All are divided by `import torch, pandas`. Another checkout
takes turns with this one. `--keep` writes this checkout's figures into results.json.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from playwright.sync_api import Browser, sync_playwright

from benchmarks.edit import BROWSER, SWITCHES
from benchmarks.results import hold
from tests.visitor import server

PROGRAMS = {
    "own": "w = torch.tensor(3.0, requires_grad=True)\n(w * 7).backward()\nprint('ended' * 2)",
    "optimizer": "import torch\nw = torch.tensor(3.0, requires_grad=True)\nstep = torch.optim.SGD([w], 0.1)\n"
    "(w * 7).backward()\nstep.step()\nprint('ended' * 2)",
    "drawing": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('ended' * 2)",
}
FOUR_LINES = "import torch\nw = torch.tensor(2.0, requires_grad=True)\nloss = (w * 3) ** 2\nloss.backward()\n"
COMMANDS = ("run four.py", "check four.py", "why four.py w", "draw four.py -o picture.svg")
Times = dict[str, float]


def processor_time(command: list[str], folder: str, **environment: str) -> float:
    """Return a command's CPU seconds, including the processes that it waits for."""
    before = os.times()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, cwd=folder, env=os.environ | environment, check=True, **quiet)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def commands(checkout: Path) -> Times:
    """Return each command, once."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "four.py").write_text(FOUR_LINES)
        return {
            f"command {words.split()[0]}": processor_time(
                [sys.executable, "-m", "explorer", *words.split()], folder, PYTHONPATH=str(checkout)
            )
            for words in COMMANDS
        }


def spent(process: psutil.Process) -> float:
    """Return the processor seconds of a process and all its descendants, including those that have ended."""
    below = [process, *process.children(recursive=True)]
    times = [one.cpu_times() for one in below if one.is_running()]
    return sum(one.user + one.system for one in times) + sum(one.children_user + one.children_system for one in times)


def start(checkout: Path, browser: Browser, cache: str, program: str) -> Times:
    """One start with one own program."""
    times: Times = {}
    began = time.monotonic()

    def tell(name: str, since: float = began) -> None:
        times[name] = time.monotonic() - since

    with server(root=checkout, EXPLORER_CACHE=cache) as (process, port):
        tell("server")
        page = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-GB").new_page()
        page.goto(f"http://localhost:{port}")
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
        other.goto(f"http://localhost:{port}")
        other.wait_for_selector(".st-key-graph g.node", timeout=120_000)
        tell("second visitor", opened)
        other.context.close()
        time.sleep(3)
        times["processor"] = spent(psutil.Process(process.pid))
    return times


def starts(checkout: Path, browser: Browser, cache: str) -> Times:
    """Return the rows of first visitors: the fastest start with each program, and after an earlier start."""
    times: Times = {}
    for program in PROGRAMS:
        for name, seconds in start(checkout, browser, "", program).items():
            times[name] = min(seconds, times.get(name, seconds))
    start(checkout, browser, cache, "own")  # fills the cache for the next start
    return times | {f"{name}, kept": seconds for name, seconds in start(checkout, browser, cache, "own").items()}


def main(rounds: int, checkouts: list[Path], servers: bool, write: bool) -> bool:
    """Measure and print the least of all rounds; return whether no row became slower than in the table."""
    least: dict[tuple[Path, str], float] = {}
    alone = walls = float("inf")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as kept:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=SWITCHES.split()) if servers else None
        for _ in range(rounds):
            began = time.monotonic()
            alone = min(alone, processor_time([sys.executable, "-c", "import torch, pandas"], kept))
            walls = min(walls, time.monotonic() - began)
            for checkout in checkouts:
                times = commands(checkout)
                if browser:
                    times |= starts(checkout, browser, str(Path(kept, checkout.name)))
                for name, seconds in times.items():
                    least[checkout, name] = min(seconds, least.get((checkout, name), seconds))
    print(f"{'import torch, pandas':40} {walls:6.2f} s, of the processor {alone:.2f} s")
    own = {}
    for (checkout, name), seconds in least.items():
        ratio = seconds / (alone if name.startswith(("command", "processor")) else walls)
        print(f"{checkout.name + ': ' + name:40} {seconds:6.2f} s {ratio:6.2f}")
        if checkout == Path.cwd():
            own[name] = (seconds, ratio)
    return hold("start", own, write)


if __name__ == "__main__":
    given = [word for word in sys.argv[1:] if not word.startswith("--")]
    others = [Path(other).resolve() for other in given[1:]]
    flags = "--commands" not in sys.argv, "--keep" in sys.argv
    sys.exit(not main(int(given[0]) if given else 2, [*others, Path.cwd()], *flags))

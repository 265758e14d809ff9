"""Measure many sessions on one server: time from edit to picture, and cost per session.

usage: python benchmarks/load.py steady SESSIONS [SECONDS 60] [CHECKOUT]   sessions arrive within ten seconds and stay
       python benchmarks/load.py burst SESSIONS [SECONDS] [CHECKOUT]       all arrive at once, and each edits once
       python benchmarks/load.py growth SESSIONS SECONDS [CHECKOUT]        like steady, with the memory in each quarter

From the project's root. CHECKOUT: another version, whose server is measured; run both in turns. Each session waits (10
s on average), then does one thing: edits names and numbers of its program so that it has another picture, selects a
card, turns a number eight times, or opens a notebook. The server is started for it, configured as for strangers. It
shares the machine with this program and all other processes, whose time is reported. Prints one JSON object, with times
in seconds and memory in MB.
"""

import asyncio
import json
import math
import os
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import psutil

from benchmarks.browserless import LOST, NoAnswer, Session
from tests.notebooks import notebook, written
from tests.visitor import server

THINK = 10.0  # mean of the exponential pauses, in seconds
ARRIVAL = 10.0  # seconds within which the sessions of a steady load arrive
SCRUBBED = 8  # values per drag
DEEDS = {"edit": 70, "click": 20, "scrub": 5, "open": 5}  # percentages
NOTEBOOK = written(*(cell.text for cell in notebook("gradients").cells)).encode()

# a short program, a program of 15 nodes, and a training
PROGRAMS = (
    """\
w{n} = torch.tensor({x}, requires_grad=True)
x = torch.tensor(2.)
y = (w{n} * x + 1) ** 2
y.backward()
""",
    """\
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w{n} = torch.tensor([[0.5, -0.5], [{x}, 0.75]], requires_grad=True)
b = torch.zeros(2, requires_grad=True)
v = torch.tensor([[1.0], [-1.0]], requires_grad=True)
p = torch.sigmoid(torch.relu(x @ w{n} + b) @ v)
y = torch.tensor([[1.0], [0.0]])
penalty = 0.01 * ((w{n} ** 2).sum() + (v ** 2).sum())
loss = ((p - y) ** 2).mean() + penalty
loss.backward()
""",
    """\
X = torch.linspace(-1, 1, 20).reshape(-1, 1)
Y = 3 * X + {x}
model{n} = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model{n}.parameters(), lr=0.1)
for step in range(20):
    loss = torch.nn.functional.mse_loss(model{n}(X), Y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
)


class Measured:
    """Measurements of sessions. Attributes: took: seconds by action; begun: start of each edit; lost: actions by
    reason.
    """

    def __init__(self) -> None:
        self.took: dict[str, list[float]] = defaultdict(list)
        self.lost: Counter[str] = Counter()
        self.received = 0

    def row(self) -> dict:
        """Their times, counts and errors."""
        return {name: _times(took) for name, took in sorted(self.took.items())} | {"lost": dict(self.lost)}


class Machine:
    """The server's processes: their memory, and the time they have used."""

    def __init__(self, pid: int):
        self._server = psutil.Process(pid)
        self._began, (self._total, self._own, self._used, self._alone) = time.monotonic(), self._times()

    def holds(self) -> dict:
        """Resident MB of the server, of all its processes counted once (PSS), descriptors, threads, processes."""
        everyone = [self._server, *self._server.children(recursive=True)]
        shared = 0.0
        for one in everyone:
            with suppress(psutil.Error):
                shared += one.memory_full_info().pss / 1e6
        return {
            "server_mb": round(self._server.memory_info().rss / 1e6),
            "all_mb": round(shared),
            "descriptors": self._server.num_fds(),
            "threads": self._server.num_threads(),
            "processes": len(everyone),
        }

    def used(self) -> dict:
        """Return busy processors since the start: for the server (all its processes, and only the one with Streamlit),
        for the sessions, for everything else.
        """
        seconds = time.monotonic() - self._began
        total, own, used, alone = self._times()
        mine, theirs = own - self._own, used - self._used
        return {
            "server": round(theirs / seconds, 2),
            "streamlit": round((alone - self._alone) / seconds, 2),
            "sessions": round(mine / seconds, 2),
            "others": round((total - self._total - mine - theirs) / seconds, 2),
            "of": psutil.cpu_count(),
            "seconds": round(seconds),
        }

    def _times(self) -> tuple[float, float, float, float]:
        now = psutil.cpu_times()
        busy = now.user + now.nice + now.system + now.irq + now.softirq + now.steal
        used = 0.0
        for one in (self._server, *self._server.children(recursive=True)):
            with suppress(psutil.Error):
                times = one.cpu_times()
                used += times.user + times.system + times.children_user + times.children_system
        alone = self._server.cpu_times()
        return busy, time.process_time(), used, alone.user + alone.system


async def act(session: Session, number: int, chance: random.Random, measured: Measured) -> None:
    """Perform one action of a user."""
    text = PROGRAMS[number % len(PROGRAMS)]
    deed = chance.choices(list(DEEDS), list(DEEDS.values()))[0]
    match deed:
        case "edit":
            await edit(session, text, chance.randrange(10**6), measured)
        case "click" if session.shown.cards:  # a notebook's first cell may have no graph
            measured.took[deed].append(await session.click(chance.randrange(100)))
        case "scrub":
            for step in range(SCRUBBED):
                measured.took[deed].append(await session.type(text.format(n="", x=f"0.{step + 1}")))
        case "open":
            measured.took[deed].append(await session.open("notebook.ipynb", NOTEBOOK))


async def edit(session: Session, text: str, name: int, measured: Measured) -> None:
    """Edit the program so that the picture has a tensor with that name."""
    took = await session.type(text.format(n=name, x="0.25"))
    measured.took["edit"].append(took)
    if session.shown.state != "ok" or f"{name}" not in session.shown.picture:
        measured.lost["not the picture of the program"] += 1


async def live(port: int, number: int, comes: float, until: float, measured: Measured, once: bool = False) -> None:
    """Run one session from its arrival (seconds from now) to the end (monotonic); `once`: one edit, without a pause."""
    chance = random.Random(number)
    await asyncio.sleep(comes)
    try:
        async with Session(port, f"198.18.{number // 250}.{number % 250 + 1}") as session:
            measured.took["load"].append(await session.load())
            if once:
                await edit(session, PROGRAMS[number % len(PROGRAMS)], number, measured)
            while not once and time.monotonic() < until:
                await session.idle(min(chance.expovariate(1 / THINK), until - time.monotonic()))
                if time.monotonic() < until:
                    await act(session, number, chance, measured)
            measured.received += session.shown.received
            for error in session.shown.errors:
                measured.lost[error] += 1
            if once:
                await session.idle(max(0.0, until - time.monotonic()))
    except NoAnswer:
        measured.lost["no answer"] += 1
    except LOST as problem:
        measured.lost[type(problem).__name__] += 1


async def watch(machine: Machine, until: float, seen: list[dict]) -> None:
    """Measure the server's resources every five seconds."""
    while time.monotonic() < until:
        seen.append(machine.holds())
        await asyncio.sleep(5)


async def run(port: int, machine: Machine, kind: str, sessions: int, seconds: float) -> dict:
    """Start the sessions and return their measurements."""
    measured, seen = Measured(), list[dict]()
    until = time.monotonic() + seconds + (0 if kind == "burst" else ARRIVAL)
    comes = [0.0 if kind == "burst" else ARRIVAL * i / sessions for i in range(sessions)]
    before = machine.holds()
    watching = asyncio.create_task(watch(machine, until, seen))
    await asyncio.gather(*(live(port, i, at, until, measured, kind == "burst") for i, at in enumerate(comes)))
    await watching
    used, deeds = machine.used(), sum(len(took) for took in measured.took.values())
    row = measured.row() | {"cpu": used, "before": before, "after": seen[-1]}
    for name in ("server", "streamlit"):
        row[f"{name}_ms_per_deed"] = round(used[name] * used["seconds"] / deeds * 1000)
    row["mb_per_session"] = round((seen[-1]["server_mb"] - before["server_mb"]) / sessions, 2)
    row["kb_received_per_session"] = round(measured.received / sessions / 1000)
    if kind == "growth":
        row["quarters"] = _quarters(seen)
    return row


def _quarters(seen: list[dict]) -> list[dict]:
    """Return the server's median resources in each quarter of the time."""
    size = max(1, len(seen) // 4)
    parts = [seen[i * size : (i + 1) * size] for i in range(4)]
    return [{name: statistics.median(one[name] for one in part) for name in seen[0]} for part in parts if part]


def _times(took: list[float]) -> dict:
    ordered = sorted(took)

    def share(part: float) -> float:
        return round(ordered[max(0, math.ceil(part * len(ordered)) - 1)], 3)

    return {"count": len(took), "p50": share(0.5), "p95": share(0.95), "max": round(ordered[-1], 3)}


async def first(port: int) -> None:
    """Run one session before the others, so that modules are imported and preloaded."""
    async with Session(port, "198.19.0.1") as session:
        await session.load()
        for number, program in enumerate(PROGRAMS):
            await session.type(program.format(n=number, x="0.5"))


def main(kind: str, sessions: str, seconds: str = "60", checkout: str = ".") -> None:
    """Measure and print."""
    root = Path(checkout).resolve()
    with server(root=root, EXPLORER_HOSTED="1", EXPLORER_SESSIONS=str(int(sessions) + 1)) as (process, port):
        asyncio.run(first(port))
        row = asyncio.run(run(port, Machine(process.pid), kind, int(sessions), float(seconds)))
        time.sleep(3)  # the server forgets visitors who left
        row["gone"] = Machine(process.pid).holds()
    told = {"kind": kind, "sessions": int(sessions), "seconds": float(seconds), "at": time.strftime("%Y-%m-%d %H:%M")}
    print(json.dumps(told | {"load_average": os.getloadavg()[1]} | row))


if __name__ == "__main__":
    main(*sys.argv[1:])

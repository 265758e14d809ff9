"""What one deed of a visitor costs the server: processor time by kind of deed and by process, in ms.

usage: python benchmarks/deeds.py [ROUNDS] [OTHER-CHECKOUT]   (from the project's root; Linux)

One session without a browser edits a program of 15 nodes, selects cards, turns a number and opens a notebook, each
EACH times a round, at a server of its own as strangers meet it. A deed is done when the page is drawn. With another
checkout both servers are measured in turns. Prints the least and the middle of the rounds: `draws` are the threads that
draw pages, `sends` the thread that speaks with browsers; both are the process with Streamlit. `runs` is the processes
of programs, `places` those that lay out pictures.
"""

import asyncio
import contextlib
import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import psutil

from benchmarks.browserless import Session
from benchmarks.load import NOTEBOOK, PROGRAMS
from tests.visitor import ROOT, server

EACH = 30  # deeds of a kind in a round
TICK = 1000 / os.sysconf("SC_CLK_TCK")  # ms
PARTS = ("draws", "sends", "runs", "places")


def used(pid: int) -> dict[str, float]:
    """Milliseconds that each part has used since its beginning, those of ended children with their parent's."""
    streamlit, sends = _times(f"/proc/{pid}/stat"), _times(f"/proc/{pid}/task/{pid}/stat")
    spent = {"draws": sum(streamlit[:2]) - sum(sends[:2]), "sends": sum(sends[:2]), "runs": 0.0, "places": 0.0}
    for one in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.Error, OSError):
            part = "places" if "layout" in " ".join(one.cmdline()) else "runs"
            spent[part] += sum(_times(f"/proc/{one.pid}/stat"))
    return spent


def _times(stat: str) -> list[float]:
    """Own time, in the program and in the kernel, and the same of ended children (proc(5))."""
    return [int(field) * TICK for field in Path(stat).read_text().rpartition(")")[2].split()[11:15]]


async def deeds(port: int, pid: int, address: str) -> dict[str, dict[str, float]]:
    """One round: ms of a deed, by its kind and part."""
    found = {}
    async with Session(port, address) as session:
        await session.load()
        text = PROGRAMS[1]

        async def edit(number: int) -> None:
            await session.type(text.format(n=number, x="0.25"))

        async def click(number: int) -> None:
            await session.click(number)

        async def turn(number: int) -> None:
            await session.type(text.format(n="", x=f"0.{number + 1}"))

        async def open_file(_: int) -> None:
            await session.open("notebook.ipynb", NOTEBOOK.read_bytes())

        kinds: dict[str, Callable[[int], Awaitable[None]]] = {"edit": edit, "click": click, "turn": turn}
        for kind, deed in (kinds | {"open": open_file}).items():
            await deed(EACH)
            await session.idle(0.3)
            before = used(pid)
            for number in range(EACH):
                await deed(number)
            await session.idle(0.7)  # the child that waits has been warmed
            after = used(pid)
            found[kind] = {part: (after[part] - before[part]) / EACH for part in PARTS}
    return found


def main(rounds: str = "3", *others: str) -> None:
    """Measures and prints."""
    checkouts = [*(Path(other).resolve() for other in others), ROOT]
    rows: dict[tuple[Path, str], list[dict[str, float]]] = defaultdict(list)
    with contextlib.ExitStack() as servers:
        started = {
            root: servers.enter_context(server(root=root, EXPLORER_HOSTED="1", PYTHONPATH=str(root)))
            for root in checkouts
        }
        for number in range(int(rounds) + 1):  # the first one warms
            for root, (process, port) in started.items():
                for kind, found in asyncio.run(deeds(port, process.pid, f"198.19.0.{number + 1}")).items():
                    if number:
                        rows[root, kind].append(found)
    print(f"ms of processor per deed, least and middle of {rounds} rounds of {EACH}; load {os.getloadavg()[0]:.0f}")
    for kind in ("edit", "click", "turn", "open"):
        for root in checkouts:
            found = rows[root, kind]
            told = [f"{part} {_told([row[part] for row in found])}" for part in PARTS]
            told.append(f"Streamlit {_told([row['draws'] + row['sends'] for row in found])}")
            print(f"{kind:5} {root.name:10} {'; '.join(told)}; all {_told([sum(row.values()) for row in found])}")


def _told(figures: list[float]) -> str:
    return f"{min(figures):.1f}, {statistics.median(figures):.1f}"


if __name__ == "__main__":
    main(*sys.argv[1:])

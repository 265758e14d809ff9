"""Measure the memory and descriptors that visitors leave behind on a hosted server.

usage: python -m benchmarks visitors [VISITORS 1000] [AT_A_TIME 60] [CHECKOUT]

Each visitor opens the page, edits its program once, selects a card, reads for a moment and leaves. Every fourth leaves
as a phone does that loses its network: without closing the connection. The server is started for it, configured as for
strangers. Prints one JSON object: what the server held (MB of its process, descriptors) before, after each hundred, and
at the end, when it has had a moment to clean up. Exits with 1 if more than MEMORY and DESCRIPTORS above the start are
left.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.browserless import LOST, NoAnswer, Session
from benchmarks.load import PROGRAMS, Machine, first
from tests.visitor import server

MEMORY, DESCRIPTORS = 80, 20  # allowed to remain: MB, and descriptors
STAYS = 2.0, 4.0  # seconds that a visitor reads
PARTS = 10  # intervals measured while visitors come and go
CLEANUP = 70.0  # seconds after the last visitor, including the wait for a lost connection


async def visit(port: int, number: int, lost: Counter[str]) -> None:
    """Visit: open the page, use it, and leave."""
    chance = random.Random(number)
    try:
        async with Session(port, f"198.18.{number // 250}.{number % 250 + 1}") as session:
            await session.load()
            await session.type(PROGRAMS[number % len(PROGRAMS)].format(n=number, x="0.25"))
            if session.shown.cards:
                await session.click(chance.randrange(100))
            await session.idle(chance.uniform(*STAYS))
            if number % 4 == 0:
                session.drop()
    except NoAnswer:
        lost["no answer"] += 1
    except LOST as problem:
        lost[type(problem).__name__] += 1


async def come_and_go(port: int, visitors: range, at_a_time: int, lost: Counter[str]) -> None:
    """Let visitors come and go, at most this many at a time."""
    places = asyncio.Semaphore(at_a_time)

    async def one(number: int) -> None:
        async with places:
            await visit(port, number, lost)

    await asyncio.gather(*map(one, visitors))


def main(visitors: str = "1000", at_a_time: str = "60", checkout: str = ".") -> int:
    """Measure and print."""
    count, lost = int(visitors), Counter[str]()
    with server(root=Path(checkout).resolve(), EXPLORER_HOSTED="1") as (process, port):
        machine = Machine(process.pid)
        asyncio.run(first(port))
        held = [machine.holds()]
        for part in range(PARTS):
            some = range(count * part // PARTS, count * (part + 1) // PARTS)
            asyncio.run(come_and_go(port, some, int(at_a_time), lost))
            held.append(machine.holds())
        time.sleep(CLEANUP)
        held.append(machine.holds())
    left = {name: held[-1][name] - held[0][name] for name in ("server_mb", "descriptors")}
    print(json.dumps({"visitors": count, "at_a_time": int(at_a_time), "left": left, "lost": dict(lost), "held": held}))
    return int(left["server_mb"] > MEMORY or left["descriptors"] > DESCRIPTORS)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

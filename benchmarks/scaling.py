"""From what one server was measured to need to how many people so many machines bear: a simulation and a bill.

usage: python benchmarks/scaling.py [ROW]   (from the project's root; the ROWth row of benchmarks/load.jsonl, default 0)

A session thinks, then does something that takes work of the one process with Streamlit (one thing at a time, as Python
does), then of a process that runs the program, then of the first again. Processes that want to go on share the
processors equally; so many programs run at once, the others wait for their turn. Works are exponentially distributed
about the measured means: people's programs differ more than ours.
"""

import heapq
import json
import math
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path

RAW = Path(__file__).parent / "load.jsonl"
GOAL = 1.0  # seconds, for 19 of 20 answers
DEEDS = ("edit", "scrub", "open", "click")
PRICE_CORE, PRICE_GB, PRICE_SENT = 0.04, 0.005, 0.05  # assumed: money per core-hour, per GB-hour, per GB sent
AT_ONCE = 0.1  # assumed: the share of all users who are there in the busiest hour


@dataclass(frozen=True)
class Load:
    """What sessions ask of one server.

    Attributes:
        app, run: seconds of a processor per deed, of the process with Streamlit and of all others.
        pause: seconds from the answer to the next deed, on average (a turn of the hand is several without a pause).
        cores: processors of the machine.
        sent: bytes per deed.
        base_mb, session_mb, run_mb: memory of a server without sessions, of each session, of each running program.
    """

    app: float
    run: float
    pause: float
    cores: int
    sent: float
    base_mb: float
    session_mb: float
    run_mb: float = 50.0

    @property
    def turns(self) -> int:
        """How many programs run at once, as the runner has it."""
        return max(2, self.cores)


@dataclass
class Job:
    """A deed under way. Attributes: asked: when; works: seconds left of app, run, app; step: which of them is next."""

    asked: float
    works: list[float]
    step: int = 0


def answers(load: Load, sessions: int, seconds: float = 300.0, seed: int = 0) -> list[float]:
    """How long each deed took that was answered, after a start of a tenth of the time."""
    chance = random.Random(seed)
    thinking = [chance.uniform(0, load.pause) for _ in range(sessions)]
    heapq.heapify(thinking)
    app: list[Job] = []
    running: list[Job] = []
    waiting: list[Job] = []
    now, took = 0.0, []
    while now < seconds:
        wanted = len(running) + bool(app)
        speed = min(1.0, load.cores / wanted) if wanted else 1.0
        shares = [(job, speed / len(app)) for job in app] + [(job, speed) for job in running]
        ends = min((job.works[job.step] / share for job, share in shares), default=math.inf)
        step = min(ends, (thinking[0] if thinking else math.inf) - now)
        now += step
        for job, share in shares:
            job.works[job.step] -= step * share
        for job in [job for job, _ in shares if job.works[job.step] <= 1e-9]:
            job.step += 1
            (running if job.step == 2 else app).remove(job)
            if job.step == 1:
                waiting.append(job)
            elif job.step == 2:
                app.append(job)
            else:
                if job.asked > seconds / 10:
                    took.append(now - job.asked)
                heapq.heappush(thinking, now + chance.expovariate(1 / load.pause))
        while waiting and len(running) < load.turns:
            running.append(waiting.pop(0))
        while thinking and thinking[0] <= now + 1e-12:
            heapq.heappop(thinking)
            works = [chance.expovariate(1 / mean) for mean in (load.app / 2, load.run, load.app / 2)]
            app.append(Job(now, works))
    return took


def p95(took: list[float]) -> float:
    """What 19 of 20 stay below."""
    return sorted(took)[math.ceil(0.95 * len(took)) - 1] if took else math.inf


def bears(load: Load, seconds: float = 300.0) -> int:
    """The most sessions with which 19 of 20 answers come within GOAL, to within two."""
    low, high = 1, 2
    while p95(answers(load, high, seconds)) < GOAL:
        low, high = high, 2 * high
    while high - low > 2:
        middle = (low + high) // 2
        low, high = (middle, high) if p95(answers(load, middle, seconds)) < GOAL else (low, middle)
    return low


def evened(places: int) -> int:
    """How many sessions a server with so many places may have on average, where a proxy spreads them by chance.

    More than its places come then to one server in a hundred: they are the mean plus 2.33 deviations of a Poisson
    distribution. A proxy that chooses the server with the fewest connections fills all places.
    """
    z = 2.33
    return math.floor((math.sqrt(z * z / 4 + places) - z / 2) ** 2)


def measured(row: dict) -> Load:
    """The load that a row of benchmarks/load.py saw."""
    deeds = sum(row[name]["count"] for name in (*DEEDS, "load") if name in row)
    acted = deeds - row["load"]["count"]
    app = row["streamlit_ms_per_deed"] / 1000
    answered = sum(row[name]["count"] * row[name]["p50"] for name in DEEDS if name in row)
    pause = (row["sessions"] * row["seconds"] - answered) / acted
    sent = row["kb_received_per_session"] * 1000 * row["sessions"] / deeds
    before = row["before"]
    return Load(
        app,
        row["server_ms_per_deed"] / 1000 - app,
        pause,
        row["cpu"]["of"],
        sent,
        before["all_mb"],
        row["mb_per_session"],
    )


def bill(load: Load, sessions: int, there: int) -> dict[str, float]:
    """What it takes for so many people at once, on servers that bear `sessions` each."""
    servers = math.ceil(there / sessions)
    gigabytes = (servers * (load.base_mb + load.turns * load.run_mb) + there * load.session_mb) / 1000
    sent = there * load.sent / load.pause / 1e9  # per second
    return {
        "servers": servers,
        "cores": servers * load.cores,
        "memory GB": round(gigabytes),
        "Gbit/s": round(sent * 8, 2),
        "cores/h": round(servers * load.cores * PRICE_CORE, 2),
        "memory/h": round(gigabytes * PRICE_GB, 2),
        "sent/h": round(sent * 3600 * PRICE_SENT, 2),
    }


def main(row: str = "0") -> None:
    """Simulates and prints."""
    rows = [json.loads(line) for line in RAW.read_text().splitlines()]
    load = measured(rows[int(row)])
    print(load)
    print("\nbeside what was measured (the processors that the server had, rounded up)")
    for one in rows:
        if one["kind"] == "steady" and "streamlit_ms_per_deed" in one and not one["lost"]:
            seen = measured(one)
            had = max(1, round(one["cpu"]["of"] - one["cpu"]["others"]))
            said = [round(p95(answers(replace(seen, cores=cores), one["sessions"])), 2) for cores in {had, 2}]
            print(f"  {one['sessions']} sessions: edits p95 {one['edit']['p95']}, simulated {said}")
    print("\nsessions within the goal, by processors")
    best = load
    for cores in (1, 2, 3, 4, 6, 8, 16):
        on = replace(load, cores=cores)
        most = bears(on)
        print(f"  {cores}: {most} ({most / cores:.0f} each)")
        if most / cores >= bears(best) / best.cores:
            best = on
    most = evened(bears(best))
    print(f"\n{best.cores} processors a server, {most} sessions where they are spread by chance")
    for users in (10**3, 10**5, 10**6):
        print(f"  {users} users, {round(users * AT_ONCE)} at once: {bill(best, most, round(users * AT_ONCE))}")


if __name__ == "__main__":
    main(*sys.argv[1:])

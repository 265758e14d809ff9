"""Twenty sessions stay open and one types, beside every hostile program of tests/hostile.py in turn.

usage: python benchmarks/siege.py [NAME...]   (from the project's root)
Prints for each how long an edit of the other session takes (median and longest, s) and the longest time in which the
health check did not answer; then how long the server took to end. Health should answer within a second beside all of
them, and the server should end within five.
"""

import logging
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from websockets.exceptions import WebSocketException

from tests.hostile import ENDLESS, PROGRAMS
from tests.visitor import Health, Visitor, ends, server

SESSIONS, EDITS, SECONDS = 20, 6, 6.0


def siege(port: int, text: str) -> tuple[list[float | None], float]:
    """How long one session's edits took beside three of another visitor with the text, and the longest silence."""
    other, hostile = Visitor(port, "198.51.100.1"), [Visitor(port, "203.0.113.9") for _ in range(3)]
    took = []
    with Health(port) as health:
        threads = [threading.Thread(target=visitor.type, args=(text, "\0", SECONDS)) for visitor in hostile]
        for thread in threads:
            thread.start()
        for i in range(EDITS):
            took.append(other.type(f"print('answer ' * 2, {i})", f"answer answer  {i}"))
            time.sleep(SECONDS / EDITS / 2)
        for thread in threads:
            thread.join()
    for visitor in (other, *hostile):
        visitor.close()
    return took, health.longest


def summary(took: list[float | None]) -> str:
    """Median and longest of what was answered, and how many edits were not."""
    known = [seconds for seconds in took if seconds is not None]
    edits = f"{statistics.median(known):.2f} {max(known):.2f}" if known else "none answered"
    return f"edits {edits}  lost {len(took) - len(known)}"


def main(names: list[str]) -> None:
    """Measures and prints."""
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # of a server that hangs it says much
    for name in names or PROGRAMS:
        with server() as (process, port):  # each its own: one that hangs it says nothing about the next
            first = Visitor(port)
            if not first.ready():
                raise SystemExit("programs cannot be run")
            idle = [Visitor(port) for _ in range(SESSIONS - 1)]
            try:
                took, silence = siege(port, PROGRAMS[name])
                for visitor in (first, *idle[:4]):
                    visitor.send(ENDLESS)
                said = f"{summary(took)}  health {silence:.2f}"
            except (OSError, WebSocketException) as problem:  # the server hangs, and has lost its sessions
                said = f"the server did not answer: {type(problem).__name__}"
            began = time.monotonic()
            ended = ends(process, 20)
            print(f"{name:20} {said}  end {time.monotonic() - began:.1f}{'' if ended else ' (killed)'}", flush=True)
            for visitor in (first, *idle):
                visitor.close()


if __name__ == "__main__":
    main(sys.argv[1:])

"""A health check that draws: how long a small picture takes now, drawn as the pictures of visitors are.

Streamlit's own `/_stcore/health` is answered by the thread of connections, which answers quickly while drawings wait.
"""

import asyncio
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from starlette.responses import JSONResponse

from explorer.sandbox import default_runner, hosting
from explorer.sandbox.fair_queue import in_turn
from explorer.trace import Trace, read

DRAWING = "/_stcore/drawing"
EVERY = 1.0  # seconds for which an answer is kept
LATE = 10.0  # seconds after which the answer is 503
VISITOR = "health"  # whose drawing takes the turn
RUN = Path(__file__).parent / "small.trace"  # of a program of three lines, saved by explorer.save


class DrawingTimes:
    """How long a drawing takes, measured at most once in EVERY seconds. Threads may share it.

    Args:
        draw: draws.
    """

    def __init__(self, draw: Callable[[], object]):
        self._draw, self._lock = draw, threading.Lock()
        self._began: float | None = None  # of the drawing that runs
        self._ended, self._seconds = -math.inf, 0.0  # of the last one

    def known(self) -> float | None:
        """Seconds of the last drawing, or of the running one if that takes longer; None if a drawing is due."""
        with self._lock:
            return self._known()

    def _known(self) -> float | None:
        now = time.monotonic()
        if self._began is not None:
            return max(self._seconds, now - self._began)
        return None if now - self._ended >= EVERY else self._seconds

    def seconds(self) -> float:
        """As `known`, after a drawing if that is due. Infinite if it failed."""
        with self._lock:
            if (last := self._known()) is not None:
                return last
            began = self._began = time.monotonic()
        try:
            self._draw()
            took = time.monotonic() - began
        except Exception as problem:
            hosting.log_undrawn(VISITOR, problem)
            took = math.inf
        with self._lock:
            self._began, self._ended, self._seconds = None, time.monotonic(), took
        return took


@cache
def _small() -> Trace:
    return read(RUN.read_bytes())


def draw_small() -> str:
    """Draw the small picture, in a turn of its own."""
    from explorer.drawing.picture import picture  # the server answers before it has loaded what draws

    with in_turn(VISITOR):
        return picture(_small()).svg()


drawing_times = DrawingTimes(draw_small)
_threads = ThreadPoolExecutor(1, "health")


async def health() -> JSONResponse:
    """How long a drawing took, and how many programs wait; 503 if the drawing failed or took longer than LATE."""
    seconds = drawing_times.known()
    if seconds is None:
        drawing = asyncio.get_running_loop().run_in_executor(_threads, drawing_times.seconds)
        done, _ = await asyncio.wait({drawing}, timeout=LATE)
        seconds = drawing.result() if done else LATE
    fine = seconds < LATE
    state = {"seconds": round(seconds, 4) if math.isfinite(seconds) else None, "waiting": default_runner().waiting()}
    headers = {"cache-control": "no-store"}
    return JSONResponse({"status": "ok" if fine else "late", **state}, 200 if fine else 503, headers)

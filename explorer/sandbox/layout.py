"""Graph layouts and pictures from Graphviz in a child with a time limit.

The engine is Graphviz as WebAssembly. Without it, an installed `dot` lays out our own graphs, whose DOT holds no
program text. `dot` reads files and cannot be confined, so it never gets a program's own DOT.
"""

import contextlib
import os
import subprocess
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from explorer.extras import has_engine, missing
from explorer.program import LAYOUT as PRELOADED
from explorer.sandbox.calls import Outcome
from explorer.sandbox.fair_queue import others_first
from explorer.sandbox.protocol import LAYOUT, ChildLimits
from explorer.sandbox.runner import Runner, default_runner

ORDER = ChildLimits(
    seconds=1.0, lasting=4.0, memory_mb=200.0, stays=True
)  # generous enough for one layout on a busy machine
AT_ONCE = max(2, os.cpu_count() or 1)  # most children of one kind, for all sessions
PATIENCE = 4.0  # seconds that a picture waits for the turn of its layout
BETWEEN = "\0"  # separator of graphs in an order; no graph can contain it
MAX_REPLY = 4_000_000  # bytes
MOST_SVG = 500_000  # largest picture of a program's graph, in bytes
MOST_KEPT = 64  # most cached orders; dragging a number usually keeps the layout

_turns = threading.Semaphore(AT_ONCE)


def can_lay_out() -> bool:
    """Return whether a layout engine is installed (the extra `draw`)."""
    return not missing("draw")


def start_layouts() -> None:
    """Start the layout engine in the background while a first picture is computed."""
    with contextlib.suppress(OSError):
        default_runner().layouts.start(PRELOADED)


def layout(dot: str, runner: Runner | None = None) -> str | None:
    """Return Graphviz's JSON for a graph, cached for the last MOST_KEPT orders.

    None if Graphviz exceeds its time, memory or reply size, if the DOT is invalid, or if too many other layouts wait.
    The caller then places the graph itself.
    """
    return layouts([dot], runner)[0]


def graph_svg(dot: str, runner: Runner | None = None) -> str | None:
    """Return the SVG of a program's possibly hostile graph, None as in `layout`."""
    try:
        [svg] = _rendered("svg", (dot,), runner or default_runner())
        return svg if len(svg) <= MOST_SVG else None
    except _NoLayout:
        return None


def layouts(dots: Sequence[str], runner: Runner | None = None) -> Sequence[str | None]:
    """Lay out several graphs in one child.

    A child costs more than ten small graphs. Its limits are those of one layout.
    """
    try:
        return _rendered("json", tuple(dots), runner or default_runner()) if dots else ()
    except _NoLayout:
        return (None,) * len(dots)


class _NoLayout(Exception):
    pass


@lru_cache(MOST_KEPT)
def _rendered(form: Literal["json", "svg"], dots: tuple[str, ...], runner: Runner) -> Sequence[str]:
    if not has_engine():
        if form == "svg":
            raise _NoLayout
        return [_by_installed_dot(dot) for dot in dots]
    with contextlib.suppress(OSError):
        runner.layouts.start(PRELOADED)
    request = LAYOUT + BETWEEN.join((form, *dots)).encode("utf-8", "replace")
    reply = _asked(request, runner)
    found = reply.decode("utf-8", "replace").split(BETWEEN)
    if len(found) != len(dots):
        raise _NoLayout
    return found


def _asked(request: bytes, runner: Runner) -> bytes:
    """Ask a child, and let others draw meanwhile."""
    outcome: Outcome | Literal["crowded"] = "lost"  # also if the server has no processes left
    with others_first(), contextlib.suppress(OSError):
        if not _turns.acquire(timeout=PATIENCE):
            outcome = "crowded"
        else:
            try:
                answer = runner.layouts.call(request, ORDER, MAX_REPLY).wait()
                outcome = answer.outcome
            finally:
                _turns.release()
    runner.on_layout(outcome)
    if outcome != "reply":
        raise _NoLayout
    return answer.reply


def _by_installed_dot(dot: str) -> str:
    with _turns:
        try:
            done = subprocess.run(["dot", "-Tjson"], input=dot.encode(), capture_output=True, timeout=ORDER.seconds)
        except (OSError, subprocess.TimeoutExpired):
            raise _NoLayout from None
    if done.returncode:
        raise _NoLayout
    return done.stdout.decode("utf-8", "replace")

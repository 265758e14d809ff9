"""Positions for a graph in DOT, from a child that is killed when it takes too long."""

import contextlib

from explorer.sandbox.runner import Runner, default_runner
from explorer.sandbox.wire import Order

ORDER = Order(seconds=1.0, lasting=1.0, memory_mb=200.0)  # what one layout may take
MAX_REPLY = 4_000_000  # bytes
MOST_KEPT = 64  # graphs; while a number in a program is turned the picture's layout stays what it is

_kept: dict[str, str] = {}  # positions by graph, the oldest first


def layout(dot: str, runner: Runner | None = None) -> str | None:
    """Graphviz' JSON output for a graph; equal graphs of this server's last MOST_KEPT are laid out once.

    None when Graphviz cannot lay it out: not in the time, the memory or the size of reply it has, or because the DOT is
    not right. The caller then places the graph itself.
    """
    if (known := _kept.get(dot)) is not None:
        return known
    layouts = (runner or default_runner()).layouts
    try:
        answer = layouts.call(dot.encode("utf-8", "replace"), ORDER, MAX_REPLY).wait()
    except OSError:
        return None
    if answer.outcome != "reply":
        return None
    positions = answer.reply.decode("utf-8", "replace")
    _kept[dot] = positions
    while len(_kept) > MOST_KEPT:
        with contextlib.suppress(KeyError, StopIteration, RuntimeError):  # another thread was here
            del _kept[next(iter(_kept))]
    return positions

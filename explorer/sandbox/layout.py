"""Positions for a graph in DOT, from a child that is killed when it takes too long."""

from explorer.sandbox.runner import MEMORY_MB, Runner, default_runner

SECONDS = 1.0  # of wall time for one layout
MAX_REPLY = 4_000_000  # bytes


def layout(dot: str, runner: Runner | None = None) -> str | None:
    """Graphviz' JSON output for a graph.

    None when Graphviz cannot lay it out: not in the time, the memory or the size of reply it has, or because the DOT is
    not right. The caller then places the graph itself.
    """
    layouts = (runner or default_runner()).layouts
    try:
        answer = layouts.call(dot.encode("utf-8", "replace"), SECONDS, MEMORY_MB, MAX_REPLY).wait()
    except OSError:
        return None
    if answer.outcome != "reply":
        return None
    return answer.reply.decode("utf-8", "replace")

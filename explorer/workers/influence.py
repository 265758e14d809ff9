"""Measure what has an effect in a program by rerunning it."""

from collections.abc import Callable

from msgspec import structs

from explorer.program import GivenFile
from explorer.trace import Trace
from explorer.trace.effects import Effects
from explorer.workers.second_run import program_of, run_of

AT_ONCE = 0.5  # CPU seconds for the additional runs of every program
FEW = 2_000  # operations (as counted by `work_of`) that take less time on any machine
SECONDS = 10.0  # CPU seconds for a full measurement
PATIENCE = 20.0  # seconds to wait


def measured_effects(
    trace: Trace,
    files: tuple[GivenFile, ...] = (),
    visitor: str = "",
    seconds: float = SECONDS,
    wanted: Callable[[], bool] | None = None,
) -> Effects | None:
    """Return the measurements of additional runs of a program, or None.

    Args:
        files: files in the program's folder.
        visitor: visitor whose turns the runs use.
        seconds: CPU seconds for all runs together.
        wanted: returns whether to go on.
    """
    if trace.end != "ok" or (wanted is not None and not wanted()):
        return None

    def ask() -> Effects | None:
        limit = min(seconds, trace.options.time_limit)
        options = structs.replace(trace.options, effects=True, probes=(), time_limit=limit)
        run = run_of(program_of(trace, files), options, PATIENCE, visitor, trace, wanted)
        return None if run is None else run.effects

    return trace.index.memoize(("effects", seconds), ask)

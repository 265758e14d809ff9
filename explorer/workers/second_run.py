"""Run a program, mostly that of a Trace once more, for an answer about it."""

from explorer.program import CellSource, GivenFile, Program, Unusable
from explorer.sandbox import Cancelled, Runner, default_runner
from explorer.trace import Options, Trace


def program_of(trace: Trace, files: tuple[GivenFile, ...] = ()) -> Program:
    """The program of a run. Args: files: those in its folder."""
    cells = [CellSource(cell.source, cell.first_line) for cell in trace.own_cells]
    return Program(cells, trace.notes, files=files)


def run_of(
    program: Program,
    options: Options,
    seconds: float | None,
    runner: Runner | None = None,
    visitor: str = "",
    like: Trace | None = None,
) -> Trace | None:
    """The Trace of a run; None where too many wait, and where it did not end in time.

    Args:
        seconds: that are waited; None: until it ends.
        visitor: whose share of the turns it uses.
        like: the run whose rights it has (`Runner.submit`).
    """
    try:
        run = (runner or default_runner()).submit(program, options, visitor=visitor, like=like)
    except Unusable:
        return None
    try:
        return run.result(seconds)
    except (TimeoutError, Cancelled):
        run.cancel()
        return None

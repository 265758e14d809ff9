"""Rerun a program: changed, with every statement recorded, or unchanged."""

import time
from collections.abc import Callable

from msgspec import structs
from msgspec.structs import replace

from explorer.program import CellSource, GivenFile, Program, Unusable
from explorer.sandbox import Cancelled, SubmittedRun, default_runner
from explorer.trace import Options, Span, Trace

PATIENCE = 6.0  # seconds for running all changes of a program together
MOST_RUNS = 8  # most additional runs
LOOK = 0.05  # seconds between checks whether a run is still needed


def watched(trace: Trace, files: tuple[GivenFile, ...] = ()) -> Trace:
    """Rerun with recorded statements. Return the first run if the second differs.

    Args:
        files: files in the program's folder.
    """
    if trace.options.statements:
        return trace
    options = replace(trace.options, statements=True)
    again = run_of(program_of(trace, files), options, None, "", trace)
    return trace if again is None or not is_same(again, trace) else again


def is_same(run: Trace, other: Trace) -> bool:
    """Return whether two runs agree. A program that reads a clock differs."""
    columns = ("name", "function")
    same = all(getattr(run.operations, name) == getattr(other.operations, name) for name in columns)
    return same and _places(run) == _places(other) and run.values.data == other.values.data


def _places(trace: Trace) -> list[Span | None]:
    """Return the source ranges of a run's operations."""
    return [trace.spans[span] if span >= 0 else None for span in trace.operations.span]


class RepairRunner:
    """Runs changed versions of a program. Attributes: until: when to stop. left: remaining runs.

    Args:
        files: files in the program's folder.
        visitor: visitor whose turns the runs use.
        patience: total seconds. None: PATIENCE.
    """

    def __init__(
        self, trace: Trace, files: tuple[GivenFile, ...] = (), visitor: str = "", patience: float | None = None
    ) -> None:
        self.trace, self.files, self.visitor = trace, files, visitor
        self.patience = PATIENCE if patience is None else patience
        self.until, self.left = time.monotonic() + self.patience, MOST_RUNS

    def run(self, cell: int, text: str) -> Trace | None:
        """Run with a replaced cell or file, None if too slow."""
        left = self.until - time.monotonic()
        if not self.left or left <= 0:
            return None
        self.left -= 1
        program = program_of(self.trace, self.files)
        if cell < len(program.cells):
            program.cells[cell] = CellSource(text)
        else:
            changed = self.trace.cells[cell].name
            if changed not in [file.name for file in self.files]:  # the program has written it
                return None
            named = (structs.replace(f, content=text.encode()) if f.name == changed else f for f in self.files)
            program = structs.replace(program, files=tuple(named))
        options = structs.replace(self.trace.options, time_limit=min(self.trace.options.time_limit, self.patience))
        return run_of(program, options, left, self.visitor, self.trace)


def program_of(trace: Trace, files: tuple[GivenFile, ...] = ()) -> Program:
    """Return a run's program. Args: files: those in its folder."""
    cells = [CellSource(cell.source, cell.first_line) for cell in trace.own_cells]
    return Program(cells, trace.notes, files=files)


def run_of(
    program: Program,
    options: Options,
    seconds: float | None,
    visitor: str = "",
    like: Trace | None = None,
    wanted: Callable[[], bool] | None = None,
) -> Trace | None:
    """Run a program. Returns None without a result.

    Args:
        seconds: seconds to wait. None: until it ends.
        visitor: visitor whose turns it uses.
        like: run whose rights it inherits (`Runner.submit`).
        wanted: returns whether to go on. None: always.
    """
    try:
        run = default_runner().submit(program, options, visitor=visitor, like=like)
    except Unusable:
        return None
    try:
        return run.result(seconds) if wanted is None else _wanted_result(run, seconds, wanted)
    except (TimeoutError, Cancelled):
        run.cancel()
        return None


def _wanted_result(run: SubmittedRun, seconds: float | None, wanted: Callable[[], bool]) -> Trace:
    """Wait for a result. Raises TimeoutError if late or unwanted."""
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        try:
            return run.result(LOOK)
        except TimeoutError:
            if not wanted() or (until is not None and time.monotonic() > until):
                raise

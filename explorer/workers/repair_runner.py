"""Run a program with one change, to see whether it repairs anything. Bounded in time and in number."""

import time

from msgspec import structs

from explorer.program import CellSource, GivenFile
from explorer.sandbox import Runner, default_runner
from explorer.trace import Trace
from explorer.workers.second_run import program_of, run_of

PATIENCE = 6.0  # seconds that running the changes of a program may take together
MOST_RUNS = 8  # of them


class RepairRunner:
    """Runs a program's changes. Attributes: until: when to stop; left: how many may still start.

    Args:
        files: the files in the program's folder.
        visitor: whose share of the turns the runs use.
        patience: seconds that they may take together; None: PATIENCE.
    """

    def __init__(
        self,
        trace: Trace,
        files: tuple[GivenFile, ...] = (),
        runner: Runner | None = None,
        visitor: str = "",
        patience: float | None = None,
    ) -> None:
        self.trace, self.files, self.runner, self.visitor = trace, files, runner or default_runner(), visitor
        self.patience = PATIENCE if patience is None else patience
        self.until, self.left = time.monotonic() + self.patience, MOST_RUNS

    def run(self, cell: int, text: str) -> Trace | None:
        """The result of the program with another text in one cell, or in a file that it imports.

        None where it did not end in time.
        """
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
        return run_of(program, options, left, self.runner, self.visitor, self.trace)

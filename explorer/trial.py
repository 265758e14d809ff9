"""Runs of a program with one change: whether a change mends is seen, never supposed. Bounded in time and in number."""

import time

from msgspec import structs

from explorer.program import CellSource, GivenFile, Program, Unusable
from explorer.sandbox import Cancelled, Runner, default_runner
from explorer.trace import Trace

PATIENCE = 6.0  # seconds that running the changes of a program may take together
MOST_RUNS = 8  # of them


class Trial:
    """The runs of a program's changes. Attributes: until: when they end; left: how many may still begin.

    Args:
        files: what the program found in its folder.
        visitor: whose share of the runs this takes.
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
        """What the program leaves behind with another text in one cell, or in a file that it imports.

        None where it did not end in time.
        """
        left = self.until - time.monotonic()
        if not self.left or left <= 0:
            return None
        self.left -= 1
        cells = [CellSource(one.source) for one in self.trace.own_cells]
        files = self.files
        if cell < len(cells):
            cells[cell] = CellSource(text)
        else:
            changed = self.trace.cells[cell].name
            if changed not in [one.name for one in files]:  # the program has written it
                return None
            files = tuple(structs.replace(f, content=text.encode()) if f.name == changed else f for f in files)
        program = Program(cells, self.trace.notes, files=files)
        options = structs.replace(self.trace.options, time_limit=min(self.trace.options.time_limit, self.patience))
        try:
            run = self.runner.submit(program, options, visitor=self.visitor)
        except Unusable:
            return None
        try:
            return run.result(left)
        except (TimeoutError, Cancelled):
            run.cancel()
            return None

"""The line of a run for the browser: as the app sends it, and as a page of its own carries it."""

from collections.abc import Callable
from typing import Any

from explorer.analysis.autograd.steps import BackwardSteps
from explorer.analysis.timeline import Timeline
from explorer.drawing.moments import Drawn, line_data
from explorer.drawing.notebook.outputs import output_html, so_far
from explorer.trace import Trace


def told_line(
    trace: Trace,
    own: Drawn,
    film: Timeline,
    steps: BackwardSteps,
    others: Callable[[int], Drawn | None],
    alone: bool,
) -> dict[str, Any]:
    """Every moment of a run.

    Args:
        trace, own, others: as of `line_data`; film: its `timeline`.
        steps: of the picture's backward.
        alone: as of `output_html`.
    """

    def shows(cell: int, count: int, characters: int) -> str:
        return output_html(so_far(trace, cell, count, characters), cell, own.lang, alone)

    return line_data(trace, own, film, steps, shows, others)

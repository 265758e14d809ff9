"""The small pictures of the gallery, drawn from runs of its examples.

`tools/generate_pictures.py` writes them into `lessons/gallery/pictures`, so that a server draws none of them; a test
compares the files with new runs.
"""

from collections.abc import Callable

from explorer.analysis.calculus import AxisWindow, Function, curve, point_program, sweep, sweep_program
from explorer.drawing.thumbnails import graph_thumbnail, tangent_thumbnail, training_thumbnail
from explorer.lessons.gallery import Example
from explorer.lessons.lesson import program_of
from explorer.program import Program
from explorer.trace import Options, Trace

AROUND = 1.5  # on each side of the point of a tangent, as the page first shows it


def drawn_picture(example: Example, run: Callable[[Program, Options], Trace]) -> str:
    """The picture of what the page of an example shows.

    Args:
        run: runs a program and returns its Trace.
    """
    if "f" in example.state:
        f, at = Function(example.state["f"]), float(example.state["at"])
        window = AxisWindow(at - AROUND, at + AROUND)
        along = sweep(run(*sweep_program(f, window)), f, window)
        return tangent_thumbnail(curve(run(*point_program(f, at, window)), along))
    trace = run(program_of(example.program), Options())
    return (training_thumbnail(trace) if example.page == "training" else "") or graph_thumbnail(trace)

"""Write the thumbnails of the gallery's examples and of the lessons, drawn from runs of their programs.

Run it when an example, a lesson's program, the drawing or torch's version changes:

    python tools/generate_pictures.py [ID ...]   (from the project's root; without ids all)
"""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.analysis.views.calculus.curve import curve, sweep
from explorer.analysis.views.calculus.function import Function
from explorer.analysis.views.calculus.programs import AxisWindow, point_program, sweep_program
from explorer.lessons.course import own_course
from explorer.lessons.gallery import Example, gallery
from explorer.lessons.lesson import Lesson, program_of
from explorer.lessons.pictures import PICTURES, picture_file
from explorer.program import Program
from explorer.sandbox import Runner
from explorer.trace import Options, Trace
from tools.thumbnail_curves import tangent_thumbnail, training_thumbnail
from tools.thumbnail_graph import graph_thumbnail

AROUND = 1.5  # x range on each side of a tangent's point, as the page first shows it


def drawn_picture(example: Example, run: Callable[[Program, Options], Trace]) -> str:
    """Draw what an example's page shows.

    Args:
        run: runs a program and returns its Trace.
    """
    if "f" in example.state:
        f, at = Function(example.state["f"]), float(example.state["at"])
        window = AxisWindow(at - AROUND, at + AROUND)
        along = sweep(run(*sweep_program(f, window)), f, window)
        return tangent_thumbnail(curve(run(*point_program(f, at, window)), along))
    return of_program(example.program, example.page == "training", run)


def of_program(text: str, trains: bool, run: Callable[[Program, Options], Trace]) -> str:
    """Draw a program's training or its graph, "" for neither."""
    trace = run(program_of(text), Options())
    return (training_thumbnail(trace) if trains else "") or graph_thumbnail(trace)


def write(ids: list[str]) -> None:
    """Draw and write the pictures of these examples and lessons, or of all; then other files are removed."""
    subjects: dict[str, Example | Lesson] = {**gallery().examples, **own_course().lessons}
    PICTURES.mkdir(exist_ok=True)
    known = {picture_file(id) for id in subjects}
    for path in PICTURES.glob("*.svg") if not ids else ():
        if path not in known:
            path.unlink()
    runner = Runner()

    def run(program: Program, options: Options) -> Trace:
        return runner.submit(program, options).result()

    for id in ids or subjects:
        one, path = subjects[id], picture_file(id)
        picture = drawn_picture(one, run) if isinstance(one, Example) else of_program(one.program, True, run)
        if picture:
            path.write_text(f"{picture}\n", "utf-8")
        else:
            path.unlink(missing_ok=True)
    runner.close()


if __name__ == "__main__":
    write(sys.argv[1:])

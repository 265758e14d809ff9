"""Write the thumbnails of the gallery's examples, drawn from runs of their programs.

Run it when an example, the drawing or torch's version changes:

    python tools/generate_pictures.py [ID ...]   (from the project's root; without ids all)
"""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.analysis.calculus.curve import curve, sweep
from explorer.analysis.calculus.function import Function
from explorer.analysis.calculus.programs import AxisWindow, point_program, sweep_program
from explorer.lessons.gallery import PICTURES, Example, gallery
from explorer.lessons.lesson import program_of
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
    trace = run(program_of(example.program), Options())
    return (training_thumbnail(trace) if example.page == "training" else "") or graph_thumbnail(trace)


def write(ids: list[str]) -> None:
    """Draw and write the pictures of these examples, or of all; then other files are removed."""
    examples = gallery().examples
    PICTURES.mkdir(exist_ok=True)
    for path in PICTURES.glob("*.svg") if not ids else ():
        if path.stem not in examples:
            path.unlink()
    runner = Runner()

    def run(program: Program, options: Options) -> Trace:
        return runner.submit(program, options).result()

    for id in ids or examples:
        path, picture = PICTURES / f"{id}.svg", drawn_picture(examples[id], run)
        if picture:
            path.write_text(f"{picture}\n", "utf-8")
        else:
            path.unlink(missing_ok=True)
    runner.close()


if __name__ == "__main__":
    write(sys.argv[1:])

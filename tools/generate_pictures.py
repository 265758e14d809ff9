"""Writes the small pictures of the gallery's examples, each drawn from a run of its program. Run it when an example,
the drawing or torch's version changes:

    python tools/generate_pictures.py [ID ...]   (from the project's root; without ids all)
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.lessons.drawing.cards import drawn_picture
from explorer.lessons.gallery import PICTURES, gallery
from explorer.program import Program
from explorer.sandbox import Runner
from explorer.trace import Options, Trace


def write(ids: list[str]) -> None:
    """Draw and write the pictures of these examples, or of all; of all, files of other names are removed."""
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

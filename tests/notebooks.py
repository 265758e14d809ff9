"""Notebooks and pages that tests read: of what was copied from a page with a notebook, `│` marks what is no code."""

import json
import re
from functools import cache
from pathlib import Path

from explorer.program import CellSource, Program

OWN = Path(__file__).parent / "data"
NOTEBOOKS = [path.stem for path in sorted(OWN.glob("*.txt"))]


@cache
def notebook(name: str) -> Program:
    """The code cells that a page shows."""
    parts = re.split(r"(?m)^In \[\d+\]:\n", (OWN / f"{name}.txt").read_text(encoding="utf-8"))[1:]
    code = ("\n".join(line for line in part.split("\n") if not line.startswith("│")) for part in parts)
    return Program([CellSource(text.removesuffix("\n")) for text in code])


def written(*cells: str, title: str = "# Title\n\nWords.") -> str:
    """A notebook file with a title and these code cells."""
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    made = [{"cell_type": "markdown", "metadata": {}, "source": title}, *(code | {"source": one} for one in cells)]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

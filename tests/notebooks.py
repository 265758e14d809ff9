"""Notebooks that tests read, written for them, and notebooks that tests write."""

import json
from functools import cache
from pathlib import Path

from explorer.program import Program, read_program

OWN = Path(__file__).parent / "data"
NOTEBOOKS = ["gradients", "tensors"]


@cache
def notebook(name: str) -> Program:
    """Return the program of one."""
    return read_program("-", (OWN / f"{name}.py").read_bytes())


def written(*cells: str, title: str = "# Title\n\nWords.") -> str:
    """Return a notebook file with a title and these code cells."""
    code = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    made = [{"cell_type": "markdown", "metadata": {}, "source": title}, *(code | {"source": one} for one in cells)]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

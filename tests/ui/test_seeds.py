"""The seed notebooks show the same as IPython, through the command line and through a page."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from explorer.io.export import to_json
from tests.patience import PATIENT
from tests.ui.pages import ROOT, editor, new_page, open_file

SHARED = ROOT.parent / "shared"
REFERENCE = SHARED / "tools" / "reference.py"  # runs notebooks in IPython and prints each cell's outputs
SEEDS = sorted((SHARED / "seeds").glob("*.ipynb"))
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not SEEDS or not REFERENCE.is_file(), reason="needs the seed notebooks beside the checkout"),
]
Shown = tuple[str | None, str, str]  # type of the error, printed text, echo
LINES = 20  # printed by a cell whose text on the page is read too: a page leaves the middle of a long one out


def output(*command: str, **environment: str) -> list[dict[str, Any]]:
    """Return the JSON objects that a Python program prints, one in a line."""
    steady = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "80", "LINES": "24"} | environment
    done = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, env=steady, cwd=ROOT, timeout=PATIENT)
    return [json.loads(line) for line in done.stdout.decode().split("\n") if line.startswith("{")]


def masked(text: str | None) -> str:
    """Return a text without colours, addresses and ids, which differ from run to run."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text or "")
    plain = re.sub(r"0x[0-9a-fA-F]+|\b1[34]\d{13}\b|\b9[34]\d{12}\b", "…", plain)
    return "\n".join(line.rstrip() for line in plain.split("\n")).strip("\n")


@cache
def wanted(path: Path) -> list[tuple[dict, bool]]:
    """Return IPython's output per cell, and whether it repeats with other addresses and dirty memory."""
    other = {"PYTHONMALLOC": "malloc", "MALLOC_PERTURB_": "90", "PYTHONHASHSEED": "7"}
    (first,), (second,) = (output(str(REFERENCE), str(path), **given) for given in ({}, other))
    return [(one, truth(one) == truth(two)) for one, two in zip(first["cells"], second["cells"], strict=True)]


def truth(cell: dict) -> Shown:
    return cell["error"] and cell["error"][0], masked(cell["stdout"]), masked(cell["echo"])


def shown(cell: dict) -> Shown:
    text = {kind: "".join(one["text"] for one in cell["outputs"] if one["kind"] == kind) for kind in ("stdout", "echo")}
    error = next((one["type"] for one in cell["outputs"] if one["kind"] == "error"), None)
    return error, masked(text["stdout"]), masked(text["echo"])


def differs(cell: dict, want: dict, steady: bool) -> bool:
    """Return whether a cell lacks part of IPython's output; for an unsteady cell only the error counts."""
    kinds = {one["kind"] for one in cell["outputs"]}
    table = any(one["kind"] == "echo" and one["table"] for one in cell["outputs"])
    if kinds & {"refusal", "limit"} or (want["figures"] and "figure" not in kinds) or (want["table"] and not table):
        return True
    compared = 1 if not steady else 2 if "<matplotlib." in truth(want)[2] else 3  # the name of a plot is not compared
    return shown(cell)[:compared] != truth(want)[:compared]


def different(cells: list[dict], path: Path) -> list[tuple[int, Shown, Shown]]:
    """Return the cells that differ from IPython: number, expected and actual outputs."""
    pairs = zip(cells, wanted(path), strict=True)
    return [
        (number, truth(want), shown(cell))
        for number, (cell, (want, steady)) in enumerate(pairs)
        if differs(cell, want, steady)
    ]


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem[:3])
def test_a_seed_notebook_shows_what_ipython_shows_on_the_command_line(path):
    (run,) = output("-m", "explorer", "run", str(path), "--json")
    assert different(run["cells"], path) == []


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem[:3])
def test_a_seed_notebook_shows_what_ipython_shows_on_a_page(path):
    app = open_file(new_page().run(), path.name, path.read_text(encoding="utf-8"))
    trace = app.session_state["_runs"].shown.result
    assert different(to_json(trace)["cells"], path) == []
    page = editor(app)
    for cell, (want, steady) in zip(page["cells"], wanted(path), strict=True):
        _, printed, echo = truth(want)
        if steady and not want["table"] and "<matplotlib." not in echo and (printed + echo).count("\n") < LINES:
            text = masked(unescape(re.sub(r"<[^>]+>", "\n", page["html"].get(cell["outs"], ""))))
            lines = {line.strip() for line in text.split("\n")}
            assert [line for line in (printed + "\n" + echo).split("\n") if line.strip() not in lines | {""}] == []

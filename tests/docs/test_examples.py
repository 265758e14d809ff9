"""The notebooks in examples/ run unchanged and show their stored outputs."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tests.patience import PATIENT

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
_NUMBER = re.compile(r"[-−+]?\d+(\.\d+)?(e[-−+]?\d+)?")


def shown(path: Path) -> list[list[tuple[str, str]]]:
    """Return each code cell's outputs as kinds and texts without numbers, whose last digits vary by machine."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return [
        [
            (" ".join(one.get("data", {one.output_type: ""})), " ".join(_NUMBER.sub("#", one.get("text", "")).split()))
            for one in cell.outputs
        ]
        for cell in cells
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_stored_outputs_are_current(path, tmp_path):
    ran = tmp_path / path.name
    command = [sys.executable, str(ROOT / "tools" / "run_notebook.py"), str(path), "-o", str(ran)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert shown(ran) == shown(path), "python tools/run_notebook.py keeps what it shows now"
    assert any("image/svg+xml" in kind for cell in shown(path) for kind, _ in cell)


def test_the_idea_in_one_file_records_values_and_gradients(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["idea.py"])
    runpy.run_path(str(ROOT / "examples" / "idea.py"), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    rows = [" ".join(line.split()[3:]) for line in printed if line.startswith("// line")]
    assert rows == [
        "AddBackward0 value [3] gradient [2]",
        "AddBackward0 value [2] gradient [3]",
        "MulBackward0 value [6] gradient [1]",
        "AccumulateGrad value [1] gradient [5]",
        "AccumulateGrad value [2] gradient [2]",
    ]

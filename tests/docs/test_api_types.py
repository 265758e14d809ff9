"""docs/api.md under a type checker: its programs are as right for it as they are for Python."""

import subprocess
import sys

import pytest

from tests.installed.documents import ROOT, blocks
from tests.patience import PATIENT


@pytest.mark.thorough
def test_the_api_examples_type_check(tmp_path):
    program = tmp_path / "examples.py"
    examples = (one for one in blocks(ROOT / "docs" / "api.md") if one.language == "python" and one.expected)
    program.write_text("\n".join(one.code for one in examples), encoding="utf-8")
    order = [sys.executable, "-m", "mypy", str(program)]
    done = subprocess.run(order, cwd=ROOT, capture_output=True, text=True, timeout=PATIENT)
    assert done.returncode == 0, done.stdout

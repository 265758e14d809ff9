"""docs/command-line.md shows the current output of each command."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENT

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")
PROGRAM = re.search(r"```python3\n(.*?)```", PAGE, re.DOTALL)[1]
SHOWN = re.findall(r"```bash\npython -m (explorer [^\n|]*)[^\n]*\n```\n\n```text\n(.*?)```", PAGE, re.DOTALL)


def _without_numbers(text: str) -> list[str]:
    """Leave out digits, which another machine's rounding may change, and which stream printed first."""
    return sorted(re.sub(r"[\d.]+", "#", line) for line in text.splitlines())


@pytest.mark.installed
@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command.split()[1] for command, _ in SHOWN])
def test_a_command_prints_what_the_page_shows(command, output, tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM, "utf-8")
    cleared = PROGRAM.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()")
    (tmp_path / "fixed.py").write_text(cleared, "utf-8")
    root = Path(__file__).parents[2]
    code = (
        f"import sys, runpy; sys.path.insert(0, {str(root)!r}); sys.argv[0] = 'explorer'; runpy.run_module('explorer')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command.split()[1:]],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=PATIENT,
        check=False,
    )
    assert _without_numbers(done.stdout) == _without_numbers(output)

"""Write docs/conventions.md from tests/operations/conventions.txt: `python -m tools.generate_conventions`.

`python -m tools.generate_conventions --check` runs every row on the torch that is installed, and prints what differs:
this is how the rows are compared between versions of torch.
"""

import subprocess
import sys
from itertools import groupby
from pathlib import Path

from tests.operations.conventions import BASE, Row, Shown, differences, number, rows

DOCUMENT = Path(__file__).parents[1] / "docs" / "conventions.md"
HEAD = """# Conventions of torch's gradients

<!-- runs in: core -->
<!-- python
import torch
import torch.nn.functional as F
from math import inf, nan
-->

If a function has no derivative, or a formula divides by zero, torch has to choose. This page lists its choices:
each row has a small program, torch's result, and the reason. The tests run every row.

The values are from torch 2.13.0 on a CPU. torch 2.8.0, 2.14.1 and 2.15.0 return the same, except where a column of the
table names another version. 2.14 removed `torch.cholesky` in favor of `torch.linalg.cholesky`.
If only one entry of a tie gets the gradient, torch does not document which one, and a GPU may choose another.
"""


def document() -> str:
    """Return the page: a table for each question, in the order of the file."""
    parts = [HEAD]
    for question, group in groupby(rows(), lambda row: row.question):
        members = list(group)
        parts.append(f"\n## {question}\n\n")
        if members[0].setup:
            parts.append(f"Before each row:\n\n```python\n{_formatted(members[0].setup)}```\n\n")
        versions = sorted({version for row in members for version in row.versions}, key=number)
        others = "".join(f" {'from' if number(one) > number(BASE) else 'up to'} {one} |" for one in versions)
        parts.append(f"| program | torch gives |{others} why |\n|---|---|{'---|' * len(versions)}---|\n")
        parts += (_row(row, versions) for row in members)
    return "".join(parts)


def _formatted(code: str) -> str:
    """Code as ruff writes it, since ruff reads documents too."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "setup.py", "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout


def _row(row: Row, versions: list[str]) -> str:
    code = "<br>".join(f"`{_cell(line)}`" for line in row.code.splitlines())
    seen = "<br>".join(
        f"`{_cell(_seen(line))}`" for line in row.lines if not isinstance(line, str) or line.startswith("! ")
    )
    return f"| {code} | {seen} |{''.join(f' {_other(row, one)} |' for one in versions)} {row.meaning} |\n"


def _seen(line: str | Shown) -> str:
    return line[2:] if isinstance(line, str) else f"{line.expression} = {line.value}"


def _other(row: Row, version: str) -> str:
    """Return the row's results that a version of torch changed."""
    changed = [line for line in row.lines if isinstance(line, Shown) and version in line.others]
    return "<br>".join(f"`{_cell(_result(line.expression, line.others[version]))}`" for line in changed)


def _result(expression: str, value: str) -> str:
    return f"{expression} raises {value}" if value.endswith("Error") else f"{expression} = {value}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    if "--check" in sys.argv:
        import torch

        found = [(row, problem) for row in rows() for problem in differences(row, torch.__version__)]
        for row, problem in found:
            print(f"{row.question}\n{row.code}\n  {problem}")
        print(f"torch {torch.__version__}: {len(rows())} rows, {len(found)} differ")
        sys.exit(bool(found))
    DOCUMENT.write_text(document(), "utf-8")

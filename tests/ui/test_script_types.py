"""The scripts of pages under a type checker: every name, every property, everything that may be missing."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path.relative_to(ROOT) for path in ROOT.glob("explorer/**/*.js"))

needs_checker = pytest.mark.skipif(shutil.which("tsc") is None, reason="needs tsc (Debian: node-typescript)")


def checked(root: Path) -> str:
    """Return the checker's output with the project's configuration; it ends with the files it read."""
    options = ["tsc", "-p", "jsconfig.json", "--pretty", "false", "--listFiles"]
    return subprocess.run(options, cwd=root, capture_output=True, text=True, check=False).stdout


@pytest.mark.thorough
@needs_checker
def test_the_checker_reads_every_script_and_finds_no_fault():
    said = checked(ROOT)
    assert "error TS" not in said, said
    assert all(str(ROOT / path) in said.splitlines() for path in SCRIPTS)


@pytest.mark.thorough
@needs_checker
def test_the_checker_finds_missing_exports_and_possible_nulls(tmp_path):
    shutil.copy(ROOT / "jsconfig.json", tmp_path)
    (tmp_path / "explorer").mkdir()
    (tmp_path / "explorer/paint.js").write_text("export const lines = 1;\n", encoding="utf-8")
    faults = 'import { line } from "./paint.js";\nexport const x = document.querySelector("p").clientWidth + lines;\n'
    (tmp_path / "explorer/page.js").write_text(faults, encoding="utf-8")
    said = checked(tmp_path)
    for wrong in ("no exported member", "possibly 'null'", "Cannot find name 'lines'"):
        assert wrong in said, wrong

"""macOS and Windows, imitated on Linux: `tests/elsewhere` removes the parts of Python that are missing there."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.cli.main import main

ROOT = Path(__file__).parents[2]
SYSTEMS = ("win32", "darwin")


def elsewhere(system: str, *command: str, **variables: str) -> subprocess.CompletedProcess:
    """Run a Python command as on another system and return the result."""
    command = (sys.executable, "-m", "tests.elsewhere", system, *command)
    environment = os.environ | variables
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", timeout=600)


@pytest.mark.thorough
@pytest.mark.parametrize("system", SYSTEMS)
def test_programs_are_recorded_limited_and_drawn(system):
    done = elsewhere(system, "-m", "tests.elsewhere.first_steps")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "recorded": [4.0, True],
        "limited": ["True text\n", ["time"]],
        "answers": ["answer", "time", "memory"],
    }


@pytest.mark.thorough
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_command_line_runs_a_program(system, tmp_path):
    program = tmp_path / "p.py"
    program.write_text("w = torch.tensor([1.0], requires_grad=True)\n(w * 3).sum().backward()\nprint('梯度', w.grad)\n")
    done = elsewhere(system, "-m", "explorer", "run", str(program), PYTHONIOENCODING="cp1252")
    assert (done.returncode, done.stdout) == (0, "\\u68af\\u5ea6 tensor([3.])\n"), done.stderr


def test_every_command_line_text_fits_a_windows_terminal(monkeypatch):
    for command in (["--help"], ["run", "--help"], ["run", "梯度.py"]):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="cp1252") for _ in range(2)]
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        with contextlib.suppress(SystemExit):
            main([*command, "--lang", "zh"])
        for stream in streams:
            stream.flush()
        assert b"\\u" in b"".join(stream.buffer.getvalue() for stream in streams)

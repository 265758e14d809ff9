"""The example that trains with Lightning: killed in the middle, all steps recorded up to there open."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import explorer

ROOT = Path(__file__).parents[2]


@pytest.mark.thorough
def test_a_killed_example_opens_up_to_there(tmp_path):
    if importlib.util.find_spec("lightning") is None:
        pytest.skip("lightning is not installed")
    command = [sys.executable, "-W", "ignore", str(ROOT / "examples" / "watch_lightning.py")]
    around = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    training = subprocess.Popen(command, cwd=tmp_path, env=around, **quiet)
    folder, deadline = tmp_path / "runs" / "lightning", time.monotonic() + 300
    while len(list(folder.glob("*.trace"))) < 2:
        assert training.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    training.kill()
    training.wait()
    watched = explorer.load(folder)
    assert len(watched.steps) >= 2
    assert all(watched.trace(step.step).backwards for step in watched.steps if step.trace)

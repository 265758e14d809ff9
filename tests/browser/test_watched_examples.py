"""The examples of Lightning and of Hugging Face's Trainer are watched in the browser while they train, then killed.

EXPLORER_LIBRARIES names the Python that has the libraries: they are too large for requirements-dev.txt.
"""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from playwright.sync_api import expect

import explorer
from tests.visitor import ROOT, server

PYTHON = os.environ.get("EXPLORER_LIBRARIES", sys.executable)
RECORDED = re.compile(r"([0-9]+) steps? recorded, the last is step [0-9,]+")


@pytest.fixture
def training(tmp_path, request):
    """Begins the example of a library in a folder of its own; returns its process and the run's folder."""
    name, needed = request.param
    around = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    if subprocess.run([PYTHON, "-c", f"import {needed}"], capture_output=True, env=around, cwd=tmp_path).returncode:
        pytest.skip(f"{PYTHON} has no {needed}; EXPLORER_LIBRARIES names a Python that has it")
    (tmp_path / "runs").mkdir()
    command = [PYTHON, ROOT / "examples" / f"watch_{name}.py"]
    started = []

    def begin():
        with (tmp_path / "log").open("wb") as log:
            started.append(subprocess.Popen(command, cwd=tmp_path, env=around, stdout=log, stderr=log))
        return started[-1], tmp_path / "runs" / name

    yield begin
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    "training",
    [("lightning", "lightning"), ("transformers", "transformers, accelerate")],
    ids=["lightning", "transformers"],
    indirect=True,
)
def test_an_example_is_watched_while_it_trains_and_opens_after_it_was_killed(chromium, training, tmp_path):
    with server(EXPLORER_RUNS=str(tmp_path / "runs")) as (_, port):
        page = chromium.new_page(locale="en-GB")
        page.goto(f"http://localhost:{port}/runs")
        expect(page.locator(".st-key-runs .notice")).to_contain_text("has no run yet")
        process, folder = training()
        state = page.locator(".st-key-ru_run_0 .ru-state")
        expect(state).to_contain_text(RECORDED)  # appears by itself
        seen = int(RECORDED.search(state.inner_text())[1])
        while len(explorer.load(folder).steps) <= seen:
            assert process.poll() is None, "it ended before another step was recorded"
            time.sleep(0.1)
        process.send_signal(signal.SIGSTOP)  # however slowly the page is drawn, it is in the middle of its training
        expect(state).not_to_contain_text(re.compile(rf": {seen} steps? recorded"))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        run = explorer.load(folder)
        assert run.ranks[0].ended is None
        assert all(run.trace(step.step).backwards for step in run.steps)
        page.reload()
        last = run.steps[-1].step
        expect(state).to_contain_text(re.compile(f"the last is step {last:,} · not ended"))
        page.locator(".st-key-ru_run_0 .film-over").press("End")
        expect(page.locator(".st-key-ru_step_0 h3")).to_have_text(re.compile(f"Step {last:,}|Step {last}"))
        page.get_by_role("button", name="Open this step’s graph").click()
        expect(page.locator(".st-key-graph g.node").first).to_be_visible()
        page.close()

"""A training that runs is watched in the browser, killed, and still opens."""

import os
import signal
import subprocess
import sys
import time

import pytest
from playwright.sync_api import expect

from tests.visitor import server

TRAINING = """
import sys, torch, explorer
net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.rand(16, 2)
watch = explorer.watch(net, optimizer, every=1, out=sys.argv[1])
for asked in sys.stdin:  # a step for each line
    optimizer.zero_grad()
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
"""


@pytest.fixture
def training(tmp_path):
    """Start a training that waits; `step()` lets it take more steps."""
    program = tmp_path / "train.py"
    program.write_text(TRAINING)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = []

    def begin(name):
        order = [sys.executable, program, tmp_path / "runs" / name]
        started.append(subprocess.Popen(order, stdin=subprocess.PIPE, text=True, env=environment))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


def step(process, count=1):
    process.stdin.write("\n" * count)
    process.stdin.flush()


def test_a_running_training_shows_its_steps_and_opens_after_it_was_killed(chromium, training, tmp_path):
    (tmp_path / "runs").mkdir()
    with server(EXPLORER_RUNS=str(tmp_path / "runs")) as (_, port):
        page = chromium.new_page(locale="en-GB")
        first = training("first")
        step(first, 3)
        while not (tmp_path / "runs/first/index.jsonl").exists():
            time.sleep(0.1)
        page.goto(f"http://localhost:{port}/runs")  # the address of the page that runs had
        page.wait_for_url("**/training*")
        choose(page, "Source", "first")
        state = page.locator(".tr-state")
        expect(state).to_contain_text("3 steps recorded")
        expect(page.locator(".film-now")).to_contain_text("step 3")
        step(first, 2)  # appears by itself
        expect(state).to_contain_text("5 steps recorded, the last is step 5 · last entry")
        first.send_signal(signal.SIGKILL)
        second = training("second")
        step(second, 2)
        second.stdin.close()
        second.wait()
        page.reload()  # the address has the run
        expect(state).to_contain_text("5 steps recorded")
        choose(page, "Compare with", "second")
        expect(page.locator(".film-loss path.before")).to_be_attached()
        page.locator(".film-over").press("Home")
        expect(page.locator(".st-key-tr_recorded h3")).to_have_text("Step 1")
        page.locator(".film-graph").click()
        expect(page.locator(".st-key-graph g.node").first).to_be_visible()
        expect(page.get_by_text("first-step-1.py")).to_be_visible()
        page.close()


def choose(page, field, name):
    page.get_by_role("combobox", name=field).click()
    page.get_by_role("option", name=name).click()

"""A picture and a training in JupyterLab, in a real browser: clicks are answered by the kernel.

JupyterLab is not in requirements-dev.txt, because one test would need ninety packages. Without it the test is skipped:
python -m pip install jupyterlab anywidget
"""

import json
import os
import secrets
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.deploy.proxy import free_port
from tests.patience import eventually

pytest.importorskip("jupyterlab")
pytest.importorskip("anywidget")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[2]
PRODUCT = """import torch, explorer
with explorer.record() as trace:
    w = torch.tensor([2., 3.], requires_grad=True)
    y = (w * w).sum()
    y.backward()
explorer.draw(trace)"""
TRAINING = """w = torch.tensor([1., 2.], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
with explorer.record() as trace:
    for _ in range(10):
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        optimizer.step()
trace.training()"""


def written(file: Path, *cells: str) -> None:
    """A notebook with these cells."""
    code = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    made = [code | {"id": f"cell-{place}", "source": text} for place, text in enumerate(cells)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    file.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": made}), "utf-8")


@pytest.fixture
def lab(chromium, tmp_path):
    """Opens a notebook of these cells in JupyterLab and runs them all."""
    port = free_port()
    own = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"JUPYTER_TOKEN": secrets.token_hex(), "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path / "ipython")}
    options = ["--allow-root", "--no-browser", f"--port={port}", f"--notebook-dir={tmp_path}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([sys.executable, "-m", "jupyterlab", *options], env=os.environ | own, **quiet)
    window = chromium.new_context(viewport={"width": 1400, "height": 1000}, locale="en-GB")

    def answers() -> bool:
        with suppress(OSError):
            return urllib.request.urlopen(f"http://localhost:{port}/api", timeout=5).status == 200
        return False

    def open_notebook(*cells: str):
        file = tmp_path / "own.ipynb"
        written(file, *cells)
        assert eventually(answers)
        page = window.new_page()
        page.goto(f"http://localhost:{port}/lab/tree/{file.name}?token={own['JUPYTER_TOKEN']}")
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        return page, file

    yield open_notebook
    window.close()
    server.terminate()  # ends its kernels
    server.wait(60)


def test_a_click_on_a_card_asks_the_kernel(lab):
    page, file = lab(PRODUCT, TRAINING)
    picture, training = page.locator(".picture.is-live"), page.locator(".training")
    picture.locator("g.node", has_text=".grad").get_by_text("(2,)").click()
    expect(picture.locator(".card-place")).to_contain_text("4 … 6, mean 5")
    asked = picture.locator(".asked")
    asked.fill("w.grad[1]")
    asked.press("Enter")
    expect(picture.locator(".why-place")).to_contain_text("w.grad[1] = +6")

    training.locator(".measure select").select_option("value")
    expect(training.locator("figure.of-value")).to_be_visible()
    training.get_by_role("button", name="w", exact=True).click()
    expect(training.locator(".table table")).to_contain_text("2.24")  # the norm of w before the first step
    cursor = training.get_by_role("slider")
    cursor.focus()
    cursor.press("Home")
    expect(training.locator(".step-facts")).to_contain_text("learning rate")

    page.locator("[data-jp-item-name=save]").click()  # the widgets are static without a kernel
    assert eventually(lambda: file.read_text("utf-8").count("<iframe") == 2)

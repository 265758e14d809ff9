"""A folder of the user's machine: readable for typed programs, not for linked ones; a long run and Stop."""

import re

import pytest
import torch
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from explorer.sandbox.access import possible
from tests.browser.conftest import STARTING
from tests.browser.test_workbench import write
from tests.visitor import server

pytestmark = [pytest.mark.journeys, pytest.mark.skipif(not possible(), reason="this machine cannot open a folder")]

PROGRAM = (
    "import pandas as pd\nfrom helper import scale\ndata = pd.read_csv('数 据/train.csv')\n"
    "w = torch.load('model.pt').requires_grad_()\nloss = scale(w * torch.tensor(data.x.to_numpy())).sum()\n"
    "loss.backward()\nprint('gradient', w.grad.tolist())\n"
)
LONG = "import time\nprint('begun')\ntime.sleep(300)\nprint('through')\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("my project")
    (made / "数 据").mkdir()
    (made / "数 据" / "train.csv").write_text("x\n1.0\n2.0\n")
    (made / "helper.py").write_text("def scale(x):\n    return x * 3\n")
    torch.save(torch.ones(2, dtype=torch.float64), made / "model.pt")
    return made


@pytest.fixture(scope="module")
def at_home(folder):
    with server(EXPLORER_FOLDER=str(folder)) as (_, port):
        yield f"http://localhost:{port}"


def shown(chromium, address: str, fragment: str = ""):
    page = chromium.new_context(locale="en-GB").new_page()
    page.goto(f"{address}/#{fragment}" if fragment else address)
    page.wait_for_selector(".st-key-editor", timeout=STARTING)
    return page


def test_a_typed_program_reads_the_folder_and_one_from_a_link_does_not(chromium, at_home, folder):
    page = shown(chromium, at_home, to_fragment({"program": PROGRAM}))
    expect(page.locator(".st-key-foreign")).to_contain_text("This program was not written here")
    expect(page.locator(".st-key-problems")).to_contain_text("helper")
    page.get_by_role("button", name="Run it as my own").click()
    expect(page.locator(".st-key-panel")).to_contain_text("gradient [3.0, 6.0]")
    other = shown(chromium, at_home)
    other.wait_for_selector(".st-key-graph g.node", timeout=STARTING)
    write(other, PROGRAM)
    expect(other.locator(".st-key-panel")).to_contain_text("gradient [3.0, 6.0]")
    other.get_by_role("button", name="Settings").click()
    expect(other.locator(".st-key-limits")).to_contain_text(f"This program may read {folder}")


def test_a_long_run_shows_its_time_and_stop_keeps_its_results(chromium, at_home):
    page = shown(chromium, at_home)
    page.wait_for_selector(".st-key-graph g.node", timeout=STARTING)
    write(page, LONG)
    expect(page.locator(".status.wait")).to_contain_text(
        re.compile(r"running for (1[1-9]|[2-9]\d|\d{3}) s \(limit: 60 s")
    )
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".st-key-panel")).to_contain_text("begun")
    expect(page.locator(".notice").filter(has_text="Nothing to draw")).to_contain_text("You stopped the program after")
    assert "through" not in page.locator(".st-key-panel").inner_text().replace(LONG, "")

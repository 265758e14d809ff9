"""Files that a program reads, in a real browser: dropped, opened by name, taken away again."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import BEHIND_PROXY
from tests.browser.test_workbench import write

at_home = pytest.mark.skipif(BEHIND_PROXY, reason="the proxy takes no files of 38 MB: where strangers come 5 MB is all")

PROGRAM = """!pip install torch
names = open('data/names.txt').read().splitlines()
w = torch.tensor(3., requires_grad=True)
(w * len(names)).backward()
print(names, w.grad)
"""


def files_menu(page):
    page.locator(".st-key-file button").first.click()
    page.locator(".st-key-menu_files summary").click()
    return page.locator(".st-key-given")


def given(menu, files, drawn=True):
    """Drop files after the page is drawn; before, the drop zone may be duplicated or replaced.

    While a program runs, drop on the current zone.
    """
    place = menu.locator("input[type=file]")
    expect(place).to_have_count(1)
    if drawn:
        expect(menu.page.locator("[data-stale=true]")).to_have_count(0)
    place.set_input_files(files)


def of_size(folder, name, size):
    """Return a file of zeros: one on the disk is read by the browser itself, in a twentieth of the time."""
    with open(folder / name, "wb") as file:
        file.truncate(size)
    return folder / name


def taken_away(menu, name):
    """Click until it is gone: a click while a run is answered has been seen to be lost."""
    for _ in range(60):
        menu.get_by_role("button", name=f"Remove {name}").click()
        menu.page.wait_for_timeout(1000)
        if not menu.locator(".given", has_text=name).count():
            return


@at_home
def test_a_program_reads_a_dropped_file_until_it_is_removed(open_page, tmp_path):
    page = open_page()
    write(page, PROGRAM)
    problem = page.locator(".problem")
    expect(problem).to_contain_text("the files in Files")
    menu = files_menu(page)
    file = {"name": "names.txt", "mimeType": "text/plain", "buffer": b"ann\nbob\n"}
    given(menu, file)
    expect(menu.locator(".given")).to_have_text("names.txt 8 B")
    page.keyboard.press("Escape")
    expect(problem).to_have_count(0)
    output = page.locator(".st-key-output")
    expect(output.locator("pre")).to_have_text("['ann', 'bob'] tensor(2.)")
    expect(output.locator(".skipped")).to_have_text("not run here: !pip install torch")
    menu = files_menu(page)
    given(menu, of_size(tmp_path, "large", 38_000_000))
    expect(menu.locator(".given")).to_have_count(2)
    given(menu, of_size(tmp_path, "more", 11_000_000))
    expect(menu.locator(".trouble")).to_contain_text("at most 48.0 MB are allowed")
    taken_away(menu, "names.txt")
    expect(menu.locator(".given")).to_have_text("large 38.0 MB")
    page.keyboard.press("Escape")
    expect(problem).to_contain_text("data/names.txt")
    assert page.errors == []


DROP = r"""(names) => {
  const dataTransfer = new DataTransfer();
  for (const name of names) dataTransfer.items.add(new File(["ann\nbob\n"], name));
  document.querySelector(".st-key-graph").dispatchEvent(
    new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


def test_files_dropped_anywhere_on_the_page_are_given_to_the_program(open_page):
    page = open_page()
    write(page, PROGRAM)
    expect(page.locator(".problem")).to_contain_text("names.txt")
    page.evaluate(DROP, ["names.txt"])
    expect(page.locator(".st-key-given .given")).to_be_visible()
    expect(page.locator(".st-key-given .given")).to_have_text("names.txt 8 B")
    expect(page.locator(".problem")).to_have_count(0)
    page.evaluate(DROP, ["a.csv", "b.csv"])
    expect(page.locator(".st-key-given .given")).to_have_count(3)
    page.evaluate(DROP, ["notes.md"])
    expect(page.locator(".st-key-name")).to_have_text("notes.md")
    assert page.errors == []


ROWS = """() => {
  const rows = document.querySelector(".st-key-given_files");
  window.seen = new Set();
  window.row = rows.querySelector("button");
  const look = () => {
    seen.add(rows.isConnected && row.isConnected ? Math.round(rows.getBoundingClientRect().top) : "gone");
    requestAnimationFrame(look);
  };
  look();
}"""


@at_home
def test_a_row_stays_while_another_file_is_refused(open_page, tmp_path):
    """Otherwise a click on it would be lost, or meet another row."""
    page = open_page()
    menu = files_menu(page)
    given(menu, {"name": "a.csv", "mimeType": "text/csv", "buffer": b"1,2"})
    expect(menu.locator(".given")).to_have_count(1)
    expect(menu.locator("input[type=file]")).to_have_count(1)  # the page is drawn
    page.evaluate(ROWS)
    given(menu, of_size(tmp_path, "b.csv", 38_000_000))
    expect(menu.locator(".given")).to_have_count(2)
    given(menu, of_size(tmp_path, "c.csv", 11_000_000))
    expect(menu.locator(".trouble")).to_be_visible()
    expect(menu.locator("input[type=file]")).to_have_count(1)
    assert len(page.evaluate("[...seen]")) == 1


def test_files_can_be_added_and_removed_while_a_program_runs(open_page):
    page = open_page()
    write(page, "import time\nover = time.time() + 10\nwhile time.time() < over: pass\n")
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    menu = files_menu(page)
    rows = menu.locator(".given")
    for count, name in enumerate(("a.csv", "b_*2*.csv"), 1):
        file = {"name": name, "mimeType": "text/csv", "buffer": b"1,2"}
        given(menu, file, drawn=False)
        expect(rows).to_have_count(count)
    for name, left in (("a.csv", ["b_*2*.csv 3 B"]), ("b_*2*.csv", [])):
        menu.get_by_role("button", name=f"Remove {name}").click()
        expect(rows).to_have_text(left)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Stop", exact=True).click()


NET = b"""import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)

    def forward(self, x):
        return self.first(x).relu()
"""
TRAIN = "from models import *\nnet = Net()\nloss = net(torch.ones(1, 2)).sum()\nloss.backward()\n"


def test_a_dropped_file_is_imported_and_named_in_errors(open_page):
    page = open_page()
    write(page, TRAIN)
    problem = page.locator(".problem")
    expect(problem).to_contain_text("No module named 'models'")
    menu = files_menu(page)
    given(menu, {"name": "models.py", "mimeType": "text/x-python", "buffer": NET})
    expect(menu.locator(".given")).to_have_text("models.py 209 B")
    page.keyboard.press("Escape")
    expect(problem).to_have_count(0)
    relu = page.locator('g.node[aria-label^="self.first(x).relu()"]')
    expect(relu).to_have_count(1)
    expect(page.locator('g.node[aria-label^="net.first.weight"]')).to_have_count(1)
    relu.click()
    expect(page.locator("body")).to_contain_text("models.py:11")
    menu = files_menu(page)
    given(menu, {"name": "models.py", "mimeType": "text/x-python", "buffer": NET.replace(b"relu()", b"rellu()")})
    expect(menu.locator(".given")).to_have_text("models.py 210 B")
    page.keyboard.press("Escape")
    expect(problem).to_contain_text("rellu")
    assert page.errors == []


def test_a_missing_file_is_dropped_into_its_error(open_page):
    page = open_page()
    write(page, PROGRAM)
    place = page.locator(".st-key-problem_0 input[type=file]")
    expect(place).to_have_count(1)
    expect(page.locator(".st-key-graph g.node")).to_have_count(0)
    place.set_input_files({"name": "people.txt", "mimeType": "text/plain", "buffer": b"ann\nbob\n"})
    expect(page.locator(".st-key-output pre")).to_have_text("['ann', 'bob'] tensor(2.)")
    expect(page.locator(".problem")).to_have_count(0)

"""Programs of several cells: opened, run, pointed at, switched, taken away."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from explorer.program import load_program
from explorer.sandbox import default_runner
from explorer.trace import Figure, Result
from tests import notebooks
from tests.browser.measures import wait_until
from tests.patience import eventually

CELLS = [
    "import torch\nw = torch.tensor(3., requires_grad=True)",
    "n = torch.arange(4)\nn",
    "y = w * w\ny.backward()\nw.grad",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3], [1, 4, 9])\nplt.show()",
    "z = w ** 3\nz.backward()\nprint('last')\n1 / 0",
]


@pytest.fixture
def notebook(tmp_path) -> Path:
    path = tmp_path / f"{tmp_path.name}.ipynb"  # a different name for every test
    path.write_text(notebooks.written(*CELLS), encoding="utf-8")
    return path


@pytest.fixture
def page(window, notebook):
    """Return the window with the small notebook opened and run."""
    open_file(window, notebook, len(CELLS))
    return window


def open_file(page, path: Path, cells: int) -> None:
    page.locator(".st-key-file button").first.click()
    page.locator(".st-key-open input[type=file]").set_input_files(path)
    opened(page, path, cells)
    expect(page.locator(".st-key-open")).to_have_count(0)  # the menu has closed


def opened(page, path: Path, cells: int) -> None:
    """Wait until a file is open and has run: first its name changes, then its text and results."""
    page.wait_for_function(
        """([name, count, texts]) => { const said = [...document.querySelectorAll(".cell .state")];
           const areas = [...document.querySelectorAll(".code-editor textarea")];
           return document.querySelector(".st-key-name").innerText === name && said.length === count &&
             said.every((one) => one.innerText) && texts.every((text, i) => areas[i]?.value === text); }""",
        arg=[path.name, cells, [cell.text for cell in load_program(str(path)).cells]],
    )


def drop(page, path: Path) -> None:
    page.evaluate(
        """([name, text]) => { const moved = new DataTransfer(); moved.items.add(new File([text], name));
           document.querySelector(".code-editor").dispatchEvent(
             new DragEvent("drop", { dataTransfer: moved, bubbles: true, cancelable: true })); }""",
        [path.name, path.read_text(encoding="utf-8")],
    )


def masked(text: str) -> str:
    """Return a text without the parts that vary between runs, with single spaces."""
    return " ".join(re.sub(r"0x[0-9a-f]+|\d{9,}", "…", text).split())


def test_notes_outputs_and_plots_appear_at_their_cells(page):
    expect(page.locator(".cell .note").nth(0)).to_have_text("Title Words.", use_inner_text=True)
    expect(page.locator(".cell .outs").nth(1)).to_contain_text("tensor([0, 1, 2, 3])")
    page.wait_for_function(  # a plot arrives after its text and is then placed
        """() => {
          const [place, plot] = [".figure", ".st-key-figure-3-0"].map((at) => document.querySelector(at));
          if (!place || !plot) return false;
          const [a, b] = [place.getBoundingClientRect(), plot.getBoundingClientRect()];
          return b.height > 100 && Math.abs(a.y - b.y) < 3 && Math.abs(a.height - b.height) < 3;
        }"""
    )


def test_a_dropped_file_opens(page, tmp_path):
    path = tmp_path / "dropped.md"
    path.write_text("Words.\n\n```python\n1 + 1\n```\n\n```python\n2 + 2\n```\n", encoding="utf-8")
    drop(page, path)
    opened(page, path, 2)
    expect(page.locator(".cell .outs")).to_have_text(["1\n2", "1\n4"], use_inner_text=True)


def test_chips_and_the_cursor_choose_the_picture(page):
    page.wait_for_selector(".chip >> nth=1")
    told = [" ".join(text.split()) for text in page.locator(".chip").all_inner_texts()]
    assert told == ["backward 1 cell 3, line 2", "backward 2 cell 5, line 2"]
    page.wait_for_selector('g.node[aria-label^="z = w ** 3"]')
    page.locator(".chip").first.click()
    page.wait_for_selector('g.node[aria-label^="y = w * w"]')
    page.locator(".code-editor textarea").nth(4).click()
    page.wait_for_selector('g.node[aria-label^="z = w ** 3"]')
    page.locator(".code-editor textarea").nth(2).click()
    page.wait_for_selector('g.node[aria-label^="y = w * w"]')
    expect(page.locator('.chip[aria-pressed="true"]')).to_have_text(re.compile("^backward 1"), use_inner_text=True)


def test_a_cell_without_gradient_shows_the_cursors_line_and_the_graph_on_request(page):
    page.locator(".code-editor textarea").nth(1).click()
    expect(page.locator(".st-key-graph .tensor .sheet").first).to_contain_text("0123", use_inner_text=False)
    page.get_by_role("radio", name="Graph").click()
    page.wait_for_selector(".st-key-graph g.node")
    page.get_by_role("radio", name="Values").click()
    page.wait_for_selector(".st-key-graph .tensor")


def test_a_cell_runs_with_the_previous_cells(page):
    page.locator(".runcell").nth(2).click()
    page.wait_for_selector(".cell.is-unrun")
    expect(page.locator(".cell .state")).to_have_text(["ran", "ran", "ran", "not run", "not run"], use_inner_text=True)
    page.locator(".st-key-run button").first.click()
    page.wait_for_selector(".cell.is-unrun", state="detached")


def test_cells_are_created_and_joined_by_keyboard(open_page):
    page = open_page()
    area = page.locator(".code-editor textarea")
    area.first.press("Control+End")
    page.keyboard.type("# %%\nk = 5")
    page.wait_for_selector(".cell >> nth=1")
    wait_until(page, "document.activeElement.value === 'k = 5'")
    page.keyboard.type("5\nk")
    page.wait_for_selector('.outs >> text="55"')
    page.keyboard.press("Control+Home")
    page.keyboard.press("Backspace")
    page.wait_for_selector(".cell >> nth=1", state="detached")
    assert eventually(lambda: area.first.input_value().endswith("y.backward()\nk = 55\nk"))


def test_typing_in_a_cell_keeps_the_others(page):
    page.locator(".code-editor textarea").nth(2).press("Control+End")
    page.keyboard.type(" * 2")
    page.wait_for_selector('.outs >> text="tensor(12.)"')
    expect(page.locator(".code-editor textarea").nth(4)).to_have_value(CELLS[4])
    assert eventually(lambda: page.evaluate("document.activeElement.value") == CELLS[2] + " * 2")


def test_a_program_can_be_downloaded(page, notebook, tmp_path):
    page.locator(".st-key-file button").first.click()
    page.locator(".st-key-menu_save summary").click()
    page.locator(".st-key-menu_export summary").click()
    for kind in ("py", "ipynb", "svg"):
        with page.expect_download() as loading:
            page.get_by_text(f".{kind}", exact=True).click()
        assert loading.value.suggested_filename == f"{notebook.stem}.{kind}"
        loading.value.save_as(tmp_path / f"saved.{kind}")
    page.keyboard.press("Escape")
    for kind in ("py", "ipynb"):
        program = load_program(str(tmp_path / f"saved.{kind}"))
        assert [cell.text for cell in program.cells] == CELLS
        assert program.notes[0].markdown == "# Title\n\nWords."
    assert "tensor(6.)" in (tmp_path / "saved.ipynb").read_text(encoding="utf-8")
    assert (tmp_path / "saved.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_real_notebook_opens_and_runs(window, tmp_path):
    path = tmp_path / "tensors.ipynb"
    path.write_text(notebooks.written(*(cell.text for cell in notebooks.notebook("tensors").cells)), encoding="utf-8")
    trace = default_runner().submit(load_program(str(path))).result()
    open_file(window, path, len(trace.cells))
    wait_until(window, f"document.querySelectorAll('.chip').length === {len(trace.backwards)}")
    shown = window.evaluate("[...document.querySelectorAll('.cell')].map(cell => cell.innerText)")
    for text, cell in zip(shown, trace.cells, strict=True):
        for output in cell.outputs:
            if isinstance(output, Result) and not output.displayed:
                continue  # as in Jupyter, a bare expression's value is at its line if it fits
            said = getattr(output, "text", "").strip().split("\n")[0][:60]
            assert masked(said) in masked(text)
    assert eventually(
        lambda: (
            window.locator(".figure").count()
            == sum(isinstance(o, Figure) for cell in trace.cells for o in cell.outputs)
        )
    )

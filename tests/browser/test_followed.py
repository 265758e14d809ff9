"""A program saved by another editor is shown and run again."""

import re

from playwright.sync_api import expect

from tests.visitor import server


def test_a_saved_file_is_shown_and_run_again(chromium, tmp_path):
    program = tmp_path / "mine.py"
    program.write_text("import torch\nw = torch.tensor(3., requires_grad=True)\nloss = w * 2\nloss.backward()\n")
    with server(EXPLORER_PROGRAM=f"{program}:3") as (_, port):
        page = chromium.new_page(locale="en-GB")
        page.goto(f"http://localhost:{port}")
        expect(page.get_by_text("mine.py")).to_be_visible()
        expect(page.locator(".st-key-graph")).to_contain_text("w * 2")
        area = page.locator(".code-editor textarea").first
        line = "area => area.value.slice(0, area.selectionStart).split('\\n').length"
        page.wait_for_function(f"({line})(document.querySelector('.code-editor textarea')) === 3")
        part = tmp_path / "mine.part"  # editors save this way
        part.write_text(program.read_text().replace("w * 2", "w * w * 7"))
        part.replace(program)
        expect(page.locator(".st-key-graph")).to_contain_text("w * w * 7")
        expect(area).to_have_value(re.compile(r"w \* w \* 7"))
        expect(page.locator(".backto")).to_have_count(0)  # the user loses nothing
        page.close()

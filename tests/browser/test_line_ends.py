"""Values and gradients at the ends of lines: they leave the text its room, and can be switched off."""

import pytest
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import boxes
from tests.patience import eventually

PROGRAM = """import torch
w = torch.tensor([1., 2.], requires_grad=True)  # a comment
y = (w * w).sum()
y.backward()
"""


GRADIENT = "grad +2 +4"
SEEN = """(line) => [...line.querySelectorAll(".ghost > *")].filter((one) => {
  const box = one.getBoundingClientRect(), row = line.getBoundingClientRect();
  return one.textContent && box.top < row.bottom - 1;
}).map((one) => one.textContent)"""


DRAWN = "getComputedStyle(document.querySelectorAll('.code-editor .src')[1]).marginLeft[0] === '-'"


def test_results_leave_room_for_a_long_line(open_page):
    page = open_page("/#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait='g.card[aria-label^="y"]')
    line = page.locator(".code-editor .line").nth(1)
    expect(line.locator(".ghost")).to_have_count(1)
    for width, stands in (
        (1760, ["(2,)  1 2", GRADIENT]),
        (1400, [GRADIENT]),
        (390, [GRADIENT]),
    ):  # a value without room disappears, and the code fades under the gradient
        page.set_viewport_size({"width": width, "height": 900})
        assert eventually(lambda stands=stands: line.evaluate(SEEN) == stands), (width, line.evaluate(SEEN))
    assert page.errors == []


def test_a_scrolled_line_ends_at_its_number(open_page):
    program = PROGRAM.replace("comment", 12 * "long comment ")
    page = open_page("/#" + to_fragment({"program": program, "name": "p.py"}), 390, 844, wait='g.card[aria-label^="y"]')
    field = page.locator(".code-editor textarea").first
    assert eventually(lambda: field.evaluate(f"one => {{ one.scrollLeft = 100; return {DRAWN} }}"))  # once filled
    source = page.locator(".code-editor .src").nth(1)
    clip = source.evaluate("one => parseFloat(getComputedStyle(one).clipPath.split(' ').pop())")
    [box], [at] = boxes(source), boxes(field)
    assert box["x"] + clip >= at["x"] + 30  # the line numbers stay uncovered


@pytest.mark.parametrize("width", [1400, 390])
def test_a_long_line_fades_under_its_gradient_until_edited(open_page, width):
    program = PROGRAM.replace("comment", 12 * "long comment ")
    page = open_page("/#" + to_fragment({"program": program, "name": "p.py"}), width, wait='g.card[aria-label^="y"]')
    line, field = page.locator(".code-editor .line").nth(1), page.locator(".code-editor textarea").first
    assert eventually(lambda: line.evaluate(SEEN) == [GRADIENT])
    row, pane = boxes(line, page.locator(".code-editor"))
    [number] = boxes(line.locator(".ghost .g"))
    assert pane["x"] < number["x"] and number["x"] + number["width"] <= pane["x"] + pane["width"]
    page.mouse.move(row["x"] + 100, row["y"] + row["height"] / 2)
    assert eventually(lambda: line.evaluate(SEEN) == ["(2,)  1 2", GRADIENT])  # the value too, under the pointer
    field.evaluate("one => { one.focus(); one.setSelectionRange(30, 30); }")
    assert eventually(lambda: line.evaluate(SEEN) == [])
    field.evaluate("one => one.setSelectionRange(0, 0)")
    page.mouse.move(row["x"] + 100, row["y"] + 3 * row["height"])
    assert eventually(lambda: line.evaluate(SEEN) == [GRADIENT])


def test_clicking_a_gradient_over_the_code_explains_it(open_page):
    program = PROGRAM.replace("comment", 12 * "long comment ")
    page = open_page("/#" + to_fragment({"program": program, "name": "p.py"}), wait='g.card[aria-label^="y"]')
    line = page.locator(".code-editor .line").nth(1)
    assert eventually(lambda: line.evaluate(SEEN) == [GRADIENT])
    [number] = boxes(line.locator(".ghost .g"))
    page.mouse.click(number["x"] + number["width"] - 8, number["y"] + number["height"] / 2)
    expect(page.locator(".st-key-inspector .why").first).to_be_visible()


def test_a_gradient_covers_no_code(open_page):
    program = PROGRAM.replace("[1., 2.]", "[0.1234, 0.2345]").replace("torch.tensor", "torch.tensor(1.) * torch.tensor")
    page = open_page("/#" + to_fragment({"program": program, "name": "p.py"}), wait='g.card[aria-label^="y"]')
    line = page.locator(".code-editor .line").nth(1)
    expect(line.locator(".ghost b")).to_have_count(2)
    assert eventually(lambda: line.evaluate(SEEN) == [])
    [row] = boxes(line)
    page.mouse.move(row["x"] + 100, row["y"] + row["height"] / 2)
    assert eventually(lambda: len(line.evaluate(SEEN)) == 2)  # under the pointer


FAULTY = """import torch
from torch import nn
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
"""
WHOLE_OR_NOTHING = """line => { const [name, rest] = line.querySelector(".fault").children;
  const [box, row] = [rest.getBoundingClientRect(), line.getBoundingClientRect()];
  return name.textContent === "Fault" && (box.top >= row.bottom - 1 || (box.left > 0 && box.right <= row.right)); }"""


@pytest.mark.parametrize("width", [1400, 390])
def test_problems_come_before_the_inspector_and_line_ends_are_not_cut(open_page, width):
    page = open_page("/#" + to_fragment({"program": FAULTY, "name": "p.py"}), width, 900, wait=".problem.is-fault")
    problem = page.locator(".problem.is-fault").first
    assert eventually(lambda: boxes(problem)[0]["y"] < 600)  # visible without scrolling
    assert eventually(lambda: not page.evaluate("document.documentElement.hasAttribute('data-under')"))
    for number in (7, 9):
        line = page.locator(".code-editor .line").nth(number)
        assert eventually(lambda line=line: line.evaluate(WHOLE_OR_NOTHING)), line.inner_text()
        assert line.locator(".fault").get_attribute("title").startswith("Fault: ")
    assert page.errors == []

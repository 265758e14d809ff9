"""Values and gradients at the ends of lines: they leave the text its room, and can be switched off."""

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


def test_results_give_a_long_line_room_and_can_be_switched_off(open_page):
    page = open_page("/#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait='g.card[aria-label^="y"]')
    line = page.locator(".code-editor .line").nth(1)
    expect(line.locator(".ghost")).to_have_count(1)
    text, beside = boxes(line.locator(".src"), line.locator(".ghost"))
    assert text["x"] + text["width"] <= beside["x"] + 1  # all of it is seen
    for width, stands in (
        (1600, ["(2,)  1 2", GRADIENT]),
        (1400, [GRADIENT]),
        (1024, []),
    ):  # without room the value goes first
        page.set_viewport_size({"width": width, "height": 900})
        assert eventually(lambda stands=stands: line.evaluate(SEEN) == stands), (width, line.evaluate(SEEN))
    page.locator(".st-key-menu_settings button").first.click()
    page.locator(".st-key-line_ends label").first.click()
    expect(page.locator(".code-editor .ghost:visible")).to_have_count(0)
    assert page.errors == []


def test_a_line_that_is_scrolled_ends_at_its_number(open_page):
    program = PROGRAM.replace("comment", 12 * "long comment ")
    page = open_page("/#" + to_fragment({"program": program, "name": "p.py"}), 390, 844, wait='g.card[aria-label^="y"]')
    field = page.locator(".code-editor textarea").first
    assert eventually(lambda: field.evaluate(f"one => {{ one.scrollLeft = 100; return {DRAWN} }}"))  # once it is filled
    source = page.locator(".code-editor .src").nth(1)
    clip = source.evaluate("one => parseFloat(getComputedStyle(one).clipPath.split(' ').pop())")
    [box], [at] = boxes(source), boxes(field)
    assert box["x"] + clip >= at["x"] + 30  # the numbers of the lines are free


def test_a_line_without_room_shows_its_gradient_under_the_pointer(open_page):
    program = PROGRAM.replace("comment", 12 * "long comment ")
    page = open_page("/#" + to_fragment({"program": program, "name": "p.py"}), wait='g.card[aria-label^="y"]')
    line = page.locator(".code-editor .line").nth(1)
    mark, row = boxes(line.locator(".ghost"), page.locator(".code-editor .paint").first)
    assert mark["width"] > 10 and mark["x"] + mark["width"] <= row["x"] + row["width"] + 1
    assert line.evaluate(SEEN) == []
    page.mouse.move(mark["x"] - 200, mark["y"] + mark["height"] / 2)
    assert eventually(lambda: GRADIENT in line.evaluate(SEEN))
    page.mouse.move(mark["x"] - 200, mark["y"] + 5 * mark["height"])
    assert eventually(lambda: line.evaluate(SEEN) == [])

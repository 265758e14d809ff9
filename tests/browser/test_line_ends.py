"""Values and gradients at the ends of lines: they leave the text its room, and can be switched off."""

import re

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import boxes

PROGRAM = """import torch
w = torch.tensor([1., 2.], requires_grad=True)  # a comment
y = (w * w).sum()
y.backward()
"""


def test_results_give_a_long_line_room_and_can_be_switched_off(open_page):
    page = open_page("/#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait='g.card[aria-label^="y"]')
    line = page.locator(".code-editor .line").nth(1)
    expect(line.locator(".ghost")).to_have_count(1)
    expect(line).to_have_class(re.compile("is-tight"))
    text, beside = boxes(line.locator(".src"), line.locator(".ghost"))
    covered = line.evaluate("one => one.classList.contains('is-covered')")
    assert covered or text["x"] + text["width"] <= beside["x"] + 24  # all of it is seen
    page.locator(".st-key-menu_settings button").first.click()
    page.locator(".st-key-line_ends label").first.click()
    expect(page.locator(".code-editor .ghost:visible")).to_have_count(0)
    assert page.errors == []

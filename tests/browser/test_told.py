"""A silent fault is reported, its fix applied and proved; a click on a card's number explains it."""

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until

PROGRAM = """import torch
x = torch.tensor([4.0, 0.0, -1.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), x)
y.sum().backward()
"""
LEAF = 'g.card.leaf[aria-label^="x"]'


def test_a_problem_is_shown_fixed_and_explained(open_page):
    page = open_page("/?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait=LEAF)
    page.get_by_text("A gradient becomes NaN in backward").first.wait_for()
    page.get_by_text("x.grad [0.25, NaN, NaN] → [0.25, 1, 1]").wait_for()
    page.get_by_role("button", name="Apply", exact=True).click()
    wait_until(page, "document.querySelector('.code-editor textarea').value.includes('torch.where(x > 0, x, 1.0)')")
    page.locator(LEAF).get_by_text("+0.25").wait_for()
    page.locator(f"{LEAF} .grad").first.click()
    page.locator(".why").get_by_text("gradient of x").first.wait_for()
    page.locator(f"{LEAF}.is-selected").wait_for()
    assert page.errors == []

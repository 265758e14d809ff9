"""A reader checks a program with numbers: a badge on each leaf, words beside it, and an entry that grows."""

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment

PROGRAM = "import torch\nu = torch.tensor(2., requires_grad=True)\ny = u * u.detach()\ny.backward()"
LEAF = 'g.card.leaf[aria-label^="u, leaf"]'


def test_a_leaf_is_checked_and_grows(open_page):
    page = open_page("/?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait=LEAF)
    page.locator(LEAF).click()
    page.locator(".st-key-check button:visible").press("Enter")
    expect(page.locator(LEAF)).to_have_attribute(
        "aria-label", "u, leaf, line 2, value 2, gradient +2, checked with numbers: differs"
    )
    expect(page.locator(f"{LEAF} .badge.differs")).to_have_count(1)
    expect(page.locator(".st-key-inspector")).to_contain_text(
        "The gradient says 2, but the program has the slope 4 there."
    )
    page.locator(".st-key-whatif button:visible").click()
    expect(page.locator(".st-key-inspector")).to_contain_text("in fact it changes by 0.0401")
    assert page.errors == []

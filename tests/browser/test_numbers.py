"""A reader checks a program with numbers: a badge on each leaf, words beside it, and an entry that grows."""

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.test_scrub import press

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
    expect(page.locator(".st-key-inspector")).to_contain_text("It changes by 0.0401")
    assert page.errors == []


def test_the_plot_of_a_leaf_follows_a_number_that_is_dragged(open_page):
    page = open_page()
    page.locator('g.card.leaf[aria-label^="w, leaf"]').click()
    page.locator(".st-key-leaf_plot button:visible").click()
    plot = page.locator("figure.leafplot")
    expect(plot).to_contain_text("The line has the slope 5")
    expect(plot.locator("circle.run")).to_have_count(16)
    press(page, 0, 30)  # w from 1 to 2
    expect(plot).to_contain_text("The line has the slope 7")
    page.mouse.up()
    page.locator(".st-key-leaf_plot button:visible").click()
    expect(plot).to_have_count(0)
    assert page.errors == []


def test_a_number_of_the_story_leads_to_its_card(open_page):
    page = open_page()
    story = page.locator(".story")
    expect(story).to_contain_text("w goes into y twice: through a it gets 2, through b 3; so w.grad = 5.")
    story.get_by_role("button", name="3").first.click()
    expect(page.locator('g.node[aria-label^="b = w + 1"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".st-key-inspector h3.what")).to_have_text("b = w + 1")
    expect(story).to_have_count(0)
    assert page.errors == []

"""An entry of a gradient is chosen in the inspector, by mouse and by keyboard, and the address keeps it."""

from playwright.sync_api import expect

from explorer.program.permalink import from_fragment, to_fragment
from tests.browser.measures import boxes

PROGRAM = "import torch\nu = torch.arange(6.).reshape(2, 3).requires_grad_()\ny = (u * u).sum()\ny.backward()"
# the new program's, not the tab's previous one
LEAF = 'g.card.leaf[aria-label^="{}, leaf"]'
PRESSED = '.st-key-inspector [aria-pressed="true"]'


def test_a_chosen_entry_is_followed_and_survives_reload(open_page):
    page = open_page("/?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait=LEAF.format("u"))
    page.locator(LEAF.format("u")).click()
    page.locator('.st-key-inspector [data-entry="2"]').click()
    page.get_by_text("sum at [0, 2]").wait_for()
    page.locator(PRESSED).press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_text("sum at [1, 2]").wait_for()
    page.wait_for_url(lambda url: from_fragment(url.partition("#")[2]).get("entry", "").endswith(":5"))
    page.reload()  # the card is selected again automatically
    page.wait_for_selector(PRESSED)
    expect(page.locator(PRESSED)).to_have_attribute("data-entry", "5")
    assert page.errors == []


def test_long_sums_stay_inside_the_inspector(open_page):
    program = "q = torch.rand(3, 2, requires_grad=True)\nk = torch.rand(3, 2)\n(q @ k.T).sum().backward()"
    page = open_page("/?lang=en#" + to_fragment({"program": program, "name": "p.py"}), wait=LEAF.format("q"))
    page.locator(LEAF.format("q")).click()
    parts = (page.locator(f".st-key-inspector{part}").first for part in ("", " table.sum", " table.sum td"))
    inspector, table, giver = boxes(*parts)
    assert giver["width"] >= 90  # the letters are side by side
    assert table["x"] + table["width"] <= inspector["x"] + inspector["width"]

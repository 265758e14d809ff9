"""A large model on the page: its modules opened and closed by click, key and search."""

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.autograd.test_outline import GPT
from tests.browser.measures import boxes, wait_until
from tests.patience import eventually

MODEL = "/#" + to_fragment({"program": GPT})
STACK = 'g.node[data-module="model.blocks.*"]'
SCALE = """() => {
  const svg = document.querySelector("svg.autograd");
  return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
}"""


def test_a_model_can_be_read_and_opens_by_click_key_and_search(open_page):
    page = open_page(MODEL, wait=STACK)
    assert eventually(lambda: page.evaluate(SCALE) >= 0.75)

    page.locator(f"{STACK} .opener").click()
    frame = page.locator('g.frame[data-open="model.blocks"] .closer')
    expect(frame).to_have_attribute("aria-label", "Close model.blocks")

    page.locator('g.node[data-module="model.blocks.2"]').focus()
    page.keyboard.press("o")
    inside = page.locator('g.node[data-module="model.blocks.2.ln1"]')
    expect(inside).to_be_focused()
    page.keyboard.press("c")
    expect(inside).to_have_count(0)
    expect(page.locator('g.node[data-module="model.blocks.2"]')).to_be_focused()

    page.locator(".graph-bar .find").click()
    page.locator(".graph-bar .search").fill("blocks.4.mlp.2.bias")
    expect(page.locator("g.node:not(.is-dimmed)")).to_have_count(1)  # the closed module that contains it
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-inspector h3.what")).to_have_text("model.blocks.4.mlp.2.bias")
    expect(page.locator("g.node.is-selected > title")).to_have_text("model.blocks.4.mlp.2.bias")

    page.get_by_role("button", name="Close all modules").click()
    expect(page.locator(STACK)).to_be_visible()
    assert page.errors == []


def test_two_fingers_zoom_around_their_middle(open_page):
    page = open_page(width=390, height=844)
    before = page.evaluate(SCALE)
    touch = page.context.new_cdp_session(page)
    [box] = boxes(page.locator('g.card[aria-label^="y = "]'))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 3

    def pinch(start, end):
        """Move two fingers from one distance in px to another."""

        def fingers(kind, apart):
            points = [{"x": x - apart / 2, "y": y, "id": 0}, {"x": x + apart / 2, "y": y, "id": 1}]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []})

        fingers("touchStart", start)
        for step in range(1, 9):
            fingers("touchMove", start + (end - start) * step / 8)
        fingers("touchEnd", 0)

    pinch(80, 160)
    wait_until(page, f"Math.abs(({SCALE})() / {2 * before} - 1) < 0.02")
    pinch(160, 80)
    wait_until(page, f"Math.abs(({SCALE})() / {before} - 1) < 0.02")
    assert page.errors == []

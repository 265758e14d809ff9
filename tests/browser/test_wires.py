"""A wire of the graph is chosen by mouse, by key and by finger, cut, written into the code and put back."""

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until

PROGRAM = """import torch

w = torch.tensor(2., requires_grad=True)
a = w * 3
b = w + 1
y = a * b / 3
y.backward()
"""
AT = "/?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"})
LEAF = 'g.card.leaf[aria-label^="w"]'
BAR = ".wire-bar"
POINT = """([source, target]) => {
    const id = name => document.querySelector(`g.card[aria-label^="${name}"]`).dataset.id;
    const wire = document.querySelector(`.edge[data-source="${id(source)}"][data-target="${id(target)}"] .wire`);
    wire.scrollIntoView({ block: "center" });
    const at = wire.getPointAtLength(wire.getTotalLength() * 0.8).matrixTransform(wire.getScreenCTM());
    return [at.x, at.y];
}"""


def ready(page):
    expect(page.locator(".code-editor textarea").first).to_have_value(PROGRAM)
    page.locator('g.card[aria-label^="a * b"]').wait_for()  # the program that a tab shows first has none
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    return page


def test_a_wire_is_cut_by_mouse_written_into_the_code_and_put_back(open_page):
    page = ready(open_page(AT, wait=LEAF))
    expect(page.locator(BAR)).to_have_count(0)  # nothing of it in the first view
    page.mouse.click(*page.evaluate(POINT, ["w", "a = "]))
    bar = page.get_by_role("group", name="Wire from w to a = w * 3")
    bar.get_by_role("button", name="Cut").click()
    expect(page.locator(".path-words span")).to_have_text(["+5 → +2", "+1 → none"])
    page.locator(".edge.is-severed").wait_for(state="attached")
    bar.get_by_role("button", name="Put back").click()
    expect(page.locator(".path-words span")).to_have_count(0)
    bar.get_by_role("button", name="× 0.5").click()
    expect(page.locator(".path-words span").first).to_have_text("+5 → +2.5")
    bar.get_by_role("button", name="Write it into the code").click()
    text = page.locator(".code-editor textarea").first
    expect(text).to_have_value(PROGRAM.replace("w * 3", "(0.5 * w) * 3"))
    page.get_by_role("button", name="Put back").click()
    expect(text).to_have_value(PROGRAM)
    expect(page.locator(BAR)).to_have_count(0)
    assert page.errors == []


def test_a_wire_is_chosen_and_left_by_keys(open_page):
    page = ready(open_page(AT, wait=LEAF))
    page.locator('g.card[aria-label^="a * b"]').focus()
    page.keyboard.press("x")
    expect(page.locator(BAR)).to_have_attribute("aria-label", "Wire from a = w * 3 to a * b")
    wait_until(page, "document.activeElement.textContent.includes('Cut')")
    page.keyboard.press("x")
    expect(page.locator(BAR)).to_have_attribute("aria-label", "Wire from b = w + 1 to a * b")
    wait_until(page, "document.activeElement.textContent.includes('Cut')")
    page.keyboard.press("Enter")
    expect(page.locator(".path-words span").first).to_have_text("+5 → +3")
    page.keyboard.press("Escape")
    expect(page.locator(BAR)).to_have_count(0)
    wait_until(page, "document.activeElement.matches('g.card')")
    assert page.errors == []


def test_a_tap_near_an_edge_selects_it(chromium, address):
    size = {"width": 390, "height": 844}
    window = chromium.new_context(viewport=size, has_touch=True, locale="en-GB")
    page = window.new_page()
    page.goto(address + AT)
    page.wait_for_selector(LEAF)
    ready(page)
    x, y = page.evaluate(POINT, ["w", "b = "])
    page.touchscreen.tap(x + 9, y)
    bar = page.locator(BAR)
    bar.get_by_role("button", name="Cut").tap()
    expect(page.locator(".path-words span").first).to_have_text("+5 → +3")
    for button in bar.get_by_role("button").all():
        box = button.bounding_box()
        assert box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    window.close()

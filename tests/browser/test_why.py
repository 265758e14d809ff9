"""Why? about a number, by key and by touch: the answer unfolds, in both languages."""

import re

from playwright.sync_api import expect

from explorer.program.permalink import from_fragment, to_fragment
from tests.browser.measures import boxes, wait_until
from tests.programs import TWICE

PROGRAM = f"import torch\n{TWICE}"
LEAF = 'g.card.leaf[aria-label^="w"]'


def stands(page):
    """Wait for the link's program and picture; the program of a new visit also has a w."""
    expect(page.locator(".code-editor textarea").first).to_have_value(re.compile("^import torch"))
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def at(lang: str) -> str:
    return f"/?lang={lang}#" + to_fragment({"program": PROGRAM, "name": "p.py"})


def test_why_works_by_keyboard_and_is_in_the_address(open_page):
    page = open_page(at("en"), wait=LEAF)
    stands(page)
    page.locator(LEAF).click()
    page.get_by_text("leaf · line 2").wait_for()
    page.keyboard.press("?")
    panel = page.locator(".why")
    panel.get_by_text("gradient of w = +5").wait_for()
    assert [part.split() for part in panel.locator(".answer > ul > li").all_inner_texts()] == [
        ["+3", "via", "b", "3", "·", "1", "show"],
        ["+2", "via", "a", "2", "·", "1", "show"],
    ]
    wait_until(page, "document.activeElement.matches('.why')")
    page.keyboard.press("Tab")  # the button that closes
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    panel.get_by_text("gradient of b = +3").wait_for()
    panel.get_by_role("button", name="Show b in the graph").click()
    page.locator('g.card.is-hovered[aria-label^="b = w + 1"]').wait_for()
    panel.get_by_text("gradient of w = +5").wait_for()  # the answer and its card stay
    page.locator(f"{LEAF}.is-selected").wait_for()
    page.locator('g.card[aria-label^="b = w + 1"] .val').click()
    panel.get_by_text("b = 2 = w + 1 = 1 + 1").wait_for()
    page.wait_for_url(lambda url: from_fragment(url.partition("#")[2]).get("why", "").startswith("v"))
    page.reload()
    panel.get_by_text("b = 2 = w + 1 = 1 + 1").wait_for()
    panel.get_by_role("button", name="Close this answer").click()
    panel.wait_for(state="detached")
    [beside] = boxes(page.locator(".code-editor .ghost .g").nth(1))
    page.mouse.click(beside["x"] + beside["width"] - 6, beside["y"] + beside["height"] / 2)
    panel.get_by_text("gradient of x = +2").wait_for()
    page.locator('g.card.leaf.is-selected[aria-label^="x"]').wait_for()  # the answer is next to its card
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"  # typing continues
    assert page.errors == []


def test_why_works_by_touch_in_chinese_after_the_gradient_arrived(chromium, address):
    window = chromium.new_context(locale="zh-CN", has_touch=True, viewport={"width": 390, "height": 844})
    page = window.new_page()
    page.goto(address + at("zh"))
    page.wait_for_selector(LEAF)
    stands(page)
    page.locator(LEAF).tap()
    page.locator(".inspection", has_text="+5").wait_for()
    leaf, inspector = boxes(page.locator(LEAF), page.locator(".st-key-inspector"))  # it has moved up below the card
    assert leaf["y"] >= 0 and leaf["y"] + leaf["height"] <= inspector["y"] < 430
    page.locator('.inspection button[data-why="gradient"]').tap()
    panel = page.locator(".why")
    panel.get_by_text("w 的梯度 = +5").wait_for()
    panel.locator("summary").first.tap()
    panel.get_by_text("b 的梯度 = +3").wait_for()
    box, summary = boxes(panel, panel.locator("summary").first)
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert summary["height"] >= 40  # large enough for a finger
    page.locator(".inspector-close").tap()
    page.locator(".player .toggle").tap()  # starts Predict; no gradient has arrived, so none is shown
    panel.get_by_text("+5").wait_for(state="detached")
    assert "3" not in panel.inner_text() if panel.count() else True
    window.close()


def test_a_question_asked_while_another_is_under_way_is_answered(open_page):
    page = open_page(at("en"), wait=LEAF)
    stands(page)
    page.locator(LEAF).click(position={"x": 20, "y": 10})
    page.get_by_text("leaf · line 2").wait_for()
    page.keyboard.press("?")
    page.locator('.inspection button[data-why="value"]').click()
    page.locator(".why").get_by_text("made by").wait_for()
    assert page.errors == []


def test_an_answer_closes_with_its_card(open_page):
    page = open_page(at("en"), wait=LEAF)
    stands(page)
    panel = page.locator(".why")
    page.locator(f"{LEAF} .grad").first.click()
    panel.get_by_text("gradient of w = +5").wait_for()
    page.locator('g.card[aria-label^="a = w + x"]').click(position={"x": 20, "y": 10})
    page.locator(".inspection h3", has_text="a = w + x").wait_for()
    expect(panel).to_have_count(0)  # it never covers another card
    page.locator(f"{LEAF} .grad").first.click()
    panel.get_by_text("gradient of w = +5").wait_for()
    page.locator(".code-editor textarea").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("import torch\nq = torch.ones(1, requires_grad=True)\nq.backward()\n")
    page.locator('g.card.leaf[aria-label^="q"]').wait_for()
    page.locator(".inspection h3", has_text="q").wait_for()
    expect(panel).to_have_count(0)
    expect(page.locator(".undrawn")).to_have_count(0)
    page.locator(".player").wait_for()
    assert page.errors == []


WIDE = """import torch
torch.manual_seed(0)
w = torch.randn(6, 4, requires_grad=True)
loss = (torch.randn(5, 6) @ w).relu().sum()
loss.backward()
"""


def test_a_weights_entry_is_followed_to_the_loss_by_mouse_and_keys(open_page):
    page = open_page("/?lang=en#" + to_fragment({"program": WIDE, "name": "p.py"}), wait=".gpart [data-entry]")
    page.locator(LEAF).locator('[data-entry="2"]').click()
    page.locator("svg.is-followed").wait_for()
    page.locator(".why").get_by_text("gradient of w[0, 2]").wait_for()
    expect(page.locator("g.card.on-path")).to_have_count(4)
    expect(page.locator(".path-words span").first).to_contain_text("[0, 2]")
    sizes = page.locator(".path-words span").evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert len(sizes) == 5 and min(sizes) >= 11
    page.locator(f"{LEAF}.on-path").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("loss = ")
    page.keyboard.press("Escape")
    expect(page.locator("svg.is-followed")).to_have_count(0)
    expect(page.locator(".path-words")).to_have_count(0)
    assert page.errors == []

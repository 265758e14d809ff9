"""The search in the head: opened by a key, walked by arrows, and what it opens is live; nobody's program is lost."""

from playwright.sync_api import expect

from tests.browser.measures import wait_until

EDITOR = ".st-key-editor textarea"
HIT = ".search-hit"


def test_an_example_is_found_opened_and_left_again_by_keyboard(open_page):
    page = open_page()
    assert page.locator(HIT).count() == 0, "nothing is sent before it is opened"
    page.locator(EDITOR).fill("p = torch.tensor(4., requires_grad=True)\n(p / 2).backward()\n")
    page.locator(EDITOR).press("/")
    assert not page.locator(".search-box").is_visible(), "who types means the sign"
    page.locator(EDITOR).press("Backspace")
    page.locator(EDITOR).press("Control+Enter")
    page.locator('.st-key-graph g.node[aria-label^="p, leaf"]').wait_for()
    page.locator(EDITOR).blur()
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Search lessons and examples")
    expect(field).to_be_focused()
    page.keyboard.type("local derivative")
    expect(page.get_by_role("option").first).to_contain_text("Upstream times local")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    chosen = page.locator(f"#{field.get_attribute('aria-activedescendant')}")
    expect(chosen).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    opened = "x = torch.tensor(0.0, requires_grad=True)\ns = x.sin()\ny = 10 * s\ny.backward()\n"
    expect(page.locator(EDITOR)).to_have_value(opened)
    expect(page.locator(".st-key-lesson_gallery")).to_contain_text("its own slope, cos 0 = 1")
    expect(page.locator('.st-key-graph g.node[aria-label^="x, leaf"]')).to_contain_text("+10")
    page.locator(".st-key-earlier_back button").press("Enter")
    expect(page.locator(EDITOR)).to_have_value("p = torch.tensor(4., requires_grad=True)\n(p / 2).backward()\n")
    assert not page.errors


def test_on_a_phone_a_lesson_is_found_in_chinese_and_a_card_of_the_gallery_opens_its_page(open_page):
    page = open_page("/gallery?lang=zh", width=390, height=844, wait=".example-card")
    page.get_by_role("button", name="搜索课程与示例").click()
    page.keyboard.type("<qwertz>")
    expect(page.locator(".search-said")).to_contain_text("没有包含这些词")
    page.locator(".search-box input").fill("鞍点")
    expect(page.locator(HIT).first).to_contain_text("平坦，却不是最低点")
    page.keyboard.press("Escape")
    expect(page.locator(".search-box")).to_be_hidden()
    page.locator('.example-card[data-choose="tangent"]').click()
    expect(page.locator(".st-key-derivatives_f input")).to_have_value("x**3 - 1/x")
    expect(page.locator(".st-key-lesson_gallery")).to_contain_text("y = 4x − 4")
    page.get_by_role("button", name="搜索课程与示例").click()
    page.locator(".search-box input").fill("梯度会累积")
    expect(page.locator(HIT).first).to_contain_text("梯度会累积")
    page.locator(HIT).first.click()
    expect(page.locator(".lesson-prose h2")).to_have_text("梯度会累积")
    wait_until(page, "document.scrollingElement.scrollWidth <= 390")
    assert not page.errors

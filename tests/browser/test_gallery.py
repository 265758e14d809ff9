"""The gallery: pictures of real runs, filters that fit a phone, and links to the examples' pages."""

from playwright.sync_api import expect

from tests.browser.measures import wait_until

CARD = '.example-card[data-choose="{}"]'


def test_a_thumbnail_opens_the_page_of_its_example(open_page):
    page = open_page("/gallery", width=390, height=844, scheme="dark", wait=".example-card svg.thumb")
    first = page.locator(".example-card").first
    expect(first.locator("svg.thumb")).to_contain_text("+5")
    wait_until(page, "document.scrollingElement.scrollWidth <= innerWidth")
    first.click()
    expect(page.locator("g.node.leaf", has_text="+5").first).to_be_visible()
    assert not page.errors


def test_filters_are_one_scrolling_row_on_a_phone(open_page):
    page = open_page("/gallery", width=390, height=844, wait=".example-card")
    filters = page.locator(".st-key-gallery_subject button")
    expect(filters).to_have_count(9)
    tops = {round(one.bounding_box()["y"]) for one in filters.all()}
    assert len(tops) == 1
    filters.last.scroll_into_view_if_needed()
    filters.last.click()
    expect(page.locator(".subject h3")).to_have_text(["Linear algebra"])
    wait_until(page, "location.search.includes('subject=algebra')")
    page.locator(CARD.format("dot-product")).press("Enter")
    expect(page.locator(".st-key-lesson_gallery")).to_be_visible()
    assert not page.errors


def test_a_question_above_the_gallery_opens_its_lesson(open_page):
    page = open_page("/gallery?lang=zh", width=390, height=844, wait=".example-card")
    field = page.get_by_role("textbox", name="搜索课程与示例")
    field.fill("<qwertz>")
    expect(page.get_by_text("没有包含这些词")).to_be_visible()
    expect(page.locator(".example-card")).to_have_count(0)
    field.fill("鞍点")
    expect(page.locator(".found").first).to_contain_text("平坦，却不是最低点")
    field.fill("梯度会累积")
    expect(page.locator(".found").first).to_contain_text("梯度会累积")
    wait_until(page, "document.scrollingElement.scrollWidth <= 390")
    page.locator(".found").first.click()
    expect(page.locator(".lesson-prose h2")).to_have_text("梯度会累积")
    assert not page.errors


def test_a_question_of_the_gallery_is_answered_on_its_card(open_page):
    page = open_page("/gallery?lang=en", wait=".example-card")
    page.get_by_text("w is used in a and in b. How much of w.grad").click()
    expect(page.get_by_text("2 comes back through a, 3 through b")).to_be_visible()
    expect(page.locator(".example-card").first).to_be_visible()  # the gallery is still there
    assert not page.errors

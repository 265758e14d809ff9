"""The page of class links: the first step of an empty list, its order by mouse and by keys, and what the class sees."""

from playwright.sync_api import expect

from explorer.lessons.course import course


def titles() -> list[str]:
    whole = course()
    chapter = whole.chapters[0]
    return [whole.lessons[f"{chapter.id}/{name}"].text("en").title.replace("`", "") for name in chapter.lessons]


def test_a_list_is_begun_put_in_order_and_opened_by_its_link(open_page):
    page = open_page("/class", width=390, wait=".st-key-class_begin")
    page.locator(".st-key-class_begin button").click()
    lines, seen = page.locator(".class-order li > span"), page.locator(".class-preview a span")
    a, b, c, *rest = titles()
    expect(lines).to_have_text([a, b, c, *rest])
    expect(seen.first).to_contain_text(a)

    page.get_by_role("button", name=f"Move down: {a}").click()
    expect(lines).to_have_text([b, a, c, *rest])
    expect(seen.first).to_contain_text(b)
    expect(page.get_by_role("button", name=f"Move down: {a}")).to_be_focused()  # it went with its line

    page.locator(".class-order li").nth(2).focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(lines).to_have_text([b, c, a, *rest])
    expect(page.locator(".class-order li").nth(1)).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(lines).to_have_text([c, b, a, *rest])
    page.keyboard.press("Delete")
    expect(lines).to_have_text([b, a, *rest])

    expect(seen).to_have_count(len(titles()) - 1)
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]')
    address = page.locator(".class-made input").input_value()
    page.goto(address)
    expect(page.locator(".class-list a span").first).to_contain_text(b)
    expect(page.locator(".class-list a")).to_have_count(len(titles()) - 1)
    assert not page.errors

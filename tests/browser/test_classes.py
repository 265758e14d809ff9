"""The page of class links: the first step of an empty list, its order by mouse and by keys, and what the class sees."""

import pytest
from playwright.sync_api import expect

from explorer.lessons import course
from explorer.program.permalink import to_fragment


def titles() -> list[str]:
    whole = course()
    chapter = whole.chapters[0]
    return [whole.lessons[f"{chapter.id}/{name}"].text("en").title.replace("`", "") for name in chapter.lessons]


@pytest.mark.parametrize("width", [1400, 390])
def test_a_list_is_begun_put_in_order_and_opened_by_its_link(open_page, width):
    page = open_page("/class", width=width, wait=".st-key-class_begin")
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

    address = page.locator(".class-made input").input_value()
    page.goto(address)
    expect(page.locator(".class-list a span").first).to_contain_text(b)
    expect(page.locator(".class-list a")).to_have_count(len(titles()) - 1)
    assert not page.errors


def test_answers_come_back_as_a_code_that_the_teacher_pastes(open_page):
    first = f"{course().chapters[0].id}/{course().chapters[0].lessons[0]}"
    listed = f"/class?open=1#{to_fragment({'title': 'Week 1', 'list': first})}"
    learner = open_page(listed, width=390, wait=".class-list a")
    learner.locator(".class-list a").click()
    for number in ("9", "6"):  # the slope of x * x at 3, once wrong
        field = learner.locator(".st-key-lesson_answer input")
        field.fill(number)
        field.press("Enter")
        expect(learner.locator(".lesson-reply.is-wrong" if number == "9" else ".lesson-over")).to_be_visible()
    address = learner.url.split("/lessons")[0]
    learner.goto(address + listed)
    learner.locator(".st-key-lesson_hand_in summary").click()
    code = learner.locator(".st-key-lesson_hand_in [data-testid=stCode]")
    expect(code).to_contain_text("AE1-")
    nameless = code.inner_text()
    name = learner.locator(".st-key-lesson_hand_in_name input")
    name.fill("Ann <b>安</b>")
    name.press("Enter")
    expect(code).not_to_contain_text(nameless.strip())
    before = code.inner_text()

    teacher = open_page("/class", wait=".st-key-class_answers summary")
    teacher.locator(".st-key-class_answers summary").click()
    paste = teacher.locator(".st-key-class_codes textarea")
    paste.fill(f"{before}\nI have none")
    paste.press("Control+Enter")
    expect(teacher.locator(".st-key-class_answers [role=alert]")).to_contain_text("Line 2")
    rows = teacher.locator(".class-answers tr")
    expect(rows.filter(has_text="Ann <b>安</b>").first).to_contain_text("1 of 2")
    expect(rows.filter(has_text="Ann <b>安</b>").last).to_contain_text("✓ 6 1 wrong")
    assert not learner.errors and not teacher.errors

"""Lessons under a person's hands: played to the end by keyboard, on a phone, and with a loop that never ends."""

import json

from playwright.sync_api import expect

from tests.browser.measures import wait_until

ASKED = ".lesson-question"


def kept(page) -> dict:
    """Return the browser's stored answers."""
    return json.loads(page.evaluate("localStorage.getItem('explorer:course')") or "{}")


def test_a_lesson_is_played_to_its_end_by_keyboard(open_page):
    page = open_page("/lessons?lang=en&lesson=autograd/first-backward", wait=ASKED)
    expect(page.locator(".lesson-prose h2")).to_have_text("A first backward")
    expect(page.locator(".st-key-lesson_picture")).to_contain_text("gradient")
    assert "+6" not in page.locator(".st-key-lesson_room").inner_text()
    page.locator(".st-key-lesson_answer input").focus()
    page.keyboard.type("6")
    page.keyboard.press("Enter")
    expect(page.locator(".lesson-over")).to_contain_text("Right.")
    expect(page.locator(".st-key-lesson_room")).to_contain_text("+6")
    expect(page.locator(".st-key-lesson_next_ways button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".choice").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".choice.is-right")).to_contain_text("None")
    expect(page.locator(".st-key-lesson_next_ways button")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".code-editor textarea")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = 9 * x\ny.backward()\n")
    expect(page.locator(".lesson-reply.is-did")).to_contain_text("Your x.grad is 9.")
    page.keyboard.press("Control+a")
    page.keyboard.type("import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * x * x\ny.backward()\n")
    expect(page.locator(".lesson-over")).to_contain_text("Right.")
    assert {one["state"] for one in kept(page)["answers"].values()} == {"right"} and len(kept(page)["answers"]) == 3
    page.reload()
    expect(page.locator(".code-editor")).to_contain_text("y = x * x * x")
    page.locator(".st-key-lesson_to_map button").press("Enter")
    expect(page.locator('.course-map .lesson-card[data-choose="autograd/first-backward"]')).to_have_class(
        "lesson-card is-done"
    )
    assert not page.errors


def test_on_a_phone_an_answer_is_shown_and_an_endless_loop_leaves_the_lesson(open_page):
    page = open_page("/lessons?lang=zh", width=390, height=844, wait=".course-map")
    page.locator(".course-chapter", has=page.locator('[data-choose="autograd/fan-out"]')).locator("summary").click()
    page.locator('.course-map .lesson-card[data-choose="autograd/fan-out"]').click()
    page.locator(".st-key-lesson_answer input").fill("100")
    page.locator(".st-key-lesson_answer button").click()
    expect(page.locator(".lesson-reply.is-wrong")).to_contain_text("100")
    page.locator("[class*=st-key-lesson_hint] button").click()
    expect(page.locator(".lesson-hint")).to_be_visible()
    page.locator("[class*=st-key-lesson_skip] button").click()
    expect(page.locator(".lesson-over")).to_contain_text("答案")
    assert {one["state"] for one in kept(page)["answers"].values()} == {"shown"}
    wide = page.evaluate("document.scrollingElement.scrollWidth")
    assert wide <= 390, "nothing hangs over the edge"
    page.locator(".code-editor textarea").first.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("while True:\n    pass\n")
    page.locator("[class*=st-key-stop_computing] button").click()
    expect(page.locator(".lesson-prose h2")).to_be_visible()
    expect(page.locator(ASKED)).to_be_visible()
    assert not page.errors


def test_a_removed_page_is_restored_with_its_content(open_page):
    page = open_page("/lessons?lang=en&lesson=autograd/first-backward", wait=ASKED)
    expect(page.locator(".st-key-lesson_picture")).to_contain_text("gradient")
    page.evaluate("document.getElementById('root').replaceChildren()")
    expect(page.locator(".lesson-prose h2")).to_have_text("A first backward")


def test_back_leads_to_the_lesson_before_and_to_the_course(open_page):
    page = open_page("/lessons?lang=en", wait=".course-map")
    title = page.locator(".lesson-prose h2")
    page.locator('.course-map .lesson-card[data-choose="zero/slope"]').click()
    expect(title).to_have_text("A slope")
    wait_until(page, "location.search.includes('slope')")
    page.get_by_role("button", name="Next lesson").click()
    expect(title).to_have_text("A graph")
    wait_until(page, "location.search.includes('graph')")
    page.go_back()
    expect(title).to_have_text("A slope")
    page.go_back()
    expect(page.locator(".course-map")).to_be_visible()
    page.go_forward()
    expect(title).to_have_text("A slope")
    assert not page.errors

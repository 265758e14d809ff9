"""The shortest path to backward: from the map through six lessons and back."""

from playwright.sync_api import expect

from explorer.lessons.course import course

CHAPTER = course().chapters[0]
PREDICTED = {"slope": "6", "graph": "", "chain": "24", "sum": "5", "clear": "12", "step": "2.4"}  # "": select a card


def test_the_first_page_leads_to_the_first_lesson(open_page):
    page = open_page()
    page.locator(".st-key-newcomer_link button").click()
    expect(page.locator(".lesson-prose h2")).to_have_text(
        course().lessons[f"{CHAPTER.id}/{CHAPTER.lessons[0]}"].text("en").title
    )
    assert page.errors == []


def test_the_six_lessons_can_be_played_in_a_row(open_page):
    page = open_page("/lessons?lang=zh", wait=".course-map")
    page.locator(".st-key-lesson_begin_with button").click()
    for name in CHAPTER.lessons:
        lesson = course().lessons[f"{CHAPTER.id}/{name}"]
        expect(page.locator(".lesson-prose h2")).to_have_text(lesson.text("zh").title)
        predict(page, PREDICTED[name])
        expect(page.locator(".lesson-over")).to_be_visible()
        expect(page.locator(".player")).to_be_visible()
        page.locator(".st-key-lesson_next_ways button").first.click()
        editor = page.locator(".code-editor textarea").first
        expect(editor).to_be_focused()
        editor.press("Control+a")
        page.keyboard.insert_text(lesson.data.ask[1].solution.strip())
        expect(page.locator(".lesson-over")).to_be_visible()
        page.locator(".st-key-lesson_on_to button").click()
    page.locator(".st-key-lesson_to_map button").click()
    expect(page.locator(".course-map .lesson-card.is-done")).to_have_count(len(CHAPTER.lessons))
    assert page.errors == []


def test_a_number_that_is_dragged_moves_the_slope(open_page):
    page = open_page(f"/lessons?lang=en&lesson={CHAPTER.id}/slope", wait=".lesson-question")
    predict(page, "6")
    leaf = page.locator('.st-key-graph g.node[aria-label^="x, leaf"]')
    leaf.filter(has_text="+6").wait_for()
    box = page.locator(".code-editor .c-num").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y, steps=6)
    page.mouse.up()
    leaf.filter(has_not_text="+6").wait_for()
    number = float(page.locator(".code-editor .c-num").first.inner_text())
    leaf.filter(has_text=f"{2 * number:g}".replace("-", "−")).wait_for()


def predict(page, number: str) -> None:
    """Answers the first question of a lesson: with a number, or with the card of the multiplication."""
    if number:
        page.locator(".st-key-lesson_answer input").fill(number)
        page.keyboard.press("Enter")
    else:
        page.locator('.st-key-graph g.card[aria-label^="p = a * b"]').click()

"""The player where the page is another: embedded, presenting, in a lesson; by keys, by mouse and by finger."""

import pytest
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.test_timeline import PROGRAM, at, card, running
from tests.patience import eventually

LINK = f"#{to_fragment({'program': PROGRAM, 'name': 'p.py'})}"
LESSON = "/lessons?lang=en&lesson=autograd/first-backward"


def pressed(page, number: int):
    """A button of the player, by its place in the row."""
    return page.locator(".player .ctl button").nth(number)


def mark(page, number: int) -> tuple[float, float]:
    box = page.locator(".player .track i").nth(number).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + 2


@pytest.mark.parametrize("place", ["/?embed=true&view=both", "/?present=1"])
def test_it_plays_embedded_and_presenting(open_page, place):
    page = open_page(place + LINK, wait='g.card[aria-label^="a = w * n"]')
    pressed(page, 0).click()
    at(page, 1)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    at(page, 4)
    assert eventually(lambda: running(page) == "a = w * n" and not card(page, "y = a + w").is_visible())
    page.mouse.move(*mark(page, 0))
    page.mouse.down()
    page.mouse.move(*mark(page, 6))
    page.mouse.up()
    at(page, 7)
    expect(page.locator("g.edge.is-now")).to_have_count(2)
    page.keyboard.press("End")
    expect(page.locator(".line.is-running")).to_have_count(0)
    assert page.errors == []


def test_in_a_lesson_it_plays_once_nothing_is_asked(open_page):
    page = open_page(LESSON, wait=".lesson-question")
    page.locator(".st-key-lesson_picture").wait_for()
    assert page.locator(".player").count() == 0  # the gradient is asked for
    page.locator(".st-key-lesson_answer input").fill("6")
    page.keyboard.press("Enter")
    page.locator(".player .ctl button").first.click()
    at(page, 1)
    page.locator(".player .track").press("PageDown")
    assert eventually(lambda: "backward" in running(page))
    page.locator(".player .ctl button").nth(1).click()
    expect(page.locator(".stage g.card:visible .grad:visible")).to_have_count(0)
    x, y = mark(page, 0)
    page.mouse.click(x, y)
    at(page, 1)
    assert "moment" not in page.url and page.errors == []
    page.keyboard.press("End")
    expect(page.locator(".line.is-running")).to_have_count(0)

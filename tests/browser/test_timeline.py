"""The time line under a person's hands: the program played from its first line to its last gradient."""

import re

import pytest
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until
from tests.patience import eventually

PROGRAM = """import torch
n = 2
w = torch.tensor(1., requires_grad=True)
a = w * n
y = a + w
print("y is", y.item())
y.backward()
print("done")
"""
LOOP = """import torch
w = torch.tensor(4., requires_grad=True)
for k in [1., 2.]:
    loss = w * k
    loss.backward()
    w.grad = None
"""
FORWARD = 7  # moments before backward
# Return whether all of these are visible above the player.
SEEN = """(all) => {
  const end = document.querySelector(".player").getBoundingClientRect().top;
  const boxes = all.map((one) => document.querySelector(one).getBoundingClientRect());
  return boxes.every((box) => box.top >= 0 && box.bottom <= end);
}"""


@pytest.fixture
def played(open_page):
    """Open a program with the player at the first line."""

    def opened(program=PROGRAM, shows="a = w * n"):
        address = f"/#{to_fragment({'program': program, 'name': 'p.py'})}"
        page = open_page(address, wait=f'g.card[aria-label^="{shows}"]')
        page.get_by_label("Back to the start").click()
        at(page, 1)
        return page

    return opened


def at(page, step: int) -> None:
    expect(page.locator(".stepno")).to_contain_text(f"Step {step} of", use_inner_text=True)


def running(page) -> str:
    """Return the text of the marked line."""
    return page.locator(".code-editor .line.is-running .src").inner_text().strip()


def card(page, name: str):
    return page.locator(f'.st-key-graph g.card[aria-label^="{name}"]').first


def beside(page) -> list[str]:
    return [text for text in page.locator(".code-editor .ghost .v").all_inner_texts() if text]


def test_the_whole_page_shows_the_state_at_each_moment(played):
    page = played()
    places = "[...document.querySelectorAll('g.node')].map((one) => one.getAttribute('transform')).join()"
    before = page.evaluate(places)
    assert eventually(
        lambda: running(page) == "import torch" and page.locator("g.card:visible").count() == 0 and beside(page) == []
    )
    page.keyboard.press("ArrowRight")
    assert eventually(lambda: running(page) == "n = 2" and beside(page) == ["2"])  # a Python number
    page.keyboard.press("ArrowRight")
    expect(card(page, "w")).to_be_visible()
    page.keyboard.press("ArrowRight")
    assert eventually(lambda: running(page) == "a = w * n" and card(page, "a = w * n").is_visible())
    expect(card(page, "y = a + w")).to_be_hidden()
    assert eventually(lambda: page.locator("g.card:visible .grad:visible").count() == 0)
    expect(page.locator(".st-key-output .so-far")).to_have_text("", use_inner_text=True)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert eventually(lambda: page.locator(".st-key-output .so-far").inner_text().split() == ["y", "is", "3.0"])
    page.keyboard.press("ArrowRight")
    assert eventually(lambda: running(page) == "y.backward()")
    expect(page.locator("g.edge.is-now")).to_have_count(2)
    page.keyboard.press("End")
    expect(page.locator(".line.is-running")).to_have_count(0)
    assert eventually(
        lambda: (
            "done" in page.locator(".st-key-output").inner_text() and page.locator("g.card .grad:visible").count() == 3
        )
    )
    assert eventually(lambda: page.evaluate(places) == before)
    assert page.errors == []


def test_keys_clicks_and_drags_go_to_moments(played):
    page = played()
    page.evaluate(
        """() => {
          window.drawn = [];
          const size = () => document.querySelector(".stage").clientHeight;
          document.addEventListener("explorer:step", ({ detail }) => detail && drawn.push(size()));
        }"""
    )
    for step in range(2, 9):
        page.keyboard.press("ArrowRight")
        at(page, step)
    drawn = page.evaluate("drawn")
    assert len(drawn) == 7 and len(set(drawn)) == 1  # a key draws the page once, and the picture keeps its size

    page.keyboard.press("Home")
    at(page, 1)
    page.keyboard.press("PageDown")
    assert eventually(lambda: running(page) == "y.backward()")
    at(page, FORWARD)
    page.keyboard.press("Shift+ArrowRight")
    assert eventually(lambda: running(page) == 'print("done")')
    page.keyboard.press("Shift+ArrowLeft")
    at(page, FORWARD)
    page.keyboard.press("PageUp")
    at(page, 1)
    page.keyboard.press("End")
    expect(page.locator(".stepno")).to_contain_text("steps")
    page.locator(".player .track").press("Home")
    at(page, 1)

    page.keyboard.press(" ")
    at(page, 3)
    page.keyboard.press(" ")
    expect(page.get_by_label("Play", exact=True)).to_be_visible()
    area = page.locator(".st-key-program textarea").first
    area.evaluate(
        "(one) => { one.focus(); one.setSelectionRange(one.value.indexOf('y = a'), one.value.indexOf('y = a')); }"
    )
    page.locator('.code-editor[data-caret="0,5"]').wait_for()
    area.evaluate("(one) => one.blur()")
    page.keyboard.press("l")  # jump to the cursor's line
    at(page, 5)
    assert eventually(lambda: running(page) == "y = a + w")

    page.locator(".code-editor .line", has_text="a = w * n").locator(".src").click(force=True)
    at(page, 4)
    card(page, "w").click(position={"x": 20, "y": 10})
    at(page, 3)
    page.locator(".player .track").press("PageDown")
    card(page, "w").click(position={"x": 20, "y": 10})
    expect(page.locator(".player .sentence")).to_contain_text("w.grad")

    marks = [one.bounding_box() for one in page.locator(".player .track i").all()]
    page.mouse.move(marks[0]["x"] + 2, marks[0]["y"] + 2)
    page.mouse.down()
    page.mouse.move(marks[4]["x"] + 2, marks[4]["y"] + 2)
    at(page, 5)
    page.mouse.up()
    page.wait_for_url("**moment=5**")
    page.reload()
    expect(page.locator(".code-editor .line.is-running .src")).to_contain_text("y = a + w")
    at(page, 5)
    assert page.errors == []


def test_touch_plays_on_a_phone(chromium, address):
    window = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = window.new_page()
    page.goto(f"{address}/#{to_fragment({'program': PROGRAM, 'name': 'p.py'})}")
    page.wait_for_selector('g.card[aria-label^="a = w * n"]')
    page.get_by_label("Back to the start").tap()
    at(page, 1)
    for _ in range(3):
        page.get_by_label("Step", exact=True).tap()
    at(page, 4)
    assert eventually(lambda: running(page) == "a = w * n")
    wait_until(page, "document.documentElement.scrollWidth <= 390")
    wait_until(page, SEEN, [".line.is-running", 'g.card[aria-label^="a = w * n"]'])  # the line and its result
    clipped = "[...document.querySelectorAll('.track small')].filter((one) => one.scrollWidth > one.clientWidth).length"
    assert eventually(lambda: page.evaluate(clipped) == 0)
    window.close()


def test_each_round_is_shown_in_its_own_picture_with_its_values(played):
    page = played(LOOP, shows="loss = w * k")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert eventually(lambda: running(page) == "loss = w * k")
    expect(card(page, "loss = w * k").locator(".val")).to_have_text("4")
    page.get_by_role("button", name="The story of the program").click()
    inspected = page.locator(".st-key-inspector .then .card")
    expect(inspected.locator(".val")).to_have_text("4")  # this round's numbers, not the server picture's
    expect(inspected.locator(".grad:visible")).to_have_count(0)
    page.keyboard.press("PageDown")
    expect(inspected.locator(".grad:visible")).to_have_text("+1")
    page.keyboard.press("PageDown")
    while running(page) != "loss = w * k":
        page.keyboard.press("ArrowRight")
    expect(card(page, "loss = w * k").locator(".val")).to_have_text("8")
    assert eventually(lambda: page.locator("g.card .grad:visible").count() == 0)
    page.keyboard.press("End")
    expect(card(page, "loss = w * k").locator(".grad")).to_be_visible()
    expect(inspected).to_have_count(0)
    assert page.errors == []


ROUNDS = """import torch
w = torch.tensor(4., requires_grad=True)
for k in range(300):
    loss = w * k
    loss.backward()
    w.grad = None
"""


def test_the_round_under_the_cursor_opens(played):
    page = played(ROUNDS, shows="loss = w * k")
    track = page.locator(".player .track")
    expect(track.locator(".chapter.forward")).to_have_count(1)
    closed = track.locator(".chapter.is-closed")
    assert 50 < closed.count() < 150  # several rounds per mark
    track.click(position={"x": track.bounding_box()["width"] / 2, "y": 20})
    expect(track.locator(".chapter.forward")).to_have_attribute("title", re.compile(r"Round 1[3-6]\d: forward"))
    assert eventually(lambda: track.locator(".chapter.backward").count() == 1)
    assert page.errors == []


def test_a_lessons_run_plays_after_its_questions(open_page):
    page = open_page("/lessons?lang=en&lesson=autograd/first-backward", wait=".lesson-question")
    page.locator(".st-key-lesson_picture").wait_for()
    assert page.locator(".player").count() == 0  # the page asks for the gradient
    page.locator(".st-key-lesson_answer input").fill("6")
    page.keyboard.press("Enter")
    page.locator(".player .ctl button").first.click()
    at(page, 1)
    page.locator(".player .track").press("PageDown")
    assert eventually(lambda: "backward" in running(page))
    page.locator(".player .ctl button").nth(1).click()
    expect(page.locator(".stage g.card:visible .grad:visible")).to_have_count(0)
    mark = page.locator(".player .track i").first.bounding_box()
    page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"] + 2)
    at(page, 1)
    assert "moment" not in page.url and page.errors == []

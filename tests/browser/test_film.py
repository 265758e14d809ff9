"""A training on the time line under the hand: rounds without the server, keys, play, and its address."""

import re
from contextlib import suppress

from playwright.sync_api import TimeoutError, expect

from explorer.program.permalink import to_fragment
from tests.patience import eventually

LOOP = """w = torch.tensor(4.0, requires_grad=True)
for epoch in range(10):
    for part in range(2):
        loss = (w - 1) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
"""


def trained(open_page, program: str, frames: bool = True):
    """Open a training page with its frames loaded."""
    page = open_page(f"/#{to_fragment({'program': program, 'name': 'program.py'})}", wait=".player .loss path")
    page.locator(".player .chapter.backward").wait_for()
    if frames:
        page.locator(".strip[data-frames=here]").wait_for(state="attached")
    return page


MIDDLE = """(at) => {
  const box = document.querySelectorAll(".player .track .is-closed i")[at]?.getBoundingClientRect();
  return box && [box.x + box.width / 2, box.y + box.height / 2];
}"""


def middle(page, number: int) -> list[float]:
    """Return the centre of a closed round's mark after the marks rest."""
    before, now = None, page.evaluate(MIDDLE, number - 1)
    while now is None or now != before:
        page.wait_for_timeout(400)
        before, now = now, page.evaluate(MIDDLE, number - 1)
    return now


def go_to(page, number: int) -> None:
    """Click the mark of a closed round, again if a late picture moved the marks."""
    for _ in range(5):
        page.mouse.click(*middle(page, number))
        with suppress(TimeoutError):
            page.wait_for_url(re.compile(rf"backward={number}\b"), timeout=20_000)
            return
    raise AssertionError(page.url)


def is_open(page, number: int) -> None:
    """Wait until the round under the pointer has opened and the marks rest."""
    expect(page.locator(".player .chapter.backward")).to_have_attribute("title", f"Round {number}: backward")
    expect(page.locator(".player .chapter.backward i")).to_have_count(3)  # the steps of the server's own picture


def says(page, text: str) -> None:
    expect(page.locator(".player .track")).to_have_attribute("aria-valuetext", text)


def round_is(page, number: int) -> None:
    expect(page.locator(".player .stepno")).to_contain_text(f"Training step {number} of")


def test_scrubbing_updates_picture_code_inspector_and_address(open_page):
    page = trained(open_page, LOOP)
    track, loss = page.locator(".player .track"), page.locator(".stage g.node.out .val")
    says(page, "Training step 20 of 20, epoch = 9, part = 1, loss 0.00187")

    page.mouse.move(*middle(page, 19))
    page.mouse.down()
    page.mouse.move(*middle(page, 3))  # the server is asked on release
    expect(loss).to_have_text("3.69")
    expect(page.locator(".code-editor .ghost", has_text="3.69")).to_have_count(1)
    expect(page.locator(".player .sentence")).to_contain_text("3.84")
    expect(page.locator(".st-key-inspector .pair")).to_contain_text("3.69")
    moving = page.locator(".stage svg.autograd").text_content()
    assert "backward=" not in page.url
    page.mouse.up()
    page.wait_for_url("**backward=3**")
    expect(page.locator(".stage.is-behind")).to_have_count(0)
    assert eventually(lambda: page.locator(".stage svg.autograd").text_content() == moving)

    track.press("PageDown")
    expect(loss).to_have_text("2.36")
    round_is(page, 4)
    page.wait_for_url("**backward=4**")
    page.locator(".player .go").click()  # round by round, from the pointer
    expect(page.get_by_label("Pause")).to_be_visible()
    round_is(page, 20)
    expect(page.get_by_label("Play", exact=True)).to_be_visible()
    is_open(page, 20)
    go_to(page, 11)
    page.reload()
    round_is(page, 11)
    track.press("End")
    round_is(page, 20)
    assert page.errors == []


def test_scrubbing_continues_from_a_round_to_its_moments(open_page):
    page = trained(open_page, LOOP)
    go_to(page, 3)
    is_open(page, 3)
    page.locator(".player .track").press("ArrowLeft")
    expect(page.locator(".code-editor .line.is-running")).to_have_count(1)
    expect(page.locator(".player .loss-now")).to_have_text("loss 3.69")
    for _ in ("update", "backward", "forward"):  # this round's loss is not known yet
        page.locator(".player .track").press("PageUp")
    expect(page.locator(".player .loss-now")).to_have_text("loss 5.76")
    assert page.errors == []


def test_a_drag_held_before_frames_arrive_shows_its_round_afterwards(open_page):
    page = trained(open_page, LOOP, frames=False)
    page.mouse.move(*middle(page, 3))
    page.mouse.down()
    round_is(page, 3)
    expect(page.locator(".stage g.node.out .val")).to_have_text("3.69")
    assert "backward=" not in page.url
    page.mouse.up()
    page.wait_for_url("**backward=3**")
    assert page.errors == []


def test_rounds_that_play_end_with_their_program(open_page):
    page = trained(open_page, LOOP)
    go_to(page, 1)
    page.locator(".player .go").click()
    expect(page.get_by_label("Pause")).to_be_visible()
    page.locator(".code-editor textarea").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("import torch\nq = torch.ones(1, requires_grad=True)\n(q * 7).backward()\n")
    page.locator('g.card.leaf[aria-label^="q"]').wait_for()
    expect(page.locator(".player .loss")).to_have_count(0)
    expect(page.locator(".stage g.node")).to_have_count(2)
    expect(page.locator('g.card.leaf[aria-label^="w"]')).to_have_count(0)
    assert page.errors == []

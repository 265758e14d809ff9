"""The lens Training under a person's hands: a training played, a step, a parameter, a turned number, a graph."""

import pytest
from playwright.sync_api import expect

from tests.browser.measures import wait_until
from tests.patience import eventually


@pytest.fixture
def open_training(open_page):
    """Opens the page and waits for its film."""

    def opened(path="/training", width=1400, height=1000, scheme="light", wait=".film-value:not(:empty)"):
        return open_page(path, width, height, scheme, wait)

    return opened


APART = """() => {
  const middle = (one) => { const box = one.getBoundingClientRect(); return box.top + box.height / 2; };
  return [...document.querySelectorAll(".film-strip")].map((strip, row) => Math.max(
    ...[...document.querySelectorAll(`[data-row="${row}"]`)].map((one) => Math.abs(middle(one) - middle(strip)))));
}"""


def area(page):
    return page.locator(".code-editor textarea").first


def at(page) -> int:
    """Return the step that shows."""
    return int(page.locator(".film-over").get_attribute("aria-valuenow"))


def test_a_point_of_the_loss_opens_its_step_and_graph(open_training):
    page = open_training()
    now, over = page.locator(".film-now"), page.locator(".film-over")
    expect(now).to_contain_text("training step 200 · step = 199 · loss")
    box = over.bounding_box()
    plot = page.locator(".film-loss").bounding_box()
    assert abs(box["x"] - plot["x"]) < 1 and abs(box["width"] - plot["width"]) < 1  # every step has the same position
    page.mouse.move(box["x"] + box["width"] / 4 + 1, box["y"] + 40)
    expect(now).to_contain_text("training step 51 · step = 50 · loss")
    page.mouse.down()
    page.mouse.up()
    over.press("ArrowRight")
    over.press("ArrowRight")
    expect(over).to_have_attribute("aria-valuenow", "53")
    wait_until(page, "location.search.includes('step=53')")
    expect(page.locator(".film-over")).to_be_focused()

    page.get_by_role("button", name="net.0.weight", exact=True).click()
    expect(page.locator(".st-key-tr_more_body .js-plotly-plot")).to_be_visible()
    page.get_by_role("button", name="Graph of this step").click()
    expect(page.locator(".st-key-workbench svg").first).to_be_visible()
    expect(page.locator(".player .stepno")).to_contain_text("Training step 53 of 200")
    assert not page.errors


def test_a_training_plays_by_mouse_and_keys_and_fits_a_narrow_page(open_training):
    page = open_training()
    for width in (1400, 1024, 390):
        page.set_viewport_size({"width": width, "height": 1000})
        shown = page.locator(".film-value, .film-beside, .film-head, .film-name.is-axis")
        assert shown.count() > 12 and all(one.is_visible() for one in shown.all())
        # numbers are next to their strips
        assert eventually(lambda: len(rows := page.evaluate(APART)) == 6 and max(rows) < 4), page.evaluate(APART)

    page.set_viewport_size({"width": 1400, "height": 1000})
    asked = len(page.requested)
    page.get_by_role("combobox", name="Speed").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_until(page, "Number(document.querySelector('.film-over').getAttribute('aria-valuenow')) < 190")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.locator(".film.is-then:not(.is-playing)")).to_have_count(1)  # the rest is faded
    over = page.locator(".film-over")
    over.press("Home")
    over.press(" ")
    wait_until(page, "document.querySelector('.film.is-playing')")
    expect(page.locator(".film.is-playing")).to_have_count(0)  # at the end, the whole training is shown again
    expect(page.locator(".film-now")).to_contain_text("training step 200 · step = 199 · loss")
    expect(page.locator(".film-now")).to_contain_text("lowest loss")
    assert len(page.requested) == asked and not page.errors


def test_a_changed_learning_rate_plays_the_new_and_the_old_run(open_training):
    page = open_training()
    number = page.locator(".code-editor .line", has_text="lr = 0.03").locator(".c-num").first
    box = number.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 24, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    expect(page.locator(".film-of.is-before")).to_have_text("lr 0.03")
    expect(page.locator(".film-of.is-now")).to_have_text("lr 0.11")  # 24 px are 8 steps
    wait_until(page, "document.querySelector('.film.is-playing .film-loss path.before')")
    expect(page.locator(".film-now")).to_contain_text("lr 0.03:")  # the loss of the old run at the same step
    expect(page.locator(".st-key-tr_before")).to_contain_text("lr 0.03 →")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".film-loss path.before")).to_have_count(0)
    assert not page.errors


def test_reduced_motion_disables_autoplay_and_problems_appear_below_the_program(open_training):
    page = open_training()
    page.emulate_media(reduced_motion="reduce")
    area(page).fill(area(page).input_value().replace("lr = 0.03", "lr = 0.05"))
    expect(page.locator(".film-of.is-before")).to_have_text("lr 0.03")
    page.wait_for_timeout(1_500)
    expect(page.locator(".film.is-playing")).to_have_count(0)
    assert at(page) == 200
    area(page).fill(area(page).input_value().replace("lr = 0.05", "lr = 3.0"))
    expect(page.locator(".st-key-problems")).to_contain_text("Values overflow here")
    assert not page.errors

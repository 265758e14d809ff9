"""The Training page under a person's hands: the cursor, a step, a parameter, a changed number, the way to the graph."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.measures import wait_until


@pytest.fixture
def open_training(open_page):
    """Opens the page and waits for its film."""

    def opened(path="/training", width=1400, height=1000, scheme="light", wait=".film-value:not(:empty)"):
        return open_page(path, width, height, scheme, wait)

    return opened


def test_from_the_loss_to_a_step_and_its_graph(open_training):
    page = open_training()
    now, over = page.locator(".film-now"), page.locator(".film-over")
    expect(now).to_contain_text("step 200 · loss")
    box = over.bounding_box()
    plot = page.locator(".film-loss").bounding_box()
    assert abs(box["x"] - plot["x"]) < 1 and abs(box["width"] - plot["width"]) < 1  # one place for every step
    page.mouse.move(box["x"] + box["width"] / 4 + 1, box["y"] + 40)
    expect(now).to_contain_text("step 51 · loss")
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".st-key-tr_step h3")).to_have_text("Step 51")
    over.press("ArrowRight")
    over.press("ArrowRight")
    expect(over).to_have_attribute("aria-valuenow", "53")
    expect(page.locator(".st-key-tr_step h3")).to_have_text("Step 53")
    expect(page.locator(".film-over")).to_be_focused()

    expect(page.locator(".fit .fit-line")).to_have_count(24)  # the data, and the model at the nearest kept step
    expect(page.locator(".fit-at")).to_have_text("53")
    expect(page.locator(".fit-step.is-now")).to_have_attribute("data-step", "53")
    page.get_by_role("slider", name="width").press("ArrowRight")
    expect(page.locator(".code-editor textarea").first).to_have_value(re.compile("width = 24"))
    page.get_by_role("slider", name="width").press("ArrowLeft")
    expect(page.locator(".code-editor textarea").first).to_have_value(re.compile("width = 16"))
    expect(page.locator(".st-key-tr_before")).to_have_count(0)

    page.get_by_role("button", name="net.0.weight", exact=True).click()
    expect(page.locator(".st-key-tr_more_body .js-plotly-plot")).to_be_visible()
    area = page.locator(".code-editor textarea").first
    area.fill(area.input_value().replace("lr = 0.03", "lr = 0.05"))
    expect(page.locator(".st-key-tr_before")).to_contain_text("lr 0.03 → 0.05")
    expect(page.locator(".film-loss path.before")).to_have_count(1)
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".film-loss path.before")).to_have_count(0)

    wait_until(page, "location.search.includes('step=53')")
    page.get_by_role("button", name="Open this step on the workbench").click()
    expect(page.locator(".st-key-workbench svg").first).to_be_visible()
    expect(page.locator(".player .stepno")).to_contain_text("Training step 53 of 200")
    expect(page.locator(".code-editor textarea").first).to_have_value(re.compile(r"lr = 0\.05"))
    assert not page.errors


def test_a_disease_has_its_name_at_the_top(open_training):
    page = open_training()
    area = page.locator(".code-editor textarea").first
    area.fill(area.input_value().replace("lr = 0.03", "lr = 3.0"))
    card = page.locator('[class*="st-key-tr_diseases"]')
    # the name of the cause once a cure was run in time, that of the sign until then
    expect(card).to_contain_text(re.compile("Learning rate too high|The loss grows"))
    assert not page.errors

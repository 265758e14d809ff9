"""The numeric check of a program: a badge on each leaf, a sentence next to it, and the slope next to the graph."""

import re

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import boxes, wait_until
from tests.browser.test_scrub import press

PROGRAM = "import torch\nu = torch.tensor(2., requires_grad=True)\ny = u * u.detach()\ny.backward()"
LEAF = 'g.card.leaf[aria-label^="u, leaf"]'


def test_checking_with_numbers_marks_a_leaf(open_page):
    page = open_page("/?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait=LEAF)
    page.locator(LEAF).click()
    page.locator(".st-key-check button:visible").press("Enter")
    expect(page.locator(LEAF)).to_have_attribute(
        "aria-label", "u, leaf, line 2, value 2, gradient +2, checked with numbers: differs"
    )
    expect(page.locator(f"{LEAF} .badge.differs")).to_have_count(1)
    said = re.compile("gradient is −?2, but the program.s slope (there )?is −?4")
    expect(page.locator(".st-key-inspector")).to_contain_text(said)
    assert page.errors == []


def test_gradients_are_checked_after_each_run(open_page):
    page = open_page()
    mark = page.locator(".st-key-checked .checked")
    expect(mark).to_have_text("✓ gradients checked")
    press(page, 0, 30)  # an unfinished edit
    expect(page.locator(".st-key-checked .checked-place")).to_be_empty()
    page.mouse.up()
    expect(mark).to_have_text("✓ gradients checked")
    page.goto(page.url.split("#")[0] + "?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"}))
    page.wait_for_selector(LEAF)
    page.locator(".checked summary").click()
    expect(mark).to_contain_text("except for u")
    expect(mark).to_contain_text("line 3: ")
    assert page.errors == []


def test_no_mark_stands_beside_the_graph_of_another_program(open_page):
    page = open_page()
    mark, field = page.locator(".st-key-checked .checked"), page.locator(".code-editor textarea").first
    expect(mark).to_have_text("✓ gradients checked")
    page.evaluate(
        """() => {
            const shown = () => document.querySelector('.st-key-graph').textContent.includes('w * 7');
            const look = () => {
                if (!shown()) return requestAnimationFrame(look);
                window.beside = 'beside: ' + document.querySelector('.st-key-checked .checked-place').textContent;
            };
            look();
        }"""
    )
    field.fill(field.input_value().replace("w + 1", "w * 7"))
    assert wait_until(page, "window.beside") == "beside: "
    expect(mark).to_have_text("✓ gradients checked")
    assert page.errors == []


def test_the_slope_plot_follows_the_number_in_the_code(open_page):
    page = open_page()
    words = page.locator(".st-key-inspector .textpoint text")
    page.locator('g.card.leaf[aria-label^="w, leaf"]').click()
    expect(words).to_have_text("slope +5")
    press(page, 0, 30)  # w from 1 to 2
    expect(words).to_have_text("slope +7")
    page.mouse.up()
    expect(page.locator('g.card.leaf[aria-label^="w, leaf"]')).to_have_attribute(
        "aria-label", re.compile(r"gradient \+7")
    )
    page.locator('g.card.leaf[aria-label^="x, leaf"]').click()
    expect(words).to_have_text("slope +3")
    assert page.errors == []


def test_the_point_of_the_plot_turns_the_number_by_mouse_and_by_keys(open_page):
    page = open_page()
    slider, field = page.locator(".st-key-inspector .slider-group"), page.locator(".code-editor textarea").first
    page.locator('g.card.leaf[aria-label^="w, leaf"]').click()
    [box] = boxes(slider.locator(".slider-grip-rect"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y)
    expect(page.locator(".code-editor .paint").first).not_to_contain_text("tensor(1.,")
    page.mouse.up()
    expect(field).not_to_have_value(re.compile(r"w = torch.tensor\(1\.,"))
    turned = float(re.search(r"tensor\(([\d.]+),", field.input_value())[1])
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^w = {turned:g}$"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(field).to_have_value(re.compile(rf"w = torch.tensor\({turned + 0.1:.1f}"))
    assert page.errors == []


def test_a_step_of_the_story_shows_its_card(open_page):
    page = open_page()
    story = page.locator(".story")
    page.get_by_role("button", name="The story of the program").click()
    expect(story).to_contain_text("gradient of w = +5")
    story.get_by_role("button", name="Show b in the graph").click()
    expect(page.locator("g.node.is-hovered")).to_have_attribute("aria-label", re.compile(r"^b = w \+ 1"))
    story.locator("button.more").first.click()
    expect(page.locator(".st-key-inspector .why:not(.story) .step").first).to_be_visible()
    assert page.errors == []


def test_a_notebooks_slope_plot_is_above_its_cards_numbers(open_page):
    cells = "w = torch.tensor(3., requires_grad=True)\n\n# %%\ny = w ** 2\ny.backward()\n"
    page = open_page("/?lang=en#" + to_fragment({"program": cells, "name": "p.py"}), wait='g.card[aria-label^="y"]')
    page.locator('g.card.leaf[aria-label^="w, leaf"]').click()
    expect(page.locator(".st-key-inspector .textpoint text")).to_have_text("slope +6")

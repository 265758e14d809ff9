"""The graph fills the window, and the selection survives a new picture."""

from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.measures import boxes
from tests.browser.test_outline import MODEL, STACK
from tests.browser.test_room import SHOWS_CARD, at, cards_in_view, more_cards
from tests.patience import eventually


def fill(page):
    """Press F until the page responds: its script may arrive after the picture."""

    def filled() -> bool:
        with suppress(TimeoutError):
            page.keyboard.press("f")
            page.wait_for_selector("html[data-full]", state="attached", timeout=5_000)
        return page.locator("html[data-full]").count() == 1

    assert eventually(filled)


def test_the_full_window_button_enlarges_the_graph(open_page):
    page = open_page()
    stage, button = page.locator(".stage"), page.get_by_role("button", name="Full screen")
    expect(page.locator(".zoom button:visible")).to_have_text(["+", "−", "Fit", "Find", "Full screen", "Details"])
    for width in (1400, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator(".st-key-run")).to_have_attribute("title", "Ctrl+Enter runs the program")
        expect(page.locator(".splitter")).to_be_visible() if width > 390 else expect(
            page.locator(".splitter")
        ).to_be_hidden()
        [before] = boxes(stage)
        button.click()
        expect(page.locator(".st-key-editor")).to_be_hidden()
        expect(page.locator(".st-key-header").first).to_be_hidden()
        [after] = boxes(stage)
        assert after["width"] >= before["width"] and after["y"] < before["y"]
        expect(page.locator(".player .go")).to_be_in_viewport()
        assert eventually(lambda: cards_in_view(page) == 5)
        button.click()
        expect(page.locator(".st-key-editor")).to_be_visible()
    assert page.errors == []


def test_keys_enlarge_the_graph_and_the_inspector_slides_over(open_page):
    page = open_page()
    fill(page)
    expect(page.locator(".st-key-inspector")).to_be_hidden()
    card = page.locator(SHOWS_CARD.format("a = w + x"))
    card.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-inspector")).to_contain_text("AddBackward0")
    expect(page.locator(".st-key-inspector")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-inspector")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-editor")).to_be_visible()
    area = page.locator("textarea").first
    area.focus()
    page.keyboard.type("f")
    expect(page.locator("html[data-full]")).to_have_count(0)
    area.evaluate("area => area.blur()")
    fill(page)
    expect(page.locator(".st-key-editor")).to_be_hidden()  # hidden on other pages, too
    page.locator(".st-key-nav a", has_text="Training").dispatch_event("click")
    page.wait_for_selector(".st-key-lens")
    expect(page.locator(".st-key-header").first).to_be_visible()


def test_the_selection_survives_opening_a_module(open_page):
    page = open_page(MODEL, wait=STACK)
    output, block = page.locator("g.node.out"), page.locator('g.node[data-module="model.blocks.2"]')
    output.focus()
    page.keyboard.press("Enter")
    page.locator(STACK).focus()
    page.keyboard.press("o")
    block.focus()
    expect(output).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    expect(block).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("o")
    expect(page.locator("g.node.is-selected")).to_have_attribute("data-within", "model.blocks.2")
    assert page.errors == []


def test_the_divider_moves_by_mouse_and_keys_and_keeps_its_place(open_page):
    page = open_page()
    bar, pane = page.get_by_role("separator"), page.locator(".st-key-right")
    expect(bar).to_have_attribute("aria-valuenow", "45")
    [before], [at_first] = boxes(pane), boxes(bar)
    page.mouse.move(at_first["x"] + 5, 500)
    page.mouse.down()
    page.mouse.move(420, 500, steps=4)
    page.mouse.up()
    expect(bar).to_have_attribute("aria-valuenow", "30")
    assert eventually(lambda: boxes(pane)[0]["width"] > before["width"] + 150)
    assert eventually(lambda: cards_in_view(page) == 5)
    for key, share in [("ArrowRight", 32), ("ArrowLeft", 30), ("Home", 22), ("Enter", 45), ("ArrowLeft", 43)]:
        bar.press(key)
        expect(bar).to_have_attribute("aria-valuenow", str(share))
    page.reload()
    expect(bar).to_have_attribute("aria-valuenow", "43")
    assert page.errors == []


def ends_before(card, panel) -> bool:
    return card["x"] + card["width"] <= panel["x"]


@pytest.mark.parametrize("width", [800, 1024])
def test_in_a_small_window_the_graph_has_its_pane_and_the_inspector_slides_over_no_chosen_card(open_page, width):
    page = open_page(width=width, height=768)
    inspector, details = page.locator(".st-key-inspector"), page.get_by_role("button", name="The story of the program")
    [stage], [pane] = boxes(page.locator(".stage")), boxes(page.locator(".st-key-right"))
    assert stage["width"] == pane["width"]
    details.click()
    expect(inspector).to_contain_text("The story of this program")
    page.get_by_role("button", name="Close the details").click()
    expect(inspector).to_be_hidden()
    page.locator(SHOWS_CARD.format("w, leaf")).click(position={"x": 40, "y": 10})
    expect(inspector).to_be_visible()
    assert eventually(lambda: ends_before(*boxes(page.locator("g.node.is-selected"), inspector)))
    assert page.errors == []


def test_clicking_a_number_in_the_code_opens_the_inspector_with_its_answer(open_page):
    page = open_page(width=1024, height=768)
    [number] = boxes(page.locator(".line .ghost .g").nth(2))  # the first two lines have no room for theirs
    page.mouse.click(number["x"] + number["width"] / 2, number["y"] + number["height"] / 2)
    expect(page.locator(".st-key-inspector .why")).to_be_visible()


@pytest.mark.parametrize("width, folded", [(390, True), (1920, False)])
def test_the_legend_is_one_line_and_its_marks_open(open_page, width, folded):
    page = open_page(width=width)
    if not folded:
        fill(page)
    mark, word = page.locator(".legend .leafk"), page.locator(".legend summary")
    [bar] = boxes(page.locator(".st-key-legendbar"))
    assert bar["height"] <= 60
    if folded:
        expect(mark).to_be_hidden()
        word.click()
    expect(mark).to_be_visible()
    expect(word).to_be_visible() if folded else expect(word).to_be_hidden()


CHAIN = "x = torch.rand(3, 3, requires_grad=True)\n" + "x = x.sin()\n" * 9 + "y = x.sum()\ny.backward()\n"


def test_a_long_graph_opens_readable_and_shows_names_when_zoomed_out(open_page):
    page = open_page(at(CHAIN), wait=SHOWS_CARD.format("y = x.sum()"))
    card, fit = page.locator(SHOWS_CARD.format("y = x.sum()")), page.get_by_role("button", name="Show the whole graph")
    expect(more_cards(page)).to_contain_text("of 11 cards")
    assert cards_in_view(page, "g.node.out") == 1
    expect(card.locator(".expr")).to_be_visible()
    fit.click()
    assert cards_in_view(page) == 11  # the whole graph, although it is long
    fit.click()
    expect(card.locator(".expr")).to_be_visible()  # as it was when opened
    fit.click()
    expect(card.locator(".farname")).to_have_text("y")
    expect(card.locator(".expr")).to_be_hidden()
    for _ in range(4):
        page.locator(".zoom").get_by_role("button", name="Zoom in").click()
    expect(card.locator(".expr")).to_be_visible()
    expect(card.locator(".farname")).to_be_hidden()
    assert page.errors == []

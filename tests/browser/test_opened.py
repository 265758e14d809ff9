"""After opening anything, the half-typed program is restored by Ctrl+Z, a button, Back, and the menu."""

import json

import pytest
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from explorer.trace import encode
from tests.browser.measures import wait_until
from tests.traces import trace_of

LINK = "#" + to_fragment({"program": "linked = torch.ones(2)\n"})
BOOK = {"cells": [{"cell_type": "code", "source": "read = 1", "metadata": {}}], "metadata": {}, "nbformat": 4}
HERE = "history.state?.explorer && history.state.explorer === document.querySelector('.code-editor')?.explorer?.key"
DROP = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  document.querySelector(".code-editor").dispatchEvent(drop);
}"""


def cells(page):
    return [area.input_value() for area in page.locator(".code-editor textarea").all()]


def shown(page, texts):
    """Wait for a program, and for the address to have it."""
    areas = page.locator(".code-editor textarea")
    expect(areas).to_have_count(len(texts))
    for number, text in enumerate(texts):
        expect(areas.nth(number)).to_have_value(text)
    wait_until(page, HERE)


def half_typed(page):
    """Type two cells known to the server, and an unsent word in the second."""
    areas = page.locator(".code-editor textarea")
    areas.first.press("Control+A")
    page.keyboard.insert_text("a = torch.ones(2)\n# %%\nb = a")
    expect(areas).to_have_count(2)
    areas.nth(1).press("Control+End")
    page.keyboard.type(".half")
    return ["a = torch.ones(2)", "b = a.half"]


def another(page, mine):
    """Wait until another program is shown, and return it."""
    wait_until(page, f"({HERE}) && document.querySelector('.code-editor').explorer.before !== ''")
    other = cells(page)
    assert other != mine
    return other


def menu(page):
    page.locator(".st-key-menu_examples button").first.click()
    page.get_by_role("menuitem").nth(2).click()


def chosen(page, name, data):
    page.locator(".st-key-file button").first.click()
    place = page.locator(".st-key-open input[type=file]")
    expect(place).to_have_count(1)
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    place.set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})


def saved_run(page):
    trace = trace_of("w = torch.ones(3, requires_grad=True)\nw.sum().backward()\n")
    chosen(page, "net.trace", encode(trace))


def learn(page, *links):
    page.get_by_role("link", name="Learn").first.click()
    for link in links:
        page.get_by_role("link", name=link).first.click()


def example_of_gallery(page):
    learn(page, "Gallery")
    page.locator('.example-card[data-choose="dot-product"]').click()


def open_as_program(page):
    """Click it once the page is drawn: a click while it is drawn may be lost."""
    button = page.get_by_role("button", name="Open as a program").first
    button.wait_for()
    wait_until(page, "document.querySelector('.stApp').dataset.testScriptState === 'notRunning'")
    button.click()


def as_program(*links):
    def way(page):
        learn(page, *links)
        open_as_program(page)

    return way


def of_lesson(page):
    learn(page)
    page.locator(".lesson-card").first.click()
    open_as_program(page)


def of_data(page):
    page.get_by_role("link", name="Data").first.click()
    open_as_program(page)


def example_of_training(page):
    page.get_by_role("link", name="Training").first.click()
    page.locator(".st-key-lens, .st-key-tr_try").first.wait_for()
    menu(page)


def example_in_values(page):
    page.locator(".tensor-list").wait_for()  # without a gradient, the values are shown first
    menu(page)


WAYS = {
    "an example": menu,
    "the gallery": example_of_gallery,
    "a lesson": of_lesson,
    "a derivative": as_program("Derivatives"),
    "broadcasting": as_program("Broadcasting"),
    "a table": of_data,
    "a training": example_of_training,
    "values": example_in_values,
    "a .py file": lambda page: chosen(page, "read.py", b"read = 1\n"),
    "an .ipynb file": lambda page: chosen(page, "read.ipynb", json.dumps(BOOK).encode()),
    "a saved run": saved_run,
    "a dropped file": lambda page: page.evaluate(DROP, ["read.py", "read = 1\n"]),
    "a link in this tab": lambda page: page.evaluate("link => void (location.hash = link)", LINK),
    "a link that loads the page": lambda page: page.goto(page.url.split("?")[0] + "?lang=en&again=1" + LINK),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", WAYS)
def test_a_half_typed_program_is_restored_after(way, open_page):
    page = open_page()
    mine = half_typed(page)
    WAYS[way](page)
    other = another(page, mine)
    page.keyboard.press("Control+z")
    shown(page, mine)
    page.keyboard.press("Control+y")
    shown(page, other)
    page.get_by_role("button", name="Back to your program").click()
    shown(page, mine)
    page.locator(".code-editor textarea").last.press("Control+End")
    page.keyboard.type("ly")
    page.go_back()
    shown(page, other)
    page.go_forward()
    shown(page, [*mine[:-1], f"{mine[-1]}ly"])
    assert page.errors == []


@pytest.mark.parametrize("way", ["an example", "a link in this tab", "a link that loads the page", "the gallery"])
def test_back_returns_to_the_previous_program_before_leaving_the_app(way, open_page):
    page = open_page()
    mine = half_typed(page)
    WAYS[way](page)
    another(page, mine)
    for card in (".example-card", ".lesson-card") if way == "the gallery" else ():
        page.go_back()
        page.locator(card).first.wait_for()
    page.go_back()
    shown(page, mine)


def test_typed_text_survives_other_pages_and_back(open_page):
    page = open_page()
    mine = half_typed(page)
    page.get_by_role("link", name="Training").first.click()
    page.locator(".st-key-lens").wait_for()
    shown(page, mine)
    page.locator(".code-editor textarea").last.press("Control+End")
    page.keyboard.type("ly")
    page.go_back()
    page.locator(".st-key-graph").wait_for()
    shown(page, [*mine[:-1], f"{mine[-1]}ly"])


def rows_of(page):
    return page.locator(".recent .one span").filter(visible=True)


def test_the_menu_lists_the_programs_of_this_browser_until_it_is_cleared(open_page, address):
    page = open_page()
    mine = half_typed(page)
    chosen(page, "read.py", b"read = 1\n")
    shown(page, ["read = 1\n"])
    again = page.context.new_page()
    again.goto(f"{address}?example=ranks")
    again.locator(".code-editor textarea").first.press("Control+End")
    again.keyboard.type("\nthird = 1")  # this visit's program replaces none of those
    again.locator(".st-key-file button").first.click()
    again.locator(".recent summary").click()
    rows = rows_of(again)
    expect(rows).to_have_text(["read.py", "a = torch.ones(2)"])
    rows.nth(1).click()
    shown(again, mine)
    again.locator(".st-key-file button").first.click()
    again.locator(".recent summary").click()
    expect(rows.filter(has_text="read.py")).to_have_count(1)
    again.get_by_role("button", name="Clear", exact=True).click()
    expect(rows).to_have_count(0)
    assert "read = 1" not in again.evaluate("JSON.stringify(localStorage)")
    again.close()


def test_a_history_entry_without_its_program_does_not_trap_the_user(open_page):
    page = open_page()
    half_typed(page)
    menu(page)
    another(page, [])
    page.evaluate("localStorage.clear()")
    page.go_back()
    wait_until(page, HERE)
    page.go_back()
    wait_until(page, "!document.querySelector('.code-editor')")  # left the app


def test_typed_text_stays_if_the_view_changes(open_page):
    page = open_page()
    mine = half_typed(page)
    switch, editor = page.locator(".st-key-seen"), page.locator(".code-editor textarea").last
    page.locator(".tensor-list").wait_for()  # without a gradient, the values are shown first
    switch.get_by_text("Influence").click()
    expect(page.locator(".tensor-list")).to_have_count(0)
    shown(page, mine)
    editor.press("Control+End")
    page.keyboard.type("ly")
    switch.get_by_text("Values").click()
    page.locator(".tensor-list").wait_for()
    shown(page, [*mine[:-1], f"{mine[-1]}ly"])
    editor.press("Control+End")
    page.keyboard.press("Control+z")  # one step if no answer came between the letters, otherwise two
    expect(editor).not_to_have_value(f"{mine[-1]}ly")
    if editor.input_value() != mine[-1]:
        page.keyboard.press("Control+z")
    shown(page, mine)

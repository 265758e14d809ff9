"""The Data page in a real browser: a dropped file, menus used by keyboard, columns that light each other."""

import re

import pytest
from playwright.sync_api import expect

from tests.patience import eventually

FILE = "Ort;Zimmer;Preis\n" + "".join(f"O{k};{k % 5 or ''};{k}.5\n" for k in range(1, 120))


@pytest.fixture
def page(open_page):
    page = open_page("/data?lang=en", wait=".dt-table")
    yield page
    assert page.errors == []


def drawn(page):
    """Wait until the page is drawn: clicks on elements being replaced are lost."""
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def test_a_dropped_file_becomes_a_table_a_step_and_tensors(page):
    page.locator(".st-key-dt_own button").first.click()
    page.locator(".st-key-dt_given input[type=file]").set_input_files(
        {"name": "orte.csv", "mimeType": "text/csv", "buffer": FILE.encode()}
    )
    page.wait_for_selector('.dt-table th:has-text("Zimmer")')
    expect(page.locator(".st-key-dt_program textarea")).to_have_value(re.compile("sep=None"))

    corner = page.locator(".dt-table .dt-pick").first
    corner.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")  # the menu of Zimmer, which lacks some cells
    expect(page.get_by_role("dialog", name="Zimmer")).to_contain_text("23 missing")
    page.keyboard.press("Enter")  # fills them with the mean
    expect(page.locator(".dt-table .dt-lack")).to_have_count(0)
    expect(page.locator(".st-key-dt_program .line.is-changed")).to_have_text(re.compile("fillna"))
    expect(page.locator('.dt-pick:has-text("Zimmer")')).to_be_focused()
    page.locator(".dt-pick").nth(1).click(modifiers=["Control"])
    page.locator(".dt-pick").nth(2).click(modifiers=["Control"])
    page.locator(".dt-pick").nth(2).click()
    expect(page.get_by_role("dialog", name="2 columns")).to_contain_text("Ort, Zimmer")
    page.keyboard.press("Escape")

    drawn(page)
    page.locator(".st-key-dt_view button").nth(1).click()
    page.wait_for_selector(".st-key-dt_make button")
    drawn(page)
    page.locator(".st-key-dt_make button").click()
    page.wait_for_selector(".dt-tensor")
    page.locator(".dt-tensor .dt-from th[tabindex]").first.hover()
    lit = page.locator(".dt-tensor").first.locator(".is-lit")
    expect(lit).to_have_count(2 + 8)  # its name, the tensor's column, and the entries that are drawn
    assert eventually(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

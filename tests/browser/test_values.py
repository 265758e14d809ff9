"""Using the view Values: the list, highlighting, memory, old addresses."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.measures import wait_until
from tests.patience import eventually

FIRST = "/tensors?example=first"
X_AND_T = "/tensors?example=views&view="


@pytest.fixture
def open_tensors(open_page):
    """Open the page and wait for its content."""

    def opened(path=FIRST, width=1400, height=900, scheme="light", wait=".tensor-title h3"):
        page = open_page(path, width, height, scheme, wait)
        if path == FIRST:
            page.locator('.trow[data-choose^="Y@"]').click()
            title(page, "Y")
        return page

    return opened


def title(page, name: str) -> None:
    """Wait until the panel shows the tensor."""
    page.locator(".tensor-title h3", has_text=name).wait_for()


def test_arrow_keys_move_through_the_list_and_enter_shows_the_tensor(open_tensors):
    page = open_tensors()
    page.locator('.trow[data-choose^="Y@"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    title(page, "Z")
    expect(page.locator('.trow[aria-pressed="true"]')).to_have_attribute("aria-label", "Z, (3, 4) float32, line 4")
    assert eventually(lambda: page.evaluate("document.activeElement.dataset.choose").startswith("Z@"))
    assert not page.errors


def test_choosing_a_line_a_row_or_a_card_selects_the_others(open_tensors):
    page = open_tensors()
    page.locator(".code-editor textarea").first.click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    title(page, "X")
    page.locator('.trow[data-choose^="rows@"]').click()
    title(page, "rows")
    expect(page.locator(".code-editor .is-lit")).to_contain_text("rows = Z.sum(dim=1)")
    page.get_by_role("link", name="Learn").first.click()
    page.get_by_role("link", name="Operations").first.click()
    page.locator(".op-line", has_text="Z.sum(dim=1)").wait_for()
    page.get_by_role("button", name="Previous").click()
    page.locator(".op-line", has_text="X * Y - 6").wait_for()
    page.get_by_role("link", name="Program").first.click()
    page.locator(".st-key-seen").get_by_text("Graph").click()
    expect(page.locator("g.node.is-selected")).to_have_attribute("aria-label", re.compile("^Z = X"))
    page.locator("g.node", has_text="rows").first.click()
    page.locator(".st-key-seen").get_by_text("Values").click()
    page.locator('.trow[data-choose^="rows@"][aria-pressed="true"]').wait_for()
    assert not page.errors


def test_an_entry_is_highlighted_everywhere(open_tensors):
    page = open_tensors()
    page.locator('.sheet.values td[data-lit="e1.2"]').hover()
    lit = page.locator(".tensor .is-lit")
    expect(lit).to_have_text(["3", "+144"], use_inner_text=True)


def test_a_storage_cell_is_highlighted_in_every_view(open_tensors):
    page = open_tensors(X_AND_T + "memory", wait="svg.storage")
    page.locator('.stored-view[aria-label^="column"] [data-lit="s1-6"]').hover()
    lit = page.locator(".storage .is-lit:not(.stored-view)")
    expect(lit).to_have_count(7)  # the storage's own cell, x, X, T, row, column and block
    expect(page.locator('.stored-view[aria-label^="T,"] .read.is-lit title')).to_have_text("T[2, 1]")
    expect(page.get_by_text("Y now refers to a new tensor with its own storage")).to_have_count(1)


def test_an_example_opens_in_place_of_the_program(open_tensors):
    page = open_tensors("/", wait=".st-key-graph g.node")
    area = page.locator(".st-key-editor textarea").first
    area.fill("p = torch.tensor(4., requires_grad=True)\n(p * 3).backward()")
    area.press("Control+Enter")
    wait_until(page, "location.hash.length > 3")
    page.goto(page.url.split("/?")[0] + "/tensors?example=ranks&lang=en")
    wait_until(page, "!document.querySelector('.st-key-editor textarea')?.value.includes('p * 3')")
    expect(area).to_have_value(re.compile("torch"))

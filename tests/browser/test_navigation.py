"""The way from page to page: three menus by what one wants, with the mouse, by keys, in any width."""

import pytest
from playwright.sync_api import expect

from explorer.ui.session.links import PAGES
from tests.browser.measures import wait_until

GROUPS = {"explore": "Broadcasting", "train": "Data", "learn": "Gallery"}


@pytest.mark.parametrize("width", [390, 1400])
def test_every_page_is_two_clicks_away(width, open_page):
    page = open_page(width=width)
    program = page.locator("textarea").first.input_value()
    for group, name in GROUPS.items():
        menu = page.locator(f".st-key-nav_{group}")
        links = menu.locator("a")
        shown = [one for one in PAGES if one.group == group]
        expect(links).to_have_count(len(shown))
        expect(links.first).to_be_hidden()
        menu.locator("button").click()
        expect(links.last).to_be_in_viewport(ratio=1)
        menu.get_by_role("link", name=name).click()
        expect(page.locator(".st-key-nav_here a", has=page.locator("strong"))).to_have_text(name)
        expect(page.locator(".st-key-nav [data-open]")).to_have_count(0)
        wait_until(page, f"document.documentElement.scrollWidth <= {width}")
    page.locator(".st-key-nav_explore button").click()
    page.locator(".st-key-nav_explore").get_by_role("link", name="Autograd").click()
    expect(page.locator("textarea").first).to_have_value(program)
    assert page.errors == []


def test_a_wide_window_shows_the_pages_of_the_present_group_and_a_narrow_one_the_present_page(open_page):
    page = open_page("/tensors", wait=".st-key-lens")
    own = page.locator(".st-key-nav_here a:visible")
    expect(own).to_have_text(["Autograd", "Tensors", "Operations", "Broadcasting", "Derivatives"])
    page.set_viewport_size({"width": 1024, "height": 900})
    expect(own).to_have_text(["Tensors"])


def test_by_keys(open_page):
    page = open_page()
    button = page.locator(".st-key-nav_train button")
    button.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".st-key-nav_train a").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-nav_here strong")).to_have_text("Data")
    assert page.errors == []


def test_another_menu_or_a_click_beside_it_closes_a_menu(open_page):
    page = open_page()
    page.locator(".st-key-nav_learn button").click()
    page.locator(".st-key-nav_train button").click()
    expect(page.locator(".st-key-nav [data-open]")).to_have_count(1)
    expect(page.locator(".st-key-nav_learn a").first).to_be_hidden()
    page.locator(".st-key-editor_bar").click(position={"x": 4, "y": 4})
    expect(page.locator(".st-key-nav [data-open]")).to_have_count(0)

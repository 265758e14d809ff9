"""Navigation: four places in one row, by mouse and keyboard, at any width; no other site is contacted."""

import re

import pytest
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from explorer.ui.session.addresses import PAGES
from tests.browser.measures import wait_until

HERE = ".st-key-nav [aria-current]"
SECRET = "my_secret_name"
PROGRAM = f"import torch\n{SECRET} = torch.tensor(2., requires_grad=True)\n({SECRET} * 3).backward()"


@pytest.mark.parametrize("width", [390, 1400])
def test_four_places_share_a_row_with_the_learn_pages_next_to_it(width, open_page):
    page = open_page(width=width)
    program = page.locator("textarea").first.input_value()
    places = page.locator(".st-key-nav_places a")
    expect(places).to_have_text(["Program", "Training", "Data", "Learn"])
    for name in ("Data", "Learn"):  # Training starts with its own program
        places.filter(has_text=name).click()
        expect(page.locator(HERE).first).to_have_text(name)
        wait_until(page, f"document.documentElement.scrollWidth <= {width}")
    beside = page.locator(".st-key-nav_here a")
    expect(beside).to_have_count(sum(one.place == "learn" for one in PAGES))
    beside.filter(has_text="Derivatives").click()
    expect(page.locator(HERE)).to_have_text(["Learn", "Derivatives"])
    expect(beside.last).to_be_in_viewport(ratio=1)
    expect(page).to_have_title("Derivatives · Autograd Explorer")
    places.filter(has_text="Program").focus()
    page.keyboard.press("Enter")
    expect(page.locator("textarea").first).to_have_value(program)
    assert page.errors == []


def test_another_program_is_compared_from_the_menu_of_the_first(open_page):
    page = open_page()
    page.locator(".st-key-file button").first.click()
    page.locator(".st-key-compare_with button").click()
    expect(page.locator(".st-key-cp_verdict")).to_be_visible(timeout=30_000)
    expect(page.locator(HERE)).to_have_text(["Program", "Compare"])
    assert page.errors == []


def test_a_pages_title_follows_the_chosen_language(open_page):
    page = open_page("/broadcasting?lang=zh", wait=".st-key-bc_inputs")
    expect(page).to_have_title("广播 · Autograd Explorer")
    page.locator(".st-key-language button").first.click()
    expect(page).to_have_title("Broadcasting · Autograd Explorer")
    assert page.errors == []


def test_a_chosen_language_stays_on_pages_opened_by_their_address(open_page):
    page = open_page("/broadcasting", wait=".st-key-bc_inputs")
    page.locator(".st-key-language button").last.click()
    expect(page).to_have_title("广播 · Autograd Explorer")
    for address in ("/derivatives", "/derivatives?lang=en"):
        expect(open_page(address, wait=".st-key-header")).to_have_title("导数 · Autograd Explorer")


def test_a_shared_link_is_in_its_readers_language(open_page, chromium):
    copies = "navigator.clipboard.writeText = async (text) => { globalThis.copied = text }"
    page = open_page("/broadcasting?lang=zh", script=copies, wait=".st-key-bc_inputs")
    page.locator(".share").click()
    page.wait_for_function("globalThis.copied")
    copied = page.evaluate("globalThis.copied")
    assert "lang" not in copied
    reader = chromium.new_context(locale="zh-CN").new_page()
    reader.goto(f"{copied.partition('/broadcasting')[0]}/?lang=en#{to_fragment({'program': PROGRAM})}")
    expect(reader.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    reader.context.close()


def test_pages_set_no_cookies_contact_no_other_site_and_never_send_the_link(open_page):
    fragment = to_fragment({"program": PROGRAM})
    page = open_page(f"/#{fragment}", wait=f".st-key-graph g.node:has-text('{SECRET}')")
    kept = page.context.cookies()
    assert {cookie["name"] for cookie in kept} == {"_streamlit_xsrf"}
    assert {cookie["expires"] for cookie in kept} == {-1}  # gone with the browser
    home = page.evaluate("location.host")
    asked = [url for url in page.requested if url.startswith(("http", "ws"))]
    assert asked and {url.split("/")[2] for url in asked} == {home}
    assert not any(fragment[:40] in url or SECRET in url for url in (url.partition("#")[0] for url in asked))

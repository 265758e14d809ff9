"""The Compare page: type into B, see where the runs differ first, share both, also on a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.measures import wait_until

HEAD = ".cp-verdict h3"


@pytest.fixture
def page(open_page):
    return open_page("/compare", wait=HEAD)


def test_text_typed_into_b_is_compared_and_both_are_in_the_address(page, open_page):
    expect(page.locator(HEAD).locator("code")).to_have_text("h")
    expect(page.locator(HEAD)).to_contain_text("entry [1] is 0 in A and −0.2 in B")
    expect(page.locator(".st-key-cp_side_1 textarea")).to_be_in_viewport()
    page.get_by_role("button", name="Two programs").click()
    page.get_by_role("menuitem", name="With and without detach()").click()
    expect(page.locator(HEAD).locator("code")).to_have_text("b")
    page.get_by_role("button", name="Copy A to B").click()
    expect(page.locator(HEAD)).to_have_text("Identical to the last bit")
    area = page.locator(".st-key-cp_side_1 textarea")
    area.focus()
    page.keyboard.press("Control+End")
    area.evaluate("one => one.setSelectionRange(one.value.indexOf('+ 1'), one.value.indexOf('+ 1') + 3)")
    page.keyboard.type("+ 3")
    expect(page.locator(HEAD)).to_contain_text("b differs first: 2 in A, 4 in B")
    expect(page.locator(".st-key-cp_side_0 .line.is-parting")).to_have_count(1)
    expect(page.locator(".st-key-cp_graph .card.is-parting")).to_have_count(1)
    expect(page.locator(".st-key-nav [aria-current]", has_text="Compare")).to_be_visible()
    page.locator(".share").click()
    page.locator(".shared", has_text="copied").or_(page.locator(".shared", has_text="address")).first.wait_for()
    shared = page.url.partition("/compare")[2]
    other = open_page(f"/compare{shared}", width=390, height=844, wait=HEAD)
    expect(other.locator(HEAD)).to_contain_text("b differs first: 2 in A, 4 in B")
    expect(other.locator(".st-key-cp_side_1 textarea")).to_have_value(re.compile(r"w \+ 3"))
    wait_until(other, "document.documentElement.scrollWidth <= 390")
    assert not page.errors and not other.errors

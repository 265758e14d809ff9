"""The Broadcasting page under a person's hands."""

import pytest

from explorer.program.permalink import from_fragment
from tests.browser.measures import wait_until
from tests.patience import eventually


@pytest.fixture
def opened(open_page):
    """Opens the page and waits for its picture."""

    def opened(path="/broadcasting", width=1400, scheme="light"):
        page = open_page(path, width, 1000, scheme, ".bc-picture .c")
        page.wait_for_selector("[data-stale=true]", state="detached")
        return page

    return opened


def says(page, text: str) -> None:
    """Waits until the sentence holds this."""
    page.locator(".bc-told").get_by_text(text, exact=False).first.wait_for()


def address_says(page, at: str) -> None:
    """Waits until the address holds this choice."""
    for _ in range(600):
        fragment = page.evaluate("location.hash.slice(1)")
        if fragment and from_fragment(fragment).get("at") == at:
            return
        page.wait_for_timeout(100)
    raise AssertionError(fragment)


def lit(page) -> list[tuple[str | None, str | None]]:
    """What is lit, as (entry of the result, entry of an operand)."""
    return [(one.get_attribute("data-r"), one.get_attribute("data-s")) for one in page.locator(".c.is-lit").all()]


def test_a_click_and_the_arrows_walk_over_the_result(opened):
    page = opened()
    page.locator('.result .c[data-r="1,1"]').click()
    says(page, "c[1, 1] = a[1, 0] + b[0, 1] = 1 + 1 = 2")
    assert ("1,0", "0:1,0") in lit(page) and ("0,1", "1:0,1") in lit(page) and (None, "0:1,0") in lit(page)
    page.keyboard.press("ArrowDown")
    says(page, "c[2, 1] = a[2, 0] + b[0, 1] = 2 + 1 = 3")
    page.keyboard.press("ArrowLeft")
    says(page, "c[2, 0] = a[2, 0] + b[0, 0] = 2 + 0 = 2")
    page.locator('.gradient .c[data-s="1:0,1"]').click()
    says(page, "b.grad[0, 1] = 1 + 1 + 1 = +3")
    assert len(lit(page)) == 3 + 3 + 3 + 3 + 1  # readings, entries, their gradients, what each gives back, the sum
    address_says(page, "0,1;1:0,1")
    page.reload()
    says(page, "b.grad[0, 1] = 1 + 1 + 1 = +3")
    assert page.errors == []


def test_the_walk_goes_on_past_the_edge_of_what_is_shown(opened):
    page = opened()
    page.locator(".st-key-bc_a input").fill("20, 1")
    page.locator(".st-key-bc_a input").press("Enter")
    page.wait_for_selector(".bc-axes input")
    page.locator('.result .c[data-r="7,1"]').click()
    page.keyboard.press("ArrowDown")
    says(page, "c[8, 1] = a[8, 0] + b[0, 1]")
    wait_until(page, "document.activeElement.dataset.r === '8,1'")
    page.locator(".bc-axes input").focus()
    page.keyboard.press("End")
    says(page, "c[16, 1] = a[16, 0] + b[0, 1]")


def test_it_fits_a_phone_and_three_axes_are_boxes(opened):
    page = opened("/broadcasting?lang=zh", width=390, scheme="dark")
    page.locator(".st-key-bc_examples button").first.click()
    page.locator(".st-key-bc_example_box button").click()
    page.wait_for_selector(".st-key-bc_boxes canvas")
    wait_until(page, "document.documentElement.scrollWidth <= 390")
    assert eventually(lambda: page.evaluate("document.querySelector('.st-key-bc_frame').scrollWidth") <= 390)


def test_on_a_phone_the_grids_of_one_operand_stand_under_each_other(open_page):
    page = open_page("/broadcasting", 390, 1000, "light", ".bc-picture .c")
    lefts = [round(one.bounding_box()["x"]) for one in page.locator(".bc-block .cells").all()]
    assert len(lefts) == 8 and lefts[:3] == lefts[3:6] and lefts[6:] == lefts[:2]
    assert page.evaluate("document.querySelector('.st-key-bc_frame').scrollWidth <= innerWidth")

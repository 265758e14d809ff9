"""Printed pages: complete, uncut, light, without controls."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.measures import boxes, wait_until
from tests.browser.test_room import SHOWS_CARD, WIDE, at
from tests.patience import eventually

SHEET = 718  # px: A4 without its margins

CUT = """() => [...document.querySelectorAll(".stApp *")].filter((one) => {
  const { overflowX, overflowY, visibility, clipPath } = getComputedStyle(one);
  const shown = one.getClientRects().length && visibility !== "hidden" && clipPath === "none";
  const wide = overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1;
  const high = overflowY !== "visible" && one.scrollHeight > one.clientHeight + 1;
  return shown && one.clientWidth > 1 && (wide || high) && !one.closest("svg, input, .stSelectbox");
}).map((one) => one.className)"""
BEYOND = """([names, width]) => [...document.querySelectorAll(names)]
  .filter((one) => one.getBoundingClientRect().right > width + 1 || one.getBoundingClientRect().left < 0).length"""


def printed(page):
    """Return the page as it is laid out on a sheet."""
    page.set_viewport_size({"width": SHEET, "height": 900})
    page.emulate_media(media="print")
    page.wait_for_timeout(300)
    return page


@pytest.fixture
def on_screen(open_page):
    """Opens a page, which is one on a screen again in the end."""
    opened = []

    def open_at(*arguments, **more):
        opened.append(open_page(*arguments, **more))
        return opened[-1]

    yield open_at
    for page in opened:
        page.emulate_media(media="screen")


def test_the_printed_graph_and_program_are_complete_and_light(on_screen):
    long = WIDE.replace("L.backward()", "M = L * 1 " + "+ L * 1 " * 20 + "\nM.backward()\n" + "print(L)\n" * 90)
    page = printed(on_screen(at(long), scheme="dark", wait=SHOWS_CARD.format("M = ")))
    assert eventually(lambda: page.evaluate(CUT) == [])
    assert eventually(lambda: page.evaluate(BEYOND, ["g.node, .line, .ghost, .inspection, .legendbar", SHEET]) == 0)
    for gone in (".player .ctl", ".zoom", ".st-key-run", ".st-key-nav"):
        expect(page.locator(gone).first).to_be_hidden()
    expect(page.locator(".st-key-output pre").last).to_be_visible()
    line = page.locator(".line").nth(7)
    src, ghost = boxes(line.locator(".src"), line.locator(".ghost"))
    assert src["x"] + src["width"] <= ghost["x"] and src["height"] > 30  # the long line is wrapped
    assert eventually(
        lambda: (
            page.evaluate("getComputedStyle(document.querySelector('.stMain')).backgroundColor") == "rgb(255, 255, 255)"
        )
    )
    assert eventually(
        lambda: page.evaluate("getComputedStyle(document.querySelector('.line')).color") == "rgb(26, 33, 43)"
    )
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) > 3


@pytest.mark.parametrize(
    ("path", "wait"),
    [
        ("/training", ".film-value:not(:empty)"),
        ("/?seen=values", ".tensor-list"),
        ("/operations", ".operations"),
        ("/broadcasting", ".bc-stage .main-svg >> nth=0"),
        ("/derivatives", ".st-key-derivatives_picture .slider-group"),
    ],
)
def test_the_other_printed_pages_are_complete_and_light(path, wait, on_screen):
    page = printed(on_screen(path, scheme="dark", wait=wait))
    assert eventually(lambda: page.evaluate(CUT) == [])
    assert eventually(lambda: page.evaluate(BEYOND, [".stApp :is(svg, .c, table, h2, h3)", SHEET]) == 0)
    for gone in (".st-key-nav", ".st-key-language", ".share"):
        expect(page.locator(gone).first).to_be_hidden()
    wait_until(page, "document.documentElement.dataset.theme === 'light'")
    dark = """() => [...document.querySelectorAll(".stApp :is(input, textarea, .stSelectbox *)")]
      .filter((one) => /^rgb\\((1?\\d|2\\d), /.test(getComputedStyle(one).backgroundColor)).length"""
    assert eventually(lambda: page.evaluate(dark) == 0)

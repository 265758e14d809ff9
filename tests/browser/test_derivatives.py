"""The Derivatives page in a real browser: the secant under the hand, the point dragged and keyed."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

import explorer.drawing
from explorer.drawing.scripts import linked
from tests.browser.measures import boxes, wait_until
from tests.patience import eventually

SCRIPT = Path(explorer.drawing.__file__).parent / "plots/plane.js"


@pytest.fixture
def curve_page(open_page):
    """Opens the page and waits for its picture."""

    def opened(path="/derivatives", width=1400, height=900):
        return open_page(path, width, height, wait=".tangents .first:visible")

    return opened


def slope(page) -> str:
    return page.locator(".slope-chip").inner_text().split("\n")[0]


def says(page, text: str) -> None:
    page.locator(".slope-chip").get_by_text(text).wait_for()


def test_the_slider_moves_the_secant_without_the_server(curve_page):
    page = curve_page()
    secant = page.locator(".tangents .wide .said", has_text="secant")
    expect(secant).to_have_text("secant 3.5")
    slider = page.locator(".h-slider")
    found = slider.evaluate(
        """(slider) => [0, 20, 60, 100].map((i) => {
          slider.value = i;
          slider.dispatchEvent(new Event("input"));
          return document.querySelector(".wide .secant") && document.querySelector(".wide .said:not(.pos)").textContent;
        })"""
    )
    assert found == ["secant 5", "secant 4.25", "secant 2.75", "secant 2.03"]  # within one task of the browser
    page.locator("tr[data-i='80']").click()
    wait_until(page, "document.querySelector('.h-now').textContent === 'h = 0.1'")
    page.wait_for_url("**second=80**")


def test_the_point_is_dragged_and_keyed_and_keeps_the_focus(curve_page):
    page = curve_page()
    [box] = boxes(page.locator(".wide .first"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    unit = page.evaluate(
        "() => { const s = document.querySelector('.wide svg'), d = s.dataset;"
        " return s.getBoundingClientRect().width / d.width * (d.width - d.left - d.right) / (d.high - d.low) }"
    )
    page.evaluate(
        """() => {
          window.seen = new Set();
          const look = () => {
            const chip = document.querySelector(".slope-chip");
            const next = document.querySelector(".st-key-derivatives_try");
            window.seen.add(chip ? Math.round(next.getBoundingClientRect().left) : "gone");
            requestAnimationFrame(look);
          };
          look();
        }"""
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for part in range(1, 6):  # slowly: new pictures come while the button is down
        page.mouse.move(x + unit / 10 * part, y)
        page.wait_for_timeout(120)
    expect(page.locator(".wide .said.pos")).to_have_text("tangent +5")
    page.mouse.up()
    says(page, "f′(1.5) = +5")
    assert len(page.evaluate("[...seen]")) == 1  # the slope stays in its place
    expect(page.locator(".wide .said.pos")).to_have_text("tangent +5")
    expect(page.locator(".st-key-derivatives_at input")).to_have_value("1.5")

    page.locator(".wide .first").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    says(page, "f′(1.8) = +6.8")
    page.keyboard.press("Shift+ArrowLeft")
    says(page, "f′(0.8) = +0.8")
    wait_until(page, "document.activeElement.getAttribute('aria-valuetext') === 'x = 0.8, f′ = +0.8'")


def test_what_was_typed_is_kept_when_the_page_is_left_during_its_run(curve_page):
    page = curve_page()
    field = page.locator(".st-key-derivatives_f input")
    field.fill("x*sum(1 for _ in iter(int, 1))")
    field.press("Enter")
    page.locator(".st-key-derivatives .status", has_text="running").wait_for()
    page.get_by_role("link", name="Broadcasting").click()
    page.wait_for_selector(".bc-told")
    page.get_by_role("link", name="Derivatives").click()
    page.locator(".problem", has_text="did not end within").wait_for()
    expect(page.locator(".st-key-derivatives_f input")).to_have_value("x*sum(1 for _ in iter(int, 1))")


def test_a_kink_has_two_half_tangents_and_no_slope(curve_page):
    page = curve_page()
    for name, text in (("f", "abs(x)"), ("at", "0")):
        field = page.locator(f".st-key-derivatives_{name} input")
        field.fill(text)
        field.press("Enter")
    page.locator(".slope-chip", has_text="no f′(0)").wait_for()
    wait_until(page, "document.querySelectorAll('.wide .tangent.half').length === 2")
    expect(page.locator(".wide .tangent")).to_have_count(2)
    assert page.locator(".wide .said", has_text="tangent").count() == 0
    assert eventually(lambda: "no f′" in page.locator(".wide .first").get_attribute("aria-valuetext"))
    assert page.locator(".beside svg.errors").count() == 0


def test_how_small_h_should_be_stands_beside_the_curve(curve_page):
    page = curve_page()
    curve, plot = boxes(*map(page.locator, (".tangents .frame", ".beside svg.errors")))
    assert plot["x"] > curve["x"] + curve["width"] and plot["y"] + plot["height"] < 900
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".narrow .said").first.wait_for()
    curve, plot = boxes(*map(page.locator, (".tangents .frame", ".beside svg.errors")))
    assert plot["y"] > curve["y"] + curve["height"]
    said = [page.locator(".narrow .said", has_text=word) for word in ("tangent", "secant")]
    *ends, drawn = boxes(*said, page.locator(".narrow path.curve"))
    assert ends[0]["x"] + ends[0]["width"] < ends[1]["x"]
    assert max(one["y"] + one["height"] for one in ends) < drawn["y"]


def test_between_known_points_an_infinite_slope_is_none_and_an_infinite_value_is_no_place(chromium):
    page = chromium.new_page()
    page.add_script_tag(content=linked(SCRIPT))
    between = "(curve) => between({ x: [0, 1], breaks: [], ...curve }, 0.5).map(String)"
    assert page.evaluate(between, {"y": [0, 1], "slope": ["Infinity", 1]}) == ["0.5", "1"]  # along the chord
    assert page.evaluate(between, {"y": ["-Infinity", 0], "slope": [None, 1]}) == ["NaN", "NaN"]
    page.close()


@pytest.mark.parametrize("width, height", [(1024, 768), (390, 844)])
def test_more_is_in_sight_and_what_it_opens_comes_into_sight(curve_page, width, height):
    page = curve_page("/derivatives?lang=en", width=width, height=height)
    tab = page.get_by_role("radio", name="h and rounding")
    expect(tab).to_be_in_viewport(ratio=1)
    tab.click()
    expect(page.locator("table.errors")).to_be_in_viewport()
    expect(tab).to_be_in_viewport()

"""The Derivatives page in a real browser: the secant under the hand, the point dragged and keyed."""

import pytest
from playwright.sync_api import expect

from tests.browser.measures import boxes, wait_until


@pytest.fixture
def curve_page(open_page):
    """Opens the page and waits for its picture."""

    def opened(path="/derivatives", width=1400, height=900):
        return open_page(path, width, height, wait=".st-key-derivatives_picture .slider-group")

    return opened


def says(page, text: str) -> None:
    page.locator(".slope-chip").get_by_text(text).wait_for()


def over(page, which: int = 0) -> str:
    """Return the label over the plot, of the tangent or the secant."""
    return page.locator(".st-key-derivatives_picture .textpoint text").nth(which)


def spot(page, which: int = 0) -> tuple[float, float]:
    """Return the screen position of the first or second point."""
    return tuple(
        page.locator(".st-key-derivatives_picture .plot").evaluate(
            """(plot, which) => {
              const { xaxis, yaxis } = plot._fullLayout, box = plot.getBoundingClientRect();
              const { x, y } = plot.data.find(({ name }) => name === "points");
              return [box.x + xaxis._offset + xaxis.d2p(x[which]), box.y + yaxis._offset + yaxis.d2p(y[which])];
            }""",
            which,
        )
    )


def test_sliders_move_tangent_and_secant_in_the_browser(curve_page):
    page = curve_page()
    expect(over(page, 1)).to_have_text("secant 3.5")
    expect(page.locator(".st-key-derivatives_f input")).to_have_value("3*x**2 - 4*x")
    x, h = (page.get_by_role("slider", name=name) for name in ("Point on the curve", "Distance h"))
    h.focus()
    page.keyboard.press("End")
    expect(over(page, 1)).to_have_text("secant 2.03")
    page.wait_for_url("**second=100**")
    x.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(over(page)).to_have_text("tangent +2.36")
    says(page, "f′(1.06) = +2.36")
    expect(x).to_be_focused()
    page.keyboard.press("Shift+ArrowLeft")
    says(page, "f′(0.86) = +1.16")
    assert page.errors == []


def test_sliders_work_if_the_function_changed_before_plotly_arrived(profile, open_page):
    held = []
    profile.route("**/plotly.min.js", lambda script: held.append(script))
    page = open_page("/derivatives", wait=".st-key-derivatives_f input")
    says(page, "f′(1) = +2")
    page.locator(".st-key-derivatives_f input").fill("5*x")
    page.keyboard.press("Enter")
    says(page, "f′(1) = +5")
    for script in held:
        script.continue_()
    profile.unroute("**/plotly.min.js")
    x = page.get_by_role("slider", name="Point on the curve")
    x.focus()
    page.keyboard.press("ArrowRight")
    says(page, "f′(1.02) = +5")
    assert held and page.errors == []


def test_points_can_be_dragged(curve_page):
    page = curve_page()
    (x, y), (second, _) = spot(page), spot(page, 1)  # from 1 to 1.5
    page.mouse.move(x, y)
    page.mouse.down()
    for part in range(1, 6):
        page.mouse.move(x + (second - x) / 5 * part, y)
    expect(over(page)).to_have_text("tangent +5")  # before the server answers
    page.mouse.up()
    says(page, "f′(1.5) = +5")
    expect(page.locator(".st-key-derivatives_at input")).to_have_value("1.5")
    expect(over(page)).to_have_text("tangent +5")
    x, y = spot(page, 1)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + (second - spot(page)[0]) + 1, y)
    page.mouse.move((x + spot(page)[0]) / 2, y, steps=3)
    page.mouse.up()
    expect(over(page, 1)).to_have_text("secant 5.75")  # h was halved


def test_typed_text_survives_leaving_the_page_during_its_run(curve_page):
    page = curve_page()
    field = page.locator(".st-key-derivatives_f input")
    field.fill("x*sum(1 for _ in iter(int, 1))")
    field.press("Enter")
    page.locator(".st-key-derivatives .status", has_text="running").wait_for()
    page.get_by_role("link", name="Broadcasting").click()
    page.wait_for_selector(".bc-text")
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
    expect(over(page)).to_have_text("tangent −1 ∣ +1")
    assert page.locator(".st-key-derivatives_error").count() == 0


def test_the_error_plot_is_right_of_the_curve(curve_page):
    page = curve_page()
    places = [page.locator(f".st-key-derivatives_{name} .plot .main-svg").first for name in ("picture", "error")]
    curve, plot = boxes(*places)
    assert plot["x"] > curve["x"] + curve["width"] and plot["y"] + plot["height"] < 960
    page.set_viewport_size({"width": 390, "height": 844})
    wait_until(page, "document.querySelector('.st-key-derivatives_picture .main-svg').clientWidth < 390")
    curve, plot = boxes(*places)
    assert plot["y"] > curve["y"] + curve["height"]
    ends = boxes(over(page), over(page, 1))
    assert ends[0]["x"] + ends[0]["width"] < ends[1]["x"] and ends[1]["x"] + ends[1]["width"] < 390


def test_a_plot_is_zoomed_and_keeps_its_view_while_the_point_moves_until_a_double_click(curve_page):
    page = curve_page()
    plot = page.locator(".st-key-derivatives_picture .plot")
    (area,) = boxes(plot.locator(".nsewdrag").first)
    left, right = (area["x"] + share * area["width"] for share in (0.15, 0.9))
    page.mouse.move(left, area["y"] + area["height"] / 2)
    page.mouse.down()
    page.mouse.move(right, area["y"] + area["height"] / 2, steps=8)
    page.mouse.up()
    wait_until(page, "document.querySelector('.st-key-derivatives_picture .plot')._fullLayout.xaxis.range[0] > -0.4")
    field = page.locator(".st-key-derivatives_at input")
    field.fill("0.5")
    field.press("Enter")
    expect(over(page)).to_have_text("tangent −1")
    assert plot.evaluate("plot => plot._fullLayout.xaxis.range[0]") > -0.4
    page.mouse.dblclick(left, area["y"] + 20)
    wait_until(page, "document.querySelector('.st-key-derivatives_picture .plot')._fullLayout.xaxis.range[0] < -0.4")
    expect(plot.locator(".modebar-btn")).to_have_count(0)


@pytest.mark.parametrize("width, height", [(1024, 768), (390, 844)])
def test_two_variables_replace_one_in_view(curve_page, width, height):
    page = curve_page("/derivatives?lang=en", width=width, height=height)
    page.get_by_role("radio", name="Two variables").click()
    expect(page.locator(".st-key-derivatives_fields_two")).to_be_in_viewport()
    expect(page.locator(".st-key-derivatives_fields")).to_have_count(0)

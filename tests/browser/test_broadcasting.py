"""The Broadcasting page under a person's hands."""

import pytest

from explorer.program.permalink import from_fragment
from tests.browser.measures import wait_until
from tests.patience import eventually


@pytest.fixture
def opened(open_page):
    """Opens the page and waits for its picture."""

    def opened(path="/broadcasting", width=1400, scheme="light"):
        page = open_page(path, width, 1000, scheme, ".bc-stage .main-svg >> nth=0")
        page.wait_for_selector("[data-stale=true]", state="detached")
        return page

    return opened


CELLS = """() => {
  const plot = document.querySelector(".bc-stage"), box = plot.getBoundingClientRect();
  return plot.data.flatMap(({ xaxis, yaxis, customdata }) => customdata.flatMap((row, y) => row.flatMap((cell, x) => {
    if (!cell) return [];
    const across = plot._fullLayout[xaxis.replace("x", "xaxis")], up = plot._fullLayout[yaxis.replace("y", "yaxis")];
    const lit = plot.layout.shapes.some((one) => one.type === "rect" && one.xref === xaxis && one.yref === yaxis
      && one.x0 < x && x < one.x1 && one.y0 < y && y < one.y1);
    return [{ r: cell[0], s: cell[1], kind: cell[2], lit, grid: xaxis, left: box.left + across._offset,
      x: box.left + across._offset + across.d2p(x), y: box.top + up._offset + up.d2p(y) }];
  })));
}"""


def place(page, kind: str, r: str = "", s: str = "") -> tuple[float, float]:
    """Return a cell's position in the window."""
    page.locator(".bc-stage").scroll_into_view_if_needed()
    cells = page.evaluate(CELLS)
    return next((one["x"], one["y"]) for one in cells if one["kind"] == kind and one["r"] == r and s in ("", one["s"]))


def says(page, text: str) -> None:
    """Waits until the sentence holds this."""
    page.locator(".bc-text").get_by_text(text, exact=False).first.wait_for()


def address_says(page, at: str) -> None:
    """Waits until the address holds this choice."""
    for _ in range(600):
        fragment = page.evaluate("location.hash.slice(1)")
        if fragment and from_fragment(fragment).get("at") == at:
            return
        page.wait_for_timeout(100)
    raise AssertionError(fragment)


def lit(page) -> list[tuple[str, str]]:
    """Return the highlighted entries, as (entry of the result, entry of an operand)."""
    return [(one["r"], one["s"]) for one in page.evaluate(CELLS) if one["lit"]]


def test_clicks_and_arrow_keys_select_entries_of_the_result(opened):
    page = opened()
    page.mouse.click(*place(page, "result", "1,1"))
    says(page, "c[1, 1] = a[1, 0] + b[0, 1] = 1 + 1 = 2")
    assert ("1,0", "0:1,0") in lit(page) and ("0,1", "1:0,1") in lit(page) and ("", "0:1,0") in lit(page)
    page.mouse.move(0, 0)
    page.locator(".bc-stage").press("ArrowDown")
    says(page, "c[2, 1] = a[2, 0] + b[0, 1] = 2 + 1 = 3")
    page.keyboard.press("ArrowLeft")
    says(page, "c[2, 0] = a[2, 0] + b[0, 0] = 2 + 0 = 2")
    page.mouse.click(*place(page, "gradient", s="1:0,1"))
    says(page, "b.grad[0, 1] = 1 + 1 + 1 = +3")
    assert len(lit(page)) == 3 + 3 + 3 + 3 + 1  # readings, entries, their gradients, contributions, the sum
    address_says(page, "0,1;1:0,1")
    page.mouse.move(0, 0)
    page.reload()
    says(page, "b.grad[0, 1] = 1 + 1 + 1 = +3")
    assert page.errors == []


def test_hovering_previews_a_choice_and_leaving_restores_it(opened):
    page = opened()
    page.mouse.move(*place(page, "result", "0,0"))
    says(page, "c[0, 0] = a[0, 0] + b[0, 0]")
    page.locator(".bc-stage .hoverlayer").get_by_text("c[0, 0] = 0").wait_for()
    page.mouse.move(0, 0)
    says(page, "c[2, 1] = a[2, 0] + b[0, 1]")
    assert page.errors == []


def test_arrow_keys_move_beyond_the_visible_part(opened):
    page = opened()
    page.locator(".st-key-bc_a input").fill("30, 1")
    page.locator(".st-key-bc_a input").press("Enter")
    page.wait_for_selector(".bc-axes input")
    page.mouse.click(*place(page, "result", "11,1"))
    says(page, "c[11, 1] = a[11, 0] + b[0, 1]")
    page.mouse.move(0, 0)
    page.locator(".bc-stage").press("ArrowDown")
    says(page, "c[12, 1] = a[12, 0] + b[0, 1]")
    wait_until(page, "document.activeElement.matches('.bc-stage')")
    page.locator(".bc-axes input").focus()
    page.keyboard.press("End")
    says(page, "c[24, 1] = a[24, 0] + b[0, 1]")


def test_the_picture_of_three_axes_fits_a_phone(opened):
    page = opened("/broadcasting?lang=zh", width=390, scheme="dark")
    page.locator(".st-key-menu_bc_examples button").first.click()
    page.get_by_role("menuitem", name="(2, 3, 1) × (4,)").click()
    entries = "document.querySelector('.bc-stage').data.flatMap(({ customdata }) => customdata.flat())"
    wait_until(page, f"{entries}.some((cell) => cell?.[0].split(',').length === 3)")
    wait_until(page, "document.documentElement.scrollWidth <= 390")
    assert eventually(lambda: page.evaluate("document.querySelector('.st-key-bc_frame').scrollWidth") <= 390)


def test_a_phone_stacks_the_grids_of_an_operand(opened):
    page = opened(width=390)
    lefts = {one["grid"]: round(one["left"]) for one in page.evaluate(CELLS)}
    columns = list(lefts.values())
    assert len(columns) == 8 and columns[:3] == columns[3:6] and columns[6:] == columns[:2]
    assert page.evaluate("document.querySelector('.st-key-bc_frame').scrollWidth <= innerWidth")

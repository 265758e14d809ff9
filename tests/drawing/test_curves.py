"""Curves, strips, tables, planes and Jacobians as pictures: a function in, marks of the picture out."""

import re
from xml.etree import ElementTree

import pytest

from explorer.drawing.derivatives.curves import pretty, tangent_picture
from explorer.drawing.derivatives.jacobians import jacobian_picture, product_rows
from explorer.drawing.derivatives.orders import marks_table, orders_picture, orders_table
from explorer.drawing.derivatives.quotients import error_picture, error_table, error_words, quotient_table
from explorer.drawing.derivatives.surfaces import contour_plot, surface_notes, surface_numbers, surface_plot
from explorer.drawing.plots.chart import ticks
from tests.calculus.running import curve_of, example, products_of, surface_of

SVG = "{http://www.w3.org/2000/svg}"


def elements(svg: str, name: str) -> list:
    """What a picture holds of a class."""
    return [one for one in ElementTree.fromstring(svg).iter() if name in (one.get("class") or "").split()]


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize(
    ("ends", "most", "found"),
    [
        ((-4, 6), 5, [-4, -2, 0, 2, 4, 6]),
        ((0, 1e-3), 4, [0, 5e-4, 1e-3]),
        ((995, 1005), 3, [995, 1000, 1005]),
        ((2, 2), 3, [2]),
    ],
)
def test_ticks_are_round(ends, most, found):
    assert ticks(*ends, most) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [("x**3 - 1/x", "x³ − 1/x"), ("2*sin(x)", "2sin(x)"), ("x**2*y", "x²·y"), ("2*x**(1/3)", "2x^(1/3)")],
)
def test_expressions_as_textbooks_write_them(text, said):
    assert pretty(text) == said


def test_one_line_for_a_curve_that_hangs_together_and_two_beside_a_pole():
    assert len(elements(tangent_picture(curve_of("x**2"), "en"), "curve")) == 1
    svg = tangent_picture(curve_of("1/x"), "en")
    left, right = (path.get("d") for path in elements(svg, "curve"))
    places = [[float(x) for x in re.findall(r"[ML](-?[\d.]+) ", d)] for d in (left, right)]
    assert max(places[0]) <= min(places[1])
    assert len(elements(svg, "asymptote")) == 1


def test_jumps_have_open_rings_and_kinks_both_slopes():
    assert len(elements(tangent_picture(curve_of("round(x)", 0.2, -1.0, 1.0), "en"), "ring")) == 4
    (sides,) = elements(tangent_picture(curve_of("abs(x)"), "en"), "sides")
    assert [(part.text, part.get("class")) for part in sides] == [("−1", "neg"), ("+1", "pos")]
    assert not elements(tangent_picture(curve_of("abs(x)", 0.0), "en"), "sides")  # the table beside tells of the point


def test_where_no_script_moves_them_point_and_tangent_are_drawn():
    svg = tangent_picture(curve_of("x**2 - 2*x", 1.0, -2.0, 4.0), "en", still=True)
    (tangent,), (point,) = elements(svg, "tangent"), elements(svg, "first")
    x0, y0, x1, y1 = (float(one) for one in re.findall(r"-?[\d.]+", tangent.get("d")))
    assert y0 == y1 == float(point.get("cy"))  # level at the lowest point, and through it
    assert x0 < float(point.get("cx")) < x1
    assert not elements(tangent_picture(curve_of("abs(x)", 0.0), "en", still=True), "tangent")  # a kink has none


@pytest.mark.parametrize("width", [760, 340])
def test_the_title_stands_above_the_plot(width):
    svg = tangent_picture(curve_of("3*x**2 - 4*x"), "en", width)
    (title,) = (one for one in elements(svg, "name"))
    assert float(title.get("y")) < float(ElementTree.fromstring(svg).get("data-top")) - 8


def test_the_readers_text_is_text():
    svg = tangent_picture(curve_of("x + 0*len('</text><script>')"), "en")
    assert not [one for one in ElementTree.fromstring(svg).iter() if one.tag == f"{SVG}script"]


def test_a_quotient_table_ends_with_the_derivative():
    table = quotient_table(curve_of("3*x**2 - 4*x"), "en")
    assert words(table).endswith("0.01 0.0203 2.03 h → 0 +2") and 'class="limit pos"' in table
    assert "NaN" in quotient_table(curve_of("sqrt(1 - x)", 0.5), "en")


@pytest.mark.parametrize(
    ("text", "at", "end"),
    [
        ("abs(x)", 0.0, "h → 0 −1 +1 autograd 0"),
        ("where(x > 0, sqrt(x), x)", 0.0, "h → 0 +1 +∞ autograd NaN"),
        ("floor(x)", 1.0, "h → 0 — 0 autograd 0"),
        ("x.detach()*x", 1.0, "h → 0 +2 +2 autograd +1"),
    ],
)
def test_without_a_derivative_the_table_has_both_sides_and_the_answer_of_autograd(text, at, end):
    assert words(quotient_table(curve_of(text, at), "en")).endswith(end)


def test_strips_show_the_sign_of_each_derivative():
    view = curve_of("x**3", 2.0, -2.5, 2.5, "orders")
    svg = orders_picture(view, "en")
    assert [one.text for one in elements(svg, "value")] == ["8", "+12", "+12", "+6", "0"]
    assert len(elements(svg, "pos")) >= 3 and len(elements(svg, "neg")) >= 2
    assert words(orders_table(view, "en")) == "By autograd f(2) 8 f′(2) +12 f″(2) +12 f⁽³⁾(2) +6 f⁽⁴⁾(2) 0"


def test_a_kink_breaks_the_strip_of_the_slope():
    view = curve_of("abs(x)", 1.0, section="orders")
    strips = orders_picture(view, "en").split("translate(")[1:]
    assert [len(re.findall(r'class="curve pos"', strip)) for strip in strips[:2]] == [0, 2]


def test_marks_in_words():
    said = words(marks_table(curve_of("abs(x**2 - 1)"), "en"))
    assert "−1 kink 0 −2 +2" in said and "0 local maximum 1 0 0" in said
    assert marks_table(curve_of("3*x"), "en") == ""


def test_errors_of_quotients():
    view = curve_of("x**2")
    svg = error_picture(view, "forward", "en")
    assert {one.text for one in elements(svg, "dtype")} == {"float16", "float32", "float64"}
    assert len(elements(svg, "best")) == 3
    table = error_table(view, "central", "en")
    assert table.count('class="best"') == 3 and "1e−16" in table and words(table).endswith("autograd +2 +2 +2")


@pytest.mark.parametrize(("text", "looks"), [("ceil(x)", ["ring full", "ring"]), ("floor(x)", ["ring", "ring full"])])
def test_a_jump_has_a_full_circle_at_the_piece_that_has_the_value(text, looks):
    rings = elements(tangent_picture(curve_of(text, 0.5, 0.25, 1.5), "en"), "ring")
    assert [one.get("class") for one in rings] == looks  # of the piece on the left, and on the right


def test_a_negative_slope_is_set_in_brackets():
    assert "|quotient − (−3)|" in error_picture(curve_of("-3*x"), "forward", "en")


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("5", 1.0, "Every quotient is exact here."),
        ("abs(x)", 0.0, "no error to draw"),
        ("1/x", 0.0, "no error to draw"),
    ],
)
def test_where_there_is_no_error_to_draw_a_sentence_says_so(text, at, said):
    view = curve_of(text, at)
    assert said in words(error_words(view, "forward", "en")) and not error_picture(view, "forward", "en")


def test_a_surface_and_its_plane():
    view = surface_of("x**2 + y", (1.0, 0.0))
    drawn = surface_plot(view, True, "en")
    surface, plane = (one for one in drawn.data if one.type == "surface")
    assert surface.z.shape == (40, 40) and len({paint for _, paint in plane.colorscale}) == 1
    rows, columns = (axis.size for axis in (plane.y, plane.x))
    assert plane.z[rows // 2, columns // 2] == pytest.approx(view.value)
    arrows = contour_plot(view, False, "en").data[1]
    assert arrows.line.color == "#ab5509" and len(arrows.x) == 13 * 13 * 7
    assert words(surface_numbers(view, "en")).startswith("At the point f(1, 0) 1 ∂f/∂x +2 ∂f/∂y +1")


def test_a_gradient_that_is_no_number_has_no_plane():
    view = surface_of("sqrt(x**2 + y**2)", (0.0, 0.0))
    assert [one.type for one in surface_plot(view, False, "en").data].count("surface") == 1
    assert 'class="tint bad"' in surface_numbers(view, "en")


def test_a_corner_of_a_surface_has_no_plane_and_says_why():
    view = surface_of("abs(x) + y**2", (0.0, 1.0))
    assert [one.type for one in surface_plot(view, False, "en").data].count("surface") == 1
    said = "No derivative along x here: the quotients tend to −1 from below and to +1 from above. autograd answers 0."
    assert surface_notes(view, "en") == [said] and not surface_notes(surface_of("x*y"), "en")


def test_quotients_without_an_error_stand_in_a_row_of_their_own():
    svg = error_picture(curve_of("abs(x - 1) + abs(x)", 0.5, -2.0, 3.0), "forward", "en")
    assert [one.text for one in elements(svg, "tick")].count("0") == 1
    assert "0" not in [one.text for one in elements(error_picture(curve_of("exp(x)"), "forward", "en"), "tick")]


def test_products_are_written_out():
    view = products_of(example("two-by-two").text, (1.0, 0.0), (1.0, 1.0), (1.0, 1.0))
    assert words(jacobian_picture(view, "en")).startswith("x = 1 y = 0 f₁ = 0 0 +1 f₂ = 5 +5 +1")
    said = words(product_rows(view, "en"))
    assert "x 1 · 0 + 1 · 5 = +5 y 1 · 1 + 1 · 1 = +2" in said
    assert "f₁ 0 · 1 + 1 · 1 = +1 f₂ 5 · 1 + 1 · 1 = +6" in said


def test_entries_of_a_jacobian_that_are_no_derivatives_are_named():
    view = products_of("abs(x) + y, x*y", (0.0, 1.0), (1.0, 1.0), (1.0, 1.0))
    said = words(jacobian_picture(view, "en"))
    assert "No derivative along x (f₁) here: the quotients tend to −1 from below and to +1 from above." in said
    assert said.count("No derivative") == 1
    smooth = products_of(example("softmax").text, (2.0, 1.0, 0.1), (1.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert smooth.beside and "No derivative" not in jacobian_picture(smooth, "en")

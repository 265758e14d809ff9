"""Curves, strips, tables and planes as pictures: a function in, marks of the picture out."""

import re

import pytest

from explorer.drawing.derivatives.curves import pretty, tangent_plot
from explorer.drawing.derivatives.quotients import error_plot, error_words, quotient_table
from explorer.drawing.derivatives.surfaces import contour_plot, surface_notes, surface_numbers, surface_plot
from explorer.drawing.plots.chart import ticks
from tests.calculus.running import curve_of, surface_of


def traces(figure: dict, mode: str, color: str = "") -> list[dict]:
    """Return the traces of a figure that have something in them, of a mode and a colour."""
    return [one for one in figure["data"] if one.get("mode") == mode and one["x"] and color in str(one.get("line"))]


def said(figure: dict) -> list[str]:
    """Return the labels over a plot: the slopes of tangent and secant."""
    return [re.sub(r"<[^>]+>", "", words) for words in figure["data"][-1]["text"]]


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
def test_expressions_are_written_like_in_textbooks(text, said):
    assert pretty(text) == said


def test_a_continuous_curve_is_one_line_and_a_pole_splits_it():
    curve, *_ = tangent_plot(curve_of("x**2"), False, "en")["data"]
    assert curve["y"].index(None) == len(curve["y"]) - 1
    figure = tangent_plot(curve_of("1/x"), False, "en")
    curve = figure["data"][0]
    gap = curve["y"].index(None)
    assert max(curve["x"][:gap]) <= 0 <= curve["x"][gap + 1]
    assert [line["x0"] for line in figure["layout"]["shapes"]] == [0.0]


def test_jumps_have_open_rings_and_kinks_both_slopes():
    _, _, rings, *_ = tangent_plot(curve_of("round(x)", 0.2, -1.0, 1.0), False, "en")["data"]
    assert (rings["x"], rings["y"]) == ([-0.5, -0.5, 0.5, 0.5], [-1.0, 0.0, 0.0, 1.0])
    _, kinks, *_ = tangent_plot(curve_of("abs(x)"), False, "en")["data"]
    assert re.findall(r"#\w+|[−+]\d", kinks["text"][0]) == ["#1f66ad", "−1", "#ab5509", "+1"]
    assert (
        tangent_plot(curve_of("abs(x)", 0.0), False, "en")["data"][1]["x"] == []
    )  # the table next to it describes the point


def test_the_tangent_is_two_halves_which_a_kink_bends():
    figure = tangent_plot(curve_of("x**2 - 2*x", 1.0, -2.0, 4.0), False, "en")
    left, right = traces(figure, "lines", "'width': 3}")
    assert left["y"] == right["y"] == [-1.0, -1.0] and (left["x"], right["x"]) == ([1.0, -2.0], [1.0, 4.0])
    assert said(figure)[0] == "tangent 0"
    left, right = traces(tangent_plot(curve_of("abs(x)", 0.0), False, "en"), "lines", "'width': 3}")
    assert (left["y"], right["y"]) == ([0.0, 2.0], [0.0, 2.0])
    upright = traces(tangent_plot(curve_of("sqrt(abs(x))", 0.0), False, "en"), "lines", "'width': 3}")
    assert [half["x"] for half in upright] == [[0.0, 0.0]] * 2


def frame(figure: dict, which: int, value: float) -> list[dict]:
    """Return the frame at a slider position."""
    slider = figure["layout"]["sliders"][which]
    name = next(step["args"][0][0] for step in slider["steps"] if float(step["value"]) == value)
    return next(one["data"] for one in figure["frames"] if one["name"] == name)


def test_sliders_move_the_point_and_the_secant():
    figure = tangent_plot(curve_of("3*x**2 - 4*x", 1.0, -0.5, 2.5), False, "en")
    assert said(figure) == ["tangent +2", "secant 3.5"]
    left, _, _, _, points, words = frame(figure, 0, 1.5)
    assert words["text"] == ["<b>tangent +5</b>", "secant 6.5"] and left["line"]["color"] == "#ab5509"
    assert (points["x"], points["y"]) == ([1.5, 2.0], [0.75, 4.0])
    assert frame(figure, 1, 0.25)[-1]["text"] == ["<b>tangent +2</b>", "secant 2.75"]
    assert frame(figure, 0, -0.5)[0]["line"]["color"] == "#1f66ad"


def test_an_undefined_slope_is_not_drawn_while_the_point_moves():
    kink = frame(tangent_plot(curve_of("abs(x)"), False, "en"), 0, 0.0)
    assert re.findall(r"[−+]\d", kink[-1]["text"][0]) == ["−1", "+1"]
    other = frame(tangent_plot(curve_of("x.detach()*x"), False, "en"), 0, 0.5)  # autograd's slope is half the true one
    assert other[0]["x"] == [] and other[-1]["text"][0] == ""
    assert frame(tangent_plot(curve_of("1/x"), False, "en"), 0, 0.05)[3]["x"]
    places = tangent_plot(curve_of("1/x"), False, "en")["layout"]["sliders"][0]["steps"]
    assert 0.0 not in [float(step["value"]) for step in places]


def test_the_readers_text_is_escaped():
    figure = tangent_plot(curve_of("x + 0*len('<a href=1>')"), False, "en")
    assert "&lt;a href=1&gt;" in figure["layout"]["annotations"][0]["text"]


def test_a_quotient_table_ends_with_the_derivative():
    table = quotient_table(curve_of("3*x**2 - 4*x"), "en")
    assert words(table).endswith("0.01 0.0203 2.03 h → 0 +2") and 'class="limit pos"' in table
    assert "NaN" in quotient_table(curve_of("sqrt(1 - x)", 0.5), "en")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "at", "end"),
    [
        ("abs(x)", 0.0, "h → 0 −1 +1 autograd 0"),
        ("where(x > 0, sqrt(x), x)", 0.0, "h → 0 +1 +∞ autograd NaN"),
        ("floor(x)", 1.0, "h → 0 +∞ 0 autograd 0"),
        ("x.detach()*x", 1.0, "h → 0 +2 +2 autograd +1"),
    ],
)
def test_without_a_derivative_the_table_shows_both_sides_and_autograds_value(text, at, end):
    assert words(quotient_table(curve_of(text, at), "en")).endswith(end)


def test_quotient_errors_are_plotted():
    view = curve_of("x**2")
    lines = error_plot(view, False, "en")["data"]
    assert [one["name"] for one in lines] == ["float16", "float32", "float64"]
    assert [one["marker"]["size"].count(11) for one in lines] == [1, 1, 1]


@pytest.mark.parametrize(("text", "full"), [("ceil(x)", [True, False]), ("floor(x)", [False, True])])
def test_a_jump_has_a_full_circle_at_the_piece_that_has_the_value(text, full):
    rings = tangent_plot(curve_of(text, 0.5, 0.25, 1.5), False, "en")["data"][2]
    assert [paint == "#1a212b" for paint in rings["marker"]["color"]] == full  # for the left and the right piece


def test_a_negative_slope_is_parenthesized():
    figure = error_plot(curve_of("-3*x"), False, "en")
    assert figure["layout"]["annotations"][0]["text"] == "|quotient − (−3)|"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("5", 1.0, "Every quotient is exact here."),
        ("abs(x)", 0.0, "no error to draw"),
        ("1/x", 0.0, "no error to draw"),
    ],
)
def test_a_sentence_replaces_an_error_plot_without_errors(text, at, said):
    view = curve_of(text, at)
    assert said in words(error_words(view, "en")) and error_plot(view, False, "en") is None


def test_a_surface_is_drawn_with_its_tangent_plane():
    view = surface_of("x**2 + y", (1.0, 0.0))
    drawn = surface_plot(view, True, "en")
    surface, plane = (one for one in drawn.data if one.type == "surface")
    assert surface.z.shape == (40, 40) and len({paint for _, paint in plane.colorscale}) == 1
    rows, columns = (axis.size for axis in (plane.y, plane.x))
    assert plane.z[rows // 2, columns // 2] == pytest.approx(view.value)
    arrows = contour_plot(view, False, "en").data[1]
    assert arrows.line.color == "#ab5509" and len(arrows.x) == 13 * 13 * 7
    assert words(surface_numbers(view, "en")).startswith("At the point f(1, 0) 1 ∂f/∂x +2 ∂f/∂y +1")


def test_a_nonfinite_gradient_has_no_plane():
    view = surface_of("sqrt(x**2 + y**2)", (0.0, 0.0))
    assert [one.type for one in surface_plot(view, False, "en").data].count("surface") == 1
    assert 'class="tint bad"' in surface_numbers(view, "en")


def test_a_corner_of_a_surface_has_no_plane_and_a_reason():
    view = surface_of("abs(x) + y**2", (0.0, 1.0))
    assert [one.type for one in surface_plot(view, False, "en").data].count("surface") == 1
    said = "No derivative along x here: the quotients tend to −1 from below and to +1 from above. autograd returns 0."
    assert surface_notes(view, "en") == [said] and not surface_notes(surface_of("x*y"), "en")


def test_quotients_without_error_have_their_own_row():
    figure = error_plot(curve_of("abs(x - 1) + abs(x)", 0.5, -2.0, 3.0), False, "en")
    assert figure["layout"]["yaxis"]["ticktext"][0] == "0"
    assert "0" not in error_plot(curve_of("exp(x)"), False, "en")["layout"]["yaxis"]["ticktext"]

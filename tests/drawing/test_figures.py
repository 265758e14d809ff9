"""Plots of a program in the project's look."""

import json

import pytest

from explorer.drawing.plots.figures import dot_source, plotly_figure
from explorer.text import say
from explorer.trace import Figure

AXES = {"rows": 1.0, "columns": 1.0, "width": 6.4, "height": 4.8}


def drawn(series: dict, axes: dict | None = None, **options) -> dict:
    """Plotly's JSON of a figure with one series."""
    return json.loads(plotly_figure(Figure([{"panel": 0.0, **series}], AXES | (axes or {})), **options).to_json())


def test_a_curve_is_ink_unless_the_program_names_a_colour():
    line = {"kind": "line", "x": [0.0, 1.0], "y": [2.0, 3.0]}
    [curve] = drawn(line)["data"]
    assert (curve["type"], curve["mode"], curve["line"]["color"]) == ("scatter", "lines", "#1a212b")
    assert drawn(line, dark=True)["data"][0]["line"]["color"] == "#e9edf2"
    assert drawn({**line, "color": "r", "dash": "dash"})["data"][0]["line"]["color"] == "#b42318"
    assert drawn({**line, "color": "url(http://x)"})["data"][0]["line"]["color"] == "#1a212b"


@pytest.mark.parametrize(
    "series, kind",
    [
        ({"kind": "scatter", "x": [1.0], "y": [2.0], "size": [9.0]}, "scatter"),
        ({"kind": "bar", "x": [0.0], "y": [2.0], "across": [0.8]}, "bar"),
        ({"kind": "barh", "x": [2.0], "y": [0.0], "across": [0.8]}, "bar"),
        ({"kind": "hist", "x": [0.0, 1.0, 2.0], "y": [3.0, 4.0]}, "bar"),
        ({"kind": "stem", "x": [0.0], "y": [2.0]}, "scatter"),
        ({"kind": "area", "x": [0.0, 1.0], "y": [2.0, 3.0], "y2": [0.0, 0.0]}, "scatter"),
        ({"kind": "errorbar", "x": [0.0], "y": [2.0], "error": [0.5]}, "scatter"),
        ({"kind": "image", "z": [1.0, 2.0], "rows": 1.0, "columns": 2.0}, "heatmap"),
        ({"kind": "image", "z": [1.0, 0.5, 0.0], "rows": 1.0, "columns": 1.0, "channels": 3.0}, "image"),
        ({"kind": "contour", "x": [0.0, 1.0], "y": [0.0], "z": [1.0, 2.0], "rows": 1.0, "columns": 2.0}, "contour"),
        ({"kind": "contourf", "x": [0.0, 1.0], "y": [0.0], "z": [1.0, 2.0], "rows": 1.0, "columns": 2.0}, "contour"),
        ({"kind": "surface", "x": [0.0, 1.0], "y": [0.0], "z": [1.0, 2.0], "rows": 1.0, "columns": 2.0}, "surface"),
    ],
)
def test_every_kind_is_drawn(series, kind):
    assert drawn(series)["data"][0]["type"] == kind


def test_lines_and_words_stand_in_the_layout():
    assert drawn({"kind": "hline", "y": [2.0]})["layout"]["shapes"][0]["y0"] == 2
    assert drawn({"kind": "vspan", "x": [1.0, 2.0]})["layout"]["shapes"][0]["x1"] == 2
    assert drawn({"kind": "text", "x": [1.0], "y": [2.0], "text": "here"})["layout"]["annotations"][0]["text"] == "here"


def test_bars_of_a_histogram_fill_their_bins():
    [bars] = drawn({"kind": "hist", "x": [0.0, 1.0, 3.0], "y": [3.0, 4.0]})["data"]
    assert (bars["x"], bars["width"]) == ([0.5, 2.0], [1.0, 2.0])


def test_labels_limits_scales():
    axes = {
        "0.xlabel": "x",
        "0.yscale": "log",
        "0.ylim": [1.0, 100.0],
        "0.grid": 1.0,
        "0.xcategories": "a\nb",
        "0.title": "T",
    }
    layout = drawn({"kind": "bar", "x": [0.0, 1.0], "y": [2.0, 3.0], "across": [0.8]}, axes)["layout"]
    assert layout["xaxis"]["title"]["text"] == "x" and layout["xaxis"]["ticktext"] == ["a", "b"]
    assert (layout["yaxis"]["type"], layout["yaxis"]["range"], layout["yaxis"]["showgrid"]) == ("log", [0, 2], True)
    assert layout["annotations"][0]["text"] == "T"


def test_a_picture_has_its_first_row_on_top():
    picture = {"kind": "image", "z": [1.0, 2.0], "rows": 2.0, "columns": 1.0}
    assert drawn(picture)["layout"]["yaxis"]["autorange"] == "reversed"
    assert "autorange" not in drawn({**picture, "upright": 1.0})["layout"]["yaxis"]


def test_panels_lie_beside_each_other():
    series = [{"panel": float(i), "kind": "line", "x": [0.0], "y": [0.0]} for i in range(2)]
    layout = json.loads(plotly_figure(Figure(series, AXES | {"columns": 2.0})).to_json())["layout"]
    assert layout["xaxis"]["domain"][1] < layout["xaxis2"]["domain"][0]


def test_words_of_the_program_are_no_markup():
    axes = {"0.title": "<a href='x'>&", "title": "<b>", "0.xlabel": "<i>"}
    line = {"kind": "line", "x": [0.0], "y": [0.0], "label": "<sub>"}
    text = json.dumps(drawn(line, axes))
    assert "&lt;a href" in text and "&lt;b&gt;" in text and "&lt;sub&gt;" in text
    assert "<a" not in text and "<b>" not in text and "<i>" not in text and "<sub>" not in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_left_out_is_said(lang):
    layout = drawn({"kind": "line", "x": [0.0], "y": [0.0]}, {"points_in_all": 20_000.0}, lang=lang)["layout"]
    said = layout["annotations"][0]["text"].replace("<br>", " ")
    assert said == say(lang, "figure-points-left-out", count=20_000)


def test_nonsense_takes_no_more_room_than_a_figure_and_fails_nowhere():
    odd = [
        {"kind": "unheard"},
        {"kind": "image", "rows": -1.0, "columns": float("nan"), "z": [1.0]},
        {"kind": "scatter", "x": "text", "y": [1.0], "size": []},
        {"kind": "hline"},
        {"panel": 1e9, "kind": "line"},
        {},
    ]
    axes = {"rows": -3.0, "columns": "many", "height": float("inf"), "7.xlim": "a", "x.y": 1.0}
    figure = json.loads(plotly_figure(Figure(odd, axes)).to_json(), parse_constant=pytest.fail)  # NaN is no JSON
    sizes = [len(one.get(axis) or ()) for one in figure["data"] for axis in "xyz"]
    assert (figure["layout"]["height"], figure["layout"]["width"]) == (384, 512)
    assert len(figure["data"]) <= len(odd) and max(sizes) <= 1


def test_a_digraph_is_no_plot():
    assert dot_source(Figure([{"kind": "dot", "source": "digraph {}"}], {})) == "digraph {}"
    assert dot_source(Figure([{"kind": "line"}], {})) is None

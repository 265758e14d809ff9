"""Tensors, prints and storages as HTML and SVG: content, colours, and escaping."""

import re
from xml.etree import ElementTree

import pytest

from explorer.analysis.views.tensors.memory import memory_map, sharing
from explorer.analysis.views.tensors.program_lines import branches_not_run
from explorer.analysis.views.tensors.tensor_list import tensor_list, writes
from explorer.analysis.views.tensors.views import histogram, sheet, tensor_view
from explorer.drawing.color import Scale
from explorer.drawing.plots.plotly_look import paints
from explorer.drawing.tensors.arrays import histogram_html, numbers_html, sheet_html, thumbnail
from explorer.drawing.tensors.memory import alone_html, sharing_html, storage_svg, writes_html
from explorer.drawing.tensors.tensor_list import facts_html, list_html, title_html
from tests.plots import figure_in
from tests.traces import trace_of

LANGUAGES = ("en", "zh")


def value(source: str):
    trace = trace_of(f"x = {source}", full=("*",))
    return tensor_view(trace, trace.bound("x")).value


def drawn(source: str, scale: Scale | None = None) -> str:
    return sheet_html(sheet(value(source)), scale, "en", "Values")


def cells(html: str) -> list[tuple[str, str]]:
    """Class and text of every entry."""
    return re.findall(r'<td class="(v|bad|pos|neg)"[^>]*>([^<]*)</td>', html)


def parsed(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>".replace("&nbsp;", " "))


def test_values_are_plain_and_nonfinite_values_are_marked():
    html = drawn("torch.tensor([1., -0.5, float('nan'), -float('inf')])")
    assert cells(html) == [("v", "1"), ("v", "−0.5"), ("bad", "NaN"), ("v", "−∞")]


def test_gradients_are_coloured_and_marked_by_sign():
    html = drawn("torch.tensor([2., -2., 0.])", Scale(2.0))
    assert [text for _, text in cells(html)] == ["+2", "−2", "0"]
    assert [name for name, _ in cells(html)][:2] == ["pos", "neg"]


def test_booleans_are_letters_and_small_negatives_have_a_dash():
    assert [text for _, text in cells(drawn("torch.tensor([True, False])"))] == ["T", "F"]
    small = cells(drawn("torch.arange(-60, 60).reshape(10, 12)"))
    assert small[0] == ("v", "−") and small[-1] == ("v", "")


def test_every_entry_has_a_highlight_key_and_an_index_label():
    html = drawn("torch.arange(6).reshape(2, 3)")
    assert 'data-lit="e1.2" title="[1, 2] = 5"' in html
    assert html.count('data-lit="axis0"') == 2 and html.count('data-lit="axis1"') == 3


@pytest.mark.parametrize(
    "source",
    [
        *("torch.tensor(3)", "torch.empty(0, 3)", "torch.zeros(2, 0, 2)", "torch.eye(3).to_sparse()"),
        *("torch.ones(2, 2, 2, 2, 2, 2, 2)", "torch.tensor([1 + 2j])", "torch.arange(100)", "torch.arange(2000)"),
        *("torch.ones(3).half()", "torch.ones(2, dtype=torch.bfloat16)", "torch.zeros(1).expand(10**6)"),
        *("torch.tensor(float('nan'))", "torch.full((3,), float('inf'))", "torch.empty(3, device='meta')"),
    ],
)
def test_every_kind_of_tensor_is_drawn_as_well_formed_html(source):
    trace = trace_of(f"x = {source}", full=("*",))
    one = tensor_list(trace)[0]
    view = tensor_view(trace, one.tensor)
    for lang in LANGUAGES:
        parts = [
            sheet_html(sheet(view.value), None, lang, "x")
            + numbers_html(view.value, lang)
            + thumbnail(view.value, lang),
            title_html(one, view, lang) + facts_html(view, ("y",), lang),
            list_html(trace, (one,), one.key, (), lang),
            *(storage_svg(storage, lang) for storage in memory_map(trace)),
        ]
        for html in parts:
            parsed(html)


def test_a_histogram_shows_how_many_entries_it_counts():
    numbers = value("torch.randn(20000)")
    html = histogram_html(histogram(numbers), numbers, "values", False, "en")
    (bars,) = figure_in(html)["data"]
    assert "of 20,000 entries" in html and len(bars["x"]) > 10 and sum(bars["y"]) == 4000
    assert "20,000" in numbers_html(numbers, "en", histogram(numbers))  # the range includes all entries
    parsed(html)


def test_nan_and_infinite_entries_are_counted_next_to_the_bars():
    numbers = value("torch.tensor([1., 2, 4, float('nan'), float('inf'), float('nan')])")
    html = histogram_html(histogram(numbers), numbers, "values", False, "en")
    assert "3 of 6 entries" in html and re.findall(r'<b class="bad">(\S+) × (\d)', html) == [("NaN", "2"), ("±∞", "1")]


def test_a_gradients_bars_are_coloured_by_sign_and_mark_0():
    numbers = value("torch.tensor([-2.5, -1, 0, 0, 1, 2.5])")
    figure = figure_in(histogram_html(histogram(numbers), numbers, "gradient", False, "en"))
    (bars,), of = figure["data"], paints(False).of
    assert bars["y"] == [1, 1, 3, 1]
    assert bars["marker"]["color"] == [of["g-neg"], of["g-neg"], of["g-pos"], of["g-pos"]]
    assert bars["hovertext"][0] == "−2.5 … −1.25: 1"
    assert figure["layout"]["xaxis"]["zeroline"]
    positive = value("torch.tensor([1., 2, 4])")
    drawn = figure_in(histogram_html(histogram(positive), positive, "hypothetical", False, "en"))
    assert not drawn["layout"]["xaxis"]["zeroline"] and drawn["data"][0]["marker"]["pattern"]["shape"] == "/"


def test_the_programs_text_is_escaped():
    evil = "<img src=x onerror=alert(1)>"
    trace = trace_of(f"k = {{'{evil}': torch.ones(2)}}\nk['{evil}'] * 2\ny = k['{evil}'].view(2)\ny += 1")
    one = tensor_list(trace)[0]
    html = list_html(trace, tensor_list(trace), one.key, (), "en")
    html += title_html(one, tensor_view(trace, one.tensor), "en") + writes_html(writes(trace), False, "en")
    html += sharing_html(sharing(trace), False, "en") + "".join(storage_svg(s, "en") for s in memory_map(trace))
    assert "<img" not in html and "&lt;img" in html


def test_the_list_marks_the_selection_and_branches_not_run():
    trace = trace_of("x = torch.ones(2)\nif torch.cuda.is_available():\n    x = x.cuda()")
    tensors = tensor_list(trace)
    html = list_html(trace, tensors, tensors[0].key, branches_not_run(trace), "en")
    assert 'data-choose="x@0.1" aria-pressed="true" aria-label="x, (2,) float32, line 1"' in html
    assert "no such device: line 3 did not run" in html


def test_facts_distinguish_shape_and_count():
    trace = trace_of("x = torch.zeros(3, 4)\ny = x.T")
    html = facts_html(tensor_view(trace, trace.bound("y")), ("x",), "en")
    text = re.sub("<[^>]+>", " ", html)
    assert re.search(r"size\(\)\s+\(4, 3\)", text) and re.search(r"numel\(\)\s+12 = 4 · 3", text)
    assert "does not hold the entries one after another" in text
    assert "shared with x" in text and "one step along axis 0 moves 1" in text


def test_sparse_tensors_show_no_storage_size():
    trace = trace_of("x = torch.eye(3).to_sparse()\ny = torch.eye(3)")
    told = {name: facts_html(tensor_view(trace, trace.bound(name)), (), "en") for name in "xy"}
    assert "36 bytes" in told["y"] and "bytes" not in told["x"]


def test_a_strip_links_cells_of_all_views_and_draws_strides():
    trace = trace_of("x = torch.arange(6.)\nX = x.view(2, 3)\ncolumn = X[:, 1]")
    (storage,) = memory_map(trace)
    svg = storage_svg(storage, "en", trace.bound("X"))
    assert svg.count(f'data-lit="s{storage.number}-4"') == 4
    assert svg.count(f'data-lit="s{storage.number}-2"') == 3
    words = re.sub("<[^>]+>", "|", svg)
    assert "+3, axis 0" in words and "offset 1" in words and 'class="stored-view tensor focus"' in svg
    parsed(svg)


def test_long_storages_are_cut_with_a_note():
    (storage,) = memory_map(trace_of("x = torch.zeros(500)\ny = x[::2]"))
    assert "the first 44 of 500 cells" in storage_svg(storage, "en")
    assert not alone_html((storage,), "en")


def test_tables_describe_each_line():
    trace = trace_of("x = torch.zeros(2)\nA = x.numpy()\nx += 1\nx = x + 1\nd = x.detach()")
    html = writes_html(writes(trace), False, "en") + sharing_html(sharing(trace), False, "en")
    for words in ("The NumPy array A changed too", "0 → 1", "x now refers to a new tensor", "backward stops here"):
        assert words in html
    parsed(html)

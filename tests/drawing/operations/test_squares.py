"""The picture of a call as HTML: cells, their inputs, cuts, and escaping."""

import math
import re
from html.parser import HTMLParser

import pytest

from explorer.analysis.explain.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.explain.entries.operation_view import operation_view, operations
from explorer.drawing.operations import curve_chart, operation_html
from explorer.drawing.operations.squares import window
from explorer.text.numbers import number
from tests.traces import trace_of


def seen(program: str, **options):
    trace = trace_of(f"import torch\n{program}", **options)
    backward = selected_backward(trace)
    calls = [one for one in operations(trace) if "backward" not in trace.cells[0].lines[one.line - 1]]
    last = max(one.operation for one in calls)
    return operation_view(trace, last, node_gradients(trace, backward), contributions(trace, backward))


def squares(html: str) -> dict[str, dict[str, str]]:
    """Return the attributes of every square by its name."""
    found = {}

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if "data-at" in dict(attributes):
                found[dict(attributes)["data-at"]] = dict(attributes)

    Reader().feed(html)
    return found


def test_every_cell_of_the_result_names_its_inputs():
    found = squares(operation_html(seen("a = torch.arange(6.).reshape(2, 3)\nb = a.sum(0)"), "en"))
    assert found["r0.1"]["data-from"] == "o0.1 o0.4"
    assert found["r0.1"]["aria-label"] == "b[1] = 1 + 4 = 5"
    assert found["o0.4"]["aria-label"] == "a[1, 1] = 4"


def test_a_product_reads_a_row_and_a_column():
    found = squares(operation_html(seen("a = torch.ones(2, 3)\nb = torch.ones(3, 2)\nc = a @ b"), "en"))
    assert found["r0.1"]["data-from"] == "o0.0 o0.1 o0.2 o1.1 o1.3 o1.5"


def test_backward_has_colours_and_words_and_is_initially_off():
    view = seen("a = torch.ones(3, requires_grad=True)\nb = a * 2\nb.backward(torch.tensor([1., -2., 0.]))")
    html = operation_html(view, "en")
    found = squares(html)
    assert "neg" in found["o0.1"]["class"] and "pos" in found["o0.0"]["class"]
    assert found["o0.1"]["data-back"] == "∂/∂a[1] = ∂/∂b[1] · 2 = −4"
    assert 'data-way="back" aria-pressed="false"' in html and "is-back" not in html


def test_a_large_gradient_shows_only_its_recorded_entries():
    program = "a = torch.ones(24, 4, requires_grad=True)\nb = a * 2\nb.backward(torch.ones(24, 4))"
    html = operation_html(seen(program, full=("*",)), "en")
    found = squares(html)
    assert "Kept 32 of 96 gradient entries." in html and "data-way" in html
    assert "pos" in found["o0.0"]["class"] and found["o0.0"]["data-back"] == "∂/∂a[0, 0] = +2"  # every third row
    assert "pos" not in found["o0.4"]["class"] and "data-back" not in found["o0.4"]


def test_recomputed_rows_of_a_cross_entropy_agree():
    scores = "z = torch.tensor([[3.08251, -0.58688, -4.35757], [1.13686, -2.16882, -2.79711], [800., 0.25, 2.]])\n"
    html = operation_html(seen(f"{scores}y = torch.nn.functional.cross_entropy(z, torch.tensor([2, 0, 1]))"), "en")
    rows = [[re.sub("<.*?>", "", cell) for cell in re.findall("<td>.*?</td>", row)] for row in html.split("<tr>")[2:]]
    assert [row[:2] for row in rows] == [["z[0]", "2"], ["z[1]", "0"], ["z[2]", "1"]]
    for row, scores in zip(rows, ([3.08, -0.587, -4.36], [1.14, -2.17, -2.80]), strict=False):
        share, loss = re.fullmatch(r"−log (\S+) = (\S+)", row[3]).groups()
        assert number(-math.log(float(share))) == loss
        again = math.exp(scores[int(row[1])]) / sum(map(math.exp, scores))
        digits = len(share.lstrip("0."))
        assert row[2] == f"{'=' if float(f'{again:.{digits}g}') == float(share) else '≈'} {share}"
        assert again == pytest.approx(float(share), rel=1e-2)
    assert rows[2][2:] == ["≈ 0", "799.75"] and "The result is their mean." in html


def test_without_a_gradient_there_is_no_backward_view_and_no_hue():
    html = operation_html(seen("a = torch.ones(3)\nb = a * 2"), "en")
    assert "data-way" not in html and "--t:" not in html


@pytest.mark.parametrize(
    "shape, notes",
    [
        ((3, 4), ()),
        ((17,), (("entries", 16, 17, 1),)),
        ((20, 30), (("rows", 8, 20, 1), ("columns", 10, 30, 1))),
        ((2, 3, 2, 2), (("slices", 4, 6, 1),)),
        ((), ()),
    ],
)
def test_a_large_shape_is_cut_with_a_note(shape, notes):
    assert window(shape).notes == notes
    assert len(window(shape).places()) <= 8 * 10 * 4


@pytest.mark.parametrize(
    "line, place, rows",
    [
        ("a.sum(0)", "below", 1),  # reducing rows puts the result below the columns
        ("a.sum(1)", "beside", 3),  # reducing columns puts the result to the right of the rows
        ("a.max(1, keepdim=True)", "beside", 3),
        ("a[:, :1].sum(1)", "beside", 3),
        ("a.norm(dim=0)", "below", 1),
        ("a.sum()", "", 1),
        ("a.cumsum(0)", "", 3),
    ],
)
def test_a_result_is_placed_along_the_reduced_axis(line, place, rows):
    html = operation_html(seen(f"a = torch.arange(12.).reshape(3, 4)\nb = {line}"), "en")
    assert f'class="op-row{" " * bool(place)}{place}"' in html
    result = html.split('class="op-to"')[1].split("<section")[1]
    assert result.count('role="row"') == rows


def test_a_write_distinguishes_before_after_and_the_written_entry():
    html = operation_html(seen("a = torch.arange(3.)\na[1] = 9"), "en")
    assert html.count("before · (3,)") == 1 and html.count("after · (3,)") == 1
    assert 'data-rest="a[1] = 9"' in html


def test_axes_are_numbered_with_their_sizes():
    def axes(program: str, lang: str = "en") -> list[str]:
        html = operation_html(seen(program), lang).split('class="op-to"')[1]
        return re.findall(r'class="op-axis[^"]*">([^<]*)<', html)

    assert axes("c = torch.ones(2, 2, 3, 4) * 2")[:3] == ["axis 0 · 2, axis 1 · 2", "axis 2 · 3", "axis 3 · 4"]
    assert axes("c = torch.ones(5) * 2") == ["axis 0 · 5"] and axes("c = torch.tensor(1.) * 2") == []
    assert axes("c = torch.ones(3, 4).sum(1)", "zh") == ["轴 0 · 3"]


def test_squares_fit_their_longest_number():
    html = operation_html(seen("a = torch.tensor([-0.00912, 2.])\nb = a * 1"), "en")
    assert ">−0.00912<" in html and 'style="--chars:8"' in html


def test_slices_show_their_index():
    drawn = window((2, 2, 1, 3)).slices
    assert [one.index for one in drawn] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert drawn[3].rows == ((9, 10, 11),)


def test_a_million_entries_become_a_few_squares():
    html = operation_html(seen("c = torch.zeros(1).expand(10**6)"), "en")
    assert len(html) < 20_000 and "1,000,000 entries" in html and "Too many entries" in html


def test_the_programs_text_is_escaped():
    view = seen('a = torch.ones(2)\nb = (lambda x: a + 1)("<img src=x onerror=alert(1)>")')
    html = operation_html(view, "zh")
    assert "<img" not in html


def test_nan_is_marked_and_an_empty_tensor_is_shown_as_empty():
    assert 'class="op-cell nonfinite"' in operation_html(seen("a = torch.tensor([0.])\nb = a / 0"), "en")
    assert "∅" in operation_html(seen("a = torch.zeros(0, 2)\nb = a + 1"), "en")


def test_uninitialised_memory_is_hatched():
    assert "op-tensor uninitialised" in operation_html(seen("a = torch.empty(2)"), "en")


def test_every_point_of_a_curve_is_inside_its_plot():
    figure = curve_chart(seen("torch.tensor([1., -2.]).tanh()"), False, "en")
    assert figure.to_json() != curve_chart(seen("torch.tensor([1., -2.]).tanh()"), True, "en").to_json()
    low, high = figure.layout.yaxis.range
    assert low < min(figure.data[1].y) < max(figure.data[1].y) < high


def test_most_calls_have_no_chart():
    assert curve_chart(seen("torch.ones(2, 2) @ torch.ones(2, 2)"), False, "en") is None


@pytest.mark.thorough
def test_both_languages_draw_every_example():
    from explorer.ui.pages.operations.page import EXAMPLES

    for program in EXAMPLES.values():
        trace = trace_of(f"import torch\n{program}", full=("*",))
        assert trace.status == "ok", program
        for one in operations(trace):
            view = operation_view(trace, one.operation)
            assert view.missing == "", one.text
            for lang in ("en", "zh"):
                html = operation_html(view, lang)
                assert re.search("<figure", html) and "None" not in html


def test_shades_of_scalars_are_ordered_by_size():
    found = squares(operation_html(seen("a = torch.tensor(1.)\nb = torch.tensor(4.)\nc = a - b"), "en"))
    shades = [int(found[name]["style"].removeprefix("--v:").split("%")[0]) for name in ("o0.0", "o1.0", "r0.0")]
    assert shades[0] < shades[2] < shades[1]


@pytest.mark.parametrize("shape", [(10, 20), (3, 10, 20), (200,)])
def test_a_sampled_tensor_shows_its_sampled_entries(shape):
    html = operation_html(seen(f"a = torch.arange({math.prod(shape)}.).reshape({shape})\nb = a * 2"), "en")
    texts = re.findall(r'data-at="o0\.(\d+)".*?<i class="val">(.*?)</i>', html)
    assert texts and all(place == text for place, text in texts)
    assert f"Kept 64 of {math.prod(shape)} entries" in html


def test_axes_of_one_size_are_drawn_at_the_same_places():
    html = operation_html(seen("a = torch.ones(10, 64)\nw = torch.ones(64, 3)\nb = (a * 2) @ w"), "en")
    places = {name: [int(at) for at in re.findall(rf'data-at="{name}\.(\d+)"', html)] for name in ("o0", "o1")}
    columns, rows = {at % 64 for at in places["o0"]}, {at // 3 for at in places["o1"]}
    assert columns == rows == set(range(0, 64, 8))

"""Tables, sentences and grids of a broadcast."""

import json
import re
from html.parser import HTMLParser
from itertools import combinations

import pytest

from explorer.analysis.views.broadcasting.alignment import align
from explorer.analysis.views.broadcasting.operation import broadcasts, of_operation, of_program
from explorer.analysis.views.broadcasting.question import BroadcastQuestion, broadcast_program, operand
from explorer.drawing.broadcasting.alignment import (
    MOST,
    alignment_html,
    entry_text,
    forward_html,
    place_text,
    rules_html,
    sliders_html,
    sum_html,
    window_of,
)
from explorer.drawing.broadcasting.grids import figures, operand_figures, picture_title, words
from explorer.drawing.plots.plotly_look import paints
from explorer.text.numbers import shape_text
from tests.traces import trace_of


def asked(*texts, **more):
    question = BroadcastQuestion(tuple(map(operand, texts)), **more)
    return of_program(trace_of(broadcast_program(question), full=("*",)), question)


def text(html: str) -> str:
    """Return the visible text."""
    found = []
    parser = HTMLParser()
    parser.handle_data = found.append
    parser.feed(html)
    return "".join(found)


def drawn(found, at=None, operands=2, phone=False):
    """Return the figure of the part of the result around an entry."""
    return figures(found, window_of(found.alignment.result, at, operands), False, "en")[phone]


def looks(figure, kind: str) -> list[tuple]:
    """Return the cells of a kind row by row: number, end of the colour scale, and links."""
    found = []
    for heat in figure["data"]:
        for y, row in enumerate(heat["customdata"]):
            for x, cell in enumerate(row):
                if cell and cell[2] in kind.split():
                    place = heat["xaxis"], y, x
                    found.append((place, heat["text"] and heat["text"][y][x], heat["hovertext"][y][x], *cell))
    return sorted(found, key=lambda one: (int(one[0][0][1:] or 1), one[0][1:]))


def cells(figure, kind: str) -> list[str]:
    """Return the numbers in the grids of one kind."""
    return [number for _, number, *_ in looks(figure, kind)]


def notes(figure) -> str:
    """Return the notes at the grids."""
    return " ".join(
        text(note["text"].replace("<br>", " ")).replace("\u00a0", " ") for note in figure["layout"]["annotations"]
    )


def test_the_table_reads_like_on_paper():
    html = alignment_html(align([(3, 1), (2,)]), ("a", "b"), "a + b", "en")
    assert re.findall(r">dim (.\d)<", html) == ["−2", "−1"]
    assert text(html).endswith("a31 → 2b1 → 32a + b32")
    assert html.count('class="st ') == 2 and html.count("pad") == 1


def test_a_mismatch_is_marked_in_its_column():
    html = alignment_html(align([(2, 3), (2,)]), ("a", "b"), "a - b", "en")
    assert html.count('class="clash') == 3 and "✕" in html


def test_a_scalar_has_no_columns():
    assert "no axes" in text(alignment_html(align([(), ()]), ("a", "b"), "a + b", "en"))


def test_forward_and_gradient_sums_are_written_out():
    found = asked("3, 1", "1, 2", operator="mul")
    assert text(forward_html(found, (2, 1), "en")) == "c[2, 1] = a[2, 0] · b[0, 1] = 2 · 1 = 2"
    assert text(sum_html(found, 0, (2, 0), "en")) == "a.grad[2, 0] = 1 · 0 + 1 · 1 = +1"
    assert text(sum_html(found, 1, (0, 1), "en")) == "b.grad[0, 1] = 1 · 0 + 1 · 1 + 1 · 2 = +3"


def test_negative_numbers_are_parenthesized():
    found = asked("[[-1.], [2.]]", "[-3.]", operator="sub")
    assert text(forward_html(found, (0, 0), "en")) == "c[0, 0] = a[0, 0] − b[0] = (−1) − (−3) = 2"
    assert text(sum_html(found, 1, (0,), "en")) == "b.grad[0] = −1 + (−1) = −2"


def test_the_rules_show_how_often_and_along_which_axis_entries_are_read():
    html = text(rules_html(asked("3, 1", "1, 2"), None, "en"))
    assert "a was read 2 times along dim −1. Every entry of a.grad is 1 + 1 = +2" in html
    assert "b was read 3 times along dim −2. Every entry of b.grad is 1 + 1 + 1 = +3" in html
    long = text(rules_html(asked("3, 4", "()"), None, "en"))
    assert "Every entry of a was read once: nothing to sum. Every entry of a.grad is +1" in long
    assert "b was read 12 times: 3 along dim −2 · 4 along dim −1." in long and "(12 terms)" in long


def test_the_loss_is_shown():
    assert "loss = c.mean() = 1.3333" in text(
        rules_html(asked("3, 1", "3", operator="square", start="mean"), None, "en")
    )


def test_stretched_entries_are_ghosts_and_arrows_show_the_axis():
    figure = drawn(asked("3, 1", "1, 2"))
    assert cells(figure, "read ghost") == ["0", "0", "1", "1", "2", "2", "0", "1", "0", "1", "0", "1"]
    assert len(cells(figure, "ghost")) == 3 + 4
    assert cells(figure, "result") == ["0", "1", "1", "2", "2", "3"]
    assert cells(figure, "gradient") == ["+2", "+2", "+2", "+3", "+3"]
    assert cells(figure, "given upstream") == ["+1"] * 18
    arrows = [note for note in figure["layout"]["annotations"] if note["showarrow"]]
    along = [(arrow["xref"], arrow["y"] == arrow["ay"], arrow["x"] == arrow["ax"]) for arrow in arrows]
    assert along == [("x", True, False), ("x2", False, True)] and "×2" in notes(figure) and "×3" in notes(figure)


def test_a_cell_links_to_its_inputs_and_has_a_label():
    figure = drawn(asked("3, 1", "1, 2"))
    (_, number, said, *belongs) = looks(figure, "ghost")[2]
    assert (number, said, belongs) == ("2", "a[2, 0] = 2", ["2,1", "0:2,0", "ghost"])
    assert looks(figure, "gradient")[0][2:] == ("a.grad[0, 0] = +2", "", "0:0,0", "gradient")
    assert set(words(asked("3, 1", "1, 2"), window_of((3, 2), None), "en")) == {
        *(f"{i},{j}" for i in range(3) for j in range(2)), "0:0,0", "0:1,0", "0:2,0", "1:0,0", "1:0,1"
    }  # fmt: skip


def test_many_axes_are_slices_with_sliders():
    found = asked("8, 1, 6, 1", "7, 1, 5")
    window = window_of((8, 7, 6, 5), (3, 2, 0, 0))
    html, figure = sliders_html(window, "en"), drawn(found, (3, 2, 0, 0))
    assert html.count('type="range"') == 2 and "30 of 1,680" in text(html) and "[3, 2, :, :]" in notes(figure)
    assert len(cells(figure, "result")) == 30
    assert cells(figure, "result")[:2] == ["28", "29"]  # a[3, 0, 0, 0] is 18, b[2, 0, 0] is 10
    assert len(cells(figure, "ghost")) == 60  # neither is stored there: a at [3, 0, …], b at [2, …]


def test_large_operands_are_cut_and_cells_without_text_keep_labels():
    found = asked("100, 1", "70")
    window = window_of((100, 70), (99, 69))
    assert window.rows == range(96, 100) and window.columns == range(60, 70)
    assert sliders_html(window, "en").count('type="range"') == 2
    figure = drawn(found)
    assert len(looks(figure, "result")) == MOST * 12 and len(json.dumps(figure)) < 100_000
    assert all(not heat["text"] for heat in figure["data"])
    assert looks(figure, "result")[-1][2] == "c[11, 11] = 22"


@pytest.mark.parametrize("shape", [(), (3,), (3, 0), (2, 3, 0)])
def test_every_rank_has_a_picture(shape):
    found = asked(str(shape), "()")
    for phone in (False, True):
        assert ("no entries" in notes(drawn(found, phone=phone))) == (0 in shape)
    assert words(found, window_of(shape, None), "en") or 0 in shape
    assert picture_title(found, "en").startswith(f"a, shape {shape_text(shape) or '()'}; b, shape ()")


@pytest.mark.parametrize("texts", [("3, 1", "1, 2"), ("8, 1, 6, 1", "7, 1, 5"), ("4, 1", "3", "2, 1, 1"), ("40", "()")])
def test_no_grid_covers_another_on_a_wide_page_or_a_phone(texts):
    found = asked(*texts)
    for phone, room in ((False, 706), (True, 336)):
        layout = drawn(found, operands=len(texts), phone=phone)["layout"]
        assert layout["width"] <= room
        count = sum(name.startswith("xaxis") for name in layout)
        boxes = [(layout[f"xaxis{k}"]["domain"], layout[f"yaxis{k}"]["domain"]) for k in ["", *range(2, count + 1)]]
        assert all(0 <= low < high <= 1.0001 for box in boxes for low, high in box)
        for one, other in combinations(boxes, 2):
            apart = [a[1] <= b[0] + 1e-9 or b[1] <= a[0] + 1e-9 for a, b in zip(one, other, strict=True)]
            assert any(apart)


def test_an_invalid_entry_selects_the_first():
    assert window_of((3, 2), (7, 0)).at == window_of((3, 2), (1,)).at == (0, 0)


def test_nan_is_marked():
    figure = drawn(asked("[0., 1.]", "[[0.], [1.]]", operator="div"))
    bad = [heat for heat in figure["data"] if {one for _, one in heat["colorscale"]} == {paints(False).of["nan"]}]
    kinds = {cell[2] for heat in bad for row in heat["customdata"] for cell in row if cell}
    assert "result" in kinds and "gradient" in kinds
    assert {number for heat in bad for row in heat["text"] for number in row} == {"", "NaN", "+∞", "−∞"}


def test_mismatched_operands_are_drawn_unstretched():
    wide, _ = operand_figures(asked("2, 2", "3"), False, "en")
    assert cells(wide, "read") == ["0", "1", "2", "3", "0", "1", "2"]


def test_the_programs_text_is_escaped():
    trace = trace_of("import torch\nk = {'<img>': torch.ones(3, 1)}\ny = k['<img>'] + torch.ones(2)")
    place = broadcasts(trace)[0]
    assert place.text == "k['<img>'] + torch.ones(2)"
    assert "<img>" in place_text(place, False, "en")  # plain text: its widget escapes it
    html = alignment_html(align(place.shapes), (place.text, "b"), "<b>", "en")
    assert "<img>" not in html and "<b>" not in html


def test_entries_are_named_by_their_indices():
    assert [entry_text("a", (1, 0)), entry_text("x", ()), entry_text("a - b", (0,))] == ["a[1, 0]", "x", "(a - b)[0]"]


def test_a_short_number_is_written_out():
    found = asked("[125.33, -99.7]", "[[1.], [2.]]", operator="mul")
    assert cells(drawn(found), "read ghost")[:2] == ["125.33", "−99.7"]


def test_a_wide_number_loses_digits_before_it_is_hidden():
    found = asked("[12345.5]", "2, 3", "2, 1, 1", "()", operator="mul", start="mean")
    figure = drawn(found, operands=4)
    assert cells(figure, "read ghost")[:6] == ["12346"] * 6
    assert cells(figure, "upstream") == ["+0.08"] * 6  # +0.0833 is too wide
    assert looks(figure, "upstream")[0][2] == "v[0, 0, 0] = +0.0833"


def test_tags_in_names_are_escaped():
    trace = trace_of("import torch\nk = {'<b>': torch.ones(3, 1)}\ny = k['<b>'] + torch.ones(2)")
    figure = drawn(of_operation(trace, broadcasts(trace)[0]))
    assert "<b>'" not in str(figure) and 'k["&lt;b&gt;"][0, 0] = 1' in str(figure)

"""The tables, sentences, grids and boxes of a broadcast: programs in, what stands in the picture out."""

import re
from html.parser import HTMLParser

import pytest

from explorer.analysis.broadcasting.alignment import align
from explorer.analysis.broadcasting.operation import broadcasts, of_program
from explorer.analysis.broadcasting.question import BroadcastQuestion, broadcast_program, operand
from explorer.drawing.broadcasting.alignment import (
    MOST,
    alignment_html,
    entry_text,
    forward_html,
    place_text,
    rules_html,
    sum_html,
    window_of,
)
from explorer.drawing.broadcasting.boxes import boxes
from explorer.drawing.broadcasting.grids import operands_html, picture_html, words
from tests.traces import trace_of


def asked(*texts, **more):
    question = BroadcastQuestion(tuple(map(operand, texts)), **more)
    return of_program(trace_of(broadcast_program(question), full=("*",)), question)


def text(html: str) -> str:
    """What a person reads."""
    found = []
    parser = HTMLParser()
    parser.handle_data = found.append
    parser.feed(html)
    return "".join(found)


def cells(html: str, kind: str) -> list[str]:
    """The numbers in the grids of one kind."""
    blocks = re.findall(rf'<figure class="bc-block {kind}".*?</figure>', html, re.DOTALL)
    return [number for block in blocks for number in re.findall(r'<span class="[^"]*\bc\b[^>]*>([^<]*)</span>', block)]


def test_the_table_reads_as_it_is_drawn_on_paper():
    html = alignment_html(align([(3, 1), (2,)]), ("a", "b"), "a + b", "en")
    assert re.findall(r">dim (.\d)<", html) == ["−2", "−1"]
    assert text(html).endswith("a31 → 2b1 → 32a + b32")
    assert html.count('class="st ') == 2 and html.count("pad") == 1


def test_a_clash_is_marked_in_its_column():
    html = alignment_html(align([(2, 3), (2,)]), ("a", "b"), "a - b", "en")
    assert html.count('class="clash') == 3 and "✕" in html


def test_a_scalar_has_no_columns():
    assert "no axes" in text(alignment_html(align([(), ()]), ("a", "b"), "a + b", "en"))


def test_how_an_entry_was_made_and_what_came_back():
    found = asked("3, 1", "1, 2", operator="mul")
    assert text(forward_html(found, (2, 1), "en")) == "c[2, 1] = a[2, 0] · b[0, 1] = 2 · 1 = 2"
    assert text(sum_html(found, 0, (2, 0), "en")) == "a.grad[2, 0] = 1 · 0 + 1 · 1 = +1"
    assert text(sum_html(found, 1, (0, 1), "en")) == "b.grad[0, 1] = 1 · 0 + 1 · 1 + 1 · 2 = +3"


def test_negative_numbers_stand_in_brackets():
    found = asked("[[-1.], [2.]]", "[-3.]", operator="sub")
    assert text(forward_html(found, (0, 0), "en")) == "c[0, 0] = a[0, 0] − b[0] = (−1) − (−3) = 2"
    assert text(sum_html(found, 1, (0,), "en")) == "b.grad[0] = −1 + (−1) = −2"


def test_the_rules_say_how_often_and_where():
    html = text(rules_html(asked("3, 1", "1, 2"), None, "en"))
    assert "a was read 2 times along dim −1. Every entry of a.grad is 1 + 1 = +2" in html
    assert "b was read 3 times along dim −2. Every entry of b.grad is 1 + 1 + 1 = +3" in html
    long = text(rules_html(asked("3, 4", "()"), None, "en"))
    assert "Every entry of a was read once: nothing to sum. Every entry of a.grad is +1" in long
    assert "b was read 12 times: 3 along dim −2 · 4 along dim −1." in long and "(12 terms)" in long


def test_the_loss_is_said():
    assert "loss = c.mean() = 1.3333" in text(
        rules_html(asked("3, 1", "3", operator="square", start="mean"), None, "en")
    )


def test_ghosts_are_what_is_not_stored():
    found = asked("3, 1", "1, 2")
    html = picture_html(found, window_of((3, 2), None), "en")
    assert cells(html, "operand") == ["0", "0", "1", "1", "2", "2", "0", "1", "0", "1", "0", "1"]
    assert html.count("ghost") == 3 + 4
    assert cells(html, "result") == ["0", "1", "1", "2", "2", "3"]
    assert cells(html, "gradient") == ["+2", "+2", "+2", "+3", "+3"]
    assert cells(html, "given") == ["+1"] * 12


def test_a_cell_knows_what_it_reads():
    html = picture_html(asked("3, 1", "1, 2"), window_of((3, 2), None), "en")
    assert re.search(r'class="c v ghost" data-r="2,1" data-s="0:2,0"', html)
    assert set(words(asked("3, 1", "1, 2"), window_of((3, 2), None), "en")) == {
        *(f"{i},{j}" for i in range(3) for j in range(2)), "0:0,0", "0:1,0", "0:2,0", "1:0,0", "1:0,1"
    }  # fmt: skip


def test_many_axes_are_slices_with_sliders():
    found = asked("8, 1, 6, 1", "7, 1, 5")
    window = window_of((8, 7, 6, 5), (3, 2, 0, 0))
    html = picture_html(found, window, "en")
    assert html.count('type="range"') == 2 and "[3, 2, :, :]" in html and "30 of 1,680" in text(html)
    assert len(cells(html, "result")) == 30
    assert cells(html, "result")[:2] == ["28", "29"]  # a[3, 0, 0, 0] is 18, b[2, 0, 0] is 10
    assert html.count("ghost") == 60  # neither is stored there: a at [3, 0, …], b at [2, …]


def test_large_ones_are_bounded():
    found = asked("100, 1", "70")
    window = window_of((100, 70), (99, 69))
    html = picture_html(found, window, "en")
    assert window.rows == range(96, 100) and window.columns == range(66, 70)
    assert len(cells(html, "result")) == 16 and len(html) < 60_000 and html.count('type="range"') == 2
    assert len(cells(picture_html(found, window_of((100, 70), None), "en"), "result")) == MOST * 6


@pytest.mark.parametrize("shape", [(), (3,), (3, 0), (2, 3, 0)])
def test_every_rank_has_a_picture(shape):
    found = asked(str(shape), "()")
    html = picture_html(found, window_of(shape, None), "en")
    assert ("no entries" in text(html)) == (0 in shape)
    assert words(found, window_of(shape, None), "en") or 0 in shape


def test_an_entry_that_does_not_exist_is_the_first():
    assert window_of((3, 2), (7, 0)).at == window_of((3, 2), (1,)).at == (0, 0)


def test_not_a_number_is_marked():
    html = picture_html(asked("[0., 1.]", "[[0.], [1.]]", operator="div"), window_of((2, 2), None), "en")
    assert 'class="c v bad"' in html and 'class="c tint bad"' in html


def test_what_clashes_is_drawn_as_it_is():
    assert cells(operands_html(asked("2, 2", "3"), "en"), "own") == ["0", "1", "2", "3", "0", "1", "2"]


def test_the_programs_text_is_escaped():
    trace = trace_of("import torch\nk = {'<img>': torch.ones(3, 1)}\ny = k['<img>'] + torch.ones(2)")
    place = broadcasts(trace)[0]
    assert place.text == "k['<img>'] + torch.ones(2)"
    assert "<img>" in place_text(place, False, "en")  # plain text: its widget escapes it
    html = alignment_html(align(place.shapes), (place.text, "b"), "<b>", "en")
    assert "<img>" not in html and "<b>" not in html


def test_names_of_entries():
    assert [entry_text("a", (1, 0)), entry_text("x", ()), entry_text("a - b", (0,))] == ["a[1, 0]", "x", "(a - b)[0]"]


@pytest.mark.parametrize("dark", [False, True])
def test_three_axes_are_boxes(dark):
    figure = boxes(asked("2, 3, 1", "4"), (1, 2, 3), dark)
    assert {trace.type for trace in figure.data} == {"mesh3d", "scatter3d"}
    solid = [len(trace.x) // 8 for trace in figure.data if trace.type == "mesh3d"]
    assert solid == [6, 4, 24]  # cubes that are stored: of a, of b, of the result
    assert len({trace.scene or "scene" for trace in figure.data}) == 3


def test_boxes_are_bounded():
    figure = boxes(asked("20, 30, 1", "40"), (0, 0, 0), False)
    assert sum(len(trace.x) for trace in figure.data) < 60_000


def test_a_short_number_is_written_out():
    found = asked("[125.33, -99.7]", "[[1.], [2.]]", operator="mul")
    assert cells(picture_html(found, window_of((2, 2), None, 2), "en"), "operand")[:2] == ["125.33", "−99.7"]


def test_a_number_that_does_not_fit_loses_digits_before_it_goes():
    found = asked("[12345.5]", "2, 3", "2, 1, 1", "()", operator="mul", start="mean")
    html = picture_html(found, window_of((2, 2, 3), None, 4), "en")
    assert cells(html, "operand")[:6] == ["12346"] * 6
    assert 'title="+0.0833"' in html
    assert cells(html, "upstream") == ["+0.08"] * 6  # +0.0833 is too wide

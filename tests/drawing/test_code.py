"""The program beside a picture: pieces of its lines that light and choose."""

from html import unescape
from re import sub

from explorer.analysis.tensors.tensor_list import tensor_list
from explorer.drawing.notebook.code import LINES, CodePiece, code_html
from explorer.drawing.tensors.tensor_list import program_html
from tests.traces import trace_of


def plain(html: str) -> str:
    return unescape(sub(r"<[^>]+>", "", html))


def test_every_character_of_the_program_is_there_once():
    source = "a = torch.ones(2)\nb = (a * 2).sum() if 1 < 2 else '<b>&amp;'\n\n"
    pieces = (
        CodePiece(0, 2, 4, 17, "t1", "sum", "sum"),
        CodePiece(0, 2, 5, 10, "t2", "mul", "mul"),
        CodePiece(0, 2, 90, 99),
    )
    html = code_html(trace_of(source), pieces, "en")
    assert plain(html) == "1a = torch.ones(2)2" + source.split("\n")[1]


def test_the_shorter_of_two_pieces_is_pressed_and_each_is_one_stop_for_keys():
    pieces = (CodePiece(0, 1, 0, 17, "t0", "sum", "sum"), CodePiece(0, 1, 1, 6, "t1", "mul", "mul", True))
    html = code_html(trace_of("(1 + 2).__abs__()"), pieces, "en")
    assert html.count('role="button"') == 2
    assert 'data-choose="mul" role="button" tabindex="0" aria-pressed="true" aria-label="mul">1 + 2<' in html


def test_names_light_their_rows_and_choose_them():
    trace = trace_of("x = torch.ones(2)\ny = x * 2")
    html = program_html(trace, tensor_list(trace), "y@0.2", "en")
    assert 'class="code-line now" data-lit="line0.2"' in html
    assert 'data-lit="t1" data-choose="y@0.2" role="button" tabindex="0" aria-pressed="true"' in html
    assert '<span class="piece" data-lit="t0" data-choose="x@0.1">x</span>' in html


def test_a_long_program_is_cut_and_says_so():
    html = code_html(trace_of("pass\n" * (LINES + 5)), (), "zh")
    assert html.count('class="code-line"') == LINES and "还有 5 行" in html

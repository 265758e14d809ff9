"""Comparisons as HTML: every word of a program escaped, every number of both runs there."""

import pytest

from explorer.analysis.comparison import compare
from explorer.drawing.color import scale_of
from explorer.drawing.comparison.parameters import _cosine, parameters_html, verdict_html
from explorer.drawing.picture import coloured_alike, picture
from explorer.ui.pages.compare.pair_choice import PAIRS
from tests.traces import trace_of

PROGRAM = "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\ny = w * {}\n{}y.sum().backward()\n"


def shown(left: str, right: str, **how) -> str:
    return verdict_html(compare(trace_of(left), trace_of(right), **how), False, False, "en")


def test_an_operation_with_equal_inputs_that_differs_is_explained():
    assert "Its inputs agree in both runs" in shown(PROGRAM.format(2, ""), PROGRAM.format(3, ""))


def headline(html: str) -> str:
    """Return the first sentence of a verdict, with its markup."""
    return html[html.index("<h3>") : html.index("</h3>")]


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        (PROGRAM.format(2, ""), PROGRAM.format(2, ""), "Identical to the last bit"),
        ("a = 1", "b = 2", "Nothing to compare"),
        (
            PROGRAM.format(2, ""),
            PROGRAM.format(2, "(w.detach() + 1)\n"),
            "The programs differ, but the parts they share agree",
        ),
        (PROGRAM.format(2, ""), PROGRAM.format(2, "") + "w.sum().backward()", "A calls backward once, B 2 times."),
    ],
)
def test_the_verdict_describes_the_comparison(left, right, words):
    assert words in shown(left, right, rtol=0, atol=0)


def test_sampled_values_are_not_called_equal_to_the_last_bit():
    small, large = "a = torch.ones(4) * 2", "a = torch.ones(400) * 2"
    assert "last bit" in shown(small, small, rtol=0, atol=0) and "last bit" not in shown(large, large, rtol=0, atol=0)
    found = compare(trace_of(small), trace_of(small), rtol=0, atol=0)
    assert "last bit" not in verdict_html(found, False, True, "en")


def test_the_first_difference_is_named_by_its_variable_with_both_numbers_and_its_line():
    said = headline(shown(PROGRAM.format(2, ""), PROGRAM.format(3, "")))
    assert all(word in said for word in ("<code>y</code>", "[1]", "4 in A", "6 in B", "line 3"))
    apart = "a = torch.tensor(2., requires_grad=True)\nb = a + 1\ny = a * {}\ny.backward()\n"
    said = headline(shown(apart.format("b"), apart.format("b.detach()")))
    assert all(word in said for word in ("gradient", "<code>b</code>", "+2 in A", "none in B"))
    said = headline(shown(PROGRAM.format(2, ""), PROGRAM.format("torch.ones(3, 1)", "")))
    assert all(word in said for word in ("<code>y</code>", "(2,) in A", "(3, 2) in B"))
    said = headline(shown("a = torch.ones(2)\nprint(a.exp() + 1)", "a = torch.ones(2)\nprint(a.exp() + 3)"))
    assert "<code>a.exp() + 1</code>" in said


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("(2, ", "(2, dtype=torch.bfloat16, "), ": its dtype is float32 in A and bfloat16 in B."),
        (("(2, ", "(2, 1, "), ": its shape is (2,) in A and (2, 1) in B."),
        (("* 2", "* 3"), "x differs too: entry [0] is +2 in A and +3 in B."),
    ],
)
def test_the_first_different_gradient_is_shown_with_the_difference(change, words):
    leaves = "".join(f"{name} = torch.ones(2, requires_grad=True)\n" for name in "xb")
    program = leaves + "y = x * 2\n(y + b).sum().backward()\n"
    html = shown(program, program.replace(*change), rtol=0, atol=0)
    assert words in html.partition("The gradient of ")[2], html


def test_a_pair_of_the_page_differs_in_its_values_or_gradients():
    for pair in PAIRS:
        found = compare(trace_of(pair.program), trace_of(pair.other))
        assert found.first is not None and found.first.name, pair.name


def test_program_text_is_escaped():
    left = "t = {'<b>': torch.ones(2, requires_grad=True)}\ny = t['<b>'] * 2\ny.sum().backward()"
    found = compare(trace_of(left), trace_of(left.replace("* 2", "* 3")))
    html = verdict_html(found, False, False, "en") + parameters_html(found.parameters, "en")
    assert "&lt;b&gt;" in html and "<b>" not in html


def test_a_parameter_without_gradient_shows_the_reason():
    left = PROGRAM.format(2, "")
    found = compare(
        trace_of(left), trace_of(left.replace("w * 2", "w.detach() * 2 + (u := torch.ones(2).requires_grad_())"))
    )
    html = parameters_html(found.parameters, "en")
    assert html.count("<tr") == 3 and "missing" in html and "detach" in html


def test_a_cosine_close_to_1_is_not_rounded_to_1():
    assert [_cosine(one) for one in (1.0, 1 - 1e-15, 1 - 1e-8, 0.25, -1.0)] == ["1", "1", "1 − 1e−8", "0.25", "−1"]


def test_equal_colours_of_two_pictures_are_equal_gradients():
    program = "import torch\nx = torch.tensor(1., requires_grad=True)\ny = x * {}\ny.backward()"
    pair = coloured_alike(*(picture(trace_of(program.format(factor))) for factor in (2, 8)))
    assert [scale_of(one.view).largest for one in pair] == [8.0, 8.0]
    assert pair[0].svg() != picture(trace_of(program.format(2))).svg()

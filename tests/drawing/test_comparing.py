"""Comparisons as HTML: every word of a program escaped, every number of both runs there."""

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.views.comparison import compare
from explorer.analysis.views.comparison.overlay import Overlay, overlay
from explorer.drawing.comparison.overlay import overlay_svg
from explorer.drawing.comparison.parameters import _cosine, parameters_html, verdict_html
from explorer.ui.pages.compare.pair_choice import PAIRS
from tests.traces import trace_of

PROGRAM = "import torch\nw = torch.tensor([1., 2.], requires_grad=True)\ny = w * {}\n{}y.sum().backward()\n"


def shown(left: str, right: str, **how) -> str:
    return verdict_html(compare(trace_of(left), trace_of(right), **how), False, False, "en")


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


def laid_over(left: str, right: str, **how) -> tuple[Overlay, str]:
    """Two programs' pictures laid over each other, and how that is drawn."""
    runs = trace_of(left), trace_of(right)
    over = overlay(runs, (graph_view(runs[0]), graph_view(runs[1])), compare(*runs, **how))
    return over, overlay_svg(over, "en")


def alone(over: Overlay) -> dict[str, str]:
    """The runs of the cards that only one run has, by title."""
    return {card.title: over.sides[card.id] for card in over.view.cards if card.id in over.sides}


def test_a_card_of_both_runs_shows_both_numbers_where_they_differ():
    over, svg = laid_over(PROGRAM.format(2, ""), PROGRAM.format(3, ""))
    assert alone(over) == {} and over.titles["n1"] == ("y = w * 2", "y = w * 3")
    assert all(f">{words}</text>" in svg for words in ("value [1]", "4", "6", "gradient [0]", "+2", "+3"))
    assert svg.count("is-parting") == 1


def test_what_only_one_run_has_is_said_with_its_run():
    longer = PROGRAM.format(2, "z = y.exp()\n").replace("y.sum()", "(y + z).sum()")
    over, svg = laid_over(longer, PROGRAM.format(2, ""))
    assert alone(over) == {"z = y.exp()": "A", "y + z": "A"}
    assert svg.count("only in A&#x27;s graph</text>") == 2 and "only in B" not in svg
    assert alone(laid_over(PROGRAM.format(2, ""), longer)[0]) == {"z = y.exp()": "B", "y + z": "B"}


def test_equal_runs_are_neutral():
    over, svg = laid_over(PROGRAM.format(2, ""), PROGRAM.format(2, ""))
    assert not over.sides and not over.differences and "differs" not in svg


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("(2, ", "(2, dtype=torch.bfloat16, "), ("gradient (dtype)", "float32", "bfloat16")),
        (("(2, ", "(2, 1, "), ("value (shape)", "(2,)", "(2, 1)")),
        (("* 2", "* 3"), ("gradient [0]", "+2", "+3")),
    ],
)
def test_the_kind_of_a_difference_is_named(change, words):
    leaves = "".join(f"{name} = torch.ones(2, requires_grad=True)\n" for name in "xb")
    program = leaves + "y = x * 2\n(y + b).sum().backward()\n"
    _, svg = laid_over(program, program.replace(*change), rtol=0, atol=0)
    assert all(f">{word}</text>" in svg for word in words)


def test_closed_modules_are_paired_by_path_and_count_what_differs_inside():
    text = """
        from torch import nn
        torch.manual_seed(0)
        def block(act):
            return nn.Sequential(nn.Linear(4, 4), act, nn.Linear(4, 4))
        net = nn.Sequential(*(block(nn.{} if i == 2 else nn.ReLU()) for i in range(14)))
        net(torch.ones(2, 4)).sum().backward()
        """
    over, svg = laid_over(text.format("ReLU()"), text.format("Tanh()"))
    paths = [card.module.path for card in over.view.cards if card.module]
    assert len(paths) == len(set(paths)) and not any(card.module for card in over.view.cards if card.id in over.sides)
    assert " values differ</text>" in svg


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

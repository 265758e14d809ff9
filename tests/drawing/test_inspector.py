"""The inspector as HTML: its content, and escaping."""

import pytest
from msgspec import structs

from explorer.analysis.explain.autograd import GraphView, graph_view, sentence
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.inspection import inspection
from explorer.analysis.explain.autograd.view_records import FollowedEntry
from explorer.drawing.graph.inspector import hint_html, inspector_html
from explorer.drawing.graph.player_data import player_data
from explorer.text import say
from explorer.trace import Trace
from tests.corpus import EVERYDAY, RARE
from tests.svg import to_svg
from tests.traces import trace_of

PROGRAMS = {**EVERYDAY, **RARE}
SUM = "import torch\nx = torch.arange(12.).reshape(3, 4).requires_grad_()\ny = (x * x + 3 * x).sum()\ny.backward()"


def html_of(program: str, title: str, lang: str = "en") -> str:
    trace = trace_of(f"import torch\n{program}")
    view = graph_view(trace)
    card = next(card for card in view.cards if card.title.startswith(title))
    return inspector_html(inspection(trace, view, card.id, lang), view, lang)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_card_of_every_program_can_be_inspected(name):
    trace = trace_of(f"import torch\n{PROGRAMS[name]}")
    view = graph_view(trace)
    for card in view.cards:
        told = inspector_html(inspection(trace, view, card.id, "zh"), view, "zh")
        assert told.count("<div") == told.count("</div>") and "<h3" in told
    found = steps(trace, view, "en")
    known = {card.id for card in view.cards}, {edge.id for edge in view.edges}
    assert {step.card for step in found.steps} <= known[0]
    assert {edge for step in found.steps for edge in step.edges} <= known[1]
    assert len(player_data(found)["steps"]) == len(found.steps)


def test_a_number_is_rounded_like_on_its_card_and_exact_on_hover():
    told = html_of("x = torch.tensor(1., requires_grad=True)\ny = x / 3\ny.backward()", "y")
    assert '<b title="0.3333333">0.333</b>' in told and "= 0.333<" in told


def test_the_hint_to_choose_a_card_appears_only_without_root_numbers():
    trace = trace_of("import torch\nx = torch.tensor(1., requires_grad=True)\ny = x / 3\ny.backward()")
    view = graph_view(trace)
    root = inspection(trace, view, view.roots[0], "en")
    choose = say("en", "inspect-choose-card")
    assert choose in hint_html(root.card, view, "en", alone=True)
    assert choose not in inspector_html(root, view, "en", chosen=False)


def test_a_small_matrix_shows_its_numbers_and_a_large_one_a_sample():
    program = "x = torch.arange({n}.).reshape({n} // 4, 4).requires_grad_()\ny = x * 2\ny.sum().backward()"
    small, large = html_of(program.format(n=8), "y"), html_of(program.format(n=4000), "y")
    assert 'class="heat numbered"' in small and ">14<" in small
    assert "of 4,000 entries" in large and "0 … 7998" in large


def test_a_nonfinite_gradient_is_reported():
    told = html_of(
        "x = torch.tensor([0., 1.], requires_grad=True)\ny = x.sqrt() * x\ny[0] = 0\n(y * 0).sum().backward()", "x"
    )
    assert "NaN" in told and "1 entry is not finite" in told


def test_nonfinite_values_are_marked_and_unsigned():
    told = html_of("a = torch.tensor(-1., requires_grad=True)\nb = a.sqrt()\nb.backward()", "b")
    assert '<b class="bad">NaN</b>' in told
    told = html_of("a = torch.tensor(0., requires_grad=True)\nb = -(a.sqrt())\nb.backward()", "a")
    assert '<td class="bad">−∞</td>' in told and "+NaN" not in told


def test_the_programs_text_is_escaped():
    told = html_of("w = {'<b>': torch.tensor(2., requires_grad=True)}\ny = w['<b>'] * 2\ny.backward()", "y")
    assert "<b>'" not in told and "&lt;b&gt;" in told


def test_a_sum_changed_by_a_hook_is_not_called_the_sum():
    program = "x = torch.tensor(2., requires_grad=True)\nx.register_hook(lambda g: g * 10)\ny = x * x\ny.backward()"
    told = html_of(program, "x")
    assert "after a hook" in told and ">+40<" in told and told.count(">+2<") == 2 and ">sum<" not in told


def test_values_that_are_not_recorded_are_listed_once():
    """A GRU's cell is one call with many nodes; torch saves no values of some of them."""
    cell = "cell = torch.nn.GRUCell(2, 2)\nh = cell(torch.ones(1, 2), torch.zeros(1, 2))\nh.sum().backward()"
    inside = "<code>torch.gru_cell</code> computes them inside"
    for detail, why in (
        ("complete", inside),
        ("light", "At detail light, only the values that <code>torch.gru_cell</code> returns"),
    ):
        trace = trace_of(f"import torch\n{cell}", detail=detail)
        view = graph_view(trace)
        card = next(one for one in view.cards if "cell(" in one.title)
        found = inspection(trace, view, card.id, "en")
        assert {one.call for one in found.sent if one.missing} == {"torch.gru_cell"}
        assert inspector_html(found, view, "en").count(why) == 1
    trace = trace_of("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()")
    view = graph_view(trace)
    assert not any(one.missing for card in view.cards for one in inspection(trace, view, card.id, "en").sent)


def following(position: int, program: str = SUM) -> tuple[Trace, GraphView, str]:
    """Return a program, its picture with an entry of its leaf's gradient chosen, and the leaf's card."""
    trace = trace_of(program)
    view = graph_view(trace)
    leaf = next(card.id for card in view.cards if card.kind == "leaf")
    return trace, structs.replace(view, entry=FollowedEntry(leaf, position)), leaf


def test_the_chosen_entry_is_named_everywhere():
    trace, view, leaf = following(6)  # x[1, 2] = 6
    assert sentence(view, "en") == (
        "x.grad[1, 2] = 15 = 6 (via the first factor of x * x) + 6 (via the second factor of x * x) + 3 (via 3 * x)."
    )
    told = inspector_html(inspection(trace, view, leaf, "en"), view, "en")
    assert "sum at [1, 2]" in told and told.count(">+6<") == 2 and ">+15</td>" in told
    assert told.count('aria-pressed="true"') == 1 and 'data-entry="6"' in told
    drawn = to_svg(view, None, "en")
    assert drawn.count("[1, 2] +6") == 2 and "[1, 2] +3" in drawn and "[1, 2] +15" in drawn
    assert (
        "`x.grad[1, 2]` = `+15` = `6` (via the first factor of `x * x`)" in steps(trace, view, "en").steps[-1].sentence
    )


def test_an_entry_of_a_sample_has_its_index_in_the_tensor():
    program = SUM.replace("12.).reshape(3, 4)", "400.).reshape(20, 20)")
    trace, view, leaf = following(9, program)
    value = inspection(trace, view, leaf, "en").gradient
    assert value.data is None
    assert "sum at [2, 2]" in inspector_html(inspection(trace, view, leaf, "en"), view, "en")
    assert sentence(view, "en").startswith("x.grad[2, 2] = 87 = 42 (via")


@pytest.mark.parametrize("entry", [FollowedEntry("t0", 99), FollowedEntry("n99", 0)])
def test_an_entry_missing_in_the_picture_is_ignored(entry):
    trace, view, leaf = following(0)
    lost = structs.replace(view, entry=entry)
    plain = structs.replace(view, entry=None)
    assert to_svg(lost, None, "en") == to_svg(plain, None, "en") and sentence(lost, "en") == sentence(plain, "en")
    assert inspector_html(inspection(trace, lost, leaf, "en"), lost, "en") == inspector_html(
        inspection(trace, plain, leaf, "en"), plain, "en"
    )


def test_opposite_contributions_cancel_in_numbers():
    program = (
        "import torch\nx = torch.arange(12., requires_grad=True)\ny = 3 * x\nz = -3 * x\n(y.sum() + z.sum()).backward()"
    )
    trace, view, leaf = following(4, program)
    assert sentence(view, "en") == "x.grad[4] = 0 = 3 (via y) + (−3) (via z)."
    told = inspector_html(inspection(trace, view, leaf, "en"), view, "en").partition("sum at [4]")
    assert "+3" in told[0] and "−3" in told[0] and ">0</td>" in told[2]

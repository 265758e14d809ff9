"""The picture tinted by what its cards keep alive, or by the size of their values, in place of the gradient."""

import re

import pytest

from explorer.analysis.autograd import graph_view
from explorer.analysis.autograd.saved_tensors import KeptMemory, kept_memory
from explorer.drawing.graph.legend import legend
from explorer.trace import Trace
from tests.svg import to_svg
from tests.traces import trace_of


def kept(trace: Trace) -> tuple[dict[str, int], KeptMemory]:
    """By title what each card keeps, and all of it."""
    view = graph_view(trace)
    found = kept_memory(trace, view)
    return {card.title: found.cards[card.id] for card in view.cards if card.id in found.cards}, found


def test_memory_that_several_nodes_saved_counts_once():
    cards, found = kept(
        trace_of("""
            x = torch.ones(1000, requires_grad=True)
            y = x.exp()
            z = (y * y).sin()
            z.sum().backward()
            """)
    )
    # exp keeps its result, which both factors of y * y are; sin keeps y * y
    assert cards == {"y = x.exp()": 4000, "z = (y * y).sin()": 4000}
    assert (found.total, found.held) == (8000, 0)


def test_a_view_of_a_weight_is_the_weight_and_a_part_keeps_the_whole():
    cards, found = kept(
        trace_of("""
            torch.manual_seed(0)
            net = torch.nn.Linear(10, 5)
            x = torch.ones(3, 10, requires_grad=True)
            big = torch.zeros(1000)
            part = big[:5]
            ((net(x) * part).sum()).backward()
            """)
    )
    assert cards.pop("net.weight") == 200  # saved as weight.t(), which no name of the program means
    assert cards.pop("x") == 120
    assert cards.pop("part") == 4000
    assert found.total == found.held + sum(cards.values())


@pytest.mark.parametrize("fold", [True, False])
def test_folded_or_not_a_picture_keeps_the_same(fold):
    trace = trace_of(
        "x = torch.ones(8, requires_grad=True)\nfor i in range(20):\n    x = x.sin()\nx.sum().backward()\n"
    )
    assert kept_memory(trace, graph_view(trace, fold=fold)).total == 20 * 32


def test_inside_of_a_call_the_same_memory_counts_once():
    _, found = kept(
        trace_of("""
            logits = torch.zeros(100, 10, requires_grad=True)
            torch.nn.functional.cross_entropy(logits, torch.zeros(100, dtype=torch.long)).backward()
            """)
    )
    # log_softmax's result, which both of its nodes keep, the labels, and the sum of the weights
    assert 4000 + 800 <= found.total <= 4000 + 800 + 8


@pytest.mark.parametrize(
    "program, marks",
    [
        ("w = torch.ones(2, requires_grad=True)\n(w + 3).sum().backward()", ["leafk", "opk", "outk"]),
        ("w = torch.ones(2, requires_grad=True)\nw.exp().sum().backward()", ["leafk", "opk", "outk", "savedk"]),
        ("x = torch.ones(2)\ny = x * 3", ["datak"]),
    ],
)
def test_the_legend_has_the_marks_of_the_picture_and_no_others(program, marks):
    assert re.findall(r'class="lg (\w+)"', legend(graph_view(trace_of(program)), "en")) == marks


def test_the_picture_tells_bytes_on_cards_and_their_sum_in_the_legend():
    trace = trace_of("x = torch.ones(500, requires_grad=True)\nx.exp().sin().cos().sum().backward()\n")
    view = graph_view(trace)
    found = kept_memory(trace, view)
    svg = to_svg(view, None, "en", coloring="bytes", memory=found)
    assert re.findall(r'class="kept"[^>]*>([^<]+)<', svg) == ["2 kB", "2 kB"]
    assert "keeps 2 kB alive" in svg and "by-bytes" in svg
    assert "4 kB in all" in legend(view, "en", "bytes", found) and "4 kB" in legend(view, "zh", "bytes", found)
    plain = to_svg(view, None, "en")
    assert "kept" not in plain and "shaded" not in plain


def test_values_tint_by_their_largest_entry():
    trace = trace_of("x = torch.tensor([1.0, -4.0], requires_grad=True)\ny = x * 4\ny.sum().backward()\n")
    svg = to_svg(graph_view(trace), None, "en", coloring="value")
    shares = dict(re.findall(r'data-id="(\w+)".*?class="face" style="--t:(\d+)%"', svg))
    assert sorted(map(int, shares.values())) == [50, 87, 100]  # 4, 12 and 16, by their roots

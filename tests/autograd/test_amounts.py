"""Values told in few characters: nothing is said of a part as if it were all."""

import pytest

from explorer.analysis.autograd import graph_view
from explorer.analysis.autograd.entry_texts import range_text
from explorer.drawing.graph.cards import measure
from explorer.drawing.graph.dotfile import in_words
from explorer.drawing.graph.heat import heat
from tests.traces import trace_of


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("torch.arange(9.)", "0 … 8"),
        ("torch.tensor([1.] * 8 + [-float('inf')])", "−∞ … 1"),
        ("torch.tensor([1.] * 8 + [float('inf')])", "1 … ∞"),
        ("torch.tensor([1., 2.] * 4 + [float('nan')])", "1 … 2, NaN"),
        ("torch.tensor([float('nan'), float('inf'), -float('inf'), 0.] * 3)", "−∞ … ∞, NaN"),
        ("torch.full((9,), float('nan'))", "NaN"),
        ("torch.full((9,), -float('inf'))", "−∞"),
        ("torch.full((9,), 3.)", "3"),
        ("torch.cat([torch.arange(99.), torch.tensor([float('inf')])])", "0 … 98, ±∞"),  # its sign is not at hand
    ],
)
def test_a_range_says_infinities_and_nan(entries, said):
    trace = trace_of(f"import torch\nx = {entries}")
    value = trace["x"]
    assert range_text(value, False) == said
    assert in_words(value, False).startswith(said)
    assert said in heat(value, None, "en") or len(set(value.entries)) == 1


def test_the_thumbnail_of_a_card_says_so_too():
    program = "x = torch.tensor([[1., 2., -float('inf')]] * 3, requires_grad=True)\nx.exp().sum().backward()"
    view = graph_view(trace_of(f"import torch\n{program}"))
    leaf = next(card for card in view.cards if card.kind == "leaf")
    assert measure(leaf, "en").value_grid.range == "−∞ … 2"

"""The rows of a softmax: weights, their gradients, and the program's tokens. Other matrices are no weights."""

import re

import pytest

from explorer.analysis.autograd import graph_view
from explorer.analysis.autograd.weights import weights
from explorer.drawing.graph.weights import weights_html
from tests.traces import trace_of

MASKED = """\
import torch
tokens = ["the", "cat", "sat"]
scores = torch.tensor([[0., 1., 2.], [1., 1., 3.], [0., 2., 0.]], requires_grad=True)
mask = torch.tril(torch.ones(3, 3)).bool()
w = scores.masked_fill(~mask, float("-inf")).softmax(-1)
loss = (w ** 2).sum()
loss.backward()
"""


def found(program: str, name: str = "w"):
    trace = trace_of(program)
    view = graph_view(trace)
    return weights(trace, next(card for card in view.cards if card.name == name))


def test_weights_of_a_causal_mask_with_gradients_and_tokens():
    rows = found(MASKED)
    (one,) = rows.maps
    assert rows.tokens == ("the", "cat", "sat") and one.rows[0] == (1.0, 0.0, 0.0)
    assert one.rows[1] == pytest.approx((0.5, 0.5, 0.0)) and one.gradients[0] == (2.0, 0.0, 0.0)
    drawn = weights_html(rows, "en")
    assert drawn.count('class="zero"') == 3 and 'title="cat → the: 0.5, +1"' in drawn
    assert "An empty square is exactly 0." in drawn
    assert re.findall(r'scope="row">(\w+)<', drawn) == ["the", "cat", "sat"]


def test_heads_are_drawn_one_by_one():
    rows = found("import torch\nq = torch.randn(1, 6, 3, 3, requires_grad=True)\nw = q.softmax(-1)\nw.sum().backward()")
    assert [one.index for one in rows.maps] == [(0, 0), (0, 1), (0, 2), (0, 3)] and rows.more == 2
    assert "2 more matrices are not shown." in weights_html(rows, "en")


@pytest.mark.parametrize(
    "step",
    [
        "w = x.softmax(0)",  # columns, not rows, sum to 1
        "w = x.log_softmax(-1)",
        "w = x / x.sum(-1, keepdim=True)",  # no softmax made it
        "w = x.softmax(-1) * 2",
    ],
)
def test_nothing_is_said_of_other_matrices(step):
    program = f"import torch\nx = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True)\n{step}\nw.sum().backward()"
    assert found(program) is None


@pytest.mark.parametrize(
    "tokens",
    ['tokens = ["a", "b"]', 'tokens = ["a", "b", "c"]\ntokens = ["d", "e", "f"]', "tokens = [1, 2, 3]", ""],
)
def test_tokens_are_those_of_the_one_list_that_fits(tokens):
    assert found(MASKED.replace('tokens = ["the", "cat", "sat"]', tokens)).tokens == ()

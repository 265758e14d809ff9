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
    "tokens", ['tokens = ["a", "b"]', 'tokens = ["a", "b", "c"]\ntokens = ["d", "e", "f"]', "tokens = [1, 2, 3]", ""]
)
def test_tokens_are_those_of_the_one_list_that_fits(tokens):
    assert found(MASKED.replace('tokens = ["the", "cat", "sat"]', tokens)).tokens == ()


def test_of_a_large_softmax_each_square_is_the_largest_of_a_block():
    trace = trace_of(
        "import torch\nq = torch.zeros(50, 60, requires_grad=True)\nb = torch.zeros(50, 60)\nb[3, 59] = 9.\n"
        "w = (q + b).softmax(-1)\n(w ** 2).sum().backward()",
        full=("w",),
    )
    rows = weights(trace, next(card for card in graph_view(trace).cards if card.name == "w"))
    (one,) = rows.maps
    assert rows.block == (3, 3) and (len(one.rows), len(one.rows[0])) == (17, 20) and one.gradients == ()
    assert max(map(max, one.rows)) == one.rows[1][19] > 0.9 and one.rows[0][0] == pytest.approx(1 / 60)
    drawn = weights_html(rows, "en")
    assert "the largest of 3 × 3 weights" in drawn and 'title="3 → 57: 0.99' in drawn


CAUSAL = "(q @ k.mT / 3 ** 0.5).masked_fill(~torch.ones(4, 4).tril().bool(), -torch.inf)"
ATTENTION = """\
import torch
from torch.nn import functional as F
q, k, v = (torch.randn(2, 4, 3, requires_grad=True) for _ in range(3))
mask = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 1]]).bool()
y = {call}
y.sum().backward()
"""


@pytest.mark.parametrize(
    ("call", "weighed"),
    [
        ("F.scaled_dot_product_attention(q, k, v)", "(q @ k.mT / 3 ** 0.5)"),
        ("F.scaled_dot_product_attention(q, k, v, is_causal=True)", CAUSAL),
        ("F.scaled_dot_product_attention(q, k, v, mask, scale=2)", "(q @ k.mT * 2).masked_fill(~mask, -torch.inf)"),
        ("F.scaled_dot_product_attention(q, k, v, attn_mask=mask.float())", "(q @ k.mT / 3 ** 0.5 + mask)"),
    ],
)
def test_the_weights_of_attention_are_computed_again(call, weighed):
    program = ATTENTION.format(call=call) + f"w = {weighed}.softmax(-1).detach()"
    trace = trace_of(program)
    rows = weights(trace, next(card for card in graph_view(trace).cards if card.name == "y"))
    assert rows.again and [one.index for one in rows.maps] == [(0,), (1,)]
    shown = [weight for one in rows.maps for row in one.rows for weight in row]
    assert shown == pytest.approx(trace["w"].data, abs=1e-5)
    assert "Computed again" in weights_html(rows, "en") and "重新算出" in weights_html(rows, "zh")


@pytest.mark.parametrize(
    "call",
    [
        "F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)",  # some of the weights were dropped
        "F.scaled_dot_product_attention(q.repeat(1, 9, 1), k, v)",  # the query was not kept whole
        "F.scaled_dot_product_attention(q, k, v) * 2",
    ],
)
def test_weights_of_attention_that_are_not_sure_are_not_shown(call):
    assert found(ATTENTION.format(call=call), "y") is None

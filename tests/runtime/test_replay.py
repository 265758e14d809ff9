"""Recorded calls repeated by torch: their gradients, and calls that are not repeated."""

import warnings

import numpy as np
import pytest
import torch

import explorer
from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients
from explorer.analysis.explain.autograd.inspection import inspection
from explorer.analysis.explain.autograd.slopes import slopes
from explorer.analysis.explain.why import answer
from explorer.trace import InvalidTrace, decode, encode
from tests.traces import trace_of

HEAD = "import torch\nfrom torch.nn import functional as F\nw = torch.tensor([3., -1.], requires_grad=True)\n"


def asked(trace) -> set[str]:
    """Return the nodes whose slopes are known."""
    return {trace.strings[trace.nodes.name[node]].removesuffix("Backward0") for node in trace.slopes.node}


def equations(trace) -> list[str]:
    """Return the inspector's equation of every edge."""
    view = graph_view(trace, 0, False)
    sent = [sent for card in view.cards for sent in inspection(trace, view, card.id, "en").sent]
    return [" ".join((*passed.equals, passed.product)) for one in sent for passed in one.passed]


def test_the_slopes_of_a_call_are_torchs_own():
    trace = trace_of(
        HEAD + "y = F.pixel_shuffle(torch.cdist(w[None], w[None]).expand(1, 4, 1, 1), 2)\ny.sum().backward()"
    )
    assert asked(trace) >= {"PixelShuffle", "CdistForward" if "CdistForward" in asked(trace) else "Expand"}
    known = trace_of(HEAD + "h = w * w\n(h.softmax(0) @ w).backward()")
    shares = torch.tensor([9.0, 1.0]).softmax(0)
    expected = torch.diag(shares) - torch.outer(shares, shares)
    node = next(n for n in known.slopes.node if known.strings[known.nodes.name[n]] == "SoftmaxBackward0")
    (matrix,) = slopes(known, node, 0).values()
    assert np.allclose(matrix, expected, atol=1e-6)


def test_a_long_chain_of_broadcast_calls_has_slopes_at_every_node():
    rounds = "for i in range(50):\n    y = torch.tanh(y * w + 0.1)\n"
    trace = trace_of(HEAD + f"y = torch.linspace(-1, 1, 60).reshape(30, 2)\n{rounds}y.sum().backward()")
    (call,) = trace.backwards
    operations = [node for node in call.order if trace.nodes.variable[node] < 0][1:]  # the sum has too many entries
    assert {*operations} <= {*trace.slopes.node}
    (by_w,) = slopes(trace, operations[-1], 1).values()
    assert np.allclose(by_w.sum(1), torch.linspace(-1, 1, 60))


@pytest.mark.parametrize(
    ("program", "alone"),
    [
        ("y.grad_fn.register_prehook(lambda g: tuple(10 * one for one in g))", "+2"),
        ("y.grad_fn.register_hook(lambda to, _: tuple(10 * one for one in to if one is not None))", None),
    ],
)
def test_no_factor_is_invented_if_a_hook_acted(program, alone):
    source = f"import torch\na = torch.tensor(30., requires_grad=True)\ny = a * 2\n{program}\ny.backward()"
    trace = trace_of(source)
    said = str(answer(trace, "a.grad"))
    assert "· 20" not in said and "20 ·" not in said
    assert alone is None or (alone in said and any(alone in line for line in equations(trace)))


def test_backward_uses_values_written_through_data():
    trace = trace_of("import torch\nx = torch.tensor(3., requires_grad=True)\ny = x * x\nx.data += 1\ny.backward()")
    assert "1 · 4" in str(answer(trace, "x.grad"))


def test_a_complex_factor_is_conjugated():
    source = (
        "import torch\nz = torch.tensor(1 + 2j, requires_grad=True)\nw = torch.tensor(3 + 4j)\n(z * w).real.backward()"
    )
    trace = trace_of(source)
    assert "(1+0j) · (3−4j)" in str(answer(trace, "z.grad"))
    assert any("(1+0j) · (3−4j) = +3−4j" in line for line in equations(trace))


def test_random_and_custom_operations_are_not_replayed():
    own = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        calls.append(1)
        return 2 * g
calls = []
(Twice.apply(F.dropout(w)) * 3).sum().backward()
print(len(calls))
"""
    trace = trace_of(HEAD + own)
    assert asked(trace) == {"Mul", "Sum"} and trace.cells[0].outputs[0].text == "1\n"


def test_a_node_is_replayed_in_the_mode_it_ran():
    source = "import torch\nA = torch.tensor([[1., 2.], [2., 4.]], requires_grad=True)\n"
    for how, first in (("", 0.0), (", create_graph=True", 4.0)):
        trace = trace_of(f"{source}torch.autograd.grad(A.det(), A{how})")
        node = trace.backwards[0].order[0]
        assert EdgeGradients(trace, 0, "d").by_torch(node, 0)[0, 0] == pytest.approx(first)


def test_replay_has_no_side_effects():
    w = torch.tensor([[1.0], [2.0]], requires_grad=True)
    torch.manual_seed(5)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with explorer.record() as run:
            torch.nn.functional.mse_loss(w, torch.zeros(2)).backward()
        before = torch.get_rng_state(), torch.get_num_threads(), torch.is_grad_enabled()
        trace = run.trace
    assert "MseLoss" in asked(trace) and len(heard) == 1
    assert torch.equal(before[0], torch.get_rng_state())
    assert before[1:] == (torch.get_num_threads(), torch.is_grad_enabled())


@pytest.mark.parametrize(("column", "entry"), [("node", 99), ("edge", 9), ("count", 0), ("rows", 0), ("columns", 300)])
def test_mismatched_slopes_are_refused(column, entry):
    trace = trace_of(HEAD + "(w * 2).sum().backward()")
    getattr(trace.slopes, column)[0] = entry
    with pytest.raises(InvalidTrace):
        decode(encode(trace))


def test_a_call_is_replayed_under_the_same_autocast():
    trace = trace_of(
        HEAD + "with torch.autocast('cpu', torch.bfloat16):\n"
        "    loss = F.mse_loss(w.bfloat16() * 0.3, (w + 1).bfloat16())\nloss.backward()"
    )
    assert "MseLoss" in asked(trace)
    assert not any("hook" in said for said in equations(trace))
    to, other, *_ = (passed.left for one in sent_of(trace, "loss") for passed in one.passed)
    assert to != other  # operands have different names


def sent_of(trace, word: str) -> list:
    """Return the gradients that a named card passes on."""
    view = graph_view(trace, 0, False)
    cards = [card for card in view.cards if card.name == word]
    return [sent for card in cards for sent in inspection(trace, view, card.id, "en").sent]


def test_a_nested_tensor_is_not_called_large():
    trace = trace_of(
        HEAD + "n = torch.nested.as_nested_tensor([w, w[:1]], layout=torch.jagged)\n(n * 2).values().sum().backward()"
    )
    assert "large" not in str(answer(trace, "w.grad[0]"))


def test_an_unreduced_loss_has_its_rule_in_words():
    trace = trace_of(HEAD + "F.nll_loss(w[None], torch.tensor([0]), reduction='none').sum().backward()")
    assert any("label" in said for said in equations(trace))


def test_slopes_without_unrecorded_entries_are_replayed_too():
    trace = trace_of(
        "import torch\nx = torch.randn(16, 8)\nnet = torch.nn.Linear(8, 3)\nnet(x).pow(2).mean().backward()"
    )
    assert "Addmm" in asked(trace)


def test_minus_infinities_are_not_taken_for_a_hook_and_masked_nan_has_no_product():
    masked = "s = torch.stack([w, w]).masked_fill(torch.tensor([[False], [True]]), -torch.inf)\nl = s.logsumexp(1)\n"
    trace = trace_of(HEAD + masked + "torch.where(l.isinf(), 0., l).sum().backward()")
    assert not any("hook" in said for said in equations(trace))
    view = graph_view(trace, 0, False)
    sent = [sent for card in view.cards for sent in inspection(trace, view, card.id, "en").sent]
    assert not any("NaN" in line for one in sent for edge in one.passed for line in edge.examples if " 0 " in line)


def test_an_argument_cast_inside_another_call_is_not_named_by_that_calls_result():
    cast = "with torch.autocast('cpu', torch.bfloat16):\n    a = x @ w[None].T\n    b = x @ u\n    c = x @ u\n"
    trace = trace_of(HEAD + f"x, u = torch.ones(1, 2), torch.ones(2, 1).requires_grad_()\n{cast}(a + b + c).backward()")
    assert {edge.to for one in sent_of(trace, "c") for edge in one.passed} == {"u.to(…)"}


def test_a_partially_written_tensor_keeps_the_name_of_the_whole():
    trace = trace_of(HEAD + "y = w * 1\ny[1:].mul_(3)\nz = y.clamp_(max=2)\nz.sum().backward()")
    view = graph_view(trace, 0, False)
    sent = [sent for card in view.cards for sent in inspection(trace, view, card.id, "en").sent]
    assert [edge.to for one in sent if one.torch.startswith("Clamp") for edge in one.passed] == ["y"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("w.cummax(0).values", "summed if one was returned several times"),
        ("w.as_strided((2, 2), (0, 1))", "summed if one was taken several times"),
        ("w.unfold(0, 1, 1)", "summed if one was taken several times"),
        ("F.avg_pool2d(w.reshape(1, 1, 1, 2), (1, 2), divisor_override=5)", ""),
        ("(w[1:] + 1 + 1e-9).pow(1 / 3)", "≈"),
    ],
)
def test_the_displayed_rule_was_used_by_torch(line, said):
    trace = trace_of(HEAD + f"y = {line}\ny.sum().backward()")
    told = " / ".join(equations(trace))
    assert said in told and "equally" not in told


def test_a_nested_tensor_of_one_entry_has_a_card():
    trace = trace_of(HEAD + "n = torch.nested.as_nested_tensor([w[:1]], layout=torch.jagged)\n(n * 2).sum().backward()")
    (twice,) = [edge for one in sent_of(trace, "") if one.torch == "MulBackward0" for edge in one.passed]
    assert twice.equals == ("2",)


def test_an_expression_is_one_operand_of_a_loss():
    trace = trace_of(HEAD + "loss = F.mse_loss(w, w.detach() + 1)\nloss.backward()")
    assert "(w.detach() + 1)[0]" in str(answer(trace, "loss"))


def test_cancellation_in_half_precision_is_not_taken_for_a_hook():
    trace = trace_of(
        HEAD + "torch.manual_seed(0)\na = (torch.randn(2, 3) @ torch.randn(3, 3)).bfloat16().requires_grad_()\n"
        "with torch.autocast('cpu', torch.bfloat16):\n    d = F.layer_norm(a, (3,)).sum()\nd.backward()"
    )
    assert not any("hook" in said for said in equations(trace))


def test_a_random_call_is_not_replayed():
    # With hard=True, other noise gives the same result but another slope.
    source = (
        "import torch\nfrom torch.nn import functional as F\ntorch.manual_seed(0)\n"
        "x = torch.randn(4, requires_grad=True)\ny = F.gumbel_softmax(x, hard=True)\n(y @ torch.arange(4.)).backward()"
    )
    trace = trace_of(source)
    assert "Softmax" not in asked(trace)
    said = str(answer(trace, "x.grad"))
    assert "alone" not in said and "hook" not in said

"""A card that a variable names shows that variable's value and gradient, in programs that differentiate twice."""

import re

import numpy as np
import pytest
import torch

from explorer.analysis.explain.autograd import graph_view, sentence, tensor_gradient
from explorer.analysis.explain.autograd.view_records import Card
from explorer.trace import Trace, Value
from tests.autograd.second_derivatives import Facts, Program, facts, program
from tests.programs import traced
from tests.traces import trace_of

_BINDS = re.compile(r"\(?(\w+),?\)? *=[^=]")
_DERIVES = re.compile(r"functional\.[hjv]|grad\(|hessian\(|jac\w+\(|vmap\(")


@pytest.mark.sampled(34)
@pytest.mark.parametrize("seed", range(500))
def test_every_variable_shows_its_own_value_and_gradient(seed):
    made = program(seed)
    trace, known = traced(made.source), facts(made)
    assert trace.limits == [] and list(_wrong_cards(trace, made, known)) == []
    assert list(_wrong_tensors(trace, made, known)) == []


def _wrong_cards(trace: Trace, made: Program, known: Facts):
    calls = _calls(trace, made)
    for backward in range(len(trace.backwards)):
        for fold in (True, False):
            for card in graph_view(trace, backward, fold).cards:
                for name, value, gradient in _named(card):
                    if name not in known.values:
                        continue
                    if not _same(value, known.values[name]):
                        yield backward, card.title, "value", value
                    truth = known.gradients.get((calls.get(backward, -1), name))
                    if gradient is not None and backward in calls and not _same(gradient, truth):
                        yield backward, card.title, "gradient", gradient
                if not card.name and _DERIVES.search(card.expression) and "(…)" not in card.expression:
                    yield backward, card.title, "names a derivative that is no variable", card.value


def _wrong_tensors(trace: Trace, made: Program, known: Facts):
    calls = _calls(trace, made)
    for binding in trace.bindings:
        if (truth := known.values.get(binding.name)) is not None:
            first = trace.value_at(trace.versions_of(binding.tensor)[0])
            if not _same(first, truth):
                yield binding.name, "value", first
            for backward, call in calls.items():
                gradient = trace.value(tensor_gradient(trace, binding.tensor, backward)[0])
                if gradient is not None and not _same(gradient, known.gradients.get((call, binding.name))):
                    yield binding.name, "gradient", gradient


def _named(card: Card):
    """Return the variables named on a card, with their shown values."""
    if card.results:
        return [(result.name, result.value, result.gradient) for result in card.results]
    bound = _BINDS.match(card.expression)
    names = [name for name in (card.name or (bound[1] if bound else "")).split(", ") if name != "…"]
    return [(name, card.value, card.gradient) for name in names]


def _calls(trace: Trace, made: Program) -> dict[int, int]:
    """Map each backward in the trace to the program's own call."""
    lines = {trace.line(trace.backwards[at].span): at for at in range(len(trace.backwards))}
    return {lines[line]: at for at, line in enumerate(made.calling_lines) if line in lines}


def _same(value: Value | None, truth: torch.Tensor | None) -> bool:
    if value is None or truth is None:
        return value is None and truth is None
    return value.shape == truth.shape and np.allclose(value.numpy(), truth.numpy(), rtol=1e-6, atol=1e-9)


TWICE = """
import torch
x = torch.tensor(2.0, requires_grad=True)
y = torch.sin(x) * x
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g, x, create_graph=True)
h.backward()
"""


def test_steps_inside_a_first_derivative_have_no_variable_names():
    cards = {card.title: card for card in graph_view(trace_of(TWICE)).cards}
    assert cards["grad(…): Cos"].value.data == pytest.approx((-0.41614684,))
    assert not any(title.startswith("g =") for title in cards)
    [g] = [card for card in graph_view(trace_of(TWICE), 1).cards if card.name == "g"]
    assert g.value.data == pytest.approx((0.07700372,))


HIDDEN = [
    (
        "torch.autograd.functional.hessian(lambda v: (v ** 2).sum(), x)",
        "The gradient of detach(x)[1] inside torch.….functional.hessian(…) = 2 (via v).",
        "torch.….functional.hessian(…) 内部的 detach(x)[1] 的梯度 = 2（经由 v）。",
    ),
    (
        "torch.autograd.functional.hvp(lambda v: (v ** 3).sum(), x, torch.ones(2))",
        "The gradient of zeros_like(v)[1] inside torch.autog….functional.hvp(…) = 12 (via grad(…)).",
        "torch.autog….functional.hvp(…) 内部的 zeros_like(v)[1] 的梯度 = 12（经由 grad(…)）。",
    ),
]


@pytest.mark.parametrize(("call", "english", "chinese"), HIDDEN)
def test_the_gradient_of_a_hidden_input_is_not_attributed_to_the_call(call, english, chinese):
    trace = trace_of(f"import torch\nx = torch.tensor([1., 2.], requires_grad=True)\nH = {call}")
    view = graph_view(trace, len(trace.backwards) - 1)
    assert (sentence(view, "en"), sentence(view, "zh")) == (english, chinese)


PENALTY = """
import torch
from torch import nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 3)
    def forward(self, x):
        return x + self.second(torch.tanh(self.first(x)))
net = {net}
x = torch.randn(5, 2, requires_grad=True)
d = net(x)
(g,) = torch.autograd.grad(d.sum(), x, create_graph=True)
(g.norm(dim=1) - 1).pow(2).mean().backward()
"""


def test_a_step_inside_a_layer_does_not_bear_the_name_of_its_result():
    view = graph_view(trace_of(PENALTY.format(net="nn.Linear(2, 1)")))
    assert "net(x): net.weightᵀ" in [card.title for card in view.cards]
    assert all(card.name != "d" for card in view.cards) and "via d" not in sentence(view, "en")


def test_a_closed_module_whose_result_is_not_reached_shows_no_other_tensor():
    view = graph_view(trace_of(PENALTY.format(net="nn.Sequential(nn.Linear(2, 3), Block(), Block(), nn.Linear(3, 1))")))
    shown = {card.module.path: card.value and card.value.shape for card in view.cards if card.module}
    assert shown and {path: shape for path, shape in shown.items() if shape not in (None, (5, 3))} == {}


HESSIAN = """
import torch
from torch.func import hessian, jacrev
w = torch.tensor([1.0, 2.0, 3.0])
"""


def test_the_picture_of_a_hessian_says_that_an_inner_step_is_drawn():
    view = graph_view(trace_of(HESSIAN + "H = hessian(lambda w: (w**3).sum())(w)"))
    (leaf,) = [card for card in view.cards if card.kind == "leaf"]
    assert leaf.gradient.shape == leaf.shape == (3,) and leaf.gradient.data == (3.0, 12.0, 27.0)
    assert "inner step of hessian(lambda w: (w**3).sum())(w)" in sentence(view, "en")
    assert "内层" in sentence(view, "zh")


def test_rows_of_a_jacobian_are_counted_as_gradients():
    view = graph_view(trace_of(HESSIAN + "J = jacrev(lambda w: torch.stack([w.sum(), (w**2).sum()]))(w)"))
    assert sentence(view, "en").startswith("torch.func computed 2 gradients of w at once, each with shape (3,)")
    assert "inner step" not in sentence(view, "en") and "2 个梯度" in sentence(view, "zh")

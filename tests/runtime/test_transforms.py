"""torch.func: graphs of its transforms with values and gradients, several examples as a stack."""

import pytest

from explorer.analysis.explain.autograd import graph_view, sentence
from tests.programs import traced

GRAD = "w = torch.tensor([1., 2.])\ng = torch.func.grad(lambda w: (w * 3).sin().sum())(w)"
EACH = """
def loss(w, x):
    return (w @ x) ** 2
w = torch.tensor([1., 2.])
X = torch.tensor([[1., 0.], [0., 1.], [1., 1.]])
g = torch.func.vmap(torch.func.grad(loss), (None, 0))(w, X)
"""
JACOBIAN = "x = torch.tensor([3., 2.])\nJ = torch.func.jacrev(lambda v: torch.stack([v[0] * v[1], v[0] ** 2]))(x)"
CALLED = """
net = torch.nn.Linear(2, 1)
def loss(params):
    return torch.func.functional_call(net, params, (torch.ones(3, 2),)).sum()
g = torch.func.grad(loss)(dict(net.named_parameters()))
"""
DETACHED = CALLED.replace("dict(net.named_parameters())", "params").replace(
    "def loss", "params = {name: one.detach() for name, one in net.named_parameters()}\ndef loss"
)
WITHIN = """
w = torch.tensor(2., requires_grad=True)
g = torch.func.grad(lambda w: (w * 3 - 1) ** 2)(w)
loss = (w - 0.1 * g) ** 2
loss.backward()
"""


def gradients(program: str, backward: int | None = None) -> dict[str, list[float]]:
    """Return the gradients at a picture's leaves, by name."""
    view = graph_view(traced(program), backward)
    return {card.name: list(card.gradient.entries) for card in view.cards if card.kind == "leaf" and card.gradient}


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (GRAD, {"w": [-2.97, 2.88]}),
        (EACH, {"w": [2, 0, 0, 4, 6, 6]}),
        (JACOBIAN, {"v": [2, 3, 6, 0]}),
        (CALLED, {"net.weight": [3, 3], "net.bias": [3]}),
        (DETACHED, {'params["weight"]': [3, 3], 'params["bias"]': [3]}),
    ],
)
def test_the_graph_of_a_transform_has_its_gradients(program, found):
    told = gradients(program)
    assert {name: pytest.approx(entries, abs=0.01) for name, entries in told.items()} == found


def test_a_backward_through_a_gradient_of_a_transform_has_both_pictures():
    assert gradients(WITHIN, 0) == {"w": [30]}  # 2 · (3w − 1) · 3
    assert gradients(WITHIN, 1) == {"w": [pytest.approx(1.6)]}  # 2 · (w − 0.1 · g) · (1 − 0.1 · 18)


@pytest.mark.parametrize("program", [GRAD, EACH, JACOBIAN, CALLED, WITHIN])
def test_values_inside_transforms_are_recorded(program):
    view = graph_view(traced(program))
    unknown = [card.expression for card in view.cards if card.kind in ("op", "leaf") and card.value is None]
    assert unknown == (["w * 3: Mul"] if program is WITHIN else [])  # a node inside the transform, not in its result
    assert "not" not in sentence(view, "en").lower().split()


def test_forward_mode_is_labelled():
    program = "x = torch.tensor([3., 2.])\ny, dy = torch.func.jvp(lambda v: (v ** 2).sum(), (x,), (torch.ones(2),))"
    assert sentence(graph_view(traced(program)), "en").startswith("Forward mode")

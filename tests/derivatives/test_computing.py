"""The table computed entry by entry, at kinks, ties and zeros too, against torch."""

import numpy as np
import pytest
import torch

from explorer.analysis.derivatives.expressions import partials

FIRST = (-2.0, -0.5, 0.0, 0.0, 0.0, 0.75, 1.0, 2.0, 3.0)
SECOND = (2.0, 3.0, 0.0, 1.0, 2.0, 0.75, -1.0, 0.5, 0.0)


@pytest.mark.parametrize(
    ("node", "function"),
    [
        ("Abs", torch.abs),
        ("Tanh", torch.tanh),
        ("Relu", torch.relu),
        ("Sign", torch.sign),
        ("Add", torch.add),
        ("Div", torch.div),
        ("Pow", torch.pow),
        ("Maximum", torch.maximum),
        ("Minimum", torch.minimum),
    ],
)
def test_a_row_gives_torchs_derivative_by_each_operand(node, function):
    count = 2 if node in ("Add", "Div", "Pow", "Maximum", "Minimum") else 1
    given = [torch.tensor(numbers, dtype=torch.float64, requires_grad=True) for numbers in (FIRST, SECOND)[:count]]
    result = function(*given)
    expected = torch.autograd.grad(result.sum(), given)
    found = partials(node, [one.detach().numpy() for one in given], result.detach().numpy())
    assert len(found) == count
    for one, other in zip(found, expected, strict=True):
        assert np.allclose(one, other, equal_nan=True), node


def test_constants_are_given_by_name_or_torchs_own():
    x, y = np.array([-1.0, 0.5, 4.0]), np.array([1.0, 2.0, 3.0])
    assert partials("Sub", (x, y), x - y)[1].tolist() == [-1, -1, -1]
    assert partials("Sub", (x, y), x - 3 * y, alpha=3.0)[1].tolist() == [-3, -3, -3]
    assert partials("Clamp", (x,), x.clip(0, None), min=0.0)[0].tolist() == [0, 1, 1]


def test_what_is_told_in_words_alone_has_no_number():
    assert partials("Repeat", (np.zeros(2),), np.zeros(2)) == (None,)
    assert partials("Embedding", (np.zeros(2),), np.zeros(2)) == (None,)  # its numbers need the gradient
    assert partials("NoSuchNode", (np.zeros(2), np.zeros(2)), np.zeros(2)) == (None, None)

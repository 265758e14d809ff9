"""Shapes and positions: the kind of each error, the change that mends it, and where no change is offered."""

from explorer.analysis.errors.failure_context import Explanation
from explorer.text import say
from tests.errors.told import told

HEAD = "import torch, math\nfrom torch import nn\nimport torch.nn.functional as F\n"


def explained(program: str) -> Explanation:
    return told(HEAD + program)


def test_a_function_of_another_line_is_mended_there():
    found = explained("def f(A):\n    return A / A.sum(dim=1)\nf(torch.ones(2, 3))")
    assert "    return A / A.sum(dim=1, keepdim=True)" in found.repaired_source.split("\n")


def test_a_transposition_is_told_with_the_shapes_of_the_factor_that_it_helps():
    for program, words in {
        "A = torch.ones(4, 5)\nB = torch.ones(7, 5)\nA @ B": "Transpose B: .T turns (7, 5) into (5, 7)",
        "A = torch.ones(4, 5)\nB = torch.ones(4, 6)\nA @ B": "Transpose A: .T turns (4, 5) into (5, 4)",
        "A = torch.ones(4, 5)\nB = torch.ones(7, 4)\nA @ B": "Exchange the two factors",
        "v = torch.ones(4)\nB = torch.ones(7, 5)\nv @ B": "Choose sizes",
    }.items():
        found = explained(program)
        assert words in say("en", f"error-{found.kind}.repair", **found.values)


def test_the_cause_names_axes_from_the_right():
    found = explained("A = torch.ones(2, 3)\nb = torch.ones(4)\nA + b")
    cause = say("en", f"error-{found.kind}.cause", **found.values)
    assert "At axis −1, A (2, 3) has 3 and b (4,) has 4" in cause

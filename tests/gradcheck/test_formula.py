"""The gradient in closed form agrees with autograd, or is not there."""

import random

import numpy as np
import pytest

import explorer
from explorer.analysis.gradcheck.formula import FormulaQuestion, formula_answer, formula_question
from explorer.analysis.gradcheck.subjects import Subject, subjects
from explorer.drawing.derivatives.leaf_plot import formula_html
from explorer.workers.gradcheck import gradient_formula
from tests.gradcheck.test_checked import leaf
from tests.programs import TWICE

ONE = (
    "torch.exp({})",
    "torch.sin({})",
    "torch.tanh({})",
    "torch.relu({})",
    "torch.sigmoid({})",
    "({}) ** 2",
    "-({})",
    "({}).abs()",
)
TWO = ("({}) + ({})", "({}) - ({})", "({}) * ({})", "torch.maximum({}, {})", "({}) / (1 + ({}) ** 2)")


def scalar_program(seed: int) -> str:
    """A random program of a few numbers, with w among them."""
    chance = random.Random(seed)
    names = ["w", "x", "w"]
    lines = [f"{name} = torch.tensor({chance.uniform(-2, 2):.2f}, requires_grad=True)" for name in ("w", "x")]
    for at in range(chance.randint(2, 5)):
        shape = chance.choice(ONE + TWO)
        lines.append(f"v{at} = " + shape.format(*(chance.choice(names) for _ in range(shape.count("{}")))))
        names += [f"v{at}", f"v{at}"]
    return "\n".join(["import torch", *lines, f"y = {names[-1]} + w * x", "y.backward()"])


def test_the_formula_in_letters_and_in_numbers():
    trace = explorer.run(f"import torch\n{TWICE}")
    found = gradient_formula(trace, trace.bound("w"))
    assert found is not None and "∂y/∂w = 2w + x + 1 = 2·1 + 2 + 1 = 5" in formula_html(found, "y", "w", "en")


@pytest.mark.parametrize(
    ("w", "text", "equation"),
    [
        (0.3, "y = w * w", "∂y/∂w = 2w = 2·0.3 = 0.6"),
        (1.23456789, "y = w * w", "∂y/∂w = 2w ≈ 2·1.23 ≈ 2.47"),  # 2.46 with the number that is printed
        (2.0, "y = w * 0.3333333", "∂y/∂w = 0.333333300 ≈ 0.333"),
    ],
)
def test_each_side_of_a_printed_formula_gives_the_next_or_has_a_sign_that_says_so(w, text, equation):
    trace = explorer.run("import torch\n" + leaf("w", w) + text + "\ny.backward()")
    found = gradient_formula(trace, trace.bound("w"))
    assert found is not None and equation in formula_html(found, "y", "w", "en")


def test_a_branch_is_named_with_its_condition():
    trace = explorer.run("import torch\n" + leaf("w", 4.0) + "y = torch.relu(w - 3) ** 2\ny.backward()")
    found = gradient_formula(trace, trace.bound("w"))
    assert found is not None and (found.text, found.conditions) == ("2*w - 6", ("w - 3 > 0",))


def test_a_formula_with_another_number_is_not_shown():
    wrong = explorer.run("print('[\"w + 1\", 4.0, 4.0, []]')")
    assert formula_answer(FormulaQuestion("", {"w": 2.0}, 3.0), wrong) is None
    assert formula_answer(FormulaQuestion("", {"w": 2.0}, 4.0), wrong) is not None


@pytest.mark.parametrize("text", ["y = w * w.item()", "y = w * w.detach()", "y = torch.lgamma(w)"])
def test_what_has_no_formula_is_not_shown(text):
    trace = explorer.run("import torch\n" + leaf("w", 2.0) + text + "\ny.backward()")
    assert gradient_formula(trace, trace.bound("w")) is None


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(100))
def test_the_formula_of_a_random_program_agrees_with_autograd(seed):
    trace = explorer.run(scalar_program(seed))
    found = gradient_formula(trace, trace.bound("w"))
    asked = [one for one in subjects(trace, only=(trace.bound("w"), 0)) if isinstance(one, Subject)]
    assert found is not None or formula_question(trace, asked[0]) is not None  # or too long, or at a kink
    if found is not None:
        known = {name: getattr(np, name) for name in ("exp", "sin", "cos", "tanh", "cosh", "sinh", "tan", "sqrt")}
        assert eval(found.text, known | dict(found.names)) == pytest.approx(asked[0].entries[0][2], rel=1e-3, abs=1e-5)

"""The formula of a derivative, as the Derivatives page has sympy write it in the program that it runs."""

import contextlib
import io

import pytest

from explorer.analysis.calculus.programs import FRAMES


def formula(text: str) -> str:
    """What the program prints of an expression of x; "" where sympy knows no formula."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(Exception):
        exec(FRAMES["symbolic"].replace("TEXT", repr(text)), {})
    return printed.getvalue().strip()


@pytest.mark.parametrize(
    ("text", "derivative"),
    [
        ("3*x**2 - 4*x", "6*x - 4"),
        ("torch.sin(x)*math.pi", "pi*cos(x)"),
        ("exp(-x) / 2", "-exp(-x)/2"),
        ("abs(x)", "sign(x)"),
        ("+x - -x", "2"),
        ("7", "0"),
        ("torch.relu(x) * 2.0", "2*Heaviside(x)"),
        ("x ** 0.5", "0.5/x**0.5"),
        ("torch.e ** x", "exp(x)"),
    ],
)
def test_formulas(text, derivative):
    assert formula(text) == derivative


@pytest.mark.parametrize(
    "text", ["[x for x in (1,)]", "'x'", "f(x)", "y", "x**x**5000", "10**(10**9)", "x +", "x.sin()"]
)
def test_what_is_no_formula_has_none(text):
    assert formula(text) == ""

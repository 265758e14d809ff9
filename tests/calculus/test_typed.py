"""A formula as people type it, written as Python writes it."""

import pytest

from explorer.analysis.calculus.function import as_python


@pytest.mark.parametrize(
    "typed, written",
    [
        ("x^2", "x**2"),
        ("2x", "2*x"),
        ("2sin(x)^2 − .5x(x+1)", "2*sin(x)**2 - .5*x*(x+1)"),
        ("(x+1)(x-1)exp(x)", "(x+1)*(x-1)*exp(x)"),
        ("3·x²", "3*x**2"),
        ("2e-3x", "2e-3*x"),
    ],
)
def test_what_python_cannot_read_is_written_for_it(typed, written):
    assert as_python(typed) == written


@pytest.mark.parametrize(
    "text",
    [
        "3*x**2 - 4*x",
        "1e3*x + 0x1f + 2j*x",
        "log2(x) + atan2(x, 2)",
        "where(x > 0, x, -x)",
        "1 if x > 2 else 3",
        "(lambda t: t*t)(x)",
        "x.int() ^ 3",
        "x['2x']",
    ],
)
def test_what_python_reads_stays(text):
    assert as_python(text) == text

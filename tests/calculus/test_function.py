"""The reader's function as text: the code around it, and error positions."""

import pytest

from explorer.analysis.views.calculus.function import Function, FunctionProblem, as_python
from explorer.analysis.views.calculus.programs import AxisWindow, point_program, single


def test_an_expression_becomes_the_body_of_f():
    f = Function("3*x**2 - 4*x")
    assert f.cell() == "def f(x):\n    return 3*x**2 - 4*x"
    assert f.place(2, 11) == (1, 0) and f.place(2, 13) == (1, 2)


def test_leading_blanks_keep_error_positions():
    f = Function("  sin(x)")
    assert f.cell().endswith("return sin(x)") and f.place(2, 11) == (1, 2)


def test_a_definition_is_a_separate_cell_with_its_own_positions():
    f = Function("a = 3\ndef slope(x):\n    return a*x\n\ndef f(x):\n    return slope(x)")
    assert (f.cell(), f.name, f.place(3, 4)) == (f.text, "f", (3, 4))
    assert Function("def loss(w):\n    return w").name == "loss"


def test_arguments_keep_the_definitions_names():
    assert Function("def f(w: float, b=1):\n    return w", ("x", "y")).arguments == ("w", "b")
    assert Function("def f(*a):\n    return a[0]", ("x", "y")).arguments == ("x", "y")
    assert Function("x*y", ("x", "y")).arguments == ("x", "y")


def test_only_names_that_are_used_are_imported():
    assert Function("sin(x) + torch.cos(x)").prelude() == "import torch\nfrom torch import sin"
    assert Function("x + math.pi").prelude() == "import math\nimport torch"
    assert Function("softplus(x)").prelude().endswith("from torch.nn.functional import softplus")
    assert Function("def f(x):\n    return F.gelu(tan(x))").prelude().split("\n")[1:] == [
        "from torch import tan",
        "import torch.nn.functional as F",
    ]


@pytest.mark.parametrize(("text", "kind"), [("", "empty"), ("x; import os", "statement"), ("x\nprint(1)", "statement")])
def test_text_that_is_not_one_expression_is_rejected(text, kind):
    with pytest.raises(FunctionProblem) as found:
        Function(text).cell()
    assert found.value.kind == kind


@pytest.mark.parametrize("text", ["x*(1 +\n2)", "len('(') * x", "x  # ( a remark", "x * [1, 2][0]"])
def test_brackets_in_strings_and_comments_are_accepted(text):
    assert text.strip() in Function(text).cell()


def test_names_in_a_function_do_not_clash_with_the_frames():
    program, _ = point_program(Function("def f(x):\n    AT = WIDE = 2\n    return AT*x"), 1.0, AxisWindow(0, 1))
    assert "AT = WIDE = 2" in program.cells[1].text and "torch.tensor(1.0" in program.cells[2].text


@pytest.mark.parametrize(
    ("ends", "kind"), [((2, 1), "window-reversed"), ((1, 1), "window-empty"), ((0, float("inf")), "window-number")]
)
def test_invalid_windows_are_rejected(ends, kind):
    with pytest.raises(FunctionProblem) as found:
        AxisWindow(*ends)
    assert found.value.kind == kind


def test_the_largest_h_is_round_and_about_a_third_of_the_window():
    assert [AxisWindow(*ends).wide for ends in ((-0.5, 2.5), (-2, 2), (0, 100), (0, 1e-3))] == [1.0, 1.0, 20.0, 2e-4]


def test_the_generated_program_is_complete():
    assert single(Function("x**2"), (3.0,), 0.5).split("\n")[2:-1] == [
        "def f(x):",
        "    return x**2",
        "",
        "x = torch.tensor(3.0, requires_grad=True)",
        "y = f(x)",
        "y.backward()",
        "h = 0.5",
        "with torch.no_grad():",
        "    quotient = (f(x + h) - f(x)) / h",
        "x.grad, quotient",
    ]
    assert "backward" not in single(Function("5"), (3.0,), 0.5, backward=False)


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
def test_mathematical_notation_is_translated_to_python(typed, written):
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
def test_valid_python_is_unchanged(text):
    assert as_python(text) == text

"""Every formula exists in the installed torch, and gives what torch passed on."""

import math

import pytest
import torch

from explorer.analysis.autograd.edge_gradients import EdgeGradients
from explorer.analysis.autograd.formulas import formulas, generated, simplified, written
from explorer.analysis.operations import DERIVATIVES, stem_of
from explorer.analysis.operations.formulas import parsed
from tests.autograd.test_formula_variants import LISTED
from tests.traces import trace_of

NO_NODES = {"Square", "Scaled", "SquaredDifference"}  # torch computes them by Pow, Add, Sub and Pow
START = "import torch\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"


def test_every_node_exists_in_the_installed_torch():
    known = set(dir(torch._C._functions))
    assert set(generated()) <= known
    stems = {stem_of(name) for name in [*generated(), "CopyBackwards", "CopySlices"]}
    assert {stem_of(name) for name in DERIVATIVES} - stems == NO_NODES


def test_every_input_of_a_formula_is_one_of_its_node():
    inputs = {stem: set() for stem in DERIVATIVES}
    for node, found in generated().items():
        for key in (node, stem_of(node)):
            inputs.setdefault(key, set()).update(name for name, _ in found)
    told = [(stem, name) for stem, names in DERIVATIVES.items() for name in names if stem not in NO_NODES]
    strange = {(stem, name) for stem, name in told if name not in inputs[stem]}
    assert strange == {("Copys", "self"), ("Copys", "src"), ("CopySlices", "")}


@pytest.mark.parametrize(
    "expression",
    [
        "F.binary_cross_entropy(a - 0.5, b)",  # 0 / 0, which torch bounds
        "torch.special.ndtri(a / 9)",  # the table has no rule for it
    ],
)
def test_a_rule_is_told_only_where_torch_did_by_it(expression):
    leaves = "a = torch.tensor([0.5, 1.0, 1.5], requires_grad=True)\nb = torch.tensor([0.2, 0.6, 0.9])\n"
    trace = trace_of(f"{START}{leaves}y = {expression}\ny.sum().backward()")
    passing = EdgeGradients(trace, 0, "y")
    node = next(
        n for n, edge in passing.passed if trace.strings[trace.nodes.name[n]] not in ("SumBackward0", "SubBackward0")
    )
    for told in passing.of(node, "en"):
        assert told.formula.kind == "torch" and not told.left, told


def test_every_entry_of_the_table_is_compared():
    computable = {stem for stem, rows in DERIVATIVES.items() if any(row.formula for row in rows.values())}
    computable -= NO_NODES
    assert {stem_of(node) for node in computable} - set(LISTED) == set()


@pytest.mark.parametrize(
    ("expression", "words", "text"),
    [
        ("-self / other**2", {"self": "a", "other": "x + 1"}, "−a / (x + 1)²"),
        ("exponent * self**(exponent - 1)", {"self": "a*b"}, "2 · (a*b)"),
        ("result * (1 - result)", {"result": "s"}, "s · (1 − s)"),
        ("G @ T(mat2)", {"mat2": "W2"}, "G @ W2ᵀ"),
        ("G @ T(mat2)", {"mat2": "m.weightᵀ"}, "G @ m.weight"),
        ("where(result > 0, 1, 0)", {"result": "h"}, "1 where h > 0, else 0"),
        ("G - exp(result) * sum(G, dim)", {"result": "z.log_softmax(1)"}, "G − exp(z.log_softmax(1)) · sum(G)"),
        ("other", {"other": "−3"}, "−3"),
        ("2 * other", {"other": "−3"}, "2 · (−3)"),
        ("where((self >= low) & (self <= high), 1, 0)", {"self": "x"}, "1 where x ≤ 1, else 0"),
        ("1 / (2 * result)", {"result": "f(a + b)"}, "1 / (2 · f(a + b))"),
    ],
)
def test_formulas_as_people_write_them(expression, words, text):
    assert (
        written(simplified(parsed(expression), {"exponent": 2.0, "low": -math.inf, "high": 1.0}), words, "en") == text
    )


@pytest.mark.parametrize(
    ("power", "text"),
    [(math.inf, "∞ · a^∞"), (-math.inf, "−∞ · a^(−∞)"), (math.nan, "NaN · a^NaN"), (0.5, "0.5 · a^(−0.5)")],
)
def test_a_power_that_is_no_whole_number_stands_behind_a_mark(power, text):
    formula = simplified(parsed("exponent * self ** (exponent - 1)"), {"exponent": power})
    assert written(formula, {"self": "a"}, "en") == text


def test_what_nobody_wrote_by_hand_has_torchs_own_formula():
    [one] = formulas("FrexpBackward0", 1)
    assert (one.kind, one.input) == ("torch", "self") and "grad" in one.expression


def test_a_list_of_inputs_and_a_function_of_the_program():
    assert [one.words for one in formulas("CatBackward0", 3)] == ["part"] * 3
    assert formulas("MyFunctionBackward", 2, own=True)[1].kind == "own"

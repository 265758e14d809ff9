"""Every formula exists in the installed torch, and gives what torch passed on."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.autograd import selected_backward
from explorer.analysis.autograd.edge_gradients import EdgeGradients
from explorer.analysis.autograd.formulas import formulas, generated, simplified, written
from explorer.analysis.autograd.operands import array_of
from explorer.analysis.operations import DERIVATIVES, stem_of
from explorer.analysis.operations.formulas import parsed
from tests.autograd.test_formula_variants import LISTED
from tests.traces import trace_of

NO_NODES = {"Square", "Scaled", "SquaredDifference"}  # torch computes them by Pow, Add, Sub and Pow
START = "import torch\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"


def against_torch(program: str) -> dict[str, list[bool]]:
    """Per kind of node, for every edge whose formula can be computed: whether it gives what torch passed on."""
    trace = trace_of(START + program, seed=1)  # the old norm has no public name
    passing = EdgeGradients(trace, selected_backward(trace), "y")
    found: dict[str, list[bool]] = {}
    for node, position in passing.passed:
        name = trace.strings[trace.nodes.name[node]]
        expected = array_of(trace.value(passing.passed[node, position]))
        result = passing.by_formula(node, position)
        if result is not None:
            agrees = np.allclose(result, expected, 2e-3, 1e-5 + 1e-5 * np.abs(expected).max(), equal_nan=True)
            found.setdefault(stem_of(name), []).append(bool(agrees))
    return found


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


COMPARED = [
    ("Add", "a + b"),
    ("Add", "torch.add(a, b, alpha=3)"),
    ("Sub", "a - b"),
    ("Sub", "torch.sub(a, b, alpha=3)"),
    ("Rsub", "2 - a"),
    ("Mul", "a * b"),
    ("Mul", "a * 3"),
    ("Div", "a / b"),
    ("Pow", "a ** 3"),
    ("Pow", "a ** b"),
    ("Pow", "2.0 ** a"),
    ("Neg", "-a"),
    ("Asinh", "a.asinh()"),
    ("Atanh", "(a / 2).atanh()"),
    ("Logit", "(a / 2).logit()"),
    ("Exp", "a.exp()"),
    ("Exp2", "a.exp2()"),
    ("Expm1", "a.expm1()"),
    ("Log", "a.log()"),
    ("Log2", "a.log2()"),
    ("Log10", "a.log10()"),
    ("Log1P", "a.log1p()"),
    ("Sqrt", "a.sqrt()"),
    ("Rsqrt", "a.rsqrt()"),
    ("Reciprocal", "1 / a"),
    ("Sin", "a.sin()"),
    ("Cos", "a.cos()"),
    ("Tan", "a.tan()"),
    ("Asin", "(a / 9).asin()"),
    ("Acos", "(a / 9).acos()"),
    ("Atan", "a.atan()"),
    ("Atan2", "torch.atan2(a, b)"),
    ("Sinh", "a.sinh()"),
    ("Cosh", "a.cosh()"),
    ("Tanh", "a.tanh()"),
    ("Sigmoid", "a.sigmoid()"),
    ("LogSigmoid", "F.logsigmoid(a)"),
    ("Softplus", "F.softplus(a)"),
    ("Silu", "F.silu(a)"),
    ("Erf", "a.erf()"),
    ("Relu", "torch.relu(a - 1)"),
    ("LeakyRelu", "F.leaky_relu(a - 1, 0.2)"),
    ("Abs", "(a - 1).abs()"),
    ("Sum", "a.sum() * b"),
    ("Mean", "a.mean() * b"),
    ("Max", "a.max() * b"),
    ("Min", "a.min() * b"),
    ("Amax", "a.amax() * b"),
    ("Amin", "a.amin() * b"),
    ("Prod", "a.prod() * b"),
    ("Var", "a.var() * b"),
    ("Std", "a.std() * b"),
    ("Logsumexp", "a.logsumexp(0) * b"),
    ("LinalgVectorNorm", "a.norm() * b"),
    ("LinalgVectorNorm", "torch.linalg.vector_norm(a) * b"),
    ("Hypot", "torch.hypot(a, b)"),
    ("Logaddexp2", "torch.logaddexp2(a, b)"),
    ("Sinc", "torch.sinc(a)"),
    ("SpecialErfcx", "torch.special.erfcx(a)"),
    ("SpecialEntr", "torch.special.entr(a.abs() + 0.1)"),
    ("Unfold", "a.unfold(-1, 2, 1)"),
    ("Where", "torch.where(a > 1, a, b)"),
    ("ClampMin", "torch.clamp_min(a, 1)"),
    ("ClampMax", "torch.clamp_max(a, 1)"),
    ("Clamp", "a.clamp(min=1)"),
    ("Clamp", "a.clamp(max=1)"),
    ("Clamp", "a.clamp(0.7, 1.2)"),
    ("MaskedFill", "a.masked_fill(a > 1, 0)"),
    ("Maximum", "torch.maximum(a, b)"),
    ("Minimum", "torch.minimum(a, a.detach() * 1)"),
    ("Dot", "torch.dot(a, b)"),
    ("MseLoss", "F.mse_loss(a, b)"),
    ("MseLoss", "F.mse_loss(a, b, reduction='sum')"),
    ("BinaryCrossEntropy", "F.binary_cross_entropy(a / 9, b.detach() / 9)"),
    ("BinaryCrossEntropyWithLogits", "F.binary_cross_entropy_with_logits(a, b.detach())"),
    ("Addcmul", "torch.addcmul(a, a, b, value=2)"),
    ("Addcdiv", "torch.addcdiv(a, a, b, value=2)"),
    ("Lerp", "torch.lerp(a, b, 0.3)"),
    ("Remainder", "a % 0.3"),
    ("Floor", "a.floor()"),
    ("Clone", "a.clone()"),
    ("ToCopy", "a.double()"),
    ("Mm", "A @ B"),
    ("Addmm", "torch.addmm(b, A, B, beta=2, alpha=3)"),
    ("Addmm", "F.linear(A, B.T, b)"),
    ("Mv", "A @ a"),
    ("Addmv", "torch.addmv(b, A, a)"),
    ("Bmm", "torch.bmm(A[None], B[None])"),
    ("Baddbmm", "torch.baddbmm(b, A[None], B[None])"),
    ("T", "A.t() * b"),
    ("Softmax", "A.softmax(1) * b"),
    ("LogSoftmax", "A.log_softmax(0) * b"),
    ("Norm", "torch._VF.norm(a, 2) * b"),
    ("Fmod", "torch.fmod(a, 0.3)"),
    ("Sign", "a.sign()"),
    ("Ceil", "a.ceil()"),
    ("Round", "a.round()"),
    ("Copys", "(a * 1).copy_(b)"),
    ("Alias", "a[...] * b"),
    *[("LinalgVectorNorm", f"A.norm({order}, dim=1) * b") for order in (1, 1.5, 2, 3)],
    *[("Norm", f"torch._VF.norm(a, {order}) * b") for order in (1, 3)],
    *[
        ("Var", f"A.var({given}) * b")
        for given in ("0", "1", "1, correction=0", "1, True, keepdim=True", "correction=3")
    ],
    *[("Std", f"A.std({given}) * b") for given in ("0", "-1", "1, correction=0", "unbiased=False")],
    *[("Mean", f"A.mean({given}) * b") for given in ("1", "0, keepdim=True", "(0, 1)", "(-1,)")],
    *[("Sum", f"A.sum({given}) * b") for given in ("1", "0, keepdim=True", "(0, 1)", "(-1,)")],
    ("Sum", "torch.stack([A, B]).sum((0, 2)) * b"),
    ("Prod", "A.prod(1) * b"),
    ("Logsumexp", "A.logsumexp(1) * b"),
    ("Amax", "A.amax(1) * b"),
    ("Amin", "A.amin((0, 1)) * b"),
    ("Max", "A.max(1).values * b"),
    ("Pow", "(a - 0.5) ** b"),
    ("Pow", "(a - 0.5) ** 0"),
    ("Div", "torch.div(a, b, rounding_mode='floor')"),
    ("Div", "torch.div(a, b, rounding_mode='trunc')"),
    ("BinaryCrossEntropyWithLogits", "F.binary_cross_entropy_with_logits(a, b.detach(), reduction='none')"),
    ("BinaryCrossEntropy", "F.binary_cross_entropy(a / 9, b.detach() / 9, reduction='sum')"),
]


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
    assert {stem_of(node) for node in computable} - {stem for stem, _ in COMPARED} - set(LISTED) == set()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("node", "expression"), COMPARED)
def test_a_formula_gives_what_torch_passed_on(node, expression):
    program = f"""
a = torch.tensor([0.5, 1.0, 1.5], requires_grad=True)
b = torch.tensor([1.2, 0.6, 0.9], requires_grad=True)
A = torch.randn(3, 3, requires_grad=True)
B = torch.randn(3, 3, requires_grad=True)
y = {expression}
(y * torch.arange(1., 1 + y.numel()).reshape(y.shape)).sum().backward()
"""
    found = against_torch(program)
    assert found[node] and all(found[node]), found


def test_a_stretched_input_gets_the_sum():
    found = against_torch("""
a = torch.tensor([[1.], [2.]], requires_grad=True)
b = torch.tensor([[3., 4., 5.]], requires_grad=True)
(a * b).sum().backward()
""")
    assert found["Mul"] == [True, True]


LEAVES = ("p", "q", "r")
UNARY = ("({}).sin()", "({}).tanh()", "({}).sigmoid()", "({}).exp()", "-({})", "({}) ** 2", "(({}) ** 2 + 1).log()")
BINARY = ("({}) + ({})", "({}) - ({})", "({}) * ({})", "({}) / (({}) ** 2 + 1)", "torch.maximum({}, {})")
expressions = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds(lambda form, a: form.format(a), st.sampled_from(UNARY), inner),
        st.builds(lambda form, a, b: form.format(a, b), st.sampled_from(BINARY), inner, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=40, deadline=None)
@given(expressions, st.tuples(*[st.integers(-8, 8).map(lambda n: n / 4)] * 3))
def test_random_scalar_expressions(expression, values):
    lines = [f"{name} = torch.tensor({v}, requires_grad=True)" for name, v in zip(LEAVES, values, strict=True)]
    found = against_torch("\n".join([*lines, f"y = ({expression}) * 1.5", "y.backward()"]))
    assert {agrees for edges in found.values() for agrees in edges} == {True}, (expression, values, found)


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

"""Calls of many forms in one program, repeated, pass on the same gradients."""

import math

import pytest
import torch

from explorer.analysis.explain.autograd import selected_backward
from explorer.analysis.explain.autograd.edge_gradients import EdgeGradients
from explorer.analysis.explain.autograd.formula_values import agrees, evaluated
from explorer.analysis.explain.autograd.node_formulas import formulas, generated, simplified, written
from explorer.analysis.explain.autograd.operands import array_of
from explorer.analysis.run.operations import DERIVATIVES, stem_of
from explorer.analysis.run.operations.formulas import parsed
from explorer.runtime import replay
from explorer.trace import Trace
from tests.traces import trace_of

LEAVES = """
import torch
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.randn(3, 4, requires_grad=True)
p = torch.rand(3, 4).add(0.2).div(2).requires_grad_()
t = torch.tensor([[1., 3., 3., 2.], [0., 0., 5., 1.], [2., 2., 2., 2.]], requires_grad=True)  # ties and zeros
o = torch.zeros(2, 3, requires_grad=True)
e = torch.tensor([[-4., -3., -1., -0.5], [0., 0.5, 1., 3.], [6., 7., 25., 0.1]], requires_grad=True)  # the kinks
w = torch.randn(4, requires_grad=True)
b = torch.randn(4, requires_grad=True)
u = torch.rand(3, 4)
mean, variance = torch.randn(4), torch.rand(4) + 0.5
image = torch.randn(2, 2, 3, 3, requires_grad=True)
wide = torch.randn(1, 4, 4, 4, requires_grad=True)
line = torch.randn(2, 2, 6, requires_grad=True)
cube = torch.randn(1, 1, 3, 3, 3, requires_grad=True)
flat = torch.ones(1, 1, 4, 4, requires_grad=True)
kernel = torch.randn(2, 2, 2, 2, requires_grad=True)
grouped = torch.randn(4, 2, 2, 2, requires_grad=True)
small = torch.randn(2, 2, 3, requires_grad=True)
one = torch.randn(2, requires_grad=True)
table = torch.randn(5, 3, requires_grad=True)
picked = torch.tensor([[0, 1, 1], [4, 0, 1]])
labels = torch.tensor([0, 2, 2])
four = torch.tensor([0.5, 1., 2., 3.])
heads = torch.randn(1, 2, 3, 4, requires_grad=True)
a = torch.tensor([0.5, 1.0, 1.5], requires_grad=True)
c = torch.tensor([1.2, 0.6, 0.9], requires_grad=True)
A = torch.randn(3, 3, requires_grad=True)
B = torch.randn(3, 3, requires_grad=True)
total = torch.zeros(())
"""

CALLS = """
Add a + c, torch.add(a, c, alpha=3) | Sub a - c, torch.sub(a, c, alpha=3) | Rsub 2 - a | Mul a * c, a * 3 | Neg -a
Asinh a.asinh() | Atanh (a / 2).atanh() | Logit (a / 2).logit() | Exp a.exp() | Exp2 a.exp2() | Expm1 a.expm1()
Log a.log() | Log2 a.log2() | Log10 a.log10() | Log1P a.log1p() | Sqrt a.sqrt() | Rsqrt a.rsqrt() | Reciprocal 1 / a
Sin a.sin() | Cos a.cos() | Tan a.tan() | Asin (a / 9).asin() | Acos (a / 9).acos() | Atan a.atan()
Atan2 torch.atan2(a, c) | Sinh a.sinh() | Cosh a.cosh() | Tanh a.tanh() | Sigmoid a.sigmoid() | Silu F.silu(a)
LogSigmoid F.logsigmoid(a) | Erf a.erf() | Hypot torch.hypot(a, c) | Logaddexp2 torch.logaddexp2(a, c)
Sinc torch.sinc(a) | SpecialErfcx torch.special.erfcx(a) | SpecialEntr torch.special.entr(a.abs() + 0.1)
Sum a.sum(), A.sum(1), A.sum(0, keepdim=True), A.sum((0, 1)), A.sum((-1,)), torch.stack([A, B]).sum((0, 2))
Mean a.mean(), A.mean(1), A.mean(0, keepdim=True), A.mean((0, 1)), A.mean((-1,)) | Dot torch.dot(a, c)
Where torch.where(a > 1, a, c) | MaskedFill a.masked_fill(a > 1, 0) | Unfold a.unfold(-1, 2, 1) | Clone a.clone()
Addcmul torch.addcmul(a, a, c, value=2) | Addcdiv torch.addcdiv(a, a, c, value=2) | Lerp torch.lerp(a, c, 0.3)
Remainder a % 0.3 | Fmod torch.fmod(a, 0.3) | Floor a.floor() | Ceil a.ceil() | Round a.round() | Sign a.sign()
ToCopy a.double() | Mm A @ B | Addmm torch.addmm(c, A, B, beta=2, alpha=3), F.linear(A, B.T, c) | Mv A @ a
Addmv torch.addmv(c, A, a) | Bmm torch.bmm(A[None], B[None]) | Baddbmm torch.baddbmm(c, A[None], B[None]) | T A.t()
Copys (a * 1).copy_(c) | Alias a[...]
Elu F.elu(x), F.elu(e, 0.5), F.selu(x), F.selu(e)
Celu F.celu(x, 0.7)
Gelu F.gelu(x), F.gelu(x, approximate='tanh'), F.gelu(e, approximate='tanh')
Softplus F.softplus(x), F.softplus(e), F.softplus(e, 2, 1), F.softplus(x, 0.5, threshold=0)
PreluKernel F.prelu(e, one[:1])
Hardtanh F.hardtanh(e), F.relu6(e), F.hardtanh(x, -0.3, 0.2)
Hardsigmoid F.hardsigmoid(e)
Hardswish F.hardswish(e)
Hardshrink F.hardshrink(e)
Softshrink F.softshrink(e, 1)
Threshold F.threshold(e, 0.5, 20)
LeakyRelu F.leaky_relu(e, 0.3)
Relu F.relu(e), torch.relu_(e * 1)
Logaddexp torch.logaddexp(x, t)
Max x.max(1).values, t.max(1)[0], t.max(0, keepdim=True)[0], t.max(), t.max(-1).values
Min t.min(1).values, t.min(), t.min(-2, True)[0]
Amax t.amax(1), t.amax((0, 1)), t.amax(-1, keepdim=True)
Amin t.amin(0), t.amin()
Median t.median(), t.median(1).values
Kthvalue x.kthvalue(2, 1).values, t.kthvalue(3, 0, keepdim=True).values
Mode t.mode(1).values
Sort t.sort(1)[0], x.sort(0, descending=True)[0]
Topk x.topk(2)[0], t.topk(2, 0)[0]
Gather x.gather(1, torch.tensor([[0, 0], [1, 2], [3, 3]])), x.gather(-2, torch.tensor([[0, 1, 2, 0]]))
IndexSelect x.index_select(1, torch.tensor([0, 0, 3])), x.index_select(-2, torch.tensor([2]))
Cumsum x.cumsum(0), x.cumsum(-1)
Cumprod x.cumprod(1), t.cumprod(-1), t.cumprod(0)
Cummax t.cummax(1)[0]
Cummin t.cummin(0)[0]
Prod x.prod(), t.prod(), t.prod(1), x.prod(0, keepdim=True), t.prod(-1), t[0].prod()
Norm torch._VF.norm(x, 1), torch._VF.norm(a, 2), torch._VF.norm(a, 3), torch._VF.norm(x, float('inf'))
LinalgVectorNorm x.norm(), t.norm(float('inf')), t.norm(float('inf'), 1), x.norm(1), x.norm(3, -1, keepdim=True),
    o.norm(), o.norm(2, 1), o.norm(3), t.norm(1.5, 1), t.norm(float('-inf'), 0), o.norm(float('inf')), t.norm(0.5)
Var x.var(), x.var(1, unbiased=False), x.var(-1, correction=2), x.var((0, 1), keepdim=True)
Std x.std(0), x.std(-1, unbiased=False), t.std(1, keepdim=True), t[2:].std(-1, unbiased=False), o.std()
Logsumexp t.logsumexp(1), x.logsumexp((0, 1)), x.logsumexp(-2, keepdim=True)
Softmax x.softmax(-1), t.softmax(0), F.softmin(x, 1)
LogSoftmax x.log_softmax(-1), t.log_softmax(0)
Div torch.div(x, t + 1, rounding_mode='floor'), torch.div(t, p, rounding_mode='trunc'), x / p
Pow a ** 3, 2.0 ** a, (a - 0.5) ** c, x ** 0, t ** 0, t ** 2, p ** x, 0.0 ** t
Clamp e.clamp(-1, 1), e.clamp(min=0.5), e.clamp(p, p + 1), e.clamp(1, -1)
ClampMin torch.clamp_min(e, 0.5), F.normalize(x)
ClampMax torch.clamp_max(e, 0.5)
Maximum torch.maximum(t, t.detach()), torch.maximum(x, w)
Minimum torch.minimum(t, t.flip(1))
Abs t.abs(), F.l1_loss(x, u)
NllLoss F.nll_loss(x, labels), F.nll_loss(x, labels, reduction='none'), F.nll_loss(x, labels, reduction='sum'),
    F.nll_loss(x, labels, weight=four), F.nll_loss(x, labels, weight=four, reduction='sum'),
    F.nll_loss(x, labels, four, reduction='none'), F.nll_loss(x, labels, ignore_index=2),
    F.nll_loss(x, labels, ignore_index=0, weight=four), F.nll_loss(x, labels, ignore_index=2, reduction='none'),
    F.cross_entropy(x, labels), F.cross_entropy(x[0], labels[0]), F.cross_entropy(x, labels, label_smoothing=0.1)
NllLoss2D F.cross_entropy(image, torch.zeros(2, 3, 3).long()),
    F.cross_entropy(image, torch.ones(2, 3, 3).long(), weight=four[:2], ignore_index=0, reduction='sum')
SmoothL1Loss F.smooth_l1_loss(e, t), F.smooth_l1_loss(x, u, beta=0.3), F.smooth_l1_loss(x, u, reduction='sum'),
    F.smooth_l1_loss(t, e, reduction='none', beta=2)
HuberLoss F.huber_loss(e, t), F.huber_loss(x, u, delta=0.3), F.huber_loss(x, u, reduction='sum'),
    F.huber_loss(t, e, reduction='none', delta=2)
MseLoss F.mse_loss(x, t), F.mse_loss(x, u, reduction='sum'), F.mse_loss(x, u, reduction='none')
BinaryCrossEntropy F.binary_cross_entropy(p, u), F.binary_cross_entropy(p, u, weight=four),
    F.binary_cross_entropy(p, u, weight=u, reduction='sum'), F.binary_cross_entropy(p, u, reduction='none')
BinaryCrossEntropyWithLogits F.binary_cross_entropy_with_logits(x, u),
    F.binary_cross_entropy_with_logits(e, u, weight=four), F.binary_cross_entropy_with_logits(x, u, pos_weight=four),
    F.binary_cross_entropy_with_logits(x, u, weight=u, pos_weight=four, reduction='none'),
    F.binary_cross_entropy_with_logits(x, u, reduction='sum')
NativeLayerNorm F.layer_norm(x, (4,)), F.layer_norm(x, (4,), w, b), F.layer_norm(x, (3, 4)),
    F.layer_norm(x, (4,), w.detach(), b), F.layer_norm(t, (4,), w), F.layer_norm(x, (4,), eps=0.5)
NativeBatchNorm F.batch_norm(x, None, None, training=True),
    F.batch_norm(x, mean.clone(), variance.clone(), w, b, training=True), F.batch_norm(x, mean, variance, w, b),
    F.batch_norm(x, mean, variance), F.batch_norm(image, mean[:2].clone(), variance[:2].clone(), one, one, True),
    F.batch_norm(image, mean[:2], variance[:2], one, one, eps=0.3), F.instance_norm(image)
NativeGroupNorm F.group_norm(wide, 2), F.group_norm(wide, 2, w, b), F.group_norm(image, 1),
    F.group_norm(image, 2, one, one)
Convolution F.conv2d(image, kernel), F.conv2d(image, kernel, one, stride=2, padding=1),
    F.conv2d(image, kernel, padding=(1, 0), dilation=(1, 2)), F.conv2d(wide, grouped, groups=2),
    F.conv1d(line, small), F.conv1d(line, small, one, stride=2, padding=2, dilation=2),
    F.conv1d(line[0], small, padding='same'), F.conv3d(cube, cube[:, :, :2, :2, :1]),
    F.conv_transpose2d(image, kernel),
    F.conv_transpose2d(image[:1], kernel, one, stride=2, padding=1, output_padding=1),
    F.conv_transpose1d(line[:1, :, :3], small, stride=3, dilation=2),
    F.conv_transpose2d(wide[:, :, 1:3, 1:3], grouped, groups=2), F.conv2d(image, kernel[:, :1], groups=2),
    F.conv2d(wide, kernel[:, :1].repeat(2, 1, 1, 1), groups=4, stride=3)
MaxPool2DWithIndices F.max_pool2d(wide, 2), F.max_pool2d(flat, 2), F.max_pool2d(image, 2, 1),
    F.max_pool2d(image, 3, 2, 1), F.max_pool2d(wide, 2, dilation=2, stride=1), F.max_pool1d(line, 2),
    F.max_pool2d(image, 2, ceil_mode=True), F.max_pool2d(wide[0], 2)
MaxPool3DWithIndices F.max_pool3d(cube, 2)
AvgPool2D F.avg_pool2d(wide, 2), F.avg_pool2d(image, 2, 1, 1), F.avg_pool2d(image, 2, 2, 1, count_include_pad=False),
    F.avg_pool2d(image, 2, ceil_mode=True), F.avg_pool2d(image, 2, divisor_override=3),
    F.avg_pool2d(image, 3, 2, 1, ceil_mode=True), F.avg_pool1d(line, 3, 2)
AvgPool3D F.avg_pool3d(cube, 2)
AdaptiveAvgPool2D F.adaptive_avg_pool2d(image, 2), F.adaptive_avg_pool2d(wide, (3, 2)), F.adaptive_avg_pool1d(line, 4)
AdaptiveMaxPool2D F.adaptive_max_pool2d(image, 2), F.adaptive_max_pool1d(line, 4)
View x.view(-1), x.view(2, 6), x.flatten()
Squeeze x[:1].squeeze(0), x[:, :1].squeeze(-1)
Unsqueeze x.unsqueeze(-1), x[None]
Transpose x.transpose(0, -1), x.mT
Permute image.permute(3, 0, -2, 1), x.T
Flip x.flip(-1, 0)
Expand w.expand(3, 4), x[:, :1].expand(-1, 5)
Select x[1], x[:, -1], x.select(-1, 2)
Slice x[1:], x[:, ::2], x[:, -3:-1], x[0:99]
UnsafeView heads @ heads.mT
ReshapeAlias torch.einsum('ij,kj->ik', x, x)
AdaptiveAvgPool3D F.adaptive_avg_pool3d(cube, 2)
AdaptiveMaxPool3D F.adaptive_max_pool3d(cube, (1, 2, 3))
Embedding F.embedding(picked, table), F.embedding(picked, table, padding_idx=1),
    F.embedding(picked, table, padding_idx=0, scale_grad_by_freq=True), F.embedding(picked[0, 0], table),
    F.embedding(picked, table, padding_idx=-1)
ScaledDotProductFlashAttentionForCpu F.scaled_dot_product_attention(heads, heads * 2, heads),
    F.scaled_dot_product_attention(heads, heads, heads, is_causal=True),
    F.scaled_dot_product_attention(heads, heads, heads, scale=0.3),
    F.scaled_dot_product_attention(heads, heads, heads, torch.tril(torch.ones(3, 3)).log())
"""
NO_NODES = {"Square", "Scaled", "SquaredDifference"}  # torch computes them with Pow, Add, Sub and Pow
START = "import torch\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"


def _split(calls: str) -> list[str]:
    """Calls between commas outside brackets."""
    found, depth = [""], 0
    for character in calls:
        depth += (character in "([") - (character in ")]")
        found[-1] += character
        if character == "," and depth == 0:
            found[-1] = found[-1][:-1]
            found.append("")
    return [one.strip() for one in found]


_ROWS = CALLS.strip().replace("\n    ", " ").replace(" | ", "\n").splitlines()  # continued rows are indented
LISTED = {stem: _split(calls) for stem, _, calls in (row.partition(" ") for row in _ROWS)}


@pytest.fixture(scope="module")
def ran() -> Trace:
    lines = [
        f"y = {call}\ntotal = total + (y * torch.linspace(0.5, 1.5, y.numel()).reshape(y.shape)).sum()"
        for calls in LISTED.values()
        for call in calls
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "MOST_CALLS", 100_000)
        patch.setattr(replay, "MOST_SLOPES", 10_000_000)
        trace = trace_of(LEAVES + "\n".join([*lines, "total.backward()"]))
    assert trace.backwards and trace.backwards[-1].status == "ok", [cell.outputs for cell in trace.cells]
    return trace


@pytest.mark.thorough
def test_recomputed_calls_and_written_formulas_pass_the_recorded_gradient(ran):
    passing, nodes = EdgeGradients(ran, selected_backward(ran), "total"), ran.nodes
    asked, wrong = set(), []
    for (node, edge), value in passing.passed.items():
        result = ran.value(value)
        if array_of(result) is None:
            continue
        call = ran.text(ran.operations.span[nodes.operation[node]])
        formulas, (_, _, arrays, _) = passing.known(node)
        for made in (by_torch := passing.by_torch(node, edge), evaluated(formulas[edge], arrays, result.shape)):
            if made is not None and not agrees(made, result):
                wrong.append((ran.strings[nodes.name[node]], edge, call, made.tolist(), result.data))
        asked |= {call} if by_torch is not None else set()
    assert not wrong, "\n".join(map(str, wrong))
    calls = [call for calls in LISTED.values() for call in calls]
    unasked = [call for call in calls if not any(text in call or call in text for text in asked)]
    assert all(call.startswith("torch._VF") for call in unasked), unasked  # functions without a public name


def test_every_node_exists_in_the_installed_torch():
    known = set(dir(torch._C._functions))
    assert set(generated()) - {"CholeskyBackward0"} <= known  # torch 2.14 has only torch.linalg.cholesky
    stems = {stem_of(name) for name in [*generated(), "CopyBackwards", "CopySlices"]}
    assert {stem_of(name) for name in DERIVATIVES} - stems == NO_NODES


def test_every_formula_input_is_an_input_of_its_node():
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
def test_a_rule_is_shown_only_if_torch_used_it(expression):
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
def test_formulas_are_written_like_in_textbooks(expression, words, text):
    assert (
        written(simplified(parsed(expression), {"exponent": 2.0, "low": -math.inf, "high": 1.0}), words, "en") == text
    )


@pytest.mark.parametrize(
    ("power", "text"),
    [(math.inf, "∞ · a^∞"), (-math.inf, "−∞ · a^(−∞)"), (math.nan, "NaN · a^NaN"), (0.5, "0.5 · a^(−0.5)")],
)
def test_a_fractional_power_is_written_as_an_exponent(power, text):
    formula = simplified(parsed("exponent * self ** (exponent - 1)"), {"exponent": power})
    assert written(formula, {"self": "a"}, "en") == text


def test_torchs_formula_is_used_without_a_written_one():
    [one] = formulas("FrexpBackward0", 1)
    assert (one.kind, one.input) == ("torch", "self") and "grad" in one.expression


def test_lists_of_inputs_and_custom_functions_have_formulas():
    assert [one.words for one in formulas("CatBackward0", 3)] == ["part"] * 3
    assert formulas("MyFunctionBackward", 2, own=True)[1].kind == "own"

"""The table of operations, row by row against torch: value, derivative, shape, FLOPs."""

from contextlib import suppress

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.explain.entries.operation_view import operation_view
from explorer.analysis.run.operations import ALL, NAMES, operation_of
from explorer.analysis.run.operations.rules import valued
from explorer.analysis.run.operations.signatures import names_of, needs_no_argument
from explorer.analysis.views.calculus.function import Function
from tests.traces import trace_of

FIRST = (-2.0, -0.5, 0.0, 0.0, 0.0, 0.75, 1.0, 2.0, 4.0)
SECOND = (2.0, 3.0, 0.0, 1.0, 2.0, 0.75, -1.0, 0.5, 0.0)  # with zeros, kinks and ties
GIVEN = {"min": -0.5, "max": 1.0, "threshold": 0.3, "value": 7.0}  # options without a default
COMPOSED = {
    "scaled": lambda x, y, alpha: torch.add(x, y, alpha=alpha[0].item()),
    "squared_difference": lambda x, y: (x - y) ** 2,
}
WITH_FORMULA = [operation for operation in ALL if operation.forward]


def function_of(name: str):
    """torch's function of this name."""
    if name in COMPOSED:
        return COMPOSED[name]
    name = name.removeprefix("special_")
    return next(getattr(room, name) for room in (torch, F, torch.special, torch._C._nn) if hasattr(room, name))


@pytest.mark.parametrize("operation", WITH_FORMULA, ids=lambda operation: operation.name)
def test_a_formula_matches_torch_at_kinks_and_ties_too(operation):
    arrays = [np.array(numbers) for numbers in (FIRST, SECOND, (3.0,) * 9)][: len(operation.operands)]
    options = {name: GIVEN[name] if plain is None else plain for name, plain in operation.options.items()}
    value = function_of(operation.name)(*map(torch.tensor, arrays), *options.values()).numpy()
    ours = valued(operation, arrays, **options)
    assert ours.shape == value.shape
    assert np.allclose(ours, value, 1e-12, 1e-12, equal_nan=True)


# A call of every other operation with an entry map, by its name.
SETUP = """
import torch
import torch.nn.functional as F
torch.manual_seed(0)
a, b = torch.randn(3, 4), torch.randn(4, 3)
v, w, c = torch.randn(4), torch.randn(4), torch.randn(2, 3, 3)
i, j, mask = torch.tensor([[0, 2, 1, 1]]), torch.tensor([2, 0]), torch.randn(3, 4) > 0
x1, x2, x3 = torch.randn(1, 2, 6), torch.randn(1, 2, 5, 6), torch.randn(1, 2, 4, 4, 4)
mean, variance = torch.randn(2), torch.rand(2) + 0.1
"""
CALLS = """
a.sum(1) a.mean() a.prod(0) a.max(1) a.min() a.amax(1) a.amin(0) a.argmax(1) a.argmin() mask.any(0) mask.all(1)
mask.count_nonzero() a.nansum(1) a.std(1) a.var(0,unbiased=False) a.logsumexp(1) v.median() a.norm()
torch.linalg.norm(v,1) torch.linalg.vector_norm(a,3) torch.linalg.matrix_norm(a) a.cumsum(0) a.cumprod(1) a.cummax(1)
a.cummin(0) a.logcumsumexp(1) a.softmax(1) a.log_softmax(0) a.sort(1) a.topk(2) a.argsort(0) a.kthvalue(2) a[1:,j]
a.index_select(1,j) a.unfold(1,2,1) a.gather(0,i) a.take(j) a.take_along_dim(i,1) a.narrow(1,1,2) a.select(0,1)
a.masked_select(mask) mask.nonzero() torch.where(mask,a,0.) a.clone().__setitem__(0,5.) a.index_put((j,),v)
a.masked_fill(mask,2.) a.scatter(0,i,5.) a.scatter_add(0,i,a[:1]) a.index_add(0,j,a[:2]) a.clone().fill_(2.)
a.clone().zero_() a.clone().copy_(v) a.reshape(2,6) a.view(-1) a[None].squeeze(0) a.unsqueeze(1) a.contiguous()
a.clone() a.detach() a.double() a.transpose(0,1) a.t() a.mT a.permute(1,0) a.movedim(0,1) v.expand(3,4) v.repeat(2,1)
a.repeat_interleave(2,dim=1) torch.cat([a,a]) torch.stack([v,w]) torch.hstack([v,w]) torch.vstack([v,w])
torch.column_stack([v,w]) torch.dstack([a,a]) a.split(2,dim=1) a.chunk(2) a.unbind(1) torch.tensor_split(a,2)
a.flip(0) a.fliplr() a.flipud() a.roll(1,0) a.rot90() a.triu() a.tril() v.diag() a.diagonal() v.dot(w) v.vdot(w)
torch.inner(v,w) a.mv(v) a.mm(b) c.bmm(c) a@b torch.outer(v,w) torch.kron(a[0],b[0]) torch.einsum("ij,jk->ki",a,b)
F.linear(a,a,v[:3]) b[:3].trace() torch.cross(v[:3],w[:3],dim=0) torch.randperm(5) F.conv1d(x1,x1)
F.conv2d(x2,x2[:,:,:2,:3],mean[:1],2,1) F.conv3d(x3,x3[...,:2,:2,:2]) F.max_pool1d(x1,2) F.max_pool2d(x2,2,2,1)
F.max_pool3d(x3,2) F.avg_pool1d(x1,3) F.avg_pool2d(x2,2) F.avg_pool3d(x3,2) F.adaptive_max_pool1d(x1,4)
F.adaptive_max_pool2d(x2,3) F.adaptive_max_pool3d(x3,3) F.adaptive_avg_pool1d(x1,4) F.adaptive_avg_pool2d(x2,(2,4))
F.adaptive_avg_pool3d(x3,3) F.embedding(i,b) F.layer_norm(a,[4],v,w) F.batch_norm(x2,mean,variance)
F.batch_norm(x2,None,None,mean,variance,True) F.group_norm(x2,2,mean,variance) F.cross_entropy(a[:2],j)
F.nll_loss(a[:2],j)
""".split()


@pytest.fixture(scope="module")
def traced() -> dict[str, list]:
    """Return the pictures of each operation's calls."""
    trace = trace_of(SETUP + "\n".join(CALLS))
    found: dict[str, list] = {}
    for operation in range(len(trace.operations.name)):
        view = operation_view(trace, operation, layers=True)
        if view.line > SETUP.count("\n"):
            found.setdefault(operation_of(trace.strings[trace.operations.name[operation]]).name, []).append(view)
    return found


@pytest.mark.parametrize("operation", [row for row in ALL if row.entries and not row.forward], ids=lambda row: row.name)
def test_an_entry_map_matches_torchs_entries(operation, traced):
    if operation.name == "frobenius_norm":
        return  # torch has no public function of this name any more
    for view in traced[operation.name]:
        for outcome in view.outcomes:
            assert not view.missing and outcome.part.numbers is not None
        reading = view.outcomes[0].reading
        assert reading is not None and len(reading.reads[0]) == view.outcomes[0].part.size


def test_a_new_operation_is_one_record():
    """Rarely used operations: their rows hold everything about them."""
    program = """
import torch
x = torch.tensor([0.5, 2.0], requires_grad=True)
y = torch.tensor([1.0, 3.0], requires_grad=True)
torch.special.erfcx(x).sum().backward()
torch.logaddexp2(x, y).sum().backward()
torch.sinc(x).sum().backward()
torch.special.entr(x).sum().backward()
"""
    trace = trace_of(program)
    names = [trace.strings[name] for name in trace.operations.name]
    for name in ("special_erfcx", "logaddexp2", "sinc", "special_entr"):
        view = operation_view(trace, names.index(name))
        assert not view.missing and view.outcomes[0].reading.rule == name


UNKNOWN_TODAY = """
import torch
x = torch.tensor([0.2, 0.5], requires_grad=True)
{}
"""


@pytest.mark.parametrize("name", ["logit", "asinh", "atanh"])
def test_one_record_adds_a_function_everywhere(name):
    trace = trace_of(UNKNOWN_TODAY.format(f"x.{name}().sum().backward()"))
    names = [trace.strings[row] for row in trace.operations.name]
    view = operation_view(trace, names.index(name))
    assert not view.missing and view.outcomes[0].reading.rule == name
    curve = Function(f"{name}(x)", ("x",))
    assert f"from torch import {name}" in curve.prelude()
    assert [one.kind for one in diagnose(trace_of(UNKNOWN_TODAY.format(f"x.{name}")))] == ["not_called"]


@pytest.mark.parametrize(
    ("made", "how"),
    [
        ("torch.searchsorted(torch.linspace(0, 1, 5), x) * 1.0", "position"),
        ("torch.bucketize(x, torch.linspace(0, 1, 5)) * 1.0", "position"),
        ("torch.isin(x, torch.tensor([0.5])) * 1.0", "comparison"),
    ],
)
def test_a_function_without_gradient_has_its_recorded_reason(made, how):
    program = f"w = torch.ones(2, requires_grad=True)\ny = {made}\n(y * w).sum().backward()"
    told = [one for one in diagnose(trace_of(UNKNOWN_TODAY.format(program))) if one.kind == "gradient_cut"]
    assert [one.values["how"] for one in told] == [how]


# ---- facts besides values, of every operation that torch computes from these tensors ---------------------------------

NUMBERS = torch.tensor([[-1.5, -0.5, 0.25], [0.0, 0.75, 2.0]])
ONE = [
    row for row in ALL if hasattr(torch.Tensor, row.name) and not row.writes and not row.fills and row.name[0] != "_"
]


def results(operation, first: torch.Tensor):
    """Return the method's first tensor with as few arguments as possible, or None."""
    second = first.detach()
    for given in ((), (0,), (second,), (0, 1), (second, 0.5), (1, 0), (0, torch.tensor([[0, 1, 0]]))):
        try:
            made = getattr(first, operation.name)(*given)
        except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError):
            continue
        made = made[0] if isinstance(made, tuple) else made
        return made if isinstance(made, torch.Tensor) else None
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operation", ONE, ids=lambda row: row.name)
def test_recorded_dtypes_and_gradients_match_torch(operation):
    given = (NUMBERS.abs() / 2.5).clone().requires_grad_() if operation.draws else NUMBERS.clone().requires_grad_()
    made = results(operation, given)
    if made is None:
        return
    dtypes = {"truth": {torch.bool}, "positions": {torch.int64}, "counts": {torch.int64}}
    assert made.dtype in dtypes.get(operation.gives, {torch.float32}) or operation.name == "to"
    if operation.gives:
        assert made.grad_fn is None
    elif (operation.flat == "step" or operation.draws == "result") and made.grad_fn is not None:
        with suppress(RuntimeError):  # torch has no derivative of heaviside
            (slope,) = torch.autograd.grad(made.sum(), given)
            assert not slope.any()
    if operation.moves or operation.picks:
        assert set(made.flatten().tolist()) <= set(given.flatten().tolist())
    if operation.orders:
        assert results(operation, given.detach().to(torch.complex64)) is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(name for name in names_of("torch.Tensor") & NAMES if needs_no_argument(name)))
def test_a_method_that_needs_no_argument_is_called_without_one(name):
    for given in (NUMBERS.abs(), torch.eye(2), torch.tensor(True), torch.tensor(0.5)):
        with suppress(RuntimeError, IndexError):
            getattr(given.clone(), name)()
            return
    if name == "cholesky":
        pytest.skip("torch 2.14 has only torch.linalg.cholesky")
    pytest.fail("no tensor has a method that is called in this way")


def test_noise_keeps_the_gradient_and_a_drawn_result_has_none():
    x = torch.full((2, 4, 4), 0.5, requires_grad=True)
    for name in ("dropout", "dropout1d", "alpha_dropout", "feature_alpha_dropout", "rrelu", "gumbel_softmax"):
        assert operation_of(name).draws == "noise" and getattr(F, name)(x).requires_grad, name
    for name in ("bernoulli", "poisson", "normal"):
        assert operation_of(name).draws == "result", name
        (slope,) = torch.autograd.grad(getattr(torch, name)(x).sum(), x)
        assert not slope.any(), name


@pytest.mark.parametrize("operation", [row for row in WITH_FORMULA if not row.options], ids=lambda row: row.name)
def test_operations_infinite_at_zero_are_infinite_in_torch(operation):
    last = torch.zeros((), dtype=torch.float64)
    ones = [torch.ones((), dtype=torch.float64)] * (len(operation.operands) - 1)
    if operation.name not in COMPOSED:
        assert operation.is_infinite_at_zero == bool(torch.isinf(function_of(operation.name)(*ones, last)))


@pytest.mark.parametrize("operation", [row for row in ALL if row.operator], ids=lambda row: row.name)
def test_python_operators_are_their_functions(operation):
    x, y = torch.tensor([[2.0, 3.0], [5.0, 7.0]]), torch.tensor([[1.5, 2.0], [3.0, 1.0]])
    assert torch.equal(eval(f"x {operation.operator} y"), function_of(operation.name)(x, y))

"""Recording changes nothing: what a program prints, raises and leaves behind is the same with and without it."""

import contextlib
import gc
import io
import random
import sys
import types
import warnings
import weakref

import numpy
import pytest
import torch

from explorer.trace import Failure, Printed, decode, encode
from tests.programs import failure, gradient, printed, traced, unattributed, value, warned

VECTOR = "x = torch.tensor([1., 2.], requires_grad=True)\n"
PROGRAMS = {
    "training with Adam": """
from torch import nn
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Dropout(0.5), nn.Linear(4, 2))
opt = torch.optim.Adam(net.parameters(), 0.1)
schedule = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
X, y = torch.randn(6, 2), torch.randint(0, 2, (6,))
for i in range(4):
    loss = nn.functional.cross_entropy(net(X), y)
    opt.zero_grad()
    loss.backward()
    print(nn.utils.clip_grad_norm_(net.parameters(), 0.3))
    opt.step()
    schedule.step()
    print(loss.item(), loss, schedule.get_last_lr())
print(net[0].weight, net[0].weight.grad, net[0].weight.grad._version, net[0].weight._version)
""",
    "SGD with momentum": """
w = torch.nn.Parameter(torch.ones(3))
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9, weight_decay=0.1)
for _ in range(3):
    opt.zero_grad()
    (w ** 2).sum().backward()
    opt.step()
print(w, w.grad, opt.state_dict())
""",
    "training by hand from a DataLoader": """
from torch.utils.data import DataLoader, TensorDataset
X = torch.randn(10, 2)
y = X.sum(1)
w = torch.zeros(2, requires_grad=True)
for a, b in DataLoader(TensorDataset(X, y), 4, shuffle=True):
    loss = ((a @ w - b)**2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
    print(loss.item(), w._version, w.grad._version)
print(w)
""",
    "a module of one's own": """
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(2, 2))
        self.norm = nn.BatchNorm1d(2)
    def forward(self, x):
        return self.norm(torch.tanh(x @ self.w))
net = Net()
out = net(torch.randn(5, 2)).sum(0)
out[0].backward()
print(net.w.grad, list(net.state_dict()), net.norm.running_mean, net)
""",
    "copying a module": """
import copy
m = torch.nn.Linear(2, 2)
n = copy.deepcopy(m)
print(torch.equal(m.weight, n.weight), n.weight is m.weight, len(list(n.parameters())))
""",
    "a graph of a gradient": VECTOR
    + """
g, = torch.autograd.grad((x**3).sum(), x, create_graph=True)
print(g)
g.pow(2).sum().backward()
print(x.grad)
""",
    "hooks": VECTOR
    + """
y = x * 2
handle = y.register_hook(lambda g: g * 10)
y.retain_grad()
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
y.sum().backward(retain_graph=True)
handle.remove()
y.sum().backward()
print(x.grad, y.grad)
""",
    "a hook that writes into what it is given": VECTOR
    + """
y = x + 0
z = y * 1
y.register_hook(lambda g: g.mul_(2))
z.sum().backward()
print(x.grad)
""",
    "hooks on modules": """
m = torch.nn.Linear(2, 1)
m.register_forward_hook(lambda mod, args, out: print("forward", out.shape))
m.register_full_backward_hook(lambda mod, gi, go: print("backward", go[0]))
m(torch.ones(1, 2)).sum().backward()
print(m.weight.grad)
""",
    "gradients accumulate": VECTOR
    + """
for i in range(3):
    (x*x).sum().backward()
    print(x.grad, x.grad._version, x.grad is x.grad)
""",
    "views and writes": """
a = torch.randn(3, 3, requires_grad=True)
x = a * 1
v = x[0]
v.mul_(3)
x.t_()
x[x > 0] *= 2
print(v.grad_fn.name(), x.grad_fn.name(), x._version, v._is_view(), v._base is x)
x.sum().backward()
print(a.grad)
""",
    "saved-tensor hooks": VECTOR
    + """
n = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: (n.append("p"), t)[1], lambda t: (n.append("u"), t)[1]):
    y = (x*x).sum()
y.backward()
print(n, x.grad)
""",
    "checkpoint": VECTOR
    + """
from torch.utils.checkpoint import checkpoint
y = checkpoint(lambda t: (print("run"), t.sin().exp())[1], x, use_reentrant=False)
y.sum().backward()
print(x.grad)
""",
    "reentrant checkpoint": VECTOR
    + """
from torch.utils.checkpoint import checkpoint
y = checkpoint(lambda t: (print("run"), t.sin().exp())[1], x, use_reentrant=True)
y.sum().backward()
print(x.grad)
""",
    "func.grad": "f = lambda x: (x.sin()*x).sum()\nprint(torch.func.grad(f)(torch.tensor([1., 2.])))",
    "func.vmap": "print(torch.func.vmap(lambda r: (r*r).sum())(torch.randn(3, 2)))",
    "func.jacrev": "print(torch.func.jacrev(lambda x: x**2)(torch.tensor([1., 2.])))",
    "func.jacfwd": "print(torch.func.jacfwd(lambda x: x**2)(torch.tensor([1., 2.])))",
    "func.hessian": "print(torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1., 2.])))",
    "func.jvp": "print(torch.func.jvp(lambda x: x**2, (torch.ones(2),), (torch.ones(2),)))",
    "vmap of grad": "print(torch.func.vmap(torch.func.grad(lambda x: (x**3).sum()))(torch.ones(3, 2)))",
    "func and autograd": VECTOR + "(torch.func.vmap(torch.sin)(x) * x).sum().backward()\nprint(x.grad)",
    "functional.jacobian": "print(torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1., 2.])))",
    "functional.hessian": "print(torch.autograd.functional.hessian(lambda x: (x**3).sum(), torch.tensor([1., 2.])))",
    "functional_call": """
m = torch.nn.Linear(2, 1)
print(torch.func.functional_call(m, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(1, 2)))
""",
    "gradcheck": """
print(torch.autograd.gradcheck(torch.sin, (torch.randn(2, dtype=torch.float64, requires_grad=True),)))
""",
    "forward mode": """
import torch.autograd.forward_ad as fw
with fw.dual_level():
    d = fw.make_dual(torch.tensor([1., 2.]), torch.ones(2))
    print(fw.unpack_dual((d*d).sum()))
""",
    "anomaly detection": """
x = torch.tensor([0.], requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=True):
    try:
        (torch.where(x > 0, x.sqrt(), x)).sum().backward()
    except RuntimeError as e:
        print(e)
""",
    "looking at tensors": VECTOR
    + """
y = torch.randn(2)
print(torch.rand(1), f"{x.sum():.2f}", x.tolist(), len(x), [float(v) for v in x], x.shape, x.T is x, x.grad_fn)
print(x, x * 2, repr(x.sum()), bool(x[0] > 0), x.is_leaf, x.dtype, x.device, 2 in x, hash(x) == id(x))
""",
    "a thread": VECTOR
    + """
import threading
t = threading.Thread(target=lambda: (x*x).sum().backward())
t.start()
t.join()
print(x.grad)
""",
    "complex numbers": "z = torch.tensor([1 + 2j], requires_grad=True)\n(z * z.conj()).real.sum().backward()\nprint(z.grad)",
    "sparse gradients": """
e = torch.nn.Embedding(3, 2, sparse=True)
e(torch.tensor([1])).sum().backward()
print(e.weight.grad)
""",
    "a sparse matrix": """
s = torch.sparse_coo_tensor([[0, 1], [1, 0]], [2., 3.], (2, 2), requires_grad=True)
torch.sparse.mm(s, torch.ones(2, 2)).sum().backward()
print(s, s.grad.to_dense())
""",
    "bfloat16": """
x = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
(x * 2).sum().backward()
print(x.grad)
""",
    "autocast": """
m = torch.nn.Linear(3, 2)
with torch.autocast("cpu", dtype=torch.bfloat16):
    y = m(torch.ones(2, 3))
y.float().sum().backward()
print(y.dtype, m.weight.grad)
""",
    "inference mode": """
with torch.inference_mode():
    x = torch.ones(3) * 2
    x += 1
print(x, x.is_inference())
try:
    (x * torch.ones(3, requires_grad=True)).sum().backward()
except RuntimeError as e:
    print(e)
""",
    "recurrent network": """
r = torch.nn.GRU(2, 3)
r(torch.randn(4, 1, 2))[0].sum().backward()
print(r.weight_ih_l0.grad)
""",
    "transformer with dropout": """
x = torch.randn(1, 4, 8, requires_grad=True)
m = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
m(x).sum().backward()
print(x.grad)
""",
    "a custom function": VECTOR
    + """
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, factor):
        ctx.save_for_backward(t)
        ctx.factor = factor
        ctx.mark_non_differentiable()
        return t * factor
    @staticmethod
    def backward(ctx, upstream):
        t, = ctx.saved_tensors
        print("backward", t.sum(), ctx.needs_input_grad, torch.is_grad_enabled())
        return upstream * ctx.factor, None
y = Scaled.apply(x, 3)
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad, Scaled.backward.__name__)
""",
    "out=": "o = torch.empty(0)\na = torch.ones(3)\nr = torch.add(a, a, out=o)\nprint(o, r is o)",
    "resize": "a = torch.ones(3)\na.resize_(5)\nprint(a.shape, a.untyped_storage().size())",
    "resizing what was seen in views": "a = torch.arange(4.)\nv = a[1:]\nb = a + 1\na.resize_(0)\nprint(a.shape, b)",
    "set_": "a = torch.ones(3)\na.set_(torch.zeros(2))\nprint(a)",
    "strings and names that are not ASCII": "π = torch.tensor(3., requires_grad=True)\ns = 'é'; y = (π*2 + 1).sin()\nprint(y, s)",
    "distributions": """
mean = torch.tensor([0.5], requires_grad=True)
d = torch.distributions.Normal(mean, 1.0)
s = d.rsample((3,))
(-d.log_prob(s)).sum().backward()
print(s, mean.grad, d)
""",
    "random numbers": "import random, numpy\nprint(torch.rand(2), numpy.random.rand(), random.random(), torch.initial_seed())",
    "random state": "s = torch.get_rng_state()\na = torch.rand(2)\nb = a * 2\ntorch.set_rng_state(s)\nprint(a, torch.equal(a, torch.rand(2)))",
    "numpy and back": VECTOR
    + """
import numpy as np
a = x.detach().numpy()
a[0] = 7
print(x, np.add(a, 1), np.asarray(torch.ones(2)), torch.from_numpy(a), torch.tensor(a))
""",
    "numpy writes through": "a = torch.ones(2)\nn = a.numpy()\nb = a + 1\nn += 1\nprint(a, b, a._version)",
    "identity": VECTOR
    + """
y = x * 2
print(y.grad_fn is y.grad_fn, y.grad_fn.next_functions[0][0].variable is x, y.grad_fn._saved_other)
print([f.name() for f, _ in (y + x).grad_fn.next_functions], y.grad_fn.metadata, y._version)
""",
    "pickling": "import io\nb = io.BytesIO()\ntorch.save({'a': torch.ones(2)}, b)\nb.seek(0)\nprint(torch.load(b))",
    "subclass": """
class Named(torch.Tensor):
    pass
t = torch.ones(2).as_subclass(Named)
print(type(t + 1), (t * 2).sum())
""",
    "torch function mode of one's own": """
from torch.overrides import TorchFunctionMode
class Counting(TorchFunctionMode):
    n = 0
    def __torch_function__(self, f, types, args=(), kwargs=None):
        Counting.n += 1
        return f(*args, **(kwargs or {}))
with Counting():
    torch.ones(2) + 1
print(Counting.n)
""",
    "dispatch mode of one's own": """
from torch.utils._python_dispatch import TorchDispatchMode
class Names(TorchDispatchMode):
    seen = []
    def __torch_dispatch__(self, f, types, args=(), kwargs=None):
        Names.seen.append(str(f))
        return f(*args, **(kwargs or {}))
with Names():
    (torch.ones(2) + 1).sum()
print(Names.seen)
""",
    "default dtype": "torch.set_default_dtype(torch.float64)\nprint(torch.ones(2) / 3)\ntorch.set_default_dtype(torch.float32)",
    "strides": "x = torch.arange(6.).reshape(2, 3)\ny = x.t()\nprint(y.is_contiguous(), y.stride(), x.data_ptr() == y.data_ptr())",
    "meta device": "x = torch.ones(2, 3, device='meta')\nprint((x + 1).shape, (x @ x.T).device)",
    "errors": """
for attempt in (lambda: torch.ones(2) + torch.ones(3), lambda: torch.ones(2, requires_grad=True).numpy(),
                lambda: torch.tensor([1, 2], requires_grad=True), lambda: torch.ones(2).nothing,
                lambda: torch.ones(2).backward(), lambda: torch.zeros(2)[5], lambda: torch.cat([])):
    try:
        attempt()
    except Exception as e:
        print(type(e).__name__, e)
""",
    "memory of a graph is released": """
import weakref
x = torch.ones(2, requires_grad=True)
y = (x * 2).exp()
there = weakref.ref(y)
y.sum().backward()
del y
print(there())
""",
}


def plain(source: str) -> str:
    """What a program prints without a recorder, and the exception that ended it."""
    torch.manual_seed(0), numpy.random.seed(0), random.seed(0)
    written = io.StringIO()
    with contextlib.redirect_stdout(written), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<program>", "exec"), {"__name__": "__main__", "torch": torch})
        except Exception as problem:
            written.write(f"{type(problem).__name__}: {problem}")
    return written.getvalue()


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_a_recorded_program_prints_what_it_prints_anyway(source):
    expected = plain(source)
    for detail in ("complete", "light"):
        trace = traced(source, detail=detail)
        ends = [
            f"{part.type}: {part.text}" for cell in trace.cells for part in cell.outputs if isinstance(part, Failure)
        ]
        assert printed(trace) + "".join(ends) == expected
        assert unattributed(trace) == []
        decode(encode(trace))


# ---- warnings -------------------------------------------------------------------------------------------------------


def test_a_warning_is_told_once_per_line_of_the_program():
    trace = traced("""
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        for i in range(3):
            y.grad
        """)
    [warning] = warned(trace)
    assert "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed" in warning


def test_two_lines_are_warned_of_twice():
    trace = traced("x = torch.ones(2, requires_grad=True)\ny = x * 2\ny.grad\ny.grad")
    assert [text.count("The .grad attribute") for text in warned(trace)] in ([1, 1], [2])


def test_a_warning_of_the_programs_own():
    trace = traced("import warnings\nfor i in range(2):\n    warnings.warn('mind the gap')")
    [warning] = warned(trace)
    assert "UserWarning: mind the gap" in warning


def test_a_program_without_warnings_gets_none():
    trace = traced("""
        x = torch.tensor([1., 2.], requires_grad=True)
        h = x * 2
        loss = (h * h).sum()
        loss.backward()
        z = torch.tensor([1 + 2j]) * 2
        """)
    assert [part for cell in trace.cells for part in cell.outputs if isinstance(part, Printed)] == []


# ---- what torch.func does is opaque ---------------------------------------------------------------------------------


def test_inside_func_nothing_is_claimed():
    trace = traced("x = torch.tensor([1., 2.])\ng = torch.func.grad(lambda t: (t * t).sum())(x)")
    assert value(trace, "g").tolist() == [2, 4]
    assert trace.backwards == [] and trace.nodes.name == []


# ---- what is left behind --------------------------------------------------------------------------------------------


@pytest.fixture
def handed(monkeypatch):
    """A module that a test's program can import, and through which it hands things out."""
    module = types.ModuleType("handed")
    monkeypatch.setitem(sys.modules, "handed", module)
    return module


def test_nothing_of_the_program_lives_on(handed):
    handed.out = weakref.WeakSet()
    trace = traced("""
        import handed
        net = torch.nn.Linear(2, 2)
        x = torch.ones(1, 2)
        y = net(x)
        y.sum().backward()
        handed.out.update([x, y, net, net.weight, net.weight.grad, y.untyped_storage()])
        """)
    gc.collect()
    assert trace.status == "ok" and list(handed.out) == []


def test_torch_is_as_it_was():
    def state():
        return (
            torch.autograd._engine_run_backward,
            torch.autograd.Function.__dict__["apply"],
            torch.nn.Module.__call__,
            torch.nn.Module.__dict__.get("_call_impl"),
            torch.is_grad_enabled(),
            torch.get_default_dtype(),
            torch._C._len_torch_function_stack(),
            torch.nn.modules.module._global_forward_hooks.copy(),
            torch.nn.modules.module._global_forward_pre_hooks.copy(),
            torch.initial_seed(),
            gc.isenabled(),
            warnings.showwarning,
        )

    before, random_state = state(), torch.get_rng_state()
    traced("torch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\ntorch.rand(3)\nraise ValueError")
    traced("net = torch.nn.Linear(1, 1)\nnet(torch.rand(1)).backward()\ntorch.rand(1) + torch.rand(1, 2, 3).q")
    assert state() == before and torch.equal(torch.get_rng_state(), random_state)


def test_a_functions_own_backward_is_put_back(handed):
    trace = traced("""
        import handed
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2
            @staticmethod
            def backward(ctx, upstream):
                return upstream * 2
        handed.out = Double, Double.__dict__["backward"]
        x = torch.ones(1, requires_grad=True)
        Double.apply(x).sum().backward()
        """)
    double, backward = handed.out
    assert trace.status == "ok" and double.__dict__["backward"] is backward


def test_hooks_left_on_a_graph_that_lives_on_do_nothing(handed):
    trace = traced("""
        import handed
        x = torch.tensor([1., 2.], requires_grad=True)
        y = (x * x + x).sum()
        y.backward(retain_graph=True)
        handed.out = x, y
        """)
    x, y = handed.out
    before = encode(trace)
    y.backward()
    assert x.grad.tolist() == [6, 10] and encode(trace) == before


def test_a_graph_that_lived_on_can_be_recorded_again(handed):
    traced("import handed\nx = torch.tensor([1., 2.], requires_grad=True)\nhanded.out = x, (x * x).sum()")
    again = traced("from handed import out\nx, y = out\nz = y * 2\nz.backward()")
    assert gradient(again, "x").tolist() == [4, 8] and gradient(again, "y") == 2


def test_a_failing_program_fails_as_it_does_anyway():
    source = "x = torch.ones(2, 3)\nx.view(4)"
    kind, text, place = failure(traced(source))
    assert f"{kind}: {text}" == plain(source) and place == "x.view(4)"

"""What tutorials write: every program here runs to its end under the language ring, and as it does without it."""

TUTORIALS = {
    "patterns of match": r"""
from dataclasses import dataclass
@dataclass
class Point:
    x: float
    y: float = 0.0
class Leaf:
    __match_args__ = ("a", "b")
    def __init__(self, a, b): self.a, self.b = a, b
def f(p):
    match p:
        case Point(0, y): return ("axis", y)
        case Point(x=x, y=y) if x > 1: return (x, y)
        case Leaf(a, b): return a + b
        case [1, *rest]: return rest
        case {"k": v, **more}: return v, more
        case int(n) | float(n): return n
        case str() as s: return s
        case None: return "none"
        case _: return "other"
for p in [Point(0, 2), Point(3, 4), Leaf(1, 2), [1, 2, 3], {"k": 1, "z": 2}, 5, 2.5, "s", None, Point(1, 1)]:
    print(f(p))
""",
    "a value with a gradient of its own": r"""
import math
class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data; self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children); self._op = _op
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def __pow__(self, k):
        out = Value(self.data ** k, (self,), f"**{k}")
        def _backward(): self.grad += k * self.data ** (k - 1) * out.grad
        out._backward = _backward
        return out
    def tanh(self):
        t = math.tanh(self.data); out = Value(t, (self,), "tanh")
        def _backward(): self.grad += (1 - t * t) * out.grad
        out._backward = _backward
        return out
    def backward(self):
        topo, visited = [], set()
        def build(v):
            if v not in visited:
                visited.add(v)
                for c in v._prev: build(c)
                topo.append(v)
        build(self)
        self.grad = 1.0
        for v in reversed(topo): v._backward()
    def __neg__(self): return self * -1
    def __sub__(self, o): return self + (-o)
    def __truediv__(self, o): return self * o ** -1
    __radd__ = __add__
    __rmul__ = __mul__
    def __rsub__(self, o): return o + (-self)
    def __repr__(self): return f"Value(data={self.data}, grad={self.grad})"
a, b = Value(2.0), Value(-3.0)
d = (a * b + 10.0) * Value(-2.0) + 1 - a
d.tanh().backward()
d.backward()
print(a, b, d)
""",
    "classes and their private names": r"""
class A:
    count = 0
    __secret = 1
    def __init__(self): self.__x = 3; self._y = 4; A.count += 1
    def get(self): return self.__x + self.__secret + self._y
    @property
    def x(self): return self.__x
    @x.setter
    def x(self, v): self.__x = v
    @classmethod
    def make(cls): return cls()
    @staticmethod
    def s(v): return v
    def __len__(self): return 7
a = A.make()
a.x = 5
a.x += 1
print(a.get(), a.x, A.count, a._A__x, len(a), A.s(1), a.__class__.__name__, type(a).__name__)
print(A.__name__, bool(a))
class B(A):
    def get(self): return super().get() * 2
print(B().get(), isinstance(B(), A), issubclass(B, A), hasattr(a, "zz"), getattr(a, "zz", 1))
print(hasattr(a, "x"))
setattr(a, "q", 1)
print(a.q)
del a.q
print(hasattr(a, "q"))
""",
    "training a network": r"""
import torch
from torch import nn, optim, Tensor
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, TensorDataset, random_split
from typing import List, Optional, Tuple
torch.manual_seed(0)
class Data(Dataset):
    def __init__(self, n: int): self.x = torch.randn(n, 4); self.y = (self.x.sum(1) > 0).long()
    def __len__(self): return len(self.x)
    def __getitem__(self, i): return self.x[i], self.y[i]
class Net(nn.Module):
    def __init__(self, hidden: int = 8) -> None:
        super(Net, self).__init__()
        self.fc1 = nn.Linear(4, hidden)
        self.act = nn.ReLU(inplace=True)
        self.blocks = nn.ModuleList([nn.Linear(hidden, hidden) for _ in range(2)])
        self.head = nn.Sequential(nn.LayerNorm(hidden), nn.Dropout(0.1), nn.Linear(hidden, 2))
        self.register_buffer("seen", torch.zeros(1))
        self.scale = nn.Parameter(torch.ones(1))
        self._count = 0
        self.apply(self._init)
    def _init(self, m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            m.bias.data.fill_(0.01)
    def forward(self, x: Tensor) -> Tensor:
        self._count += 1
        self.seen += 1
        x = self.act(self.fc1(x))
        for b in self.blocks: x = x + F.gelu(b(x))
        return self.head(x) * self.scale
net = Net()
print(net)
opt = optim.AdamW(net.parameters(), lr=1e-2, weight_decay=1e-4)
sched = optim.lr_scheduler.StepLR(opt, step_size=2, gamma=0.5)
crit = nn.CrossEntropyLoss()
train, val = random_split(Data(32), [24, 8])
loader = DataLoader(train, batch_size=8, shuffle=True)
for epoch in range(2):
    net.train()
    for i, (x, y) in enumerate(loader):
        opt.zero_grad(set_to_none=True)
        loss = crit(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
    sched.step()
    print(f"{epoch} {loss.item():.3f} {sched.get_last_lr()} {opt.param_groups[0]['lr']}")
net.eval()
with torch.no_grad():
    correct = sum((net(x).argmax(1) == y).sum().item() for x, y in DataLoader(val, batch_size=4))
print(correct, net.training, sum(p.numel() for p in net.parameters() if p.requires_grad))
for name, p in net.named_parameters(): print(name, tuple(p.shape), p.grad is not None)
print(net.fc1.weight.shape, net.fc1.in_features, list(net.state_dict().keys())[:3])
print(net.head[2].bias.data)
other = Net()
other.load_state_dict(net.state_dict())
other.fc1.weight.requires_grad = False
for p in other.parameters(): p.requires_grad_(False)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
other.to(device)
print(device.type, next(other.parameters()).device)
opt.param_groups[0]["lr"] = 0.1
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
""",
    "functions with a backward of their own": r"""
import torch
from torch.autograd import Function, gradcheck, Variable
class LegendrePolynomial3(Function):
    @staticmethod
    def forward(ctx, input, k=2):
        ctx.save_for_backward(input); ctx.k = k
        return 0.5 * (5 * input ** 3 - 3 * input)
    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        if not ctx.needs_input_grad[0]: return None, None
        return grad_output * 1.5 * (5 * input ** 2 - 1), None
class Two(Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x): return x * 2, x
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, = inputs; ctx.save_for_backward(x); ctx.mark_non_differentiable(output[1])
    @staticmethod
    def backward(ctx, g, _): return g * 2
x = torch.randn(3, dtype=torch.double, requires_grad=True)
P3 = LegendrePolynomial3.apply
print(gradcheck(P3, (x,)), Two.apply(x)[0].grad_fn.name(), type(P3(x).grad_fn).__name__)
y = P3(x)
print(y.grad_fn, y.grad_fn.next_functions, y.grad_fn.next_functions[0][0].variable is x)
z = (x * 2).exp()
print(z.grad_fn._saved_result)
v = Variable(torch.ones(2), requires_grad=True)
(v * 2).sum().backward()
print(v.grad, v.is_leaf, v.grad_fn)
""",
    "torch.func, forward mode, hooks, checkpoints": r"""
import torch
from torch.func import grad, vmap, jacrev, jacfwd, hessian, vjp, jvp, functional_call, stack_module_state
from torch import nn
import torch.autograd.forward_ad as fwAD
import torch.autograd.functional as AF
f = lambda x: (x.sin() ** 2).sum()
x = torch.linspace(0, 1, 3)
print(grad(f)(x), jacrev(torch.sin)(x), jacfwd(torch.sin)(x), vmap(lambda a: a * 2)(x))
print(vjp(torch.sin, x)[0], jvp(torch.sin, (x,), (x,)))
m = nn.Linear(3, 1)
params = dict(m.named_parameters())
print(functional_call(m, params, (x,)).shape)
def loss(p, x): return functional_call(m, p, (x,)).sum()
print(torch.func.grad(loss)(params, x)["bias"])
models = [nn.Linear(3, 1) for _ in range(2)]
p, b = stack_module_state(models)
print(p["weight"].shape)
with fwAD.dual_level():
    d = fwAD.make_dual(x, torch.ones(3)); o = fwAD.unpack_dual(d * d); print(o.primal, o.tangent)
print(AF.jacobian(torch.exp, x), AF.hessian(f, x), AF.vhp(f, x, x)[1])
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t):
    a = torch.ones(2, requires_grad=True); y = (a * a).sum()
y.backward()
print(a.grad)
h = a.register_hook(lambda g: g * 2)
(a * 3).sum().backward()
h.remove()
print(a.grad)
a.register_post_accumulate_grad_hook(lambda p: print("post", p.grad.sum()))
(a * 1).sum().backward()
from torch.utils.checkpoint import checkpoint
q = checkpoint(lambda t: t.sin().exp(), a, use_reentrant=False)
q.sum().backward()
print(a.grad)
with torch.autograd.detect_anomaly(check_nan=False): pass
with torch.autograd.set_grad_enabled(False): print(torch.is_grad_enabled())
@torch.no_grad()
def nog(t): return t * 2
print(nog(a).requires_grad)
print(torch.autograd.grad((a ** 2).sum(), a, create_graph=True)[0].requires_grad)
lin = nn.Linear(2, 2)
hh = lin.register_forward_hook(lambda m, i, o: print("hook", m.in_features, o.shape))
lin(torch.ones(1, 2))
hh.remove()
lin.register_full_backward_hook(lambda m, gi, go: print("bw", go[0].shape))
lin(torch.ones(1, 2, requires_grad=True)).sum().backward()
""",
    "the everyday parts of Python": r"""
import math
import random
import time
import itertools
import functools
import collections
import copy
import re
import json
import string
import statistics
import operator
import datetime
import warnings
import textwrap
import io
import contextlib
import heapq
from collections import namedtuple, defaultdict, Counter, OrderedDict, deque
from functools import partial, reduce, lru_cache, wraps
from itertools import product, chain
from dataclasses import dataclass, field, asdict
from typing import NamedTuple, Any, Callable
from contextlib import contextmanager
from abc import ABC, abstractmethod
from pprint import pprint
from fractions import Fraction
P = namedtuple("P", "x y")
p = P(1, 2)
print(p, p.x, p._asdict(), p._replace(x=5), P._fields)
class Q(NamedTuple):
    a: int
    b: str = "z"
print(Q(1), Q(1).b)
@dataclass(frozen=True, order=True)
class D:
    n: int
    l: list = field(default_factory=list)
    def __post_init__(self): pass
print(D(1), asdict(D(2)), D(1) < D(2))
try: D(1).n = 2
except Exception as e: print(type(e).__name__, e)
def timer(f):
    @wraps(f)
    def inner(*args, **kwargs):
        inner.calls += 1
        return f(*args, **kwargs)
    inner.calls = 0
    return inner
@timer
def add(a, b=1): "doc"; return a + b
print(add(1), add(1, b=2), add.calls, add.__name__, add.__doc__)
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(20), fib.cache_info().hits, partial(add, 1)(), reduce(operator.add, [1, 2]))
print(list(chain.from_iterable([[1], [2]])))
dd = defaultdict(list)
dd["a"].append(1)
print(dict(dd), Counter("aab").most_common(1), deque([1, 2], maxlen=1), OrderedDict(a=1))
class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Sq(Shape):
    def area(self): return 4
print(Sq().area())
@contextmanager
def ctx(n):
    print("in"); yield n; print("out")
with ctx(3) as v: print(v)
class Mine(Exception):
    def __init__(self, code): super().__init__(f"code {code}"); self.code = code
try: raise Mine(3) from ValueError("x")
except Mine as e: print(e, e.code, e.args)
try: [][1]
except (IndexError, KeyError) as e: print(type(e), e)
class It:
    def __init__(self): self.i = 0
    def __iter__(self): return self
    def __next__(self):
        self.i += 1
        if self.i > 3: raise StopIteration
        return self.i
print(list(It()), [*It()], {**{"a": 1}}, "{:>5}|{:.2f}|{!r}".format(1, 2, "s"))
print("{0.real} {x.imag} {l[0]}".format(3, x=2j, l=[9]), "%s" % 3, f"{math.pi:.{2}f}")
print("a-b".split("-"), ",".join("ab"), "x".upper().center(5, "*"))
print(re.sub(r"(\d)", r"<\1>", "a1"), re.match("a(.)", "ab").group(1))
print(json.loads(json.dumps({"a": [1, None]})), statistics.mean([1, 2]), Fraction(1, 3) + 1)
print(copy.deepcopy({"a": [1]}), random.Random(0).random())
print(datetime.timedelta(days=1).total_seconds())
print(sorted({"b": 1, "a": 2}.items(), key=lambda kv: kv[1]))
g = (i * i for i in range(3))
print(next(g), sum(g))
print(*zip([1], [2]), list(map(str, [1])), any([0, 1]), divmod(7, 2), isinstance(True, int))
buf = io.StringIO()
print("x", file=buf)
print(buf.getvalue())
warnings.filterwarnings("ignore")
warnings.warn("hi")
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always"); warnings.warn("yo"); print(len(w), str(w[0].message))
class Vec(list):
    def __add__(self, o): return Vec(a + b for a, b in zip(self, o))
print(Vec([1, 2]) + Vec([3, 4]))
start = time.time()
print(time.time() - start < 5)
x = 5
x += 1
l = [1, 2]
l[0] += 5
d = {"a": 1}
d["a"] *= 3
a, (b, *c) = 1, (2, 3, 4)
print(x, l, d, a, b, c)
def gen():
    got = yield 1
    print("got", got)
    yield from [2]
gg = gen()
next(gg)
gg.send("s")
gg.close()
def outer():
    n = 0
    def inner():
        nonlocal n; n += 1; return n
    return inner
print(outer()())
global_x = 1
def setg():
    global global_x; global_x = 2
setg()
print(global_x)
pprint({"a": 1})
print(string.ascii_lowercase[:3], heapq.nsmallest(1, [3, 1]))
class Meta0:
    registry = {}
    @classmethod
    def add(cls, n): cls.registry[n] = cls
Meta0.add(1)
print(list(Meta0.registry))
print(__name__, type(3) == int, type([]) is list, type("").__name__, id(1) == id(1))
print([i for i in range(3) if i % 2], {i: i for i in range(2)}, (lambda *a, **k: (a, k))(1, b=2))
assert True, "x"
while True:
    break
else: pass
del l
print(round(2.567, 1), abs(-1), pow(2, 3), hex(255), chr(97), ord("a"), bin(5), all([]))
print(min(1, 2), max([1, 2], key=lambda v: -v))
""",
    "arrays, tables and files": r"""
import numpy as np, pandas as pd, torch, os
a = np.arange(6).reshape(2, 3)
a[0, 1] += 10
print(a, a.T.shape, a.dtype, a.sum(axis=0), np.linalg.norm(a), a.mean(), a @ a.T)
print(a.flags.c_contiguous, a.strides)
rng = np.random.default_rng(0)
print(rng.normal(size=2).shape, np.random.rand(2).shape, np.where(a > 2, 1, 0))
print(np.add.reduce([1, 2]))
with np.errstate(divide="ignore"): print(np.log(0.0))
b = np.zeros(3)
b.shape = (3, 1)
print(b.shape, type(b), np.float32(1).dtype, np.allclose(b, 0), np.finfo(np.float32).eps)
print(np.vectorize(lambda x: x + 1)([1, 2]))
os.makedirs(os.path.join("..", "data"), exist_ok=True)
f = os.path.join("..", "data", "h.csv")
with open(f, "w") as fh: fh.write("NumRooms,Alley,Price\nNA,Pave,127500\n2,NA,106000\n")
df = pd.read_csv(f)
print(df, df.shape, df.columns.tolist(), df.dtypes)
inputs, targets = df.iloc[:, 0:2], df.iloc[:, 2]
inputs = pd.get_dummies(inputs, dummy_na=True)
inputs = inputs.fillna(inputs.mean())
print(inputs)
X = torch.tensor(inputs.to_numpy(dtype=float))
print(X, targets.values)
df["r"] = df.Price / 1000
print(df.r.mean(), df[df.Price > 110000], df.loc[0, "Price"], df.groupby("Alley").Price.mean())
print(df.groupby("Alley").agg({"Price": ["mean", "max"]}))
print(df.apply(lambda c: c.isna().sum()), df.Price.apply(lambda v: v * 2), df.describe())
print(df.Price.value_counts(), df.sort_values("Price"), df.Alley.str.upper())
print(df.agg("max", numeric_only=True), df.to_csv(index=False))
df.to_csv("out.csv")
print(pd.read_csv("out.csv", index_col=0).shape, os.listdir("."), os.path.exists("out.csv"))
df.columns = ["a", "b", "c", "d"]
df.a = df.a.fillna(0)
print(df.a, df.head(1), len(df), list(df), df.isnull().any())
df.info()
for i, row in df.iterrows(): print(i, row["c"], row.c)
print(pd.concat([df, df]).reset_index(drop=True).shape, df.corr(numeric_only=True).shape)
print(pd.Series([1, 2]).map({1: "a"}).tolist(), pd.to_datetime("2020-01-01").year)
print(df.pivot_table(index="b", values="c", aggfunc="mean"))
torch.save({"x": X, "net": torch.nn.Linear(1, 1).state_dict()}, "x.pt")
print(torch.load("x.pt")["x"].shape)
os.remove("out.csv")
print(os.path.exists("out.csv"))
""",
    "plots": r"""
%matplotlib inline
import matplotlib.pyplot as plt, numpy as np, torch
from matplotlib import cm
from mpl_toolkits.mplot3d import Axes3D
x = np.linspace(0, 1, 5)
fig, ax = plt.subplots(1, 2, figsize=(6, 3))
ax[0].plot(x, x ** 2, "r--", label="a")
ax[0].set_xlabel("x")
ax[0].legend()
ax[1].scatter(x, x)
ax[1].set_title("t")
ax[1].spines["top"].set_visible(False)
ax[0].xaxis.set_major_locator(plt.NullLocator())
plt.tight_layout()
plt.show()
plt.plot([1, 2])
plt.title("x")
plt.xlim(0, 1)
plt.rcParams["figure.figsize"] = (3, 3)
plt.grid(True)
plt.colorbar
plt.style.use("ggplot")
plt.savefig("a.png")
plt.show()
from d2l import torch as d2l
d2l.plot(torch.arange(3.0), [torch.arange(3.0)], "x", "f(x)", legend=["f"])
d2l.set_figsize()
d2l.plt.show()
from IPython import display
display.clear_output(wait=True)
display.display(torch.ones(1))
""",
    "distributions, optimizers, layers, dtypes": r"""
import torch
from torch import distributions as D
from torch.distributions import Normal, Categorical, kl_divergence, MultivariateNormal
n = Normal(torch.zeros(2), torch.ones(2))
print(n.log_prob(torch.zeros(2)), n.mean, n.rsample().shape, kl_divergence(n, Normal(0.0, 1.0)))
print(n.loc, n.batch_shape, n.entropy())
c = Categorical(logits=torch.zeros(3))
print(c.probs, c.sample().shape, D.Bernoulli(0.5).variance)
from torch.nn.utils import parametrize, prune
import torch.nn.utils.parametrizations as P
import torch.nn as nn
class Sym(nn.Module):
    def forward(self, X): return X.triu() + X.triu(1).transpose(-1, -2)
l = nn.Linear(3, 3)
parametrize.register_parametrization(l, "weight", Sym())
print(l.weight.allclose(l.weight.T), l.parametrizations.weight.original.shape)
P.weight_norm(nn.Linear(2, 2))
prune.l1_unstructured(l2 := nn.Linear(3, 3), "weight", amount=0.5)
print(l2.weight_mask.sum() if hasattr(l2, "weight_mask") else 0)
v, i = torch.max(torch.tensor([[1.0, 3.0]]), dim=1)
r = torch.sort(torch.tensor([2, 1]))
print(v, i, r.values, r.indices, torch.linalg.svd(torch.eye(2)).S, torch.topk(torch.arange(4), 2))
x = torch.ones(2, 3)
print(x.size(), x.size(0), x.shape[0], x.dim(), x.ndim, x.T.shape, x.mT.shape, x.view(-1))
print(x.storage_offset(), x.stride(), x.is_contiguous(), x.element_size(), x.itemsize, x.nbytes)
print(x.dtype.is_floating_point)
x[0, 0] = 5
x[:, 1] += 1
x.data *= 100
x.grad = torch.zeros(2, 3)
x.grad = None
x += 1
x.requires_grad = True
print(x, x._version, x.is_leaf)
print(torch.__version__.split(".")[0], torch.get_default_dtype())
print(torch.finfo(torch.float32).max, torch.einsum("ij,ij->", x, x), torch.tensor(3).item())
print(torch.arange(3).tolist(), float(torch.tensor(2.0)), torch.Tensor([1, 2]))
print(torch.FloatTensor([1]), torch.LongTensor([1]), torch.Tensor(2, 2).shape)
class Opt(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1): super().__init__(params, dict(lr=lr))
    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None: continue
                s = self.state[p]; s["n"] = s.get("n", 0) + 1
                p.add_(p.grad, alpha=-g["lr"]); p.data.sub_(0.0)
w = torch.ones(2, requires_grad=True)
o = Opt([w])
(w ** 2).sum().backward()
o.step()
o.zero_grad()
print(w, w.grad)
lb = torch.optim.LBFGS([w], max_iter=2)
def closure():
    lb.zero_grad(); l = (w ** 2).sum(); l.backward(); return l
lb.step(closure)
print(w)
device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
torch.set_default_device(device)
print(torch.ones(1).device)
torch.set_printoptions(precision=2, sci_mode=False)
print(torch.rand(1).shape, torch.randint(0, 3, (2,)).shape)
g = torch.Generator().manual_seed(1)
print(torch.rand(2, generator=g))
print(torch.cat([w, w]).detach().numpy(), w.new_ones(2), w.type(), w.cpu().device)
print(w.to("cpu").dtype, torch.is_tensor(w), w.detach().clone().fill_(2))
print(torch.allclose(w, w), (w > 0).all(), torch.stack([w, w]).softmax(-1).sum())
print(torch.nn.functional.one_hot(torch.tensor([1]), 3), torch.autograd.grad(w.sum(), w))
with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False): pass
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.MaxPool2d(2), nn.Flatten(), nn.LazyLinear(2))
print(net(torch.ones(2, 1, 6, 6)).shape, net[1].running_mean.shape, net[0].kernel_size)
rnn = nn.LSTM(2, 3, batch_first=True)
out, (h, cc) = rnn(torch.ones(1, 4, 2))
print(out.shape)
print(nn.MultiheadAttention(4, 2)(torch.ones(1, 1, 4), torch.ones(1, 1, 4), torch.ones(1, 1, 4))[0].shape)
print(nn.Transformer(4, 2, 1, 1, 4).encoder.num_layers, nn.Embedding(3, 2).weight.shape)
sd = net.state_dict()
sd2 = {k: v.clone() for k, v in sd.items()}
print(net.load_state_dict(sd2))
net.zero_grad()
print([type(m).__name__ for m in net.modules()], len(list(net.children())))
loss = nn.MSELoss(reduction="none")
print(loss.reduction)
torch.set_printoptions(profile="default")
torch.set_default_device(None)
""",
    "a sequence of one's own": r"""
from torch import nn

class MySequential(nn.Module):
    def __init__(self, *args):
        super().__init__()
        for idx, module in enumerate(args):
            self._modules[str(idx)] = module

    def forward(self, X):
        for block in self._modules.values():
            X = block(X)
        return X

net = MySequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
print(net, net(torch.rand(2, 20)).shape, len(net._modules), net._modules["1"], "0" in net._modules)
print(list(nn.Linear(1, 1)._parameters), [p.shape for p in net[0].parameters()] if hasattr(net, "__getitem__") else 0)
""",
    "a first cell that imports more than is used": r"""
import multiprocessing, queue, signal, subprocess, tarfile, threading, zipfile
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing import Pool, cpu_count
from torch.profiler import ProfilerActivity, profile
from torch.optim.lr_scheduler import _LRScheduler
import os, torch
class Halving(_LRScheduler):
    def get_lr(self): return [rate * 0.5 ** self.last_epoch for rate in self.base_lrs]
optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
print(Halving(optimizer).get_last_lr(), isinstance(Halving(optimizer), torch.optim.lr_scheduler._LRScheduler))
print(min(4, os.cpu_count()) > 0, cpu_count() > 0, multiprocessing.cpu_count() > 0)
try:
    torch.cuda.get_device_name(0)
except (AssertionError, RuntimeError):
    print("no graphics card")
from IPython.display import HTML
import matplotlib.pyplot as plt
from matplotlib.animation import FuncAnimation
HTML(FuncAnimation(plt.figure(), lambda frame: [], frames=2).to_jshtml())
""",
    "what a notebook asks its interpreter": r"""
import ast, gc, hashlib, inspect, logging, os, platform, string, struct, sys, timeit, unicodedata, uuid, weakref
from importlib.metadata import version
print(sys.version_info.major, sys.maxsize, sys.getsizeof([]) > 0, platform.python_version() == sys.version.split()[0])
sys.stdout.write("hello\n")
sys.path.append("..")
print(gc.collect() >= 0, version("torch"), unicodedata.normalize("NFKC", "\ufb01"), len(str(uuid.uuid4())))
print(ast.literal_eval("[1, 2]"), eval("{'a': (1, 2.5)}"), hashlib.sha256(b"a").hexdigest()[:6], struct.pack("<i", 3))
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
print(os.environ.get("CUDA_VISIBLE_DEVICES"), string.Template("$a!").substitute(a=1))
print(timeit.timeit("x * 2", globals={"x": 3}, number=10) < 1, timeit.timeit(lambda: 1, number=3) < 1)
print(timeit.Timer("y = x + 1", setup="x = 1").repeat(2, 3)[0] < 1)
def area(width, height=1):
    return width * height
print(inspect.signature(area), inspect.getsource(area))
logging.getLogger("run").warning("step %d", 3)
b = bytearray(b"ab")
b.append(99)
print(b, dir([])[-1])
""",
    "objects and their names": r"""
import argparse, enum, weakref
from argparse import Namespace
class Config:
    def __init__(self, **values):
        self.__dict__.update(values)
    def __repr__(self): return str(self.__dict__)
c = Config(lr=0.1, steps=3)
c.__dict__["name"] = "run"
print(c, vars(c), c.name, sorted(vars(c).items(), key=str), {**vars(c)}, Config.__module__)
class Only:
    made = None
    def __new__(cls, *given):
        if cls.made is None: cls.made = super().__new__(cls)
        return cls.made
print(Only() is Only())
class Pair(tuple):
    def __new__(cls, a, b): return tuple.__new__(cls, (a, b))
print(Pair(1, 2))
def add_to_class(Class):
    def wrapper(obj): setattr(Class, obj.__name__, obj)
    return wrapper
@add_to_class(Config)
def __len__(self): return len(vars(self))
def __getitem__(self, name): return getattr(self, name)
Config.__getitem__ = __getitem__
print(len(c), c["lr"], weakref.ref(c)() is c)
args = Namespace(batch=4, lr=0.1)
print(args, vars(args), args.batch)
parser = argparse.ArgumentParser(description="x")
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--cuda", action="store_true")
print(parser.parse_args([]), parser.parse_args(["--lr", "3"]).lr)
class Color(enum.Enum):
    RED = 1
    BLUE = enum.auto()
print(Color.RED, Color.BLUE.value, list(Color), Color["RED"].name, Color(2))
""",
    "the rest of torch": r"""
import torch
from torch import nn
import torch.nn.functional as F
import torch.distributions as D
from torch.distributions.normal import Normal
from torch.distributions.transformed_distribution import TransformedDistribution
from torch.nn.utils import prune
from torch.nn.utils.stateless import functional_call
from torch.nn.attention import SDPBackend, sdpa_kernel
log_normal = TransformedDistribution(Normal(0.0, 1.0), [D.transforms.ExpTransform()])
print(log_normal.log_prob(torch.tensor(1.0)), D.kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0)))
print(D.MixtureSameFamily(D.Categorical(torch.ones(2)), Normal(torch.zeros(2), torch.ones(2))).mean)
x = torch.arange(6.0)
s = x.storage()
print(s, len(s), s[1], s.tolist(), s.data_ptr() == x.view(2, 3).data_ptr(), len(x.untyped_storage()))
x.resize_(2, 3)
print(x.shape, x.resize_as_(torch.ones(3, 2)).shape)
p = nn.ParameterDict({"a": nn.Parameter(torch.ones(2))})
print(p["a"], list(p.keys()), "a" in p)
layer = nn.Linear(3, 3)
prune.ln_structured(layer, "weight", amount=0.3, n=2, dim=0)
print([name for name, _ in layer.named_buffers()], len(layer._forward_pre_hooks))
class Threshold(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def compute_mask(self, t, default_mask): return t.abs() > 0.1
Threshold.apply(layer, "bias")
print(layer.bias.shape)
hook = layer.register_forward_hook(lambda *given: None)
print(len(layer._forward_hooks))
layer._forward_hooks.clear()
print(len(layer._forward_hooks), layer._parameters.keys())
torch.set_default_tensor_type("torch.DoubleTensor")
print(torch.ones(1).dtype)
torch.set_default_tensor_type(torch.FloatTensor)
m = nn.Linear(1, 1)
print(functional_call(m, dict(m.named_parameters()), torch.ones(1)).shape)
with sdpa_kernel(SDPBackend.MATH):
    print(F.scaled_dot_product_attention(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)).shape)
F.softargmax = F.softmax
print(F.softargmax(torch.ones(2), -1), torch.functional.einsum("i,i->", torch.ones(2), torch.ones(2)))
print(torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2)).to_dense(), nn.modules.Linear)
""",
    "the rest of NumPy": r"""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
p = np.poly1d([1, 2, 3])
print(p, p(2), p.deriv(), p.roots, np.polynomial.Polynomial([1, 2])(3))
a = np.array([1, 2])
a.resize((2, 1))
print(a, np.float128(1), np.longdouble(2), np.matrix("1 2; 3 4").T, sliding_window_view(np.arange(4), 2))
print(np.histogramdd(np.ones((2, 2)), bins=2)[0], np.fromstring("1 2", sep=" "), np.trim_zeros([0, 1, 0]))
print(type(a) is np.ndarray, type(a) == np.ndarray, a.__class__.__name__, isinstance(a, np.ndarray), np.ndarray)
match a:
    case np.ndarray(shape=shape): print(shape)
def f(x: np.ndarray) -> "np.ndarray": return x
print(f(a), np.strings.upper(np.array(["a"])), np.random.power(2, 1).shape, np.ndarray.mean(a), np.ndarray((2,)).shape)
np.random.set_state(np.random.get_state())
print(a.base is None, a[:1].base is a, np.random.Generator(np.random.PCG64(0)).random() < 1)
""",
}

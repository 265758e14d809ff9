"""Programs as tutorials and notebooks have them: training, modules, data, dtypes, NumPy, printing."""

VECTOR = "x = torch.tensor([1., 2.], requires_grad=True)\n"
EVERYDAY = {
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
    "looking at tensors": VECTOR
    + """
y = torch.randn(2)
print(torch.rand(1), f"{x.sum():.2f}", x.tolist(), len(x), [float(v) for v in x], x.shape, x.T is x, x.grad_fn)
print(x, x * 2, repr(x.sum()), bool(x[0] > 0), x.is_leaf, x.dtype, x.device, 2 in x, hash(x) == id(x))
""",
    "complex numbers": """
z = torch.tensor([1 + 2j], requires_grad=True)
(z * z.conj()).real.sum().backward()
print(z.grad)
""",
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
    "an optimizer with a closure": """
w = torch.nn.Parameter(torch.tensor([3., -1.]))
opt = torch.optim.LBFGS([w], max_iter=5)
def closure():
    opt.zero_grad()
    loss = ((w - 1) ** 2).sum()
    loss.backward()
    return loss
for _ in range(2):
    print(opt.step(closure))
print(w, w.grad)
""",
    "parametrized weights": """
m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
m(torch.ones(1, 2)).sum().backward()
print([(name, p.grad) for name, p in m.named_parameters()])
""",
    "a lazy module": """
m = torch.nn.LazyLinear(2)
m(torch.ones(1, 3)).sum().backward()
print(m, m.weight.grad)
""",
    "averaged weights": """
m = torch.nn.Linear(1, 1)
average = torch.optim.swa_utils.AveragedModel(m)
with torch.no_grad():
    m.weight += 1
average.update_parameters(m)
print(list(average.parameters()), m.weight._version)
""",
    "gradients off": VECTOR
    + """
@torch.no_grad()
def f(t):
    return t * 2
print(f(x).requires_grad, torch.is_grad_enabled())
with torch.set_grad_enabled(False):
    print((x * 2).requires_grad)
torch.set_grad_enabled(False)
print((x * 2).requires_grad)
""",
    "deep recursion": VECTOR
    + """
def f(t, n):
    return t if n == 0 else f(t * 1.5, n - 1)
y = f(x, 100).sum()
y.backward()
print(x.grad)
""",
    "a generator": VECTOR
    + """
def parts():
    for i in range(3):
        yield x[0] * i
print(sum(parts()))
""",
    "an exception with a cause": VECTOR
    + """
try:
    x.view(3)
except RuntimeError as e:
    raise ValueError("wrong shape") from e
""",
    "quantized": "print(torch.quantize_per_tensor(torch.tensor([0.5, 1.]), 0.1, 0, torch.qint8).dequantize())",
    "nested tensors": """
n = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
print(n.size(0), torch.nested.to_padded_tensor(n, 0.))
""",
    "integers and booleans": """
a = torch.arange(5)
b = a > 2
a[b] = 0
print(a, b, a.sum().item(), a // 2, ~b, b.nonzero())
""",
    "out=": "o = torch.empty(0)\na = torch.ones(3)\nr = torch.add(a, a, out=o)\nprint(o, r is o)",
    "resize": "a = torch.ones(3)\na.resize_(5)\nprint(a.shape, a.untyped_storage().size())",
    "resizing what was seen in views": "a = torch.arange(4.)\nv = a[1:]\nb = a + 1\na.resize_(0)\nprint(a.shape, b)",
    "set_": "a = torch.ones(3)\na.set_(torch.zeros(2))\nprint(a)",
    "strings and names that are not ASCII": """
π = torch.tensor(3., requires_grad=True)
s = 'é'; y = (π*2 + 1).sin()
print(y, s)
""",
    "distributions": """
mean = torch.tensor([0.5], requires_grad=True)
d = torch.distributions.Normal(mean, 1.0)
s = d.rsample((3,))
(-d.log_prob(s)).sum().backward()
print(s, mean.grad, d)
""",
    "random numbers": """
import random, numpy
print(torch.rand(2), numpy.random.rand(), random.random(), torch.initial_seed())
""",
    "random state": """
s = torch.get_rng_state()
a = torch.rand(2)
b = a * 2
torch.set_rng_state(s)
print(a, torch.equal(a, torch.rand(2)))
""",
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
    "default dtype": """
torch.set_default_dtype(torch.float64)
print(torch.ones(2) / 3)
torch.set_default_dtype(torch.float32)
""",
    "strides": """
x = torch.arange(6.).reshape(2, 3)
y = x.t()
print(y.is_contiguous(), y.stride(), x.data_ptr() == y.data_ptr())
""",
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
}

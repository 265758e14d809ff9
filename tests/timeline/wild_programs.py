"""Programs with a winding control flow, whose timelines are compared with plain Python."""

CONTROL = """\
import torch
def outer(n):
    count = 0
    seen = []
    def inner(k):
        nonlocal count
        count += k
        seen.append(count)
        return count
    for i in range(n):
        inner(i)
    return seen
r = outer(3)
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)
f = fact(4)
def risky(x):
    try:
        y = 10 / x
        return y
    except ZeroDivisionError as e:
        y = -1
    finally:
        done = True
    return y
a = risky(2); b = risky(0)
def fails():
    z = 5
    raise KeyError("k")
try:
    fails()
except KeyError:
    c = 1
else:
    c = 2
while True:
    c += 1
    if c > 3: break
else:
    d = 0
for i in range(2):
    for j in range(2):
        if j: continue
        k = i + j
else:
    k = "end"
x, *rest = [1, 2, 3]
p = q = 4
if (w := p + q) > 5:
    v = w
d = {"a": 1}
d["b"] = [1]
d["b"].append(2)
e = d["b"]
e += [3]
del d["a"]
s = {1, 2}
s.add(3)
t = (1,)
print("x", end=""); print("y")
print(r, f)
"""

NAMES = """\
import torch
from contextlib import contextmanager
@contextmanager
def scope(name):
    opened = name
    yield opened
    opened = None
with scope("a") as got:
    inside = got * 2
total = 0
items = []
def add(x):
    global total
    total += x
    items.append(x)
for x in (1, 2): add(x)
sq = [add(y) for y in range(2)]
m = list(map(lambda u: u * 2, [1, 2]))
class Counter:
    limit = 3
    def __init__(self): self.n = 0
    @property
    def double(self):
        return self.n * 2
    def bump(self, by=1):
        self.n += by
        if self.n > self.limit:
            return None
        return self
c = Counter()
c.bump().bump(by=5)
d = c.double
match d:
    case 12: kind = "twelve"
    case _:
        kind = "other"
text = f"{kind} {d}"
big = list(range(100))
nested = [[1, [2, [3, [4]]]]]
long = "x" * 500
value = 1 if d > 3 else 2
assert value == 1
g = (i for i in range(3))
first = next(g)
u = sorted([3, 1, 2], key=lambda z: -z)
"""

GRADIENTS = """\
import torch
w = torch.tensor([1., 2.], requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam([w, b], lr=0.1)
for i in range(3):
    y = (w * 3).sum() + b
    y.backward(retain_graph=True)
    if i == 0:
        y.backward()
    torch.nn.utils.clip_grad_norm_([w, b], 1.0)
    opt.step()
    opt.zero_grad(set_to_none=(i == 1))
g, = torch.autograd.grad((w ** 2).sum(), w)
g2 = g * 2
@torch.no_grad()
def update(p, rate):
    p -= rate * p.sum()
    return p
update(w, 0.5)
h = []
z = w * 1
z.register_hook(lambda grad: h.append(1))
z.sum().backward()
w.grad *= 2
w.grad = torch.ones(2)
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        out = x * x
        return out
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
o = Sq.apply(w)
o.sum().backward()
v = torch.arange(4.)
m = v.view(2, 2)
m[0] = 9
v += 1
def poke(t):
    n = t.numpy()
    n[0] = -5
    k = 1
    return k
poke(v)
t = m.T
t[0, 1] = 3
n = v.numpy()
n *= 2
q = v.clone()
"""

TRAINING = """\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
def data_iter(batch, X, y):
    idx = list(range(len(X)))
    for i in range(0, len(X), batch):
        j = torch.tensor(idx[i:min(i + batch, len(X))])
        yield X[j], y[j]
X = torch.randn(6, 2); y = X @ torch.tensor([2., -3.4]) + 4.2
w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
def linreg(X, w, b):
    return torch.matmul(X, w) + b
def squared_loss(y_hat, y):
    return (y_hat - y.reshape(y_hat.shape)) ** 2 / 2
def sgd(params, lr, batch_size):
    with torch.no_grad():
        for param in params:
            param -= lr * param.grad / batch_size
            param.grad.zero_()
lr = 0.03
for epoch in range(2):
    for Xb, yb in data_iter(2, X, y):
        l = squared_loss(linreg(Xb, w, b), yb)
        l.sum().backward()
        sgd([w, b], lr, 2)
    with torch.no_grad():
        train_l = squared_loss(linreg(X, w, b), y)
        print(f'epoch {epoch + 1}, loss {float(train_l.mean()):f}')
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Dropout(0.5))
        self.o = nn.Linear(3, 1)
    def forward(self, x):
        for layer in self.c:
            x = layer(x)
        return self.o(x)
net = Net(); net.eval()
with torch.inference_mode(): p = net(X)
n = sum(q.numel() for q in net.parameters())
for name, q in net.named_parameters():
    s = tuple(q.shape)
"""

WILD = {"control": CONTROL, "names": NAMES, "gradients": GRADIENTS, "training": TRAINING}

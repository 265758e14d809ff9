"""Initial programs and the menu's: small, each with one thing to see."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ProgramExample:
    """A program to begin with. Its title is the message example-<name>."""

    name: str
    program: str


# w is used twice, so that its gradient is a sum: 2 through a and 3 through b.
FIRST_SIGHT = """\
w = torch.tensor(1., requires_grad=True)
x = torch.tensor(2., requires_grad=True)
a = w + x
b = w + 1
y = a * b
y.backward()
"""

# Two hidden layers learn a wave: the loss plateaus and then falls, and the layers' gradients differ in size.
FIRST_TRAINING = """\
from torch import nn

torch.manual_seed(0)
x = torch.linspace(-2, 2, 64).reshape(-1, 1)
y = torch.sin(2 * x)

lr = 0.03
width = 16
rounds = 200
net = nn.Sequential(
    nn.Linear(1, width), nn.Tanh(),
    nn.Linear(width, width), nn.Tanh(),
    nn.Linear(width, 1),
)
optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
for step in range(rounds):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

EXAMPLES = (
    ProgramExample("two-paths", FIRST_SIGHT),
    ProgramExample(
        "chain-rule",
        """\
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(-3., requires_grad=True)
c = torch.tensor(10., requires_grad=True)
f = torch.tensor(-2., requires_grad=True)
L = (a*b + c)*f
L.backward()
""",
    ),
    ProgramExample(
        "vector",
        """\
x = torch.arange(4., requires_grad=True)
y = x * x
v = torch.tensor([1., .1, .01, .001])
y.backward(v)
x.grad
""",
    ),
    ProgramExample(
        "accumulate",
        """\
x = torch.arange(4., requires_grad=True)
y = 2 * torch.dot(x, x)
y.backward()
print(x.grad)

x.sum().backward()  # without x.grad.zero_() both are added up
print(x.grad)
""",
    ),
    ProgramExample(
        "detach",
        """\
x = torch.arange(4., requires_grad=True)
u = (x * x).detach()
z = u * x
z.sum().backward()
x.grad == u
""",
    ),
    ProgramExample(
        "control-flow",
        """\
def f(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    if b.sum() > 0:
        c = b
    else:
        c = 100 * b
    return c

a = torch.tensor(.3, requires_grad=True)
d = f(a)
d.backward()
a.grad, d / a
""",
    ),
    ProgramExample(
        "training",
        """\
x = torch.tensor([[1.], [2.], [3.], [4.]])
y = 2 * x + 1
net = nn.Linear(1, 1)
nn.init.zeros_(net.weight); nn.init.zeros_(net.bias)
trainer = torch.optim.SGD(net.parameters(), lr=.1)

for epoch in range(8):
    loss = ((net(x) - y) ** 2).mean()
    trainer.zero_grad()
    loss.backward()
    trainer.step()
    print(epoch, loss.item())
""".replace("nn.", "torch.nn."),
    ),
    ProgramExample(
        "second-derivative",
        """\
x = torch.tensor(2., requires_grad=True)
y = x ** 3
first, = torch.autograd.grad(y, x, create_graph=True)
second, = torch.autograd.grad(first, x)
first, second
""",
    ),
    ProgramExample(
        "broadcast-trap",
        """\
prediction = torch.zeros(3, 1, requires_grad=True)
target = torch.tensor([-1., 0., 1.])
loss = ((prediction - target) ** 2).mean()  # (3, 1) against (3,) is (3, 3)
loss.backward()
prediction.grad
""",
    ),
    ProgramExample(
        "where-nan",
        """\
x = torch.tensor([-1., 0., 4.], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), x)
y.sum().backward()
x.grad
""",
    ),
    ProgramExample(
        "overflow",
        """\
x = torch.tensor([1000., 1000.], requires_grad=True)
y = torch.log(torch.exp(x).sum())
y.backward()
x.grad
""",
    ),
    ProgramExample(
        "silently-wrong",
        """\
x = torch.tensor(2., requires_grad=True)
y = x ** 2
x.data.mul_(10)  # torch does not see this write
y.backward()
x.grad  # 4 would be right
""",
    ),
    ProgramExample(
        "backward-twice",
        """\
x = torch.tensor(2., requires_grad=True)
y = x ** 2
y.backward()
y.backward()
""",
    ),
    ProgramExample(
        "classifier",
        """\
torch.manual_seed(0)
x = torch.randn(2, 4)
labels = torch.tensor([0, 2])
net = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.ReLU(), torch.nn.Linear(5, 3))
loss = torch.nn.functional.cross_entropy(net(x), labels)
loss.backward()
""",
    ),
    ProgramExample(
        "attention",
        """\
Q = torch.eye(2, requires_grad=True)
K = torch.eye(2, requires_grad=True)
V = torch.tensor([[1., 0.], [0., 2.]], requires_grad=True)
weights = torch.softmax(Q @ K.T / 2 ** .5, dim=1)
out = weights @ V
out.sum().backward()
weights
""",
    ),
    # With old addresses of operations and tensors, by these names.
    ProgramExample(
        "first",
        """\
x = torch.arange(12, dtype=torch.float32)
X = x.reshape(3, 4)
Y = torch.tensor([[2., 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]], requires_grad=True)
Z = X * Y - 6
rows = Z.sum(dim=1)
loss = (rows ** 2).mean()
loss.backward()
""",
    ),
    ProgramExample(
        "views",
        """\
x = torch.arange(12.)
X = x.reshape(3, 4)
T = X.T
row = X[1]
column = X[:, 2]
block = X[1:, ::2]
flat = T.reshape(12)
X[1, 2] = 100
x += 1
Y = X
Y = Y + X
before = id(X)
X[:] = X + Y
torch.add(X, Y, out=X)
id(X) == before
""",
    ),
    ProgramExample(
        "kinds",
        """\
special = torch.tensor([1., float("nan"), float("inf"), -float("inf"), -0.5])
mask = torch.tensor([[True, False], [False, True]])
whole = torch.tensor([3, -1, 2])
wave = torch.tensor([1 + 2j, -0.5j])
half = torch.tensor([0.1, 65504.]).half()
brain = torch.tensor([0.1, 65504.], dtype=torch.bfloat16)
scalar = torch.tensor(2.5, requires_grad=True)
nothing = torch.empty(0, 3)
sparse = torch.eye(4).to_sparse()
normal = torch.randn(200, 200)
""",
    ),
    ProgramExample(
        "ranks",
        """\
images = torch.randn(2, 3, 4, 5, requires_grad=True)
weights = torch.tensor([0.3, 0.6, 0.1]).view(3, 1, 1)
grey = (images * weights).sum(dim=1)
brightest = grey.amax(dim=(1, 2))
brightest.sum().backward()
""",
    ),
    ProgramExample(
        "numpy",
        """\
import numpy as np

a = torch.ones(5)
b = a.numpy()
a.add_(1)
b += 1
n = np.arange(4.)
shared = torch.from_numpy(n)
copied = torch.tensor(n)
n[0] = 10
w = torch.tensor([1., 2.], requires_grad=True)
kept = w.clone()
apart = w.detach()
raw = w.data
raw *= 100
""",
    ),
    ProgramExample(
        "wrong",
        """\
# %%
good = torch.zeros(2, 3)
torch.tensor([[1, 2], [3]])
# %%
torch.zeros(-2, 3)
# %%
torch.tensor(["one", "two"])
# %%
good.reshape(4, 2)
# %%
good.T.view(6)
# %%
torch.arange(3, requires_grad=True)
# %%
empty = torch.zeros(0, 4)
huge = torch.ones(1).expand(10**9)
deep = torch.zeros(1, 2, 1, 2, 1, 2, 1, 2)
""",
    ),
)
PROGRAMS = {example.name: example for example in EXAMPLES}

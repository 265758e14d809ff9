"""The programs that the Tensors page offers beside the session's own."""

FIRST = """\
x = torch.arange(12, dtype=torch.float32)
X = x.reshape(3, 4)
Y = torch.tensor([[2., 1, 4, 3], [1, 2, 3, 4], [4, 3, 2, 1]], requires_grad=True)
Z = X * Y - 6
rows = Z.sum(dim=1)
loss = (rows ** 2).mean()
loss.backward()
"""

VIEWS = """\
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
"""

KINDS = """\
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
"""

RANKS = """\
images = torch.randn(2, 3, 4, 5, requires_grad=True)
weights = torch.tensor([0.3, 0.6, 0.1]).view(3, 1, 1)
grey = (images * weights).sum(dim=1)
brightest = grey.amax(dim=(1, 2))
brightest.sum().backward()
"""

NUMPY = """\
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
"""

WRONG = """\
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
"""

EXAMPLES = {"first": FIRST, "views": VIEWS, "kinds": KINDS, "ranks": RANKS, "numpy": NUMPY, "wrong": WRONG}

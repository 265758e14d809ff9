"""Eight typical programs whose timelines are compared with plain Python."""

SCALAR = """\
import torch
w = torch.tensor(1., requires_grad=True)
x = torch.tensor(2., requires_grad=True)
a = w + x
b = w + 1; c = 3
y = a * b
y.backward()
print(w.grad, c)
"""

BRANCH = """\
import torch
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
total = x.sum()
if total > 5:
    y = total * 2
elif total > 1 and x[0] == 1:
    y = total ** 2
else:
    y = -total
kind = "large" if y > 10 else "small"
n = 0
while n < 2: n += 1
y.backward()
"""

LOOP = """\
import torch
w = torch.tensor(3.0, requires_grad=True)
losses = []
for step in range(5):
    loss = (w - 1) ** 2
    if loss < 0.5:
        break
    loss.backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
    w.grad = None
    losses.append(round(loss.item(), 3))
    if step == 1: continue
    best = min(losses)
print(losses)
"""

FUNCTION = """\
import torch

def scaled(x, factor=2):
    out = x * factor
    return out

def chain(x, n):
    for i in range(n):
        x = scaled(x, factor=i + 1)
    shape = x.shape
    return x.sum(), shape

def numbers(n):
    for i in range(n):
        yield i * i

x = torch.ones(2, requires_grad=True)
y, shape = chain(x, 2)
z = scaled(
    x,
    factor=3,
)
squares = [n for n in numbers(3)]
for k in numbers(2):
    last = k
(y + z.sum()).backward()
"""

IN_PLACE = """\
import torch
x = torch.arange(6.0).reshape(2, 3)
row = x[0]
row += 10
x[1, 2] = -1
array = x.numpy()
array[1, 0] = 7
copy = x.clone()
copy.mul_(2)
w = torch.ones(3, requires_grad=True)
v = w * 1
v.add_(row)
v.sum().backward()
w.data -= w.grad
w.data.zero_()
"""

NO_GRAD = """\
import torch
w = torch.tensor(2.0, requires_grad=True)
with torch.no_grad(): quiet = w * 3
loud = w * 3
cut = loud.detach()
cut += 1
both = cut * w
try:
    quiet.backward()
except RuntimeError as problem:
    failed = True
both.backward()
with torch.no_grad():
    w.copy_(w - 0.5 * w.grad)
w.grad.zero_()
"""

MLP = """\
import torch
from torch import nn
torch.manual_seed(0)
X = torch.linspace(-1, 1, 8).reshape(-1, 1)
Y = X ** 2

class Net(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Linear(1, hidden)
        self.second = nn.Linear(hidden, 1)

    def forward(self, x):
        h = torch.relu(self.first(x))
        return self.second(h)

net = Net(4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
history = []
for epoch in range(20):
    pred = net(X)
    loss = ((pred - Y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(round(loss.item(), 4))
print(history[-1])
"""

GPT = """\
import math
import torch
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)

class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def attend(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q, k, v = [part.view(B, T, self.heads, C // self.heads).transpose(1, 2) for part in (q, k, v)]
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        mask = torch.tril(torch.ones(T, T)).bool()
        att = att.masked_fill(~mask, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.out(y)

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        x = x + self.mlp(self.norm2(x))
        return x

tokens = torch.tensor([[1, 4, 2, 0, 3]])
embed = nn.Embedding(5, 8)
block = Block(8, 2)
head = nn.Linear(8, 5, bias=False)
logits = head(block(embed(tokens[:, :-1])))
loss = F.cross_entropy(logits.view(-1, 5), tokens[:, 1:].reshape(-1))
loss.backward()
norms = {name: round(p.grad.norm().item(), 4) for name, p in block.named_parameters()}
"""

PROGRAMS = {
    **{"scalar": SCALAR, "branch": BRANCH, "loop": LOOP, "function": FUNCTION, "in place": IN_PLACE},
    **{"no_grad": NO_GRAD, "mlp": MLP, "gpt": GPT},
}

"""Programs to begin with on the Operations page: one per kind of picture."""

from explorer.safe_regex import linear

EXAMPLES = {
    "sum": """a = torch.arange(12.).reshape(3, 4)
a.sum(0)""",
    "index": """a = torch.arange(12.).reshape(3, 4)
a[0:2, [1, 3]]""",
    "mask": """a = torch.tensor([[3., -1.], [0., 5.], [-2., 4.]], requires_grad=True)
a[a > 0].sum().backward()""",
    "write": """a = torch.zeros(3, 4)
a[1:, ::2] = torch.tensor([[1.], [2.]])""",
    "gather": """a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
idx = torch.tensor([[0, 0], [1, 0]])
out = a.gather(1, idx)
out.sum().backward()""",
    "reshape": """a = torch.arange(6).reshape(2, 3)
b = a.T
c = b.reshape(2, 3)""",
    "cat": """a = torch.arange(4).reshape(2, 2)
b = 10 * torch.ones(2, 2)
torch.stack([a, b])
torch.cat([a, b], dim=1)""",
    "keepdim": """a = torch.arange(12., requires_grad=True)
b = a.reshape(3, 4).sum(0, keepdim=True)
b.sum().backward()""",
    "max": """a = torch.tensor([[1., 5., 2.], [4., 0., 4.]], requires_grad=True)
values, where = a.max(1)
values.sum().backward()""",
    "cumsum": """a = torch.tensor([1., 2., 3., 4.], requires_grad=True)
b = a.cumsum(0)
b.sum().backward()""",
    "norm": """a = torch.tensor([3., 4.])
a.norm(1)
a.norm()""",
    "curve": """x = torch.linspace(-3, 3, 7, requires_grad=True)
x.clamp(-1, 2)
y = torch.sigmoid(x)
y.sum().backward()""",
    "softmax": """x = torch.tensor([[1., 2., 3.], [0., 0., 5.]], requires_grad=True)
y = torch.softmax(x, dim=1)
y.backward(torch.eye(2, 3))""",
    "symmetric": """A = torch.tensor([[1, 2, 3], [2, 0, 4], [3, 4, 5]])
A == A.T""",
    "hadamard": """a = torch.tensor([[1., 2.], [3., 4.]])
b = torch.tensor([[5., 6.], [7., 8.]])
a * b
a @ b""",
    "linear": """A = torch.arange(6., requires_grad=True).reshape(2, 3)
B = (torch.ones(3, 2) + torch.eye(3, 2)).requires_grad_()
x = torch.tensor([1., 2., 3.])
x.dot(x)
A.mv(x)
C = A @ B
C.sum().backward()""",
    "bmm": """a = torch.arange(12.).reshape(2, 2, 3)
b = torch.ones(2, 3, 2)
torch.bmm(a, b)""",
    "sort": """a = torch.tensor([[3., 1., 2.], [6., 5., 4.]], requires_grad=True)
a.topk(2)
values, where = a.sort(dim=1)
values.sum().backward()""",
    "einsum": """A = torch.arange(6.).reshape(2, 3)
B = torch.arange(6.).reshape(2, 3)
torch.einsum('ik,jk->ij', A, B)""",
    "cross": """a = torch.tensor([1., 0., 0.])
b = torch.tensor([1., 2., 0.])
c = torch.cross(a, b, dim=0)""",
    "arange": """torch.linspace(0, 10, 5)
torch.arange(0, 10, 2)""",
    "random": """u = torch.rand(1000)
p = torch.randperm(6)
e = torch.empty(2, 3)
x = torch.normal(2., 0.5, (2000,))""",
    "types": """a = torch.tensor([1, 2, 3])
b = torch.tensor([.5, .25, 1.])
c = torch.add(a, b, alpha=2)
d = a + b""",
    "svd": """A = torch.tensor([[3., 1., 1.], [1., 3., 1.], [0., 1., 2.]])
U, S, Vh = torch.linalg.svd(A)""",
}

# What people look up most: each has its picture where the program has none.
LOOKED_UP = (
    *("sum", "softmax", "hadamard", "reshape", "index", "mask"),
    *("gather", "cat", "keepdim", "max", "einsum", "sort"),
)
_CALL = linear(r"\.([a-z_]\w*)\(")
_PREPARING = {"arange", "backward", "eye", "ones", "requires_grad_", "reshape", "tensor", "zeros"}


def called(name: str) -> tuple[str, ...]:
    """The operations that an example calls, by torch's names, without those that only prepare its tensors.

    >>> called("softmax"), called("curve")
    (('softmax',), ('linspace', 'clamp', 'sigmoid', 'sum'))
    """
    words = dict.fromkeys(_CALL.findall(EXAMPLES[name]))
    return tuple(word for word in words if word not in _PREPARING or len(words) == 1)

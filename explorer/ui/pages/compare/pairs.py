"""Pairs of programs that the page opens: each pair differs in one line, and the runs differ because of it."""

from dataclasses import dataclass

from explorer.ui.session.examples import FIRST_SIGHT


@dataclass(frozen=True)
class Pair:
    """Two programs. Their title is the message comparing-pair-<name>, comparing-see-<name> says what to look at.

    Attributes:
        names: of the files, for A and B.
        program: A.
        change: what B has in place of which text of A.
    """

    name: str
    names: tuple[str, str]
    program: str
    change: tuple[str, str]

    @property
    def other(self) -> str:
        """B."""
        return self.program.replace(*self.change)


RELU = """\
from torch.nn import functional as F

x = torch.tensor([1., 2., 3.])
w = torch.tensor([2., -1., 0.5], requires_grad=True)
z = w * x
h = F.relu(z)
loss = (h ** 2).sum()
loss.backward()
"""

SUMMED = """\
x = torch.tensor([1., 2., 3., 4.])
w = torch.tensor(0.5, requires_grad=True)
error = w * x - 2 * x
loss = (error ** 2).mean()
loss.backward()
"""

ACCUMULATED = """\
w = torch.tensor(1., requires_grad=True)
for step in range(2):
    w.grad = None
    loss = (3 * w) ** 2
    loss.backward()
    with torch.no_grad():
        update = 0.05 * w.grad
        w -= update
"""

BROADCAST = """\
prediction = torch.tensor([[0.], [1.], [2.]], requires_grad=True)
target = torch.tensor([[0.], [1.], [3.]])
error = prediction - target
loss = (error ** 2).mean()
loss.backward()
"""

OVERFLOWED = """\
x = torch.tensor([1., 100.], requires_grad=True)
total = torch.logsumexp(x, 0)
total.backward()
"""

PAIRS = (
    Pair("relu", ("relu.py", "leaky_relu.py"), RELU, ("F.relu(z)", "F.leaky_relu(z, 0.1)")),
    Pair("detach", ("through_b.py", "b_detached.py"), FIRST_SIGHT, ("a * b", "a * b.detach()")),
    Pair("sum", ("mean.py", "sum.py"), SUMMED, ("mean()", "sum()")),
    Pair("zero-grad", ("zeroed.py", "not_zeroed.py"), ACCUMULATED, ("    w.grad = None\n", "")),
    Pair("broadcast", ("same_shape.py", "broadcast.py"), BROADCAST, ("[[0.], [1.], [3.]]", "[0., 1., 3.]")),
    Pair("overflow", ("logsumexp.py", "log_of_exp.py"), OVERFLOWED, ("logsumexp(x, 0)", "log(torch.exp(x).sum())")),
)

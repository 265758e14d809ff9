"""Errors of torch.nn, torch.optim, torch.utils.data and torch.linalg: the cause and the change that is offered."""

import pytest

from tests.errors.test_python import TORCH
from tests.errors.told import explains, mends, told

NET = """class Net(nn.Module):
    def __init__(self):
        {init}
        self.linear = nn.Linear(2, 1)
    def {forward}(self, x):
        return self.{used}(x)
net = Net()
net(torch.ones(1, 2))
"""


def net(init="super().__init__()", forward="forward", used="linear") -> str:
    """A program with a module of its own."""
    return TORCH + NET.format(init=init, forward=forward, used=used)


MENDED = [  # program, kind, a line of the mended text that the program has not
    (net(init="pass"), "super-init-missing", "        super().__init__()"),
    (net(forward="foward"), "forward-misspelt", "    def forward(self, x):"),
    (net(used="liner"), "attribute-near", "        return self.linear(x)"),
    (TORCH + "n = nn.Linear(2, 1)\noptim.SGD([], 0.1)", "optimizer-of-empty-list", "optim.SGD(n.parameters(), 0.1)"),
    (TORCH + "n = nn.Linear(2, 1)\noptim.SGD(n, lr=0.1)", "optimizer-of-a-module", "optim.SGD(n.parameters(), lr=0.1)"),
    (TORCH + "n = nn.Linear(2, 1)\noptim.SGD(n.parameters, lr=0.1)", "parameters-not-called",
     "optim.SGD(n.parameters(), lr=0.1)"),
    (TORCH + "w = torch.ones(2, requires_grad=True)\noptim.SGD(w, lr=0.1)", "optimizer-of-a-tensor",
     "optim.SGD([w], lr=0.1)"),
    (TORCH + "n = nn.Sequential(nn.Linear(2, 4), nn.ReLU, nn.Linear(4, 1))", "layer-without-brackets",
     "n = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))"),
    (TORCH + "n = nn.Sequential(nn.Linear(2, 4), torch.relu)", "function-in-sequential",
     "n = nn.Sequential(nn.Linear(2, 4), nn.ReLU())"),
    (TORCH + "a, b = torch.ones(3), torch.ones(3)\nloss = nn.MSELoss(a, b)", "loss-class-given-tensors",
     "loss = nn.MSELoss()(a, b)"),
    (TORCH + "y = nn.ReLU(torch.ones(2)).sum()", "layer-is-no-tensor", "y = nn.ReLU()(torch.ones(2)).sum()"),
    (TORCH + "nn.BatchNorm1d(3)(torch.ones(1, 3))", "batch-norm-of-one-row",
     "nn.BatchNorm1d(3).eval()(torch.ones(1, 3))"),
    (TORCH + "n = nn.BatchNorm1d(3)\nwith torch.no_grad():\n    y = n(torch.ones(1, 3))", "batch-norm-of-one-row",
     "    n.eval()"),
    (TORCH + "torch.linalg.inv(torch.zeros(2, 2))", "matrix-singular", "torch.linalg.pinv(torch.zeros(2, 2))"),
    (TORCH + "A = torch.ones(2, 2)\nb = torch.ones(2)\nx = torch.linalg.solve(A, b)", "system-singular",
     "x = (torch.linalg.pinv(A) @ b.unsqueeze(-1)).squeeze(-1)"),
]  # fmt: skip

EXPLAINED = [
    (TORCH + "n = nn.BatchNorm1d(3)\nn(torch.ones(1, 3))", "batch-norm-of-one-row"),  # eval() is wrong in training
    (TORCH + "optim.SGD([], 0.1)", "optimizer-of-empty-list"),
    (TORCH + "n = nn.ReLU()\noptim.SGD(n.parameters(), 0.1)", "module-without-parameters"),
    (TORCH + "w = torch.ones(2, requires_grad=True)\nv = w * 2\noptim.SGD([v], 0.1)", "optimizer-of-non-leaf"),
    (TORCH + "n = nn.Linear(2, 1)\nn.load_state_dict({'weight': torch.ones(2, 2), 'bias': torch.ones(1)})",
     "state-dict-shape"),
    (TORCH + "nn.Linear(2)", "constructor-arguments-missing"),
    (TORCH + "nn.Dropout(1.5)", "dropout-out-of-range"),
    (TORCH + "nn.LSTM(3, 4)(torch.ones(2, 5, 2))", "recurrent-input-size"),
    (TORCH + "nn.MultiheadAttention(5, 2)", "attention-heads"),
    (TORCH + "torch.utils.data.TensorDataset(torch.ones(3), torch.ones(2))", "dataset-lengths"),
    (TORCH + "torch.linalg.det(torch.ones(2, 3))", "matrix-not-square"),
    (TORCH + "torch.linalg.cholesky(-torch.eye(2))", "not-positive-definite"),
    (TORCH + "torch.linalg.eigvals(torch.ones(3))", "matrix-wanted"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "kind", "line"), MENDED)
def test_a_mistake_is_mended(source, kind, line):
    mends(source, kind, line)


@pytest.mark.parametrize(("source", "kind"), EXPLAINED)
def test_a_mistake_is_explained_where_no_change_is_sure(source, kind):
    explains(source, kind)


def test_no_flag_that_silences_is_offered_for_a_state_dict_that_does_not_fit():
    for given in ("{'weight': torch.ones(1, 2)}", "nn.Linear(3, 1).state_dict()", "nn.Linear(2, 4).state_dict()"):
        found = told(TORCH + f"nn.Linear(2, 1).load_state_dict({given})")
        assert found.kind.startswith("state-dict-") and not found.repaired_source

"""Dtypes and devices: the kind of each error, the change that mends it, and where no change is offered."""

import pytest

from explorer.analysis.errors.tensors.devices import on_cpu
from explorer.text import say
from tests.errors.test_shapes import HEAD, explained
from tests.errors.told import explains, mends_one_line

MENDED = [
    ("a = torch.ones(2, 2)\na @ a.double()", "product-dtypes", "a @ a.double().float()"),
    ("x = torch.arange(4).reshape(2, 2)\nx @ torch.ones(2)", "product-dtypes", "x.float() @ torch.ones(2)"),
    ("l = nn.Linear(2, 1)\nl(torch.tensor([[1, 2]]))", "layer-dtype", "l(torch.tensor([[1, 2]]).float())"),
    ("a = torch.arange(3)\na += 0.5", "inplace-dtype", "a = a + 0.5"),
    ("torch.arange(3).mean()", "floats-needed", "torch.arange(3).float().mean()"),
    ("F.softmax(torch.arange(3), dim=0)", "floats-needed", "F.softmax(torch.arange(3).float(), dim=0)"),
    ("-torch.tensor([True])", "minus-of-mask", "~torch.tensor([True])"),
    ("m = torch.tensor([True])\n1 - m", "minus-of-mask", "~m"),
    ("x = torch.ones(2)\nm = x > 0 & x < 2", "mask-brackets", "m = (x > 0) & (x < 2)"),
    ("nn.Embedding(3, 2)(torch.tensor([0.5]))", "embedding-dtype", "nn.Embedding(3, 2)(torch.tensor([0.5]).long())"),
    ("loss = nn.CrossEntropyLoss()\ny = torch.tensor([0.])\nloss(torch.ones(1, 2), y)", "target-dtype",
     "loss(torch.ones(1, 2), y.long())"),
    ("torch.tensor(['1', '2'])", "tensor-of-number-texts", "torch.tensor([float(text) for text in ['1', '2']])"),
    ("torch.ones(2).cuda()", "no-gpu", "torch.ones(2)"),
    ("torch.eye(2).to_sparse().numpy()", "sparse-not-taken", "torch.eye(2).to_sparse().to_dense().numpy()"),
    ("torch.ones(2).bfloat16().numpy()", "dtype-not-in-numpy", "torch.ones(2).bfloat16().float().numpy()"),
    ("torch.ones(2).to('cuda')", "no-gpu", "torch.ones(2).to('cpu')"),
    ('torch.ones(2, device="cuda:0")', "no-gpu", 'torch.ones(2, device="cpu")'),
    ("device = 'cuda'\nx = torch.ones(2, device=device)", "no-gpu", "device = 'cpu'"),
    ("d = torch.device('mps')\nx = torch.ones(2).to(d)", "no-mps", "d = torch.device('cpu')"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "kind", "line"), MENDED, ids=[f"{one[1]}-{i}" for i, one in enumerate(MENDED)])
def test_the_change_runs_and_keeps_the_other_lines(program, kind, line):
    mends_one_line(HEAD + program, kind, line)


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("torch.tensor(['a'])", "tensor-of-text"),
        ("torch.tensor([[1, 2], [3]])", "ragged"),
        ("torch.ones(2) & torch.ones(2)", "bits-of-floats"),
        ("torch.tensor([1j]) < torch.tensor([2j])", "order-of-complex"),
        ("torch.ones(2, device='meta').tolist()", "meta-data"),
        ("torch.cuda.synchronize()", "no-gpu"),
        ("torch.zeros(-1)", "negative-size"),
        ("torch.zeros(10**12, 10**12)", "entries-past-counting"),
        ("import numpy as np\ntorch.tensor(np.array([None, 'a']))", "array-of-objects"),
        ("a = torch.eye(2).to_sparse()\na.view(4)", "sparse-not-taken"),
        ("x, y = torch.ones(1, 2).double(), torch.ones(1).double()\nnn.Linear(2, 1)(x)", "layer-dtype"),
    ],
)
def test_where_no_change_is_sure_none_is_offered(program, kind):
    explains(HEAD + program, kind)


def test_the_cause_names_both_dtypes():
    found = explained("l = nn.Linear(2, 1)\nl(torch.tensor([[1, 2]]))")
    cause = say("en", f"error-{found.kind}.cause", **found.values)
    assert cause == "The weights of l are float32, its input is int64."


def test_a_device_chosen_by_a_condition_stays():
    source = "device = 'cuda' if torch.cuda.is_available() else 'cpu'"
    assert on_cpu(source) == source

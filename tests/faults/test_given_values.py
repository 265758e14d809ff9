"""A NaN loss from its input: data, uninitialized memory."""

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from tests.faults.programs import HEAD
from tests.traces import trace_of

CSV = "rooms,area,roof,price\n3,70,slate,210\nNA,50,tin,150\n4,NA,NA,260\n2,40,tin,NA\n5,90,tin,300\n1,20,slate,80\n"
TABLE = f"import io, numpy as np, pandas as pd\ntable = pd.read_csv(io.StringIO({CSV!r}))\n"
TRAIN = """
w = torch.zeros(X.shape[-1] if X.ndim > 1 else 1, dtype=X.dtype, requires_grad=True)
loss = ((X @ w if X.ndim > 1 else X * w) ** 2).mean()
loss.backward()
"""
LATER = "other = pd.DataFrame({'rooms': [3.0, None], 'n': [1, 2]})\n"


def findings(program):
    return diagnose(trace_of(HEAD + program))


@pytest.mark.parametrize(
    "made",
    [
        "X = torch.tensor(table[['rooms', 'area']].values)",
        "X = torch.tensor(table['rooms'].tolist())",
        "X = torch.from_numpy(table[['rooms', 'area']].to_numpy('float32'))",
        "def load(rows):\n    return torch.tensor(rows[['area']].values)\nX = load(table)",
    ],
)
def test_missing_cells_of_a_table_are_the_first_problem(made):
    (found,) = findings(f"{TABLE}{made}{TRAIN}")
    assert (found.kind, found.level, found.values["how"]) == ("nan_given", "fault", "data")


@pytest.mark.parametrize(
    "program",
    [
        "unused = torch.tensor(table[['area']].values)\nX = torch.tensor(table.dropna()[['rooms', 'price']].values)",
        "X = torch.tensor(table[['rooms', 'area']].fillna(0.0).values)",
        "X = torch.nan_to_num(torch.tensor(table[['rooms', 'area']].values))",
        "X = torch.tensor(table[['rooms', 'area']].values)\nX = X[~X.isnan().any(1)]",
        "X = torch.tensor(table[['rooms']].values)\nX = torch.where(X.isnan(), torch.zeros_like(X), X)",
    ],
)
def test_missing_cells_outside_the_loss_are_not_reported(program):
    assert findings(f"{TABLE}{program}{TRAIN}") == []


def test_a_loss_that_ignores_missing_cells_is_sound():
    program = (
        "y = torch.tensor(table['price'].values)\nw = torch.zeros(6, dtype=y.dtype, requires_grad=True)\n"
        "loss = ((w - torch.nan_to_num(y)) ** 2 * ~y.isnan()).sum()\nloss = loss + (y - y).detach().nanmean()\n"
    )
    assert findings(f"{TABLE}{program}loss.backward()") == []


@pytest.mark.parametrize(
    ("made", "kind", "level"),
    [
        ("x = torch.tensor([1.0, float('nan')])", "nan_given", "fault"),
        ("import numpy as np\nx = torch.from_numpy(np.array([1.0, np.nan], 'float32'))", "nan_given", "fault"),
        ("import numpy as np\nx = torch.from_numpy(np.array([1.0, np.inf], 'float32'))", "root_nonfinite", "note"),
    ],
)
def test_every_loss_that_is_not_finite_is_a_problem(made, kind, level):
    (found,) = findings(f"{made}\nw = torch.ones(2, requires_grad=True)\nloss = (x * w).sum()\nloss.backward()")
    assert (found.kind, found.level) == (kind, level)

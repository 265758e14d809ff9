"""A NaN loss from its input: missing cells of a table, data, uninitialised memory."""

import pytest

from explorer.analysis.faults.diagnosis import diagnose
from explorer.workers.diagnoses import diagnose_with_verified_fixes
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


def told(program):
    """The columns and the line of the only finding, which is about a table."""
    (found,) = findings(program)
    assert (found.kind, found.level) == ("missing_cells", "fault")
    return found.values["columns"], found.place.line


@pytest.mark.parametrize(
    ("made", "columns"),
    [
        ("X = torch.tensor(table[['rooms', 'area']].values)", 'table["rooms"] (1), table["area"] (1)'),
        ("X = torch.tensor(table['price'].to_numpy(), dtype=torch.float32)", 'table["price"] (1)'),
        ("X = torch.from_numpy(table[['rooms', 'area']].to_numpy('float32'))", 'table["rooms"] (1), table["area"] (1)'),
        ("X = torch.FloatTensor(table[['area']].values)", 'table["area"] (1)'),
        ("X = torch.tensor(table['rooms'].tolist())", 'table["rooms"] (1)'),
        ("X = torch.as_tensor(((table[['rooms']] - table['rooms'].mean()) / 2).values)", 'table["rooms"] (1)'),
        ("X = torch.tensor(table[['rooms', 'area']].values[:3])", 'table["rooms"] (1), table["area"] (1)'),
        (
            "X = torch.tensor(pd.get_dummies(table, columns=['roof'], dtype=float).drop(columns='price').values)",
            'table["rooms"] (1), table["area"] (1)',
        ),
    ],
)
def test_missing_cells_of_a_table_are_the_first_problem(made, columns):
    assert told(f"{TABLE}{LATER}{made}{TRAIN}") == (columns, 5)


@pytest.mark.parametrize(
    ("made", "columns"),
    [
        (
            "a = pd.DataFrame({'k': [1, 2, 3], 'v': [1.0, 2, 3]})\nb = pd.DataFrame({'k': [1, 3], 'u': [5.0, 6]})\n"
            "both = a.merge(b, how='left')\nX = torch.tensor(both.values)",
            'both["u"] (1)',
        ),
        (
            "a = pd.DataFrame({'v': [1.0, 2, 3]})\nlonger = a.reindex(range(5))\nX = torch.tensor(longer.values)",
            'longer["v"] (2)',
        ),
        (
            "a = pd.DataFrame({'n': [0.0, 1, 2], 'd': [0.0, 2, 4]})\na['ratio'] = a.n / a.d\n"
            "X = torch.tensor(a['ratio'].values)",
            'a["ratio"] (1)',
        ),
        (
            "def load(text):\n    rows = pd.read_csv(io.StringIO(text))\n    return to_tensor(rows[['area']].values)\n"
            f"def to_tensor(array):\n    return torch.tensor(array)\nX = load({CSV!r})",
            'rows["area"] (1)',
        ),
        (
            "class Houses(torch.utils.data.Dataset):\n"
            f"    def __init__(self):\n        self.rows = pd.read_csv(io.StringIO({CSV!r}))\n"
            "    def __len__(self):\n        return len(self.rows)\n"
            "    def __getitem__(self, i):\n"
            "        return torch.tensor(self.rows.iloc[i][['rooms', 'area']].to_numpy(float))\n"
            "X = next(iter(torch.utils.data.DataLoader(Houses(), batch_size=3)))",
            'self.rows["rooms"] (1), self.rows["area"] (1)',
        ),
        (
            f"parts = {{'train': pd.read_csv(io.StringIO({CSV!r}))}}\n"
            "X = torch.tensor(parts['train'][['rooms']].values)",
            'parts["train"]["rooms"] (1)',
        ),
    ],
)
def test_missing_cells_name_their_tables_columns(made, columns):
    assert told(f"import io, pandas as pd\n{made}{TRAIN}")[0] == columns


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


def test_all_tables_behind_a_loss_are_filled_together():
    program = (
        f"{TABLE}prices = table[['price']].copy()\ninputs = table[['rooms', 'area']].copy()\ndel table\n"
        "X = torch.tensor(inputs.values)\ny = torch.tensor(prices['price'].values)\n"
        "w = torch.zeros(2, dtype=X.dtype, requires_grad=True)\nloss = ((X @ w - y) ** 2).mean()\nloss.backward()\n"
    )
    (found,) = diagnose_with_verified_fixes(trace_of(HEAD + program))
    assert found.values["tables"] == "inputs, prices" and found.proof
    assert diagnose(trace_of(found.offered.source)) == []


def test_rows_without_a_label_are_dropped_instead_of_filled():
    program = f"{TABLE}y = torch.tensor(table['price'].values)\nw = torch.zeros(1, dtype=y.dtype, requires_grad=True)\n"
    (found,) = diagnose_with_verified_fixes(trace_of(f"{HEAD}{program}loss = ((w - y) ** 2).mean()\nloss.backward()"))
    assert "table = table.dropna()" in found.offered.source


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

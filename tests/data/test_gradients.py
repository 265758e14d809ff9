"""A row's contribution to a weight's gradient is its per-sample gradient, shown at the right weight."""

import pytest
import torch

from explorer.analysis.views.data import data_steps as steps
from explorer.analysis.views.data.data_gradients import PULLS, adds_up, loss, scalar, weighted
from explorer.trace import TableColumn, TableWindow
from tests.traces import trace_of

TABLE = """import pandas as pd
import torch

data = pd.DataFrame({"a": [1.0, 2.0, -1.0, 40.0], "b": [0.5, 0.0, 1.0, 2.0], "y": [1.0, 0.0, 1.0, 0.0]})
"""
A, B, Y = (TableColumn(name, "float64", "number", 0, 4) for name in "aby")
X = torch.tensor([[1.0, 0.5], [2.0, 0.0], [-1.0, 1.0], [40.0, 2.0]])
GIVEN = torch.tensor([1.0, 0.0, 1.0, 0.0])


def program(model: steps.Model) -> str:
    made = steps.with_tensors(TABLE, steps.to_tensors("data", [A, B], Y))
    return steps.with_gradient(made, steps.gradient(model, "0.01"))


def of_one_row(model: str):
    def row_loss(w, b, x, y):
        score = x @ w + b[0]
        if model == "linear":
            return (score - y) ** 2
        return torch.nn.functional.binary_cross_entropy_with_logits(score, y)

    return row_loss


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_a_row_adds_its_per_sample_gradient(model):
    trace = trace_of(program(model), tables=(TableWindow(name=PULLS, sort="a"),))
    assert trace.status == "ok"
    per_sample = torch.func.vmap(torch.func.grad(of_one_row(model)), (None, None, 0, 0))(
        torch.zeros(2), torch.zeros(1), X, GIVEN
    ) / len(X)
    part = trace.tables[0]
    rows = [int(label or -1) for label in part.labels]
    pulled = torch.tensor([[float(text or "nan") for text in row[:2]] for row in part.cells])
    torch.testing.assert_close(pulled, per_sample[rows])
    assert rows[0] == 3 or model == "linear"  # the outlier comes first
    found = weighted(trace)
    assert found is not None
    assert (found.inputs, found.table, found.weights, found.columns) == ("X", "inputs", "w", ("a", "b"))
    torch.testing.assert_close(torch.tensor(found.gradients), per_sample.sum(0))
    assert adds_up(trace.tables[0], found.gradients)
    assert not adds_up(trace.tables[0], (1.0, 2.0))


def test_the_loss_is_shown_before_and_after_the_step():
    trace = trace_of(program("linear"), tables=(TableWindow(),))
    assert loss(trace) == pytest.approx((GIVEN**2).mean().item())
    assert scalar(trace, "new_loss") != loss(trace)


# Realistic table rows: years and areas, a column of a thousand millions, and redundant columns.
RAW = {
    "houses": {"area": "[40 + 7 * k % 90 for k in rows]", "year": "[1950 + 3 * k % 70 for k in rows]"},
    "large and small": {"people": "[1e9 + 3e7 * k for k in rows]", "share": "[k / 1e6 for k in rows]"},
    "one value": {"a": "[2000] * 40", "b": "[-k for k in rows]"},
    "thirty that say the same": {f"c{k}": f"[{10 ** (k % 5)} * k + {k} for k in rows]" for k in range(30)},
    "zero and one": {f"c{k}": f"[int(k % {k + 2} == 0) for k in rows]" for k in range(12)},
}


NEXT = {
    model: f"""losses = [loss.item(), new_loss.item()]
for _ in range(8):
    w.grad = b.grad = None
    loss = {loss}
    loss.backward()
    with torch.no_grad():
        w -= {{rate}} * w.grad
        b -= {{rate}} * b.grad
        losses.append(({loss}).item())
rise = torch.tensor(losses).diff().max()
"""
    for model, loss in (
        ("linear", "((X @ w + b - y) ** 2).mean()"),
        ("logistic", "torch.nn.functional.binary_cross_entropy_with_logits(X @ w + b, y)"),
    )
}


@pytest.mark.parametrize("model", NEXT)
@pytest.mark.parametrize("name", RAW)
def test_steps_on_raw_columns_lower_the_loss(name, model):
    cells = "".join(f"data[{label!r}] = {cells}\n" for label, cells in RAW[name].items())
    given = "[3e5 + 4e3 * k for k in rows]" if model == "linear" else "[k % 3 == 0 for k in rows]"
    table = f"import pandas as pd\nimport torch\n\nrows = range(40)\ndata = pd.DataFrame(index=rows)\n{cells}"
    table += f"data['y'] = {given}\n"
    *columns, target = trace_of(table, tables=(TableWindow(),)).tables[0].columns
    made = steps.with_tensors(table, steps.to_tensors("data", columns, target))
    if wide := steps.unscaled(columns):
        made = steps.with_line(made, steps.scale("data", wide, "standard"))
    rate = steps.suiting_rate(len(columns))
    trace = trace_of(steps.with_gradient(made, steps.gradient(model, rate)) + NEXT[model].format(rate=rate))
    assert trace.status == "ok"
    assert scalar(trace, "rise") < 0


@pytest.mark.parametrize(
    "layer", ["net = torch.nn.Linear(2, 1)\nnet(X).sum().backward()", "w = torch.ones(2, 1, requires_grad=True)\n(X @ w).sum().backward()"]
)  # fmt: skip
def test_the_users_own_weights_are_found(layer):
    trace = trace_of(steps.with_tensors(TABLE, steps.to_tensors("data", [A, B], Y)) + layer, tables=(TableWindow(),))
    found = weighted(trace)
    assert found is not None
    assert found.gradients == pytest.approx(X.sum(0).tolist())


@pytest.mark.parametrize("other", ["", "w = torch.ones(2)\nX @ w", "w = torch.ones(2, 3, requires_grad=True)\nX @ w"])
def test_other_weights_are_not_reported(other):
    trace = trace_of(steps.with_tensors(TABLE, steps.to_tensors("data", [A, B], Y)) + other, tables=(TableWindow(),))
    assert weighted(trace) is None

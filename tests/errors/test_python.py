"""Python's own errors, NumPy's and pandas': what learners write, the cause that is told, the change that is offered."""

import pytest

from explorer.analysis.errors.wire import explain
from explorer.text import say
from explorer.trace import Failure
from tests.errors.told import told
from tests.runtime.test_cells import ran
from tests.traces import trace_of


def test_the_cause_names_what_the_program_names():
    found = told("a = [1, 2, 3]\nfor i in range(4):\n    a[i]")
    assert say("en", "error-list-too-short.cause", **found.values).startswith("a has 3 entries, at positions 0 to 2")


def test_a_name_of_a_cell_that_failed_points_at_that_cell():
    trace = trace_of("# %%\ny = 1 / 0\n# %%\nprint(y)")
    failure = next(one for one in trace.cells[1].outputs if isinstance(one, Failure))
    found = explain(trace, 1, failure)
    assert (found.kind, found.values["cell"]) == ("name-of-a-failed-cell", 1)


REFUSED = "import urllib.request\n"
FETCH = 'urllib.request.urlopen("https://example.org/a")'


@pytest.mark.parametrize(
    ("cell", "name", "line"),
    [
        (f"{REFUSED}raw = {FETCH}", "raw", 2),
        (f"{REFUSED}(a, b), (c, d) = {FETCH}", "d", 2),
        (f"{REFUSED}first = second = {FETCH}", "second", 2),
        (f"{REFUSED}size = 3; {FETCH}; late = 2", "late", 2),
        (f"{REFUSED}with {FETCH} as page:\n    text = page.read()", "text", 3),
        (f"{REFUSED}both = [\n    {FETCH},\n    3,\n]", "both", 2),
        (f"{REFUSED}{FETCH}\nfrom math import (\n    tau,\n    pi,\n)", "pi", 3),
    ],
)
def test_a_name_that_a_refused_cell_would_have_assigned_leads_to_that_cell(cell, name, line):
    trace = trace_of(f"# %%\n{cell}\n# %%\nprint({name})")
    failure = next(one for one in trace.cells[1].outputs if isinstance(one, Failure))
    found = explain(trace, 1, failure)
    assert (found.kind, found.values["cell"], found.values["where"]) == ("name-of-a-refused-cell", 1, line)


def test_cells_that_fail_for_one_another_lead_to_the_first():
    trace = trace_of("# %%\ndata = 1 / 0\n# %%\nloader = list(data)\n# %%\nbatch = loader[0]\n# %%\nprint(batch)")
    failure = next(one for one in trace.cells[3].outputs if isinstance(one, Failure))
    found = explain(trace, 3, failure)
    assert (found.kind, found.values["root"]) == ("name-of-a-cell-that-needs-another", 1)
    assert found.values["what"].startswith("ZeroDivisionError")


def test_an_import_is_added_to_the_cell_that_uses_the_name():
    trace = trace_of("# %%\ndef f():\n    return np.ones(2)\n# %%\nf()")
    failure = next(one for one in trace.cells[1].outputs if isinstance(one, Failure))
    found = explain(trace, 1, failure)
    assert (found.repairs[0].cell, found.repaired_source) == (0, "import numpy as np\n" + trace.cells[0].source)


MANY = ", ".join(str(number) for number in range(10, 60))


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (f"x = 1\ntorch.tensor({MANY}, x)", "too-many-arguments"),
        (f"x = 1\ntorch.relu([{MANY}, x])", "list-for-tensor"),
        (f"x = 1\n[{MANY}, x] * 2.5", "list-in-arithmetic"),
    ],
)
def test_many_numbers_are_read_in_one_pass(program, kind):
    assert told("import torch\n" + program).kind == kind


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("config = {'lr': 0.1, 'hidden': 8}\nconfig['width']", "lr, hidden"),
        (
            "class A:\n    def __init__(self):\n        self.c = {'a': {'weight': 1}}\nnet = A()\nnet.c['a']['bias']",
            "weight",
        ),
        ("import pandas as pd\ndf = pd.DataFrame({'Age': [1], 'Fare': [2]})\ndf['Cabin']", "Age, Fare"),
        ("import pandas as pd\ndf = pd.DataFrame({'Age': [1], 'Fare': [2]})\ndf[['Agee', 'Fare']]", "Age, Fare"),
    ],
)
def test_a_missing_key_is_told_with_those_that_there_are(source, keys):
    assert told(source).values["keys"] == keys


def explained(*cells):
    trace = ran(*cells)
    return explain(trace, len(cells) - 1, trace.cells[-1].outputs[-1])


def test_a_name_that_a_stopped_cell_did_not_rebind_is_no_method():
    define = "def net(x):\n    return x"
    found = explained(define, "net = nothing.Linear(2)", "net.parameters()")
    assert (found.kind, found.values["cell"]) == ("name-not-rebound", 2)
    assert explained(define, "net = net\nnothing", "net.parameters()").kind == "method-not-called"  # it was bound


def test_a_file_that_reached_the_limit_is_not_called_corrupted():
    found = explained("torch.save(torch.zeros(5_000_000), 'a.pth')", "torch.load('a.pth')")
    assert (found.kind, found.values["cell"]) == ("file-cut-by-limit", 1)

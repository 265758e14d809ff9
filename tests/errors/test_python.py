"""Python's own errors, NumPy's and pandas': what learners write, the cause that is told, the change that is offered."""

import pytest

from explorer.analysis.errors import explain
from explorer.text import say
from explorer.trace import Failure
from tests.errors.told import explains, mends, told
from tests.traces import trace_of

TORCH = "import torch\nfrom torch import nn, optim\nimport numpy as np, pandas as pd\n"

MENDED = [  # program, kind, a line of the mended text that the program has not
    ("y = np.ones(2)", "import-missing", "import numpy as np"),
    ("b = true", "constant-spelt-otherwise", "b = True"),
    (TORCH + "lr = 0.1\nprint(Lr)", "name-near", "print(lr)"),
    (TORCH + "x = torch.ones(2)\ny = x.copy()", "tensor-attribute-of-another-library", "y = x.clone()"),
    (TORCH + "x = torch.ones(2)\nx.require_grad_()", "tensor-attribute-near", "x.requires_grad_()"),
    (TORCH + "x = torch.tesnor([1.])", "module-lacks-near", "x = torch.tensor([1.])"),
    (TORCH + "x = np.arrange(3)", "module-lacks-near", "x = np.arange(3)"),
    (TORCH + "x = torch.ones(2, 3)\nx.shape(0)", "shape-called", "x.shape[0]"),
    (TORCH + "a = torch.ones(2)\na(0)", "tensor-called", "a[0]"),
    (TORCH + "x = torch.ones(3)\nfor i in len(x):\n    pass", "loop-over-a-number", "for i in range(len(x)):"),
    (TORCH + "x = torch.tensor([1.], require_grad=True)", "keyword-near", "x = torch.tensor([1.], requires_grad=True)"),
    (TORCH + "x = torch.tensor(1, 2)", "tensor-of-several-values", "x = torch.tensor([1, 2])"),
    ("class A:\n    def f(x):\n        return x\nA().f(1)", "self-missing", "    def f(self, x):"),
    ("d = {'features': 1}\nd['feature']", "key-missing-near", "d['features']"),
    ("for i in range(3)\n    print(i)", "colon-missing", "for i in range(3):"),
    ("a = 1\nif a = 1:\n    pass", "equals-in-condition", "if a == 1:"),
    ("print（'a，b'）", "character-of-another-keyboard", "print('a，b')"),
    ('print "hello"', "print-without-brackets", 'print("hello")'),
    ("def f():\n    a = 1\n\tb = 2", "tabs-and-spaces", "    b = 2"),
    ("import pandas as pd\ndf = pd.DataFrame({'n': [1.], 'c': ['x']})\ndf.mean()", "mean-of-text",
     "df.mean(numeric_only=True)"),
]  # fmt: skip

EXPLAINED = [  # program, kind; no change is sure
    ("print(x)", "name-unknown"),
    ("print(x)\nx = 1", "name-made-below"),
    ("def f():\n    y = 1\nf()\nprint(y)", "name-of-a-function"),
    ("x = 1\ndel x\nprint(x)", "name-deleted"),
    ("if 1 > 2:\n    z = 1\nprint(z)", "name-not-reached"),
    ("import tensorflow as tf", "module-of-another-library-torch"),
    ("def f():\n    pass\nx = f()\nx.sum()", "nothing-returned"),
    ("a, b = 1, 2, 3", "unpacked-too-many"),
    ("a, b, c = [1, 2]", "unpacked-too-few"),
    ("a = [1, 2, 3]\nfor i in range(4):\n    a[i]", "list-too-short"),
    ("d = {'a': 1}\nd['zzz']", "key-missing"),
    ("def mean(xs):\n    return sum(xs) / len(xs)\nmean([])", "division-by-a-zero"),
    ("def f(n):\n    return f(n - 1)\nf(3)", "recursion-without-end"),
    ("assert 1 == 2", "assertion-failed"),
    ("open('data.csv')", "file-not-here"),
    ("return 3", "return-outside-function"),
    ("count = 0\ndef f():\n    count += 1\nf()", "local-hides-global"),
    (TORCH + "a = [1., 2.]\na.sum()", "list-is-no-tensor"),
    (TORCH + "x = 3.0\nx.exp()", "number-is-no-tensor"),
    (TORCH + "torch.sum([1, 2])", "list-for-tensor"),
    (TORCH + "a = [1, 2]\na * 0.5", "list-in-arithmetic"),
    ("x = 1\nx++", "increment"),
    ("lambda = 0.1", "keyword-as-name"),
    ("x = 1 +* 2", "syntax-unknown"),
    (TORCH + "x = torch.ones(2)\nx(7)", "tensor-called"),  # no such position
    (TORCH + "torch.ones(2).reshape('a')", "sizes-wanted"),
    (TORCH + "np.ones(2) + np.ones(3)", "arrays-do-not-broadcast"),
    (TORCH + "torch.ones(2).view('a', 3)", "arguments-do-not-fit"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("source", "kind", "line"), MENDED)
def test_a_mistake_is_mended(source, kind, line):
    mends(source, kind, line)


@pytest.mark.parametrize(("source", "kind"), EXPLAINED)
def test_a_mistake_is_explained_where_no_change_is_sure(source, kind):
    explains(source, kind)


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
    assert (found.cell, found.repaired_source) == (0, "import numpy as np\n" + trace.cells[0].source)


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
    assert told(TORCH + program).kind == kind


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

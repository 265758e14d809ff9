"""torch at ties, kinks, NaN, zeros and in structure behaves like the table, and the document is the table."""

from pathlib import Path

import pytest
import torch

from tests.operations.conventions import Row, Shown, differences, rows
from tests.text.test_equations import wrong_in
from tests.traces import trace_of
from tools.generate_conventions import DOCUMENT, document

ROWS = rows()
HEAD = "import torch\nfrom math import nan, inf\nfrom torch import nn\nfrom torch.nn import functional as F\n"


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.question.split(':')[0]}-{n}" for n, row in enumerate(ROWS)])
def test_torch_behaves_like_the_row(row: Row):
    assert differences(row, torch.__version__) == []


@pytest.mark.sampled(14)
@pytest.mark.parametrize("row", ROWS, ids=[f"{row.question.split(':')[0]}-{n}" for n, row in enumerate(ROWS)])
def test_printed_equations_of_a_row_are_true(row: Row):
    lines = [
        line.expression if isinstance(line, Shown) else line
        for line in row.lines
        if isinstance(line, Shown) or line[:1] != "!"
    ]
    code = "\n".join(line for line in lines if not line.startswith("names("))
    _, wrong = wrong_in(trace_of(f"{HEAD}{row.setup}\n{code}"))
    assert wrong == []


def test_a_wrong_row_is_detected():
    wrong = rows(
        "## Ties\nx = torch.tensor([2., 2.], requires_grad=True)\n\nx.max().backward()\n> x.grad = [1, 0]\n# No."
    )
    assert differences(wrong[0], torch.__version__) == ["x.grad is [0.5, 0.5], not [1, 0]"]


def test_the_document_contains_the_tables_rows():
    assert Path(DOCUMENT).read_text("utf-8") == document()


@pytest.mark.parametrize(
    ("version", "value"),
    [("2.8.0", "8"), ("2.9.1", "13"), ("2.13.0", "13"), ("2.14.1+cpu", "14"), ("2.15.0", "15"), ("2.16.0", "15")],
)
def test_a_newer_value_holds_from_its_version_on_and_an_older_one_up_to_it(version, value):
    (row,) = rows("## Ties\n\nx = 1\n> x = 13  [2.8: 8]  [2.14: 14]  [2.15: 15]\n# No.")
    assert row.lines[1].value_in(version) == value

"""What torch does at ties, kinks, NaN, zeros and in structure is what the table says, and the document is the table."""

from pathlib import Path

import pytest
import torch

from tests.operations.conventions import Row, differences, rows
from tools.generate_conventions import DOCUMENT, document

ROWS = rows()


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.question.split(':')[0]}-{n}" for n, row in enumerate(ROWS)])
def test_torch_does_what_the_row_says(row: Row):
    assert differences(row, torch.__version__) == []


def test_a_row_that_says_something_else_is_found():
    wrong = rows(
        "## Ties\nx = torch.tensor([2., 2.], requires_grad=True)\n\nx.max().backward()\n> x.grad = [1, 0]\n# No."
    )
    assert differences(wrong[0], torch.__version__) == ["x.grad is [0.5, 0.5], not [1, 0]"]


def test_the_document_holds_the_rows_of_the_table():
    assert Path(DOCUMENT).read_text("utf-8") == document()

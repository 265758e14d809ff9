"""What a line of a notebook shows: a call, a tensor that it made, or one that it reads."""

import pytest

from explorer.analysis.tensors.line_picture import line_picture, tells_memory
from explorer.program import CellSource, Program
from explorer.sandbox import default_runner

CELLS = (
    "import torch",
    "x = torch.arange(12)\nx.shape  # 12\n\nX = x.reshape(3, 4)\nX",
    "def twice(x):\n    return 2 * x\n\nprint(twice(X).sum(), x)",
    "x += 1\nlen(x)",
    "x",
    "'nothing of it: ' + str(1)",
    "y = torch.ones(2)\ndef other():\n    y = torch.zeros(3)\n    return y\nz = other()\ny",
    "y = 'a word'\ny",
)


@pytest.fixture(scope="module")
def trace():
    return default_runner().submit(Program([CellSource(cell) for cell in CELLS])).result()


def seen(trace, cell: int, line: int | None) -> tuple[int, str, int] | None:
    """The line, what it shows, and of a tensor the line that left it so."""
    shown = line_picture(trace, cell, line)
    if shown is None:
        return None
    if shown.call is not None:
        return shown.line, shown.call.text, shown.call.line
    return shown.line, shown.tensor.name, shown.tensor.place.line


@pytest.mark.parametrize(
    "cell, line, picture",
    [
        (0, None, None),
        (1, 1, (1, "x", 1)),
        (1, 2, (2, "x", 1)),  # reads it
        (1, 3, (2, "x", 1)),  # an empty line: the nearest above
        (1, 4, (4, "x.reshape(3, 4)", 4)),
        (1, 5, (5, "X", 4)),
        (2, 1, (2, "2 * x", 2)),  # nothing above: the nearest below
        (2, None, (4, "twice(X).sum()", 4)),
        (3, 1, (1, "x += 1", 1)),
        (3, 2, (2, "x", 1)),
        (4, None, (1, "x", 1)),  # as cell 4 left it
        (5, None, None),
        (6, 6, (6, "y", 1)),  # that of the function is another
        (7, None, None),  # no tensor any more
    ],
)
def test_what_a_line_shows(trace, cell, line, picture):
    assert seen(trace, cell, line) == picture


def test_memory_is_the_point_where_one_write_changes_several_names():
    program = Program([CellSource("x = torch.arange(6)\nX = x.view(2, 3)\nT = torch.ones(2, 2).T\nX[0] = 1\nT + 1")])
    trace = default_runner().submit(program).result()
    assert [line for line in range(1, 6) if tells_memory(trace, 0, line)] == [2, 4]

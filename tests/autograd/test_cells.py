"""Cells and lines: which backward a cell's picture shows, what a line made."""

from explorer.analysis.autograd.cells import backward_of_cell, made_tensors, own_backward
from explorer.analysis.autograd.gradients import called_backwards
from explorer.program import CellSource, Program
from explorer.sandbox import default_runner
from explorer.trace import Trace


def ran(*cells: str) -> Trace:
    return default_runner().submit(Program([CellSource(cell) for cell in cells])).result()


def test_a_cell_shows_its_own_backward_else_the_nearest_earlier_else_the_nearest_later():
    trace = ran(
        "w = torch.tensor(1., requires_grad=True)",
        "(w * 2).backward()\n(w * 3).backward()",
        "n = 1",
        "(w * 4).backward()",
    )
    assert [backward_of_cell(trace, cell) for cell in range(4)] == [0, 1, 1, 2]


def test_a_backward_that_succeeded_goes_before_one_that_failed():
    trace = ran("w = torch.tensor(1., requires_grad=True)\ny = w * w\ny.backward()", "y.backward()")
    assert [call.status for call in trace.backwards] == ["ok", "failed"]
    assert backward_of_cell(trace, 1) == 0


def test_no_backward_at_all():
    trace = ran("n = torch.ones(2)", "m = n + 1")
    assert called_backwards(trace) == [] and backward_of_cell(trace, 0) is None


def test_the_picture_of_a_cell_is_a_backward_that_it_calls_or_that_goes_through_what_it_made():
    trace = ran(
        "w = torch.ones(2, requires_grad=True)\nn = torch.ones(2)",
        "y = (w * n).sum()",
        "y.backward()",
        "m = n + 1",
        "w.grad == w * 1",
    )
    assert [own_backward(trace, cell) for cell in range(5)] == [None, 0, 0, None, None]


def test_what_the_lines_of_a_cell_made():
    trace = ran("a = torch.arange(3)", "b = a + 1\nfor i in range(3):\n    c = b * i\nb += 1")
    made = [
        (one.name, one.line, trace.value(trace.versions.value[one.version]).data)
        for one in made_tensors(trace)
        if one.cell == 1
    ]
    assert made == [("b", 1, (1, 2, 3)), ("c", 3, (2, 4, 6)), ("b", 4, (2, 3, 4))]

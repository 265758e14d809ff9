"""What one asks of a Trace by the index of a row."""

import numpy as np

from tests.traces import trace_of

PROGRAM = """import torch
w = torch.tensor([1., 2.], requires_grad=True)
y = w * w
y.sum().backward()
with torch.no_grad():
    w.mul_(10)"""


def test_a_span_says_its_line():
    trace = trace_of(PROGRAM)
    spans = {trace.strings[name]: span for name, span in zip(trace.operations.name, trace.operations.span, strict=True)}
    assert [trace.line(spans[name]) for name in ("mul", "sum", "mul_")] == [3, 4, 6]
    assert trace.line(-1) == 0


def test_a_tensor_says_what_made_it_and_its_last_value():
    trace = trace_of(PROGRAM)
    w, y = trace.bound("w"), trace.bound("y")
    assert trace.strings[trace.operations.name[trace.maker(y)]] == "mul"
    assert trace.latest(w).data == (10, 20) and trace.value_at(trace.versions_of(w)[0]).data == (1, 2)


def test_a_saved_tensor_has_the_entries_of_the_version_that_was_saved():
    trace = trace_of(PROGRAM)
    rows = [row for row, tensor in enumerate(trace.saved.tensor) if tensor == trace.bound("w")]
    assert rows and all(np.array_equal(trace.saved_value(row).data, (1, 2)) for row in rows)

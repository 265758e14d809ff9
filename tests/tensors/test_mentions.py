"""Where the text mentions the tensors of the list."""

from explorer.analysis.tensors.mentions import mentions
from explorer.analysis.tensors.tensor_list import tensor_list
from tests.traces import trace_of


def told(source: str) -> list[tuple[str, str, bool]]:
    """What each mention covers, the key of its tensor, and whether it is made there; in order of the text."""
    trace = trace_of(source)
    tensors = tensor_list(trace)
    found = sorted(mentions(trace, tensors), key=lambda one: (one.cell, one.line, one.start, -one.end))
    return [
        (trace.cells[one.cell].lines[one.line - 1][one.start : one.end], tensors[one.tensor].key, one.made)
        for one in found
    ]


def test_a_name_is_told_where_it_is_given_and_where_it_is_read():
    assert told("x = torch.ones(2)\nmax_x = x + x") == [
        ("x", "x@0.1", True),
        ("max_x", "max_x@0.2", True),
        ("x", "x@0.1", False),
        ("x", "x@0.1", False),
    ]


def test_a_name_that_went_on_is_the_tensor_it_stood_for():
    found = told("x = torch.ones(2)\nx = x * 2\nx + 1")
    assert found[1:3] == [("x", "x@0.2", True), ("x", "x@0.1", False)]
    assert found[3:] == [("x + 1", "x + 1@0.3", True), ("x", "x@0.2", False)]


def test_a_read_after_a_write_is_of_what_the_write_left():
    found = told("x = torch.ones(2)\nx += 1\ny = x * 3")
    assert found == [("x", "x@0.1", True), ("x", "x@0.2", True), ("y", "y@0.3", True), ("x", "x@0.2", False)]


def test_what_a_loop_read_and_nobody_lists_is_not_told():
    found = told("b = torch.ones(2)\nfor k in range(3):\n    b = b * 2")
    assert found == [("b", "b@0.1", True), ("b", "b@0.3", True)]


def test_attributes_and_comments_are_no_names():
    found = told("import types\nx = torch.ones(2)\nm = types.SimpleNamespace(x=3)\ny = x + m.x  # x")
    assert [(text, key) for text, key, made in found if not made] == [("x", "x@0.2")]

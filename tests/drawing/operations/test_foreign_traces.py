"""Traces are untrusted: impossible arguments have no picture and break none."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.explain.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.explain.entries.operation_view import NAMES, operation_view
from explorer.drawing.operations import curve_chart, operation_html
from explorer.trace.records import InvalidTrace
from tests.traces import trace_of

TRACE = trace_of("""
    import torch
    a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
    i = torch.tensor([[0, 5], [1, -7]])
    b = a.gather(1, i.clamp(0, 1))
    c = torch.cat([a, b]) * torch.tensor([1., 0.])
    d = torch.arange(3)
    c[0] = 1.
    c.sum().backward()
""")

PLAIN = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(1 << 53), 1 << 53),
        st.integers(-3, 3),
        st.floats(),
        st.text(max_size=6),
        st.sampled_from([{"tensor": 0}, {"tensor": 1}, {"tensor": 9}, {"tensor": "a"}, {"dots": True}, {"other": "x"}]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.builds(lambda parts: {"tuple": parts}, st.lists(inner, max_size=4)),
        st.builds(lambda parts: {"slice": parts}, st.lists(inner, min_size=3, max_size=3)),
    ),
    max_leaves=6,
)
NAMED = st.dictionaries(st.sampled_from("dim keepdim value min max end steps dims repeats".split()), PLAIN, max_size=2)
ARGUMENTS = st.tuples(st.lists(PLAIN, max_size=4), NAMED)


@pytest.mark.thorough
@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(TRACE.operations) - 1), st.sampled_from(sorted(NAMES)), st.booleans(), ARGUMENTS)
def test_arbitrary_arguments_and_names_are_drawn(operation, name, in_place, arguments):
    strings = [*TRACE.strings, name + ("_" if in_place else ""), msgspec.json.encode(arguments).decode()]
    columns = {column: list(getattr(TRACE.operations, column)) for column in ("name", "arguments")}
    columns["name"][operation], columns["arguments"][operation] = len(strings) - 2, len(strings) - 1
    trace = msgspec.structs.replace(
        TRACE, strings=strings, operations=msgspec.structs.replace(TRACE.operations, **columns)
    )
    try:
        trace.check()
    except InvalidTrace:  # readers never get an invalid Trace
        return
    backward = selected_backward(trace)
    view = operation_view(trace, operation, node_gradients(trace, backward), contributions(trace, backward))
    assert "<figure" in operation_html(view, "en")
    curve_chart(view, False, "en")

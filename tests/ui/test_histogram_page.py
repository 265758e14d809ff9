"""The lens Histogram: which tensors it lists, and what it draws of one."""

from explorer.ui.pages.histogram.page import RELU, _figures, _spread
from tests.traces import trace_of


def test_a_tensor_with_three_different_numbers_is_listed_and_drawn_with_its_gradient():
    trace = trace_of(f"import torch\n{RELU}", full=("*",))
    found = _spread(trace)
    assert [tensor.name for tensor, _ in found.values()] == ["x", "w", "z", "h"]  # the loss is one number
    html = {tensor.name: _figures(trace, tensor, "en") for tensor, _ in found.values()}
    assert html["w"].count("<section>") == 2 and html["w"].count("<svg") == 2
    assert html["x"].count("<section>") == 1 and "100" not in html["x"].partition("<svg")[0]

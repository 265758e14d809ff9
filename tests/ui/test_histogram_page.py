"""The lens Histogram: which tensors it lists, and what it draws of one."""

import numpy as np

from explorer.analysis.tensors.program_lines import value_of
from explorer.drawing.tensors.arrays import dots_html
from explorer.ui.pages.histogram.page import LENS, RELU, _dots, _figures, _spread
from tests.traces import trace_of


def test_a_tensor_with_three_different_numbers_is_listed_and_drawn_with_its_gradient():
    trace = trace_of(f"import torch\n{RELU}", full=("*",))
    found = _spread(trace)
    assert [tensor.name for tensor, _ in found.values()] == ["x", "w", "z", "h"]  # the loss is one number
    html = {tensor.name: _figures(trace, tensor, "en") for tensor, _ in found.values()}
    assert html["w"].count("<section>") == 2 and html["w"].count('class="bars"') == 2
    assert html["x"].count("<section>") == 1


def test_of_a_program_of_scalars_each_value_and_gradient_is_a_dot():
    trace = trace_of("""
        import torch
        w = torch.tensor(2., requires_grad=True)
        y = w ** 3
        y.backward()
    """)
    assert _spread(trace) == {}
    assert _dots(trace) == [("w", [2.0], [12.0]), ("y", [8.0], [1.0])]


def test_the_dot_and_the_number_of_a_gradient_have_the_colour_of_its_sign():
    assert dots_html([("w", [-1.2], [-1.42]), ("x", [0.5], [2.84])], "en").count('class="is-gradient neg"') == 2


def test_weights_that_begin_at_zero_are_listed_for_their_gradient():
    trace = trace_of("""
        import torch
        w = torch.zeros(5, requires_grad=True)
        (w * torch.arange(5.0)).sum().backward()
    """)
    tensor = next(tensor for tensor, _ in _spread(trace).values() if tensor.name == "w")
    assert _figures(trace, tensor, "en").count('class="bars"') == 1  # of the gradient alone


def test_it_opens_at_the_weight_with_the_most_entries_or_where_a_number_is_not_finite():
    def first(program):
        trace = trace_of(f"import torch\n{program}", full=("*",))
        return _spread(trace)[LENS.first(trace, _spread(trace))][0].name

    net = "x = torch.randn(9, 9)\nw = torch.randn(9, 4, requires_grad=True)\nb = torch.randn(4, requires_grad=True)\n"
    assert first(f"{net}((x @ w + b) ** 2).sum().backward()") == "w"
    assert first(f"{net}c = torch.tensor([1., 2, 0]).log()\n((x @ w + b) ** 2).sum().backward()") == "c"


def test_every_entry_of_a_gradient_is_counted_where_all_are_kept():
    trace = trace_of("import torch\nw = torch.randn(300, requires_grad=True)\n(w * w).sum().backward()", full=("*",))
    tensor = next(tensor for tensor, _ in _spread(trace).values() if tensor.name == "w")
    assert _figures(trace, tensor, "en").count("All 300 entries") == 2


def test_it_opens_at_the_values_that_backward_used():
    trace = trace_of("""
        import torch
        w = torch.ones(4, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for k in range(3):
            opt.zero_grad()
            loss = (w * torch.arange(4.)).sum()
            loss.backward()
            opt.step()
    """)
    found = _spread(trace)
    tensor, place = found[LENS.first(trace, found)]
    assert (tensor.name, place) == ("w", (0, 8))
    assert np.allclose(value_of(trace, tensor.version).data, [1, 0.8, 0.6, 0.4])  # after two steps of three


def test_numbers_that_differ_by_rounding_alone_are_told_and_not_drawn():
    trace = trace_of("import torch\nw = torch.full((4,), 0.1) + torch.tensor([0., 1e-8, 2e-8, -1e-8])\nv = w * 3")
    assert _spread(trace) == {}


def test_a_version_stands_beside_its_own_gradient():
    trace = trace_of("""
        import torch
        w = torch.tensor(2., requires_grad=True)
        y = w * 3
        y.mul_(5)
        y.backward()
    """)
    assert _dots(trace) == [("w", [2.0], [15.0]), ("y", [6.0], [5.0]), ("y", [30.0], [1.0])]

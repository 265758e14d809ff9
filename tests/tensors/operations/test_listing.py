"""Which calls of a program have a picture, in what order, and which operations."""

import re

import pytest

from explorer.analysis.explain.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.explain.entries.entry_sentences import sentences
from explorer.analysis.explain.entries.operation_view import call_to_show, operation_view, operations
from explorer.drawing.operations.picture import known_html
from tests.traces import trace_of

NET = """import torch
import torch.nn.functional as F
conv, head = torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.Linear(100, 3)
x, labels = torch.rand(6, 1, 10, 10), torch.tensor([0, 1, 2, 0, 1, 2])
h = F.max_pool2d(conv(x), 2)
out = head(F.dropout(h.flatten(1), 0.2))
F.cross_entropy(out, labels).backward()
"""


def test_calls_in_the_graph_are_listed_first_and_initialisations_last():
    trace = trace_of(NET, full=("*",))
    listed = operations(trace)
    names = [one.name for one in listed]
    assert names[:5] == ["conv2d", "max_pool2d", "flatten", "dropout", "linear"]
    assert names[5:8] == ["cross_entropy", "rand", "tensor"] and set(names[8:]) == {"empty", "uniform_"}
    assert listed[call_to_show(trace, listed)].name == "linear"


@pytest.mark.parametrize(
    "call, widths",
    [
        ("F.conv2d(x, k)", {"9"}),
        ("F.conv2d(x, k, b, padding=1)", {"9", "4"}),
        ("F.conv2d(x, k, stride=2)", {"9"}),
        ("F.max_pool2d(x, 2)", {"4"}),
        ("F.max_pool2d(x, 3, padding=1, return_indices=True)[0]", {"9", "4"}),
        ("F.avg_pool2d(x, 2, stride=1)", {"4"}),
        ("F.adaptive_avg_pool2d(x, 3)", {"9", "4"}),
        ("F.adaptive_max_pool2d(x, 4)", {"4"}),
        ("F.adaptive_avg_pool2d(x, 1)", {"25"}),
    ],
)
def test_a_window_is_drawn_with_its_size_and_its_gradients(call, widths):
    trace = trace_of(
        f"""import torch, torch.nn.functional as F
x = (torch.arange(25.) % 7).view(1, 1, 5, 5).requires_grad_()
k, b = torch.ones(1, 1, 3, 3, requires_grad=True), torch.zeros(1, requires_grad=True)
y = {call}
y.sum().backward()""",
        full=("*",),
    )
    (one,) = [one for one in operations(trace) if "conv" in one.name or "pool" in one.name]
    backward = selected_backward(trace)
    view = operation_view(trace, one.operation, node_gradients(trace, backward), contributions(trace, backward))
    assert view.missing == "" and view.outcomes[0].reading is not None
    said = sentences(view, "en")[0]
    assert widths == {word for word in re.findall(r"\b(\d+) (?:products|entries)", said)}
    assert view.back is not None and all(factor is not None for factor in view.back.factors)


def test_every_operation_with_a_picture_is_named():
    assert "<code>softmax</code>" in known_html("en") and "<code>__add__</code>" not in known_html("en")


def test_the_page_opens_at_a_call_with_gradients():
    trace = trace_of("""
import torch
w = torch.ones(2, 2, requires_grad=True)
h = torch.tensor([[1., 2.], [3., 4.]]) @ w
h.pow(2).mean().backward()
print((h * 2).flatten())
""")
    listed = operations(trace)
    assert listed[call_to_show(trace, listed)].name == "pow"

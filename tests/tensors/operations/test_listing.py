"""Which calls of a program have a picture, and which operations."""

from explorer.analysis.tensors.operations.view import operations
from explorer.drawing.operations.picture import known_html
from tests.traces import trace_of

PROGRAM = """import torch
import torch.nn.functional as F
x = torch.arange(6.).reshape(1, 1, 6)
w = torch.ones(1, 1, 3, requires_grad=True)
y = F.conv1d(x, w)
y.sum().backward()
"""


def test_a_call_without_a_picture_is_not_listed():
    assert [one.name for one in operations(trace_of(PROGRAM))] == ["arange", "reshape", "ones", "sum"]


def test_every_operation_with_a_picture_is_named():
    assert "<code>softmax</code>" in known_html("en") and "<code>__add__</code>" not in known_html("en")

"""Which calls of a program have a picture, and which have none."""

from explorer.analysis.tensors.operations.call_list import operations, unpictured
from tests.traces import trace_of

PROGRAM = """import torch
import torch.nn.functional as F
x = torch.arange(6.).reshape(1, 1, 6)
w = torch.ones(1, 1, 3, requires_grad=True)
y = F.conv1d(x, w)
y.sum().backward()
"""


def test_a_call_without_a_picture_is_listed_apart():
    trace = trace_of(PROGRAM)
    assert [one.name for one in operations(trace)] == ["arange", "reshape", "ones", "sum"]
    assert [(one.line, one.text) for one in unpictured(trace)] == [(5, "F.conv1d(x, w)")]

"""Which operations have a picture, and why others have none."""

from explorer.analysis.operations.table import why_unpictured
from explorer.analysis.tensors.operations.call_list import unpictured
from explorer.analysis.tensors.operations.view import NAMES
from explorer.drawing.operations.known import SUCH_AS, known_html, unpictured_html
from tests.traces import trace_of

PROGRAM = """
from torch.nn import functional as F
x = torch.randn(1, 1, 4, 4)
F.max_pool2d(x, 2)
F.mse_loss(x, torch.zeros_like(x))
F.dropout(x)
torch.linalg.det(x)
torch.unique(x)
x.sum()
"""


def test_every_operation_with_a_picture_is_listed():
    assert "<code>softmax</code>" in known_html("en") and "<code>__add__</code>" not in known_html("en")


def test_a_call_without_a_picture_says_why():
    found = unpictured(trace_of("import torch" + PROGRAM))
    whys = [why_unpictured(call.name) for call in found]
    assert whys == ["window", "composed", "chance", "whole", "unknown"]
    html = unpictured_html(found, "en")
    assert "<code>F.max_pool2d(x, 2)</code>" in html and html.count("<li>") == 5 and "x.sum()" not in html


def test_an_operation_that_is_named_for_a_reason_has_no_picture_for_that_reason():
    for why, names in SUCH_AS.items():
        for name in names:
            assert name.replace(".", "_") not in NAMES and why_unpictured(name.replace(".", "_")) == why, name

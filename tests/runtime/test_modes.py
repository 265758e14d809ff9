"""Which operations ran in evaluation mode, and which inside autocast."""

from explorer.trace import AUTOCAST, EVALUATES
from tests.traces import trace_of

NET = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = {}
    def forward(self, x):
        return self.layers[0](x)
net, x = Net(), torch.ones(2, 3)
"""


def modes_of(name, *lines):
    """Return the modes of the operations of this name."""
    trace = trace_of("\n".join(lines))
    operations = trace.operations
    modes = operations.modes or [0] * len(operations)
    return [mode for mode, at in zip(modes, operations.name, strict=True) if trace.strings[at] == name]


def test_modules_in_evaluation_mode_are_noted():
    registered = NET.format("nn.ModuleList([nn.Dropout(0.5)])")
    assert modes_of("dropout", registered, "net(x)", "net.eval()", "net(x)") == [0, EVALUATES]
    assert modes_of("dropout", registered, "net.eval()", "net.layers.train()", "net(x)") == [0]


def test_a_layer_that_eval_does_not_reach_counts_as_evaluating():
    assert modes_of("dropout", NET.format("[nn.Dropout(0.5)]"), "net(x)", "net.eval()", "net(x)") == [0, EVALUATES]


def test_operations_inside_autocast_are_noted():
    inside = "with torch.autocast('cpu', dtype=torch.bfloat16):", "    x.mm(x)"
    assert modes_of("mm", "import torch", "x = torch.ones(2, 2)", "x.mm(x)", *inside) == [0, AUTOCAST]


def test_a_run_without_modes_keeps_none():
    assert not trace_of("import torch\nx = torch.ones(2) * 2").operations.modes

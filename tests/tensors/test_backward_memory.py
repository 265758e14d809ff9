"""The memory that is kept for backward over a run."""

import msgspec
import torch
from torch.utils.checkpoint import checkpoint

import explorer
from explorer.analysis.views.tensors.backward_memory import backward_memory
from explorer.trace import Saved
from tests.traces import trace_of

PIECE = 128 * 32 * 4  # bytes of one activation


def recorded(function):
    with explorer.record() as trace:
        function()
    return trace


def network():
    layer = torch.nn.Linear
    return torch.nn.Sequential(layer(8, 32), torch.nn.Sigmoid(), layer(32, 32), torch.nn.Sigmoid(), layer(32, 1))


def test_the_peak_is_the_memory_kept_at_the_end_of_forward():
    net, x = network(), torch.randn(128, 8)
    memory = recorded(lambda: net(x).sum().backward()).memory()
    assert memory.peak == 2 * PIECE
    assert f"line {memory.line}" in str(memory)


def test_data_made_in_the_program_does_not_count():
    net = network()
    memory = recorded(lambda: net(torch.randn(128, 8)).sum().backward()).memory()
    assert memory.peak == 2 * PIECE


def test_data_created_before_the_loop_does_not_count():
    trace = trace_of(
        "net = torch.nn.Linear(4, 4)\nx = torch.randn(8, 4)\nfor i in range(3):\n    net(x).exp().sum().backward()\n"
    )
    assert backward_memory(trace).peak == 8 * 4 * 4  # what exp keeps


def test_a_checkpoint_saves_memory_until_it_recomputes():
    net, x = network(), torch.randn(128, 8).requires_grad_()
    plain = recorded(lambda: net(x).sum().backward()).memory()
    saved = recorded(lambda: net[4](checkpoint(net[:4], x, use_reentrant=True)).sum()).memory()
    assert plain.peak == 2 * PIECE and saved is None  # nothing was freed
    saved = recorded(lambda: net[4](checkpoint(net[:4], x, use_reentrant=True)).sum().backward()).memory()
    assert saved.peak > PIECE  # during backward, when the part is recomputed


def test_saved_tensor_hooks_are_reported():
    net, x = network(), torch.randn(128, 8)
    memory = recorded(lambda: net[4](checkpoint(net[:4], x, use_reentrant=False)).sum().backward()).memory()
    assert memory.hooked == 4
    assert "hooks" in str(memory)


def test_without_a_freed_graph_there_is_no_memory_report():
    assert trace_of("a = torch.ones(3)\nb = a * 2").backwards == []
    assert backward_memory(trace_of("a = torch.ones(3)\nb = a * 2")) is None
    older = trace_of("w = torch.ones(3, requires_grad=True)\n(w * w.exp()).sum().backward()")
    assert backward_memory(older) is not None
    columns = msgspec.structs.replace(older.saved, storage=[], size=[])
    assert isinstance(columns, Saved)
    assert backward_memory(msgspec.structs.replace(older, saved=columns)) is None

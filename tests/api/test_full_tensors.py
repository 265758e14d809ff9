"""Tensors and gradients with all their entries: `record(full=…)`, `trace.tensor` and `trace.gradient`."""

import pickle

import pytest
import torch
from msgspec.structs import replace
from torch import nn

import explorer
from explorer.trace import Entries, FullTensors, InvalidTrace, decode, encode


def network() -> nn.Sequential:
    """Two layers, each with more entries than a recording keeps by default."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(20, 30), nn.Tanh(), nn.Linear(30, 20))


def test_every_gradient_is_bit_equal():
    net = network()
    with explorer.record(full=["*.grad"]) as trace:
        net(torch.randn(4, 20)).square().mean().backward()
    for name, parameter in net.named_parameters():
        assert torch.equal(trace.gradient(f"net.{name}").tensor, parameter.grad)
        assert torch.equal(trace.tensor(f"net.{name}.grad"), parameter.grad)
    with pytest.raises(LookupError, match=r'full=\["net.0.weight"\]'):
        trace.tensor("net.0.weight")


def test_a_sampled_gradient_still_has_its_exact_statistics():
    net, arrived = network(), []
    weight = net[0].weight
    weight.register_hook(lambda gradient: arrived.append(float(gradient.norm())))
    with explorer.record() as trace:
        for _ in range(2):
            net(torch.randn(4, 20)).square().mean().backward()
    held = trace.gradient("net.0.weight", at_end=True)
    assert (held.shape, held.dtype, held.nonfinite, len(held.sample)) == ((30, 20), "float32", 0, 64)
    assert held.norm == pytest.approx(float(weight.grad.norm())) and held.maximum == float(weight.grad.max())
    brought = [trace.gradient("net.0.weight", backward) for backward in (1, 2, None)]
    assert [one.norm for one in brought] == pytest.approx([*arrived, arrived[1]])
    for one in (held, *brought):
        with pytest.raises(LookupError, match=r'full=\["net.0.weight.grad"\]'):
            _ = one.tensor


def test_a_pattern_may_omit_the_variables_name():
    net = network()
    with explorer.record(full="2.*") as trace:
        net(torch.randn(4, 20)).sum().backward()
    assert torch.equal(trace.tensor("net.2.weight"), net[2].weight)
    assert torch.equal(trace.gradient("net.2.weight").tensor, net[2].weight.grad)
    with pytest.raises(LookupError, match=r'full=\["net.0.weight.grad"\]'):
        _ = trace.gradient("net.0.weight").tensor


def test_each_backward_has_its_gradient():
    w = torch.randn(10, 10, requires_grad=True)
    with explorer.record(full=True) as trace:
        for factor in (2.0, 3.0):
            y = w * factor
            y.sum().backward()
    assert torch.equal(trace.gradient("w", 1).tensor, torch.full((10, 10), 2.0))
    assert torch.equal(trace.gradient("w").tensor, torch.full((10, 10), 3.0))
    assert torch.equal(trace.tensor("w.grad"), torch.full((10, 10), 5.0))
    assert torch.equal(trace.tensor("y"), w * 3) and torch.equal(trace.gradient("y").tensor, torch.ones(10, 10))


def test_function_variables_and_results_of_autograd_grad_are_kept():
    net, x = network(), torch.randn(4, 20, requires_grad=True)

    def forward():
        hidden = net[0](x)
        return net[2](hidden.tanh()).sum()

    with explorer.record(full=["hidden", "x"]) as trace:
        (slope,) = torch.autograd.grad(forward(), [x])
    assert torch.equal(trace.tensor("hidden"), net[0](x)) and torch.equal(trace.gradient("x").tensor, slope)
    assert trace.gradient("hidden").shape == (4, 30)


def test_dtypes_are_kept():
    w = torch.randn(100, dtype=torch.bfloat16, requires_grad=True)
    with explorer.record(full=True) as trace:
        (w * 2).sum().backward()
    assert trace.gradient("w").tensor.dtype is torch.bfloat16 and torch.equal(trace.tensor("w"), w)


def test_small_tensors_are_always_complete():
    with explorer.record() as trace:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        flags = torch.tensor([True, False])
    assert trace.tensor("w").tolist() == [1, 2] and trace.gradient("w").tolist() == [2, 4]
    assert trace.tensor("flags").dtype is torch.bool and trace.tensor("flags.grad") is None
    assert flags.tolist() == [True, False]
    with pytest.raises(KeyError, match="no tensor named nothing"):
        trace.tensor("nothing")
    with pytest.raises(TypeError, match="full is True or names"):
        explorer.record(full=3)


@pytest.mark.parametrize("again", ["file", "pickle"])
def test_a_saved_recording_keeps_full_tensors(again, tmp_path):
    net = network()
    with explorer.record(full=True) as trace:
        net(torch.randn(4, 20)).sum().backward()
    if again == "file":
        explorer.save(trace, tmp_path / "run.trace")
        other = explorer.load(tmp_path / "run.trace")
    else:
        other = pickle.loads(pickle.dumps(trace))
    assert torch.equal(other.gradient("net.0.weight").tensor, net[0].weight.grad)
    assert str(other.report()) == str(trace.report())


def test_the_newest_gradients_are_kept_at_the_memory_limit(monkeypatch):
    monkeypatch.setattr("explorer.runtime.recorder.kept_tensors.FULL_BYTES", 1_000)
    w = torch.randn(100, requires_grad=True)
    with explorer.record(full=["w.grad"]) as trace:
        for factor in (1.0, 2.0, 3.0):
            w.grad = None
            (w * factor).sum().backward()
    assert trace.gradient("w").tolist() == [3.0] * 100
    with pytest.raises(LookupError):
        _ = trace.gradient("w", 1).tensor
    with explorer.record(full=["w", "v"]) as trace:
        v = torch.randn(300, requires_grad=True)
        (w.sum() + v.sum()).backward()
    with pytest.raises(LookupError, match="no room"):
        trace.tensor("v")


@pytest.mark.parametrize(
    "wrong",
    [
        FullTensors([0], [-1], [0], [Entries("float32", (3,), b"1234")]),
        FullTensors([0], [-1], [0], [Entries("float8", (1,), b"1")]),
        FullTensors([0], [-1], [0], [Entries("float32", (-1,), b"1234")]),
        FullTensors([0], [-1], [0], [Entries("float32", (2**62, 2**62), b"")]),
        FullTensors([99], [-1], [0], [Entries("float32", (1,), b"1234")]),
        FullTensors([0], [5], [0], [Entries("float32", (1,), b"1234")]),
        FullTensors([0], [-1], [1], [Entries("float32", (1,), b"1234")]),
        FullTensors([0], [-1], [], [Entries("float32", (1,), b"1234")]),
    ],
)
def test_a_file_with_wrong_entries_is_refused(wrong):
    with explorer.record() as trace:
        w = torch.ones(2)
        w.sum()
    with pytest.raises(InvalidTrace, match="full"):
        decode(encode(replace(trace.trace, full=wrong)))

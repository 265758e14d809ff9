"""The assertions for tests of users' own models."""

import pytest
import torch
from torch import nn

import explorer
from explorer.testing import assert_finite, assert_gradients_flow, assert_sound


def model() -> nn.ModuleDict:
    torch.manual_seed(0)
    return nn.ModuleDict({"inner": nn.Linear(3, 2), "outer": nn.Linear(2, 1)})


def test_flowing_gradients_pass_and_existing_grads_are_unchanged():
    net, x = model(), torch.ones(4, 3)
    loss = net["outer"](net["inner"](x)).sum()
    assert_gradients_flow(net, loss)
    loss.backward()  # its graph is still there
    before = net["outer"].weight.grad.clone()
    assert_gradients_flow(net, lambda: net["outer"](net["inner"](x)).sum())
    assert torch.equal(net["outer"].weight.grad, before)


def test_a_cut_is_named_with_its_line():
    net, x = model(), torch.ones(4, 3)
    with pytest.raises(AssertionError) as failed:
        assert_gradients_flow(net, lambda: net["outer"](net["inner"](x).detach()).sum())
    text = str(failed.value)
    assert text.startswith("2 of 4 parameters") and "inner.weight: none: " in text and "detach() on line 29" in text
    assert_gradients_flow(net, lambda: net["outer"](net["inner"](x).detach()).sum(), allow=["inner.*"])
    with pytest.raises(AssertionError, match="pass a function"):
        assert_gradients_flow(net, net["outer"](net["inner"](x).detach()).sum())


def test_dead_and_broken_parameters_are_distinguished():
    net, x = model(), torch.ones(4, 3)
    with pytest.raises(AssertionError, match=r"inner\.weight: every entry is 0"):
        assert_gradients_flow(net, lambda: net["outer"](torch.relu(net["inner"](x) - 100)).sum())
    with pytest.raises(AssertionError, match=r"outer\.weight: .*NaN") as failed:
        assert_gradients_flow(net, lambda: net["outer"](net["inner"](x)).sum().mul(0).log().mul(0))
    assert "−∞ starts in" in str(failed.value)


def test_a_loss_must_be_a_tensor():
    with pytest.raises(TypeError, match="not float"):
        assert_gradients_flow(model(), 1.0)


def test_an_unsound_recording_fails_with_its_report():
    with explorer.record() as good:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        w.log().sum().backward()
    assert_finite(good)
    assert_sound(good)
    with explorer.record() as bad:
        w = torch.tensor([0.0, 2.0], requires_grad=True)
        w.sqrt().mul(0).sum().backward()
    with pytest.raises(AssertionError, match=r"the backward of w\.sqrt"):
        assert_finite(bad)
    with pytest.raises(AssertionError, match="A gradient becomes NaN in backward"):
        assert_sound(bad)

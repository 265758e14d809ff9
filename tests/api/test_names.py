"""Names: of parameters under every variable that held their module, and patterns that mean one thing everywhere."""

import warnings

import pytest
import torch
from torch import nn

import explorer
from explorer.testing import assert_finite, assert_gradients_flow, assert_sound


def trained(model: nn.Module, x: torch.Tensor) -> None:
    loss = model(x).square().mean()
    loss.backward()


def test_a_gradient_is_found_under_either_variable_of_its_module():
    net = nn.Linear(3, 1)
    with explorer.record() as trace:
        trained(net, torch.ones(2, 3))
    assert [row.name for row in trace.parameters()] == ["net.weight", "net.bias"]
    assert trace.gradient("model.weight").tolist() == trace.gradient("net.weight").tolist() == net.weight.grad.tolist()


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Linear(70, 4), nn.Linear(4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.embed(x).detach())


def test_a_pattern_means_one_thing_and_one_that_fits_nothing_is_told():
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with explorer.record(full=["embed.*"]) as trace:
            model(torch.ones(2, 70)).sum().backward()
        assert trace.tensor("model.embed.weight").shape == (4, 70)
        assert_gradients_flow(model, model(torch.ones(2, 70)).sum(), allow=["embed.*"])
        assert_sound(trace, allow=["embed.*", "wrong_mode"])
        assert [row.level for row in trace.report(allow="embed.*").parameters.having("none")] == ["info"] * 2
    with pytest.warns(UserWarning, match=r"embd\.\*"):
        assert_sound(trace, allow=["embd.*"])
    with pytest.warns(UserWarning, match=r"embd\.\*"):
        assert_finite(trace, allow="embd.*")
    assert r"embd.*" in str(trace.report(allow="embd.*"))
    with pytest.warns(RuntimeWarning, match=r"embd\.weight"), explorer.record(full="embd.weight"):
        model(torch.ones(2, 70)).sum().backward()


@pytest.mark.parametrize("entries", [2, 65, 5000])
def test_the_table_says_which_grad_it_shows(entries):
    w = torch.ones(entries, requires_grad=True)
    with explorer.record() as trace:
        (w * 100).square().sum().backward()
        nn.utils.clip_grad_norm_([w], 1.0)
    (row,) = trace.parameters()
    assert row.altered and not row.reduced and trace.cells[0].lines[row.clipped - 1].strip().startswith("nn.utils.clip")


def test_inputs_are_not_counted_as_parameters():
    net = nn.Linear(3, 1)
    with explorer.record() as trace:
        net(torch.ones(2, 3).requires_grad_()).sum().backward()
        x = torch.ones(2, 3, requires_grad=True)
        net(x).sum().backward()
    rows = trace.parameters()
    assert [(row.name, row.trained) for row in rows] == [
        ("net.weight", True),
        ("net.bias", True),
        ("torch.ones(2, 3)", False),
        ("x", False),
    ]
    assert "2 parameters and 2 other tensors" in str(trace.report())


def test_what_a_trace_offers_prints_in_a_line_or_a_table():
    @explorer.record()
    def step() -> None:
        net(torch.ones(2, 3)).sum().backward()

    net = nn.Linear(3, 1)
    with pytest.raises(RuntimeError, match="first call"):
        step.trace.report()
    step()
    offered = [name for name in dir(step.trace) if not name.startswith("_")]
    assert {"report", "summary", "gradient", "steps", "limits", "status"} <= set(offered) and "strings" not in offered
    for name in offered:
        shown = repr(getattr(step.trace, name))
        assert len(shown) < 200 or "\n" in shown
        assert name == "trace" or getattr(type(step.trace), name).__doc__

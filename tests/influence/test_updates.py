"""Each change of a weight is attributed: to an optimizer's step, or to code inside a backward."""

import numpy as np

from explorer.analysis.diagnose.influence.updates import other_steps, updates_by_optimizers, updates_in_backward
from explorer.analysis.run.model import run_of
from explorer.trace import Trace
from tests.programs import bound, traced

TRAINS = """
import torch
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], 0.5)
{}
for _ in range(3):
    opt.zero_grad()
    (w * torch.tensor([1.0, 2.0])).sum().backward()
    opt.step()
"""


def leaf(trace: Trace):
    return run_of(trace).tensor(bound(trace, "w"))


def test_an_optimizers_change_has_the_gradient_that_it_read():
    changes = list(updates_by_optimizers(leaf(traced(TRAINS.format(""))), 2))
    assert [change.write.is_of_optimizer for change in changes] == [True, True]
    for change in changes:
        assert np.allclose(change.now - change.was, -0.5 * change.gradient)


def test_only_a_change_inside_a_backward_has_no_writer():
    hook = "@w.register_post_accumulate_grad_hook\ndef double(p):\n    with torch.no_grad(): p.mul_(2.0)"
    changes = list(updates_in_backward(leaf(traced(TRAINS.format(hook)))))
    assert changes and all(np.allclose(change.now, 2 * change.was) for change in changes)
    assert list(updates_in_backward(leaf(traced(TRAINS.format(""))))) == []


TWO = """
import torch
from torch import nn
net = nn.Linear(3, 1)
opt, more = torch.optim.Adam({}, 0.1), torch.optim.Adam({}, 0.1)
for _ in range(4):
    opt.zero_grad()
    net(torch.ones(2, 3)).square().mean().backward()
    opt.step()
    more.step()
"""


def test_what_moves_a_leaf_again_is_named():
    def causes(*held):
        return {
            (one.leaf.name, one.how, round(one.factor, 2)) for one in other_steps(run_of(traced(TWO.format(*held))))
        }

    assert causes("[net.weight]", "[net.bias]") == set()
    assert causes("net.parameters()", "[net.bias]") == {("net.bias", "optimizer", 2.0)}
    (found,) = causes("[net.weight, net.weight]", "[net.bias]")
    assert found[:2] == ("net.weight", "twice")

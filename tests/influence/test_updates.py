"""Each change of a weight is attributed: to an optimizer's step, or to code inside a backward."""

import numpy as np

from explorer.analysis.influence.updates import updates_by_optimizers, updates_in_backward
from explorer.analysis.run import run_of
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

"""A finding depends on what ran, not on the program's names."""

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from tests.faults.programs import PROGRAMS
from tests.faults.twins import twins
from tests.programs import traced

POLICY = """
import torch
from torch import nn
policy = nn.Linear(3, 2)
opt = torch.optim.Adam(policy.parameters())
for _ in range(3):
    choice = torch.distributions.Categorical(logits=policy(torch.randn(6, 3)))
    action = choice.sample()
    {name} = action.float() - 0.3
    value = (choice.log_prob(action) * {name}).mean()
    opt.zero_grad(); value.backward(); opt.step()
"""
UPHILL = """
import torch
w = torch.tensor(1.0, requires_grad=True)
for _ in range(6):
    w.grad = None
    {name} = {value}
    {name}.backward()
    with torch.no_grad():
        w += 0.2 * w.grad
"""


# An item or attribute may be read unseen, so an unused one is not reported; only a variable's array has a known line.
BY_STATEMENT = """
    a_weight_of_the_divergence_that_nothing_reads mean_not_called array_changed_in_place data_overwritten_by_copyto
""".split()


def told_of(source):
    return sorted((one.kind, one.place.line) for one in diagnose(traced(source)))


@pytest.mark.sampled(200)
@pytest.mark.parametrize("name", PROGRAMS)
def test_other_names_get_the_same_findings(name):
    source, told = PROGRAMS[name]
    for how, twin in twins(source):
        if name in BY_STATEMENT and how in ("dict", "list", "attribute"):
            continue
        assert told_of(twin) == sorted(told), how


@pytest.mark.parametrize("name", ["advantage", "r", "cost"])
def test_a_weight_of_any_name_makes_actions_less_likely(name):
    assert told_of(POLICY.format(name=name)) == [("policy_upside_down", 10)]


@pytest.mark.parametrize("name", ["loss", "reward"])
def test_a_growing_distance_is_a_loss_and_a_growing_product_is_not(name):
    assert told_of(UPHILL.format(name=name, value="(w - 3.0) ** 2")) == [("loss_grows", 9)]
    assert not told_of(UPHILL.format(name=name, value="3 * w"))

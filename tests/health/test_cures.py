"""Diseases of a training: a program in, the name and the cure that was run out."""

import pytest

from explorer.analysis.health.training.cures import cures, disease, is_cured
from explorer.analysis.health.training.remarks import remarks
from explorer.program import read_text
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace
from explorer.ui.session.examples import FIRST_TRAINING
from explorer.workers.training_cures import proven_cures
from tests.patience import PATIENT

DESCENT = """\
import torch
x = torch.linspace(0, 10, 20)
y = 3 * x + 1
w = torch.zeros(1, requires_grad=True)
for i in range(12):
    loss = ((w * x - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
"""


def ran(text: str) -> Trace:
    return execute(read_text(text), Options(time_limit=60))


def cured(text: str) -> list[tuple[str, str]]:
    """Name and cure of each disease, "" for none."""
    trace, found = ran(text), []
    for remark in remarks(trace):
        changes = (cure for cure in cures(trace, remark) if is_cured(trace, ran(cure.source), remark))
        by = next((cure.by for cure in changes), "")
        found.append((disease(trace, remark, by), by))
    return found


def test_a_rate_is_too_high_where_a_smaller_one_was_run_and_learns():
    assert set(cured(DESCENT)) == {("disease-rate", "rate")}
    assert cured(DESCENT.replace("0.1 *", "0.01 *")) == []


@pytest.mark.thorough
def test_the_cure_that_was_run_is_offered_with_the_losses_at_both_ends():
    trace = ran(DESCENT)
    (cure, *_) = proven_cures(trace, remarks(trace), patience=PATIENT)
    assert cure is not None and "w -= 0.01 * w.grad" in cure.cure.source
    assert cure.after < 1 < cure.before


@pytest.mark.thorough
def test_relus_die():
    dead = FIRST_TRAINING.replace("Tanh", "ReLU").replace("lr = 0.03", "lr = 1.0")
    assert ("disease-relu", "rate") in cured(dead)
    assert cured(FIRST_TRAINING) == []


@pytest.mark.thorough
def test_a_cause_is_not_named_where_no_change_of_it_helps():
    hopeless = DESCENT.replace("y = 3 * x + 1", "y = 3 * x + 1e30")
    assert all(name != "disease-rate" for name, by in cured(hopeless) if not by)
    assert all(by != "rate" for _, by in cured(hopeless.replace("0.1 * w.grad", "-0.1 * w.grad")))

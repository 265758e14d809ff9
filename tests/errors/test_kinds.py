"""Dtypes and devices: the kind of each error, the change that mends it, and where no change is offered."""

from explorer.analysis.errors.tensors.making import on_cpu
from explorer.text import say
from tests.errors.test_shapes import explained


def test_the_cause_names_both_dtypes():
    found = explained("l = nn.Linear(2, 1)\nl(torch.tensor([[1, 2]]))")
    cause = say("en", f"error-{found.kind}.cause", **found.values)
    assert cause == "The weights of l are float32, its input is int64."


def test_a_device_chosen_by_a_condition_stays():
    source = "device = 'cuda' if torch.cuda.is_available() else 'cpu'"
    assert on_cpu(source) == source

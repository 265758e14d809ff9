"""Correct idioms: a record around them changes no bit, says nothing of them, and calls the run sound."""

import pytest
import torch

import explorer
from tests.runtime.idioms import IDIOMS
from tests.runtime.test_hosts_training import differing, outcome


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", IDIOMS)
def test_an_idiom_is_the_same_and_sound(name):
    plain, *random_plain = outcome(IDIOMS[name])
    for detail in ("light", "complete"):
        with explorer.record(detail=detail) as trace:
            recorded, *random_recorded = outcome(IDIOMS[name])
        assert differing(plain, recorded) == []
        assert torch.equal(random_plain[0], random_recorded[0]) and random_plain[1:] == random_recorded[1:]
        assert not trace.limits
    assert trace.report().sound, str(trace.report())

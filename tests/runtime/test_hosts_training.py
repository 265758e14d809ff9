"""Training as people have it is the same with a record around it, to the last bit."""

import random
import warnings

import numpy
import pytest
import torch

import explorer
from tests.runtime.hosts import HOSTS
from tests.runtime.test_hosts import places


def outcome(host):
    """Return a training's final state and the random number state."""
    torch.manual_seed(0), numpy.random.seed(0), random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = host()
    kept = [None if one is None else one.detach().clone() for one in ends]
    return kept, torch.get_rng_state(), numpy.random.get_state()[1].tolist(), random.getstate()


def differing(one, other):
    """Return the positions at which two lists of tensors differ in dtype or any bit."""
    pairs = enumerate(zip(one, other, strict=True))
    return [i for i, (a, b) in pairs if (a is None) != (b is None) or (a is not None and not same(a, b))]


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and bytes(raw(a)) == bytes(raw(b))


def raw(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).tolist() if tensor.numel() else []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", HOSTS)
def test_a_training_is_the_same_to_the_last_bit(name):
    before = places()
    plain, *random_plain = outcome(HOSTS[name])
    for detail in ("complete", "light"):
        with explorer.record(detail=detail) as trace:
            recorded, *random_recorded = outcome(HOSTS[name])
        assert differing(plain, recorded) == []
        assert torch.equal(random_plain[0], random_recorded[0]) and random_plain[1:] == random_recorded[1:]
        assert places() == before
        assert len(trace.trace.check().operations) > 1 and "lost" not in {limit.kind for limit in trace.limits}

"""A run's child stays cheap: it writes to few memory pages."""

import mmap
import resource
import sys

import pytest
import torch

from explorer.program import read_text
from explorer.runtime.execute import execute
from explorer.runtime.limits import RESERVE
from explorer.trace import Options

SMALL = "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nx.grad"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux")


def test_memory_kept_free_is_not_written_to():
    execute(read_text(SMALL), Options(), limited=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    execute(read_text(SMALL), Options(), limited=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < RESERVE / mmap.PAGESIZE / 2


def test_a_runs_seed_is_torchs():
    torch.manual_seed(-7)
    drawn = torch.rand(3)
    assert execute(read_text("torch.rand(3)"), Options(seed=-7)).cells[0].outputs[-1].text == repr(drawn)

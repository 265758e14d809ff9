"""What keeps a run's child cheap: few pages written to, and a parent in large ones."""

import mmap
import os
import resource
import sys

import pytest
import torch

from explorer.program import read_text
from explorer.runtime.execute import execute
from explorer.runtime.limits import RESERVE
from explorer.sandbox.huge_pages import enlarge, places
from explorer.trace import Options

SMALL = "x = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\nx.grad"
LARGE = 2 << 20

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux")


def test_memory_kept_free_is_not_written_to():
    execute(read_text(SMALL), Options(), limited=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    execute(read_text(SMALL), Options(), limited=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < RESERVE / mmap.PAGESIZE / 2


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="it is read there")
def test_memory_of_its_own_goes_into_large_pages_and_keeps_what_it_holds():
    held = bytearray(b"held") * LARGE
    found = places()
    assert found and all(place % LARGE == 0 for place in found)

    def large() -> int:
        with open("/proc/self/smaps_rollup") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("AnonHugePages"))

    before = large()
    enlarged = [enlarge(place) for place in found]
    if not any(enlarged):
        pytest.skip("this system has no large pages to give")
    assert large() > before
    assert held == b"held" * LARGE


def test_the_seed_of_a_run_is_torchs():
    torch.manual_seed(-7)
    drawn = torch.rand(3)
    assert execute(read_text("torch.rand(3)"), Options(seed=-7)).cells[0].outputs[-1].text == repr(drawn)

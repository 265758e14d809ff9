"""A program's own timing: timer rounds after the first run unrecorded, clocks are reported once."""

import pytest

from explorer.trace import Skipped
from tests.runtime.test_cells import ran as trace_of

F = """import torch, time, timeit
from torch.utils.benchmark import Timer
calls = []
def f():
    calls.append(1)
    return torch.ones(2) + 1
"""


def sums(trace):
    return sum(trace.string(name) == "__add__" or trace.string(name) == "add" for name in trace.operations.name)


@pytest.mark.parametrize(
    ("timed", "rounds"),
    [
        ("timeit.timeit(f, number=5)", 5),
        ("timeit.Timer(f).repeat(3, 2)", 6),
        ("Timer('f()', globals={'f': f}).timeit(4)", 6),
        ("%timeit -n3 -r2 f()", 6),
    ],
)
def test_a_timer_records_one_round_and_runs_all(timed, rounds):
    trace = trace_of(F + timed + "\nprint(len(calls))")
    assert trace.cells[0].outputs[-1].text.endswith(f"{rounds}\n")
    assert sums(trace) == 1 and not said(trace)


def test_a_timer_excludes_recording():
    clock = "times = iter([0.0, 100.0, 106.0, 106.0])\n"  # at the start, after the recorded round, after three more
    trace = trace_of(F + clock + "print(timeit.Timer(f, timer=lambda: next(times)).timeit(4))")
    assert trace.cells[0].outputs[-1].text == "8.0\n"


def said(trace):
    return [
        out.what for cell in trace.cells for out in cell.outputs if isinstance(out, Skipped) and out.reason == "timed"
    ]


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        (["begin = time.time()", "f()", "print(time.time() - begin)"], ["time.time()"]),
        (
            ["begin = time.perf_counter()\nf()\ntime.perf_counter() - begin", "time.perf_counter()"],
            ["time.perf_counter()"],
        ),
        (["begin = time.time()", "print(time.time() - begin)"], []),
        (["torch.manual_seed(int(time.time()))", "f()"], []),
        (["begin = time.time()", "f()  # until time.time()"], []),
        (["timeit.timeit(f, number=1) > 0"], ["timeit.timeit(f, number=1)"]),
    ],
)
def test_timing_around_operations_is_reported_once(cells, what):
    assert said(trace_of(F, *cells)) == what

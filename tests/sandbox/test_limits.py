"""A program's limits and who sets them."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from explorer.program import CellSource, Program
from explorer.sandbox import BadLimit, Limits, default_runner, limits
from explorer.trace import Failure, Limit, Options, Printed, Skipped, Trace
from explorer.ui.session.limits import bounded
from tests.patience import PATIENT

ROOT = str(Path(__file__).parents[2])


def ran(*cells: str, **options) -> Trace:
    program = Program([CellSource(cell) for cell in cells])
    trace = default_runner().submit(program, Options(**options)).result(PATIENT).check()
    assert [cell.source for cell in trace.cells] == list(cells)
    return trace


def shown(trace: Trace) -> list[list]:
    return [cell.outputs for cell in trace.cells]


def test_at_home_memory_is_a_quarter_of_the_machine(monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    here = limits({})
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e6
    assert 1_000 <= here.memory_mb <= max(1_000, machine / 4) and (here.seconds, here.output_kb) == (60.0, 64.0)
    given = {"EXPLORER_MEMORY_LIMIT": "3000", "EXPLORER_TIME_LIMIT": "60", "EXPLORER_OUTPUT_LIMIT": " 128 "}
    assert limits(given) == Limits(3000.0, 60.0, 128.0)


def test_psutil_supplies_the_memory_if_the_system_does_not(monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    monkeypatch.delattr(os, "sysconf")  # as on Windows
    assert limits({}).memory_mb == max(1_000, psutil.virtual_memory().total // 4 // 1_000_000)


def test_a_host_for_strangers_sets_its_own_limits(monkeypatch):
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    assert limits({}) == Limits(200.0, 10.0, 64.0)
    assert limits({"EXPLORER_MEMORY_LIMIT": "500"}) == Limits(500.0, 10.0, 64.0)


def test_page_programs_have_no_extra_time_for_strangers(monkeypatch):
    own = Options(time_limit=20.0)
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    assert bounded(own).time_limit == 10.0 and bounded(Options(time_limit=1.0)).time_limit == 1.0
    monkeypatch.setenv("EXPLORER_HOSTED", "0")
    assert bounded(own).time_limit == 20.0


@pytest.mark.parametrize("text", ["much", "-1", "0", "nan", "inf", "1e99", "1 GB"])
def test_an_invalid_limit_reports_its_name_and_range(text):
    with pytest.raises(BadLimit) as bad:
        limits({"EXPLORER_MEMORY_LIMIT": text})
    assert bad.value.values == {"name": "EXPLORER_MEMORY_LIMIT", "given": text, "least": "50", "most": "1000000"}


@pytest.mark.thorough
def test_the_trace_records_its_limits():
    trace = ran("x = 1", memory_limit=333.0, time_limit=7.0, output_limit=32.0)
    assert (trace.options.memory_limit, trace.options.time_limit, trace.options.output_limit) == (333.0, 7.0, 32.0)


@pytest.mark.thorough
def test_the_memory_limit_can_be_raised():
    big = "x = torch.ones(100_000_000)"
    assert [one.limit for one in shown(ran(big))[0]] == ["memory"]
    assert shown(ran(big, memory_limit=600.0)) == [[]]


def test_a_cell_that_runs_out_of_memory_ends_and_the_next_one_runs():
    hungry = "def f():\n    held = [torch.ones(10_000_000) for _ in range(3)]\n    return held, torch.ones(10**9)\nf()"
    trace = ran("print('first')", hungry, "y = torch.ones(40_000_000)\nprint(y.sum())")
    first, second, third = shown(trace)
    assert first == [Printed("stdout", "first\n")] and trace.status == "limited"
    assert [(one.limit, trace.text(one.span)) for one in second] == [("memory", "torch.ones(10**9)")]
    assert third == [Printed("stdout", "tensor(40000000.)\n")]  # the failed cell's memory is free again


@pytest.mark.thorough
def test_a_program_out_of_memory_is_not_retried_forever():
    full = "l = []\nwhile True: l.append(torch.ones(100_000))"
    outputs = shown(ran(full, *["torch.ones(10**9)"] * 12, "print('last')"))
    assert isinstance(outputs[0][-1], Limit) and [one.reason for one in outputs[-1]] == ["cell"]


@pytest.mark.thorough
def test_too_many_files_end_the_cell_only():
    first, second = shown(ran("open('a', 'w').write('x' * 17_000_000)", "1 / 0"))
    assert [(one.limit, one.bound) for one in first] == [("files", 16.0)]
    assert isinstance(second[0], Failure)


def test_a_model_of_some_megabytes_is_saved_and_read_again():
    source = "net = torch.nn.Linear(1000, 1000)\ntorch.save(net.state_dict(), 'a.pt')\ntorch.load('a.pt')['bias'].shape"
    assert shown(ran(source))[0][0].text == "torch.Size([1000])"


@pytest.mark.thorough
def test_the_time_limit_counts_only_computing_time():
    """A program that is kept from the processor loses nothing: here it waits longer than it may compute."""
    waits = "import select\nselect.select([], [], [], 6)\nprint('done')"
    code = (
        "import sys\nfrom explorer.program import read_text\nfrom explorer.runtime import child\n"
        "from explorer.runtime.execute import execute\nfrom explorer.trace import Options\nchild.preload()\n"
        "trace = execute(read_text(sys.argv[1]), Options(time_limit=5.0), True)\n"
        "print(trace.cells[0].outputs)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, waits], cwd=ROOT, capture_output=True, text=True, timeout=PATIENT
    )
    assert "'done\\n'" in done.stdout and "Limit" not in done.stdout, done.stderr


def test_outputs_of_cells_are_kept_after_a_kill():
    before = ("print('first')\n1 + 1", "x = torch.tensor(2.)\nx\n1 / 0")
    endless = "print('running')\nimport itertools\nsum(itertools.repeat(0))"
    for seconds in (0.3, 1, 4, 16, 64):  # a slow machine needs longer to reach the third cell
        trace = ran(*before, endless, "print('no')", time_limit=seconds)
        first, second, third, fourth = shown(trace)
        if Printed("stdout", "running\n") in third:
            break
    assert [one.text for one in first] == ["first\n", "2"]
    assert second[0].text == "tensor(2.)" and trace.text(second[1].span) == "1 / 0"
    assert third[0] == Printed("stdout", "running\n") and fourth == [Skipped("", -1, "cell", "3")]
    assert third[1].limit == "time" and trace.text(third[1].span) == "sum(itertools.repeat(0))"


@pytest.mark.thorough
def test_endless_output_ends_at_the_time_limit_without_memory_growth():
    (outputs,) = shown(ran("while True: print('x' * 1000)", time_limit=1.0))
    assert [one.limit for one in outputs if isinstance(one, Limit)] == ["output", "time"]
    assert sum(len(one.text) for one in outputs if isinstance(one, Printed)) <= 64 * 1024

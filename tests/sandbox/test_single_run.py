"""A parent of a single run preloads less, and its runs are the same."""

import os
import re
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from msgspec import to_builtins

from explorer.program import LEAST, needs, read_text
from explorer.sandbox import Runner, default_runner, probe
from explorer.trace import Options, Trace
from tests.corpus import EVERYDAY
from tests.patience import PATIENT, eventually

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a spare process preloads for one run anyway")
SHORT = [name for name, text in EVERYDAY.items() if needs(read_text(text)) is not None]
HUGE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2])"


@pytest.fixture(scope="module")
def full():
    with_all = Runner()
    with_all.start()
    yield with_all
    with_all.close()


@pytest.fixture
def single():
    runner = Runner()
    yield runner
    runner.close()


def recorded(trace: Trace) -> str:
    """Return everything in a Trace except memory addresses, which differ between runs."""
    fields = to_builtins(trace)
    del fields["saved"]["storage"]
    return re.sub(r"0x[0-9a-f]+", "0x", repr(fields))


@pytest.mark.thorough
@pytest.mark.parametrize("name", SHORT[::6])
def test_a_single_run_records_the_same(name, full, single):
    runs = [runner.submit(read_text(EVERYDAY[name])).result() for runner in (full, single)]
    assert recorded(runs[0]) == recorded(runs[1])


@pytest.mark.thorough
def test_a_program_that_needs_another_parent_gets_it(single):
    assert single.submit(read_text("torch.ones(2)")).result().status == "ok"
    first = single.programs.pid
    trace = single.submit(read_text(PLOT)).result()
    assert trace.status == "ok"
    assert [type(output).__name__ for output in trace.cells[0].outputs] == ["Echo", "Figure"]
    assert single.programs.pid != first


@pytest.mark.thorough
def test_a_complete_parent_is_not_replaced(full):
    assert full.ready(PATIENT)
    first = full.programs.pid
    full.programs.start(LEAST)
    assert full.submit(read_text("torch.ones(2)")).result().status == "ok"
    assert full.programs.pid == first


@pytest.mark.thorough
def test_an_unexpected_library_is_imported_by_the_child(single):
    hidden = read_text("name = 'sym' + 'py'\nmodule = getattr(__builtins__, '__im' + 'port__')(name)\nmodule.__name__")
    assert needs(hidden) == LEAST
    assert single.submit(hidden).result().cells[0].outputs[0].text == "'sympy'"


@pytest.mark.thorough
def test_a_server_runs_its_first_program_before_everything_is_preloaded(single):
    single.start_soon()
    assert single.ready(PATIENT)
    first = single.programs.pid
    assert single.submit(read_text("torch.ones(2)")).result().status == "ok"
    single.start_soon()  # as each page does
    trace = single.submit(read_text(PLOT)).result()  # waits for the fully preloaded process
    assert [type(output).__name__ for output in trace.cells[0].outputs] == ["Echo", "Figure"]
    assert single.programs.pid != first
    again = single.programs.pid
    assert single.submit(read_text("torch.ones(2)")).result().status == "ok"
    assert single.programs.pid == again
    ended(first)


@pytest.mark.thorough
def test_a_servers_first_programs_are_confined_too():
    runner = Runner(least=probe().level)  # with less confinement, a program does not run
    runner.start_soon()
    assert runner.ready(PATIENT)
    first = runner.programs.pid
    outside = runner.submit(read_text("import os\nprint(os.listdir('/root'))")).result()
    assert outside.status == "refused"
    assert runner.submit(read_text("torch.ones(2)")).result().status == "ok"
    runner.close()
    ended(first)


@pytest.mark.thorough
def test_the_next_process_serves_after_the_first_is_lost(single):
    single.start_soon()
    assert single.ready(PATIENT)
    os.kill(single.programs.pid, signal.SIGKILL)
    assert single.submit(read_text("torch.ones(2)")).result().status == "ok"


def ended(pid: int) -> None:
    """Wait until a process is gone."""
    deadline = time.monotonic() + PATIENT
    while time.monotonic() < deadline and psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie":
        time.sleep(0.05)
    assert time.monotonic() < deadline


@pytest.mark.skipif(not HUGE.exists(), reason="no huge pages")
def test_a_parent_is_on_huge_pages_and_its_children_get_no_new_ones():
    runner = default_runner()
    run = runner.submit(read_text("while True: pass"), Options(time_limit=PATIENT))
    assert eventually(lambda: run.seconds)
    parent = psutil.Process(runner.programs.pid)
    assert fields(f"/proc/{parent.pid}/smaps_rollup")["AnonHugePages"].split()[0] != "0"
    assert eventually(lambda: any(map(without_huge_pages, parent.children())))
    run.cancel()


def without_huge_pages(process: psutil.Process) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):  # the process may end first
        return fields(f"/proc/{process.pid}/status").get("THP_enabled", "").strip() == "0"
    return False


def fields(path: str) -> dict[str, str]:
    """Return the lines of a file in /proc that have a name."""
    return dict(line.split(":", 1) for line in Path(path).read_text().splitlines() if ":" in line)

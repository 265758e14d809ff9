"""The executor for systems on which forking is not safe, forced here."""

import os
import signal

import pytest

from explorer.program import read_text
from explorer.sandbox import Cancelled, Runner, layout
from explorer.sandbox.spares import Spares
from explorer.trace import Limit, Options, Printed
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import ENDLESS


@pytest.fixture(scope="module")
def spares():
    runner = Runner("plain_child", make=Spares)
    runner.programs.start()
    assert runner.ready(PATIENT)
    yield runner
    runner.close()


def outputs(runner, text: str, time_limit: float = 10.0):
    return runner.submit(read_text(text), Options(time_limit=time_limit)).result(PATIENT).cells[0].outputs


@pytest.mark.thorough
def test_every_run_has_its_own_process(spares):
    first = spares.programs.pid
    assert outputs(spares, "import os, math\nmath.pi = 3\nanswer = str(os.getpid())") == [Printed("stdout", str(first))]
    assert outputs(spares, "import math\nanswer = str(math.pi)")[0].text.startswith("3.14159")


@pytest.mark.thorough
def test_a_spare_is_confined_like_a_fork(spares, tmp_path):
    (tmp_path / "secret").write_text("secret")
    attempts = [f"open({str(tmp_path / 'secret')!r})", "os.fork()", "__import__('socket').socket()"]
    for attempt in attempts:
        text = f"import os\ntry:\n    {attempt}\n    answer = 'did'\nexcept OSError:\n    answer = 'refused'"
        assert outputs(spares, text) == [Printed("stdout", "refused")]


@pytest.mark.thorough
def test_limits_apply_at_their_line(spares):
    (limit,) = outputs(spares, "x = 1\nwhile True: pass", time_limit=1.0)
    assert (limit.limit, limit.bound) == ("time", 1.0) and limit.span == 0
    assert outputs(spares, "x = bytearray(10**11)") == [Limit("memory", 200.0, -1)]
    assert outputs(spares, "import os\nos.kill(os.getpid(), 11)") == [Limit("crash", 0.0, 0, "SIGSEGV")]
    assert outputs(spares, "import os\nos._exit(3)") == [Limit("crash", 0.0, -1, "exit 3")]
    assert outputs(spares, "reply = bytes(8_000_001)") == [Limit("result", 8.0, -1)]
    assert outputs(spares, "reply = b'garbage'") == [Limit("result", 8.0, -1, "invalid")]


@pytest.mark.thorough
def test_runs_can_be_cancelled(spares):
    run = spares.submit(read_text(ENDLESS))
    assert eventually(lambda: run.seconds > 0.2)
    assert run.cancel()
    with pytest.raises(Cancelled):
        run.result(PATIENT)
    assert outputs(spares, "answer = 'next'") == [Printed("stdout", "next")]


@pytest.mark.thorough
def test_a_spare_that_was_killed_is_replaced(spares):
    assert spares.ready(PATIENT)
    os.kill(spares.programs.pid, signal.SIGKILL)
    assert outputs(spares, "answer = 'next'") == [Printed("stdout", "next")]


@pytest.mark.thorough
def test_graphs_are_laid_out(spares):
    assert '"a"' in layout("digraph { a -> b }", spares)


def test_nothing_is_left_when_it_closes():
    runner = Runner("plain_child", make=Spares)
    runner.programs.start()  # expects more calls, so the next process preloads in the meantime
    before = len(os.listdir("/proc/self/fd"))
    run = runner.submit(read_text(ENDLESS))
    assert eventually(lambda: runner.programs.pid is not None)
    pid = runner.programs.pid
    runner.close()
    with pytest.raises(Cancelled):
        run.result(PATIENT)
    assert eventually(lambda: len(os.listdir("/proc/self/fd")) <= before)
    assert eventually(lambda: not os.path.exists(f"/proc/{pid}"))


@pytest.mark.thorough
def test_a_module_that_cannot_be_preloaded_is_a_crash(capfd):
    runner = Runner("no_such_module", make=Spares)
    assert outputs(runner, "x = 1") == [Limit("crash", 0.0, -1, "lost")]
    runner.close()
    assert "no_such_module" in capfd.readouterr().err

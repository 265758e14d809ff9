"""Limits that the server enforces because the kernel has no such limit, and turns of resting runs."""

import os
import signal
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from explorer.program import read_text
from explorer.sandbox import Runner, child_call, watch
from explorer.sandbox.parent import Parent
from explorer.sandbox.protocol import ChildLimits
from explorer.trace import Limit, Options, Printed
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import ENDLESS, running

COMPUTING = "while True: pass"
SLEEPING = "import time\ntime.sleep(1000)"


@pytest.fixture(scope="module")
def watched():
    """Yield a runner whose programs the kernel does not limit: only the server watches them."""
    runner = Runner("plain_child", make=partial(Parent, without={"rlimits"}))
    yield runner
    runner.close()


@pytest.fixture
def single():
    """Yield a runner with one turn."""
    runner = Runner("plain_child", at_once=1)
    runner.programs.start()
    assert runner.ready(PATIENT)
    yield runner
    runner.close()


def limit(runner: Runner, text: str, **options: float) -> Limit:
    (output,) = runner.submit(read_text(text), Options(**options)).result(PATIENT).cells[0].outputs
    return output


@pytest.mark.thorough
def test_computing_is_measured_by_the_precise_clock(watched):
    assert limit(watched, f"x = 1\n{COMPUTING}", time_limit=0.2) == Limit("time", 0.2, 0)
    ignoring = "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\n"
    assert limit(watched, ignoring + COMPUTING, time_limit=0.2).limit == "time"


def test_memory_and_page_tables_count(watched):
    kept = "import time\nkept = bytearray(b'1' * 200_000_000)\ntime.sleep(1000)"
    assert limit(watched, kept, memory_limit=50).limit == "memory"
    sparse = (
        "import mmap, time\narea = mmap.mmap(-1, 200 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)\n"
        "for at in range(0, 200 << 30, 2 << 20): area[at]\ntime.sleep(1000)"
    )
    assert limit(watched, sparse, memory_limit=50).limit == "memory"


def test_a_program_that_sleeps_holds_no_turn(single, monkeypatch):
    monkeypatch.setattr(child_call, "LIFE_S", 0.1)  # no process stays for long
    sleeping = [single.submit(read_text(SLEEPING), session=str(i), visitor=str(i)) for i in range(3)]
    assert single.submit(read_text("answer = 'served'"), visitor="4").result(PATIENT).status == "ok"
    assert not any(run.done() for run in sleeping)
    for run in sleeping:
        run.cancel()
    assert eventually(lambda: not running(single.programs.pid))


@pytest.mark.thorough
def test_a_waking_program_waits_for_its_turn_and_continues(single):
    waking = "import time\ntime.sleep(1)\nfor _ in range(10**8): pass\nanswer = 'woke'"
    first = single.submit(read_text(waking), Options(time_limit=PATIENT), session="one")
    other = single.submit(read_text(COMPUTING), Options(time_limit=PATIENT), session="two")
    assert eventually(lambda: other.seconds > 3)
    assert not first.done()
    other.cancel()
    assert first.result(PATIENT).cells[0].outputs == [Printed("stdout", "woke")]


def test_waiting_for_a_turn_does_not_count(monkeypatch):
    now = SimpleNamespace(time=0.0, used=0.0, has_turn=True)
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: now.time))
    monkeypatch.setattr(watch, "usage", lambda pid: watch.Usage(now.used, 0.0, False))
    turn = Mock(has_turn=lambda: now.has_turn)
    child = watch.ChildWatch(1, ChildLimits(5.0, 10.0, 100.0), turn)
    for now.time, now.used, now.has_turn, signals in [
        (0.5, 0.5, True, []),
        (1.0, 0.5, True, []),  # it sleeps, so it rests
        (2.0, 1.0, False, [signal.SIGSTOP]),  # it wakes up while another child computes
        (50.0, 1.0, False, []),
        (51.0, 1.0, True, [signal.SIGCONT]),
        (58.0, 1.0, True, []),  # 49 seconds of waiting do not count
        (60.0, 1.0, True, [signal.SIGKILL]),
    ]:
        assert child.look() == signals
    assert child.ended_for == "time" and [name for name, *_ in turn.method_calls] == ["rest", "wake", "rest"]


@pytest.mark.thorough
def test_a_sleeping_program_ends_eventually(single):
    assert limit(single, SLEEPING, time_limit=0.05).limit == "time"


@pytest.mark.thorough
def test_a_parent_that_is_stopped_is_replaced(single):
    before = single.programs.pid
    os.kill(before, signal.SIGSTOP)
    assert single.submit(read_text("answer = 'served'")).result(PATIENT).status == "ok"
    assert single.programs.pid != before
    run = single.submit(read_text(ENDLESS), Options(time_limit=0.05))
    assert eventually(lambda: running(single.programs.pid))
    os.kill(single.programs.pid, signal.SIGSTOP)
    assert run.result(PATIENT).status == "limited"

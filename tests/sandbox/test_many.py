"""A runner that many sessions share."""

import contextlib
import os
import signal
import threading
import time
from functools import partial

import pytest

from explorer.program import Unusable, read_text
from explorer.sandbox import Cancelled, Runner, child_call
from explorer.sandbox.parent import Parent
from explorer.sandbox.runner import GRACE, LASTING
from explorer.trace import Options, Printed
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import ENDLESS, WAITING, child, descriptors, release, running, waiting


@pytest.fixture
def one_at_a_time():
    runner = Runner("plain_child", at_once=1)
    runner.programs.start()
    assert runner.ready(PATIENT)
    yield runner
    runner.close()


def printed(run) -> str:
    return run.result(PATIENT).cells[0].outputs[0].text


@pytest.mark.thorough
def test_a_sessions_newest_text_replaces_its_waiting_one(one_at_a_time):
    submit = partial(one_at_a_time.submit, session="ada")
    running = submit(read_text(ENDLESS))
    older, newest = submit(read_text("answer = 'older'")), submit(read_text("answer = 'newest'"))
    with pytest.raises(Cancelled):
        older.result(PATIENT)
    assert not newest.done() and newest.position == 1
    running.cancel()
    assert printed(newest) == "newest"


def test_waiting_runs_know_their_position(one_at_a_time):
    running = one_at_a_time.submit(read_text(ENDLESS), session="ada")
    waiting = [one_at_a_time.submit(read_text("answer = 'done'"), session=name) for name in ("bob", "eve", "joe")]
    assert [run.position for run in (running, *waiting)] == [0, 1, 2, 3]
    waiting[0].cancel()
    assert [run.position for run in waiting] == [0, 1, 2]
    running.cancel()
    assert [printed(run) for run in waiting[1:]] == ["done", "done"]


@pytest.mark.thorough
def test_the_time_limit_begins_with_the_turn(one_at_a_time):
    first = one_at_a_time.submit(read_text(ENDLESS), session="ada")
    second = one_at_a_time.submit(read_text("answer = 'in time'"), Options(time_limit=0.5), session="bob")
    time.sleep(LASTING * 0.5 + GRACE + 0.1)  # it has waited longer than its limit
    first.cancel()
    assert printed(second) == "in time"


@pytest.mark.thorough
def test_forty_sessions_at_once_each_get_their_own_answer():
    runner = Runner("plain_child", at_once=2)
    first = [runner.submit(read_text(ENDLESS), session=name) for name in ("ada", "bob")]
    runs = [runner.submit(read_text(f"answer = '{i}'"), session=str(i)) for i in range(40)]
    assert [run.position for run in runs] == list(range(1, 41))
    for run in first:
        run.cancel()
    assert [printed(run) for run in runs] == [str(i) for i in range(40)]
    runner.close()


@pytest.mark.thorough
def test_closing_a_runner_cancels_waiting_runs(one_at_a_time):
    runs = [one_at_a_time.submit(read_text(ENDLESS), session=str(i)) for i in range(3)]
    one_at_a_time.close()
    for run in runs:
        with pytest.raises(Cancelled):
            run.result(PATIENT)


@pytest.mark.thorough
def test_two_hundred_runs_leave_nothing(runner, monkeypatch):
    monkeypatch.setattr(child_call, "LIFE_S", 1.0)  # no process stays for long
    runner.submit(read_text("answer = ''")).result(PATIENT)
    assert eventually(lambda: waiting(runner.programs.pid))  # the child forked ahead has its own descriptors
    own, parents = descriptors(os.getpid()), descriptors(runner.programs.pid)
    threads = threading.active_count()
    texts = ["answer = 'x'", "1 / 0", "import os; os._exit(3)", "reply = b'garbage'"]
    runs = [runner.submit(read_text(texts[i % 4]), session=str(i)) for i in range(200)]
    for run in runs[::10]:
        run.cancel()
    for run in runs:
        with contextlib.suppress(Cancelled):
            run.result(PATIENT)
    assert eventually(lambda: not running(runner.programs.pid) and waiting(runner.programs.pid))
    assert eventually(lambda: threading.active_count() <= threads)
    assert eventually(lambda: descriptors(os.getpid()) <= own)
    assert eventually(lambda: descriptors(runner.programs.pid) <= parents)


@pytest.mark.thorough
def test_a_parent_is_replaced_while_it_serves():
    runner = Runner("plain_child", make=lambda module, least: Parent(module, least, replace_after=10))
    runner.programs.start()
    assert runner.ready(PATIENT)
    first, pids = runner.programs.pid, set()
    patient = runner.submit(read_text(WAITING), Options(time_limit=PATIENT))
    waits = child(first)
    while len(pids) < 3:
        assert runner.submit(read_text("answer = 'served'")).result(PATIENT).cells[0].outputs == [
            Printed("stdout", "served")
        ]
        pids.add(runner.programs.pid)
    assert not patient.done()
    release(waits, patient)
    assert printed(patient) == "to the end"  # its parent was retired in the meantime
    assert eventually(lambda: not os.path.exists(f"/proc/{first}"))  # neither running nor a zombie
    runner.close()
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_a_killed_successor_is_harmless():
    runner = Runner("plain_child", make=lambda module, least: Parent(module, least, replace_after=1))
    for _ in range(3):
        assert runner.submit(read_text("answer = 'served'")).result(PATIENT).status == "ok"
        successor = runner.programs._successor
        if successor is not None:
            os.kill(successor.pid, signal.SIGKILL)
    runner.close()


@pytest.mark.thorough
def test_a_parent_ends_before_its_successor_loads_if_memory_is_short():
    runner = Runner(
        "plain_child", make=lambda module, least: Parent(module, least, replace_after=1, memory=1_000_000_000)
    )
    pids = []
    for _ in range(3):
        assert runner.submit(read_text("answer = 'served'")).result(PATIENT).status == "ok"
        assert runner.programs._successor is None
        pids.append(runner.programs.pid)
        assert eventually(lambda: all(not retired.running() for retired in runner.programs._retired))
    assert len(set(pids)) == 3
    runner.close()


def test_a_visitor_with_sixty_sessions_does_not_delay_others():
    """None of the sixty ends; the other visitor's program runs immediately, and so does the next one."""
    runner = Runner("plain_child", at_once=2)
    endless = Options(time_limit=PATIENT)
    hostile = [runner.submit(read_text(ENDLESS), endless, f"attack {i}", "203.0.113.9") for i in range(60)]
    for _ in range(3):
        other = runner.submit(read_text("answer = 'in turn'"), session="ada", visitor="198.51.100.1")
        assert printed(other) == "in turn"
    assert not any(run.done() for run in hostile)
    for run in hostile:
        run.cancel()
    runner.close()


@pytest.mark.thorough
def test_too_many_programs_of_one_visitor_are_refused_in_words(one_at_a_time):
    runs = []
    with pytest.raises(Unusable) as refused:
        for i in range(1_000):  # on a slow machine, some have ended before the last one is submitted
            runs.append(one_at_a_time.submit(read_text(ENDLESS), session=str(i), visitor="203.0.113.9"))
    assert refused.value.kind == "crowded" and len(runs) > 200
    for run in runs[::-1]:
        run.cancel()

"""A child that answers questions without a program answers several; a limit ends only that child."""

import os
import signal
import threading
from contextlib import suppress

import pytest

from explorer.program import CellSource, Program, encode_request
from explorer.sandbox.parent import Parent
from explorer.sandbox.protocol import FURTHER_S, ChildLimits
from explorer.trace import Options, decode
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import gone, running

ORDER = ChildLimits(seconds=1.0, lasting=20.0, memory_mb=200.0, stays=True)
COUNT = "import builtins\nasked = builtins.asked = getattr(builtins, 'asked', 0) + 1\n"  # counts its calls


@pytest.fixture(scope="module")
def parent():
    parent = Parent("plain_child")
    parent.start()
    assert parent.ready(PATIENT)
    yield parent
    parent.close()


def asked(parent: Parent, code: str = "", order: ChildLimits = ORDER) -> str:
    """Return how many requests the answering child has had, or how it ended."""
    request = encode_request(Program([CellSource(f"{COUNT}{code}\nanswer = str(asked)")]), Options())
    answer = parent.call(request, order, 10**6).wait()
    return decode(answer.reply).cells[0].outputs[0].text if answer.outcome == "reply" else answer.outcome


def test_one_child_answers_several_requests(parent):
    first = int(asked(parent))
    assert [asked(parent) for _ in range(3)] == [str(first + 1), str(first + 2), str(first + 3)]
    assert asked(parent, order=ORDER._replace(stays=False)) == "1"  # a child for a single request


def test_questions_at_the_same_time_go_to_different_children(parent):
    asked(parent)
    meet = "import os, time\ntime.sleep(0.5)\nasked = os.getpid()"
    who: list[str] = []
    asking = [threading.Thread(target=lambda: who.append(asked(parent, meet))) for _ in range(2)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(set(who)) == 2


@pytest.mark.parametrize(("code", "outcome"), [("while True: pass", "time"), ("1 / 0", "crash")])
def test_a_child_that_ends_is_replaced(parent, code, outcome):
    asked(parent)
    assert asked(parent, code) == outcome
    assert asked(parent, order=ORDER._replace(seconds=1.5)) == "1"


def test_a_child_killed_while_waiting_is_replaced(parent):
    asked(parent)
    for pid in running(parent.pid):
        with suppress(ProcessLookupError):  # it may have ended on its own
            os.kill(pid, signal.SIGKILL)
        assert gone(pid)
    assert eventually(lambda: asked(parent) == "1")  # its parent reports its end a moment later


@pytest.mark.thorough
def test_a_child_that_computed_too_long_gets_no_further_request(parent):
    busy = f"import time\nends = time.process_time() + {FURTHER_S * 0.6}\nwhile time.process_time() < ends: pass"
    first = int(asked(parent))
    assert [asked(parent, busy), asked(parent, busy), asked(parent)] == [str(first + 1), str(first + 2), "1"]


def test_waiting_children_end_with_their_parent():
    parent = Parent("plain_child")
    assert eventually(lambda: asked(parent) == "2")  # on a busy machine, a child that took too long does not wait
    waits = running(parent.pid)
    parent.close()
    assert waits and all(map(gone, waits))


def test_a_waiting_child_ends_with_the_service_of_its_parent():
    parent = Parent("plain_child", replace_after=3)
    try:
        assert eventually(lambda: asked(parent) == "2")
        before, waits = parent.pid, running(parent.pid)
        assert eventually(lambda: asked(parent, order=ORDER._replace(stays=False)) and parent.pid != before)
        assert waits and all(map(gone, waits)) and gone(before)
    finally:
        parent.close()

"""A run's process stays and answers questions about the run; a stranger's program harms only its own session."""

import os
import signal
import tempfile
import threading
import time
from functools import partial

import pytest

from explorer.program import read_text
from explorer.sandbox import Runner, child_call, default_runner, staying
from explorer.sandbox.parent import Parent
from explorer.sandbox.protocol import DIAGNOSIS, ChildLimits, question
from explorer.sandbox.staying import answering
from explorer.sandbox.watch import usage
from explorer.trace import Failure, Options, Trace, decode, encode
from explorer.workers.diagnoses import diagnoses_of
from explorer.workers.explanations import explanations_of
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import children, gone

WHO = "import os\nanswer = str(os.getpid())\nanswers = lambda asked: answer.encode() + asked\n"


@pytest.fixture(scope="module")
def runner():
    runner = Runner("plain_child")
    runner.start()
    assert runner.ready(PATIENT)
    yield runner
    runner.close()


def ran(runner: Runner, text: str = "", session: str = "one") -> Trace:
    return runner.submit(read_text(WHO + text), session=session).result()


def pid(trace: Trace) -> int:
    """Return the number of the process that ran it."""
    return int(trace.cells[0].outputs[0].text)


def asked(trace: Trace, what: bytes = b"") -> bytes | str:
    """Return the answer of the process that made a Trace, or how it ended."""
    made = answering(trace)
    if made is None:
        return "ended"
    answer = made.ask(question(DIAGNOSIS, what), 1000)
    return answer.reply if answer.outcome == "reply" else answer.outcome


def test_the_process_that_ran_a_program_answers_about_it(runner):
    trace = ran(runner)
    number = str(pid(trace)).encode()
    assert [asked(trace, b"!"), asked(trace, b"?")] == [number + b"!", number + b"?"]


def test_the_process_ends_when_its_sessions_next_program_runs(runner):
    first, other = ran(runner), ran(runner, session="two")
    second = ran(runner)
    assert gone(pid(first)) and asked(first) == "lost"
    assert asked(second) == str(pid(second)).encode() and asked(other) == str(pid(other)).encode()


@pytest.mark.parametrize(
    ("does", "ends"),
    [
        ("while True: pass", "time"),  # answers too late
        ("import time\n    time.sleep(1000)", "time"),  # never answers
        ("os._exit(3)", "crash"),
        ("raise SystemExit", "crash"),
        ("return [0] * 10**9", "memory"),
        ("return b'x' * 2000", "result"),  # more than is accepted
        ("os.write(here(), b'no such message' * 99)", "result"),
    ],
)
def test_an_unresponsive_process_ends_without_affecting_others(runner, monkeypatch, does, ends):
    monkeypatch.setattr(staying, "ORDER", ChildLimits(seconds=1.0, lasting=4.0, memory_mb=200.0))
    other = ran(runner, session="two")
    trace = ran(runner, HERE + f"def answers(asked):\n    {does}\n")
    assert asked(trace) == ends
    assert gone(pid(trace)) and asked(trace) == "lost"
    assert asked(other) == str(pid(other)).encode()


HERE = """import os, stat
def here():
    return next(number for number in range(3, 64) if is_socket(number))
def is_socket(number):
    try:
        return stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        return False
"""
LATER = """import signal
def later(*_):
    {}
signal.signal(signal.SIGALRM, later)
signal.setitimer(signal.ITIMER_REAL, 0.3)
"""


@pytest.mark.parametrize("does", ["while True: pass", "global held; held = b'x' * 150_000_000"])
def test_a_process_is_stopped_until_it_is_asked(runner, monkeypatch, does):
    monkeypatch.setattr(staying, "ORDER", ChildLimits(seconds=0.5, lasting=60.0, memory_mb=200.0))
    trace = ran(runner, LATER.format(does) + "answers = lambda asked: [0 for _ in range(10**9)]")
    assert eventually(lambda: children(runner.programs.pid)[pid(trace)] == "T")
    before = usage(pid(trace))
    time.sleep(1)  # until its timer's signal arrives
    assert usage(pid(trace)) == before
    assert asked(trace) in ("time", "memory") and gone(pid(trace))


def test_twenty_processes_that_want_to_compute_delay_no_run(runner):
    """After its reply, each would compute without end."""
    loops = "import explorer.sandbox.child_process as p\nwrite = p._write\ndef then(*given):\n    write(*given)\n"
    loops += "    while given[1] == b'r': pass\np._write = then"
    traces = [ran(runner, loops, session=f"session {number}") for number in range(min(20, staying.MOST))]
    assert eventually(lambda: all(children(runner.programs.pid)[pid(one)] == "T" for one in traces))
    before = [usage(pid(one)) for one in traces]
    assert ran(runner, session="other").end
    assert [usage(pid(one)) for one in traces] == before


def test_memory_counts_from_birth(runner):
    grows = "held = []\ndef answers(asked):\n    held.append(b'x' * 60_000_000)\n    return b'grown'"
    trace = ran(runner, grows)
    assert [asked(trace) for _ in range(3)] == [b"grown", b"grown", "lost"] and gone(pid(trace))


def test_the_processor_counts_from_birth(runner, monkeypatch):
    monkeypatch.setattr(staying, "ORDER", ChildLimits(seconds=1.0, lasting=60.0, memory_mb=200.0))
    works = "import time\ndef answers(asked):\n    end = time.process_time() + 0.4\n"
    works += "    while time.process_time() < end: pass\n    return b'done'"
    trace = runner.submit(read_text(WHO + works), Options(time_limit=0.5), session="one").result()
    answers = [asked(trace) for _ in range(6)]
    assert answers[0] == b"done" and answers[-1] == "lost" and answers.count(b"done") < 5


def test_a_process_ends_if_it_is_large_or_old(runner, monkeypatch):
    assert asked(ran(runner, "held = b'x' * 150_000_000")) == "ended"
    monkeypatch.setattr(child_call, "LIFE_S", 0.5)
    trace = ran(runner)
    assert eventually(lambda: asked(trace) == "lost")  # however often it is asked
    assert gone(pid(trace))


def test_a_process_ends_with_the_service_of_its_parent():
    runner = Runner("plain_child", make=partial(Parent, replace_after=3))
    try:
        first = ran(runner)
        before = runner.programs.pid
        assert eventually(lambda: ran(runner, session="two") and runner.programs.pid != before)
        assert gone(pid(first)) and gone(before)
    finally:
        runner.close()


def test_runs_of_visitors_without_a_session_keep_their_own_process(runner):
    first, second = (
        runner.submit(read_text(WHO), visitor=visitor).result() for visitor in ("198.51.100.1", "198.51.100.2")
    )
    assert [asked(first), asked(second)] == [str(pid(first)).encode(), str(pid(second)).encode()]


def test_a_sleeping_answer_holds_no_turn(runner, monkeypatch):
    """Ten processes sleep while answering; another visitor's question is answered in the meantime."""
    monkeypatch.setattr(staying, "ORDER", ChildLimits(seconds=1.0, lasting=20.0, memory_mb=200.0))
    sleeps = "import time\nanswers = lambda asked: time.sleep(1000)"
    count = min(10, staying.MOST - 1)
    traces = [
        runner.submit(read_text(WHO + sleeps), session=f"session {k}", visitor="198.51.100.1").result()
        for k in range(count)
    ]
    other = runner.submit(read_text(WHO), session="other", visitor="198.51.100.2").result()
    asking = [threading.Thread(target=asked, args=(one,), daemon=True) for one in traces]
    for one in asking:
        one.start()
    assert eventually(lambda: any(children(runner.programs.pid).get(pid(one)) == "S" for one in traces))
    assert asked(other) == str(pid(other)).encode()
    assert runner.submit(read_text(WHO), session="third", visitor="198.51.100.2").result().end
    assert any(one.is_alive() for one in asking)
    for one in traces:
        os.kill(pid(one), signal.SIGKILL)
    for one in asking:
        one.join(PATIENT)


def test_a_session_does_not_wait_for_the_answer_of_its_previous_process(runner, monkeypatch):
    monkeypatch.setattr(staying, "ORDER", ChildLimits(seconds=1.0, lasting=5.0, memory_mb=200.0))
    sleeps = ran(runner, "import time\nanswers = lambda asked: time.sleep(1000)")
    outcomes: list[bytes | str] = []
    asking = threading.Thread(target=lambda: outcomes.append(asked(sleeps)))
    asking.start()
    assert eventually(lambda: children(runner.programs.pid).get(pid(sleeps)) == "S")
    assert ran(runner).end and asking.is_alive()
    asking.join(PATIENT)
    assert gone(pid(sleeps)) and len(outcomes) == 1 and isinstance(outcomes[0], str)


def test_a_process_ends_when_its_page_closes(runner, monkeypatch):
    trace, other = ran(runner), ran(runner, session="two")
    monkeypatch.setattr(runner.staying, "is_open", lambda session: session != "one")
    assert gone(pid(trace)) and asked(trace) == "lost"
    assert asked(other) == str(pid(other)).encode()


def test_the_number_of_staying_processes_is_limited(runner, monkeypatch):
    monkeypatch.setattr(staying, "MOST", 2)
    first, *others = [ran(runner, session=f"session {number}") for number in range(3)]
    assert asked(first) == "lost" and [asked(trace) for trace in others] == [str(pid(one)).encode() for one in others]


def test_an_invalid_result_leaves_no_process(runner):
    trace = ran(runner, "import pathlib\nreply = str(os.getpid()).encode()")
    assert trace.end == "limited" and answering(trace) is None


def test_all_processes_end_with_their_runner():
    runner = Runner("plain_child")
    trace = ran(runner)
    runner.close()
    assert gone(pid(trace))


def test_a_process_with_files_on_disk_ends_and_frees_their_path(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # no other test takes folders here
    runner = Runner(make=partial(Parent, without={"namespaces"}))
    text = "import os\nprint(os.getcwd())"
    try:
        first, second = (runner.submit(read_text(text), session="one").result() for _ in range(2))
        assert first.cells == second.cells
        assert asked(second) in ("lost", "crash", "ended")
    finally:
        runner.close()


CUT = """\
import torch
w = torch.tensor(2.0, requires_grad=True)
loss = (w.detach() * 3) ** 2 + w * 0
loss.backward()
optimizer = torch.optim.SGD([w], 0.1)
for _ in range(3):
    loss = torch.nn.functional.mse_loss((w * torch.ones(4, 1)), torch.zeros(4))
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    "left",
    [
        "",
        "import builtins\nbuiltins.round = lambda *_: 7\nbuiltins.divmod = None",
        "import sys\nsys.settrace(lambda *_: None)\nsys.setprofile(lambda *_: None)",
        "import signal\nsignal.signal(signal.SIGALRM, print)\nsignal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)",
        "class Ends:\n    def __del__(self): raise SystemExit\nends = Ends(); ends.own = ends; del ends",
        "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\ntorch.relu = torch.mul = None",
    ],
)
def test_answers_match_a_fresh_process(child_runner, left):
    trace = child_runner.submit(read_text(CUT + left), session="three").result()
    assert answering(trace) is not None
    found = diagnoses_of(trace, child_runner)
    assert found and found == diagnoses_of(decode(encode(trace)), child_runner)
    assert asked(trace) != "lost"  # it has already answered itself


def test_another_process_answers_if_the_program_broke_its_own(child_runner):
    trace = child_runner.submit(
        read_text(CUT + "import re\nre.compile = re.match = re.sub = None"), session="three"
    ).result()
    assert diagnoses_of(trace, child_runner) == diagnoses_of(decode(encode(trace)), child_runner) != ()


def test_errors_are_explained_like_in_a_fresh_process(child_runner):
    trace = child_runner.submit(
        read_text("import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)"), session="three"
    ).result()
    found = explanations_of(trace, child_runner).found
    assert found and found == explanations_of(decode(encode(trace)), child_runner).found


@pytest.mark.parametrize(
    "further",
    ["while True:\n    w * 2", "kept = []\nwhile True:\n    kept.append(torch.ones(1_000_000))"],
    ids=["time", "memory"],
)
def test_another_process_answers_if_the_program_exhausted_its_own(child_runner, further):
    """Its limits leave no room for an answer, so it is not asked."""
    options = Options(time_limit=0.5, memory_limit=200.0)
    trace = child_runner.submit(read_text(CUT + further), options, session="three").result()
    assert trace.end != "ok" or any(isinstance(output, Failure) for output in trace.cells[0].outputs)
    assert answering(trace) is None
    assert diagnoses_of(trace, child_runner) == diagnoses_of(decode(encode(trace)), child_runner)


@pytest.fixture(scope="module")
def child_runner():
    runner = default_runner()
    runner.start()
    assert runner.ready(PATIENT)
    return runner

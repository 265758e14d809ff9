"""A program's effects on the runner, and the resulting Trace: which limit, and where."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from explorer.analysis.diagnose.messages import limit_text
from explorer.analysis.explain.autograd import graph_view, sentence
from explorer.program import CellSource, Program, read_text
from explorer.sandbox import Cancelled, Runner, child_call, limited_trace
from explorer.sandbox.parent import Parent
from explorer.text import say
from explorer.trace import Limit, Options, Printed, Result, Skipped, Span, decode, encode
from explorer.trace.streaming import Piece
from explorer.trace.streaming import encode as encode_piece
from tests.patience import PATIENT, eventually
from tests.sandbox.conftest import outputs_of
from tests.sandbox.processes import ENDLESS, WAITING, child, children, descriptors, gone, looks, running, waiting

ROOT = str(Path(__file__).parents[2])


def test_a_program_runs(outputs):
    trace, found = outputs("x = 6", "answer = str(x * 7)")
    assert found[1] == Printed("stdout", "42")
    assert trace.status == "ok"


def test_runs_share_nothing(outputs):
    outputs("import math\nmath.pi = 3")
    _, found = outputs("import math\nanswer = str(math.pi)")
    assert found[0].text.startswith("3.14159")


@pytest.mark.thorough
def test_an_endless_loop_is_killed_in_its_line(outputs):
    trace, found = outputs("x = 1", "import time\n\nwhile True:\n    time.sleep(0.01)", time_limit=0.3)
    limit = found[-1]
    assert (limit.limit, limit.bound) == ("time", 0.3)
    assert trace.spans[limit.span].cell == 1
    assert trace.text(limit.span) in ("while True:", "    time.sleep(0.01)")
    assert "line 3" in limit_text("en", limit, trace) and "第 3 行" in limit_text("zh", limit, trace)  # the loop
    assert sentence(graph_view(trace), "en") == say("en", "why-limited")


def test_an_endless_loop_in_c_code_is_killed_in_its_line(outputs):
    trace, found = outputs("import itertools\nx = 1\nsum(itertools.repeat(0))\n", time_limit=0.3)
    assert found[0].limit == "time"
    assert trace.spans[found[0].span] == Span(0, 3, 0, 3, 24)
    assert "loop" not in limit_text("en", found[0], trace)  # it is not in a visible loop


def test_a_crash_reports_its_signal_and_line(outputs):
    trace, found = outputs("x = 1\nimport os\nos.kill(os.getpid(), 11)\ny = 2")
    assert found == [Limit("crash", 0.0, 0, "SIGSEGV")]
    assert trace.text(0) == "os.kill(os.getpid(), 11)"


def test_an_exit_is_a_crash(outputs):
    assert outputs("import os\nos._exit(3)")[1] == [Limit("crash", 0.0, -1, "exit 3")]


def test_memory_is_limited(outputs):
    assert outputs("x = bytearray(10**11)")[1] == [Limit("memory", 200.0, -1)]
    assert outputs("x = bytearray(100_000_000)\nanswer = 'fits'")[1] == [Printed("stdout", "fits")]


def test_a_child_killed_by_the_kernel_ran_out_of_memory(outputs):
    assert outputs("import os\nos.kill(os.getpid(), 9)")[1][0].limit == "memory"


@pytest.mark.parametrize(
    "reply",
    [
        "b''",
        "b'\\xc1'",
        "b'\\x90' * 4_000_000",  # empty lists, which would take 845 MB
        "b'[' * 100_000",
        "bytes(8_000_000)",
    ],
)
def test_an_invalid_reply_is_not_a_result(outputs, reply):
    assert outputs(f"reply = {reply}")[1] == [Limit("result", 8.0, -1, "invalid")]


def test_a_result_about_another_program_is_rejected(runner):
    other = encode(limited_trace(read_text("y = 2"), Options(), "crash", 0))
    trace = runner.submit(read_text(f"reply = {other!r}")).result(PATIENT)
    assert trace.cells[0].outputs == [Limit("result", 8.0, -1, "invalid")]


def test_excess_messages_are_read_up_to_the_limit(outputs):
    assert outputs("reply = bytes(8_000_001)")[1] == [Limit("result", 8.0, -1)]
    flood = "import os\nwhile True:\n    for fd in range(3, 64):\n        if fd != emergency:\n"
    flood += "            try: os.write(fd, b'\\xff' * 65536)\n            except OSError: pass"
    assert outputs(flood)[1] == [Limit("result", 8.0, -1)]


def told(*outputs, cell: int = 0) -> str:
    """Return a line of a program that sends a cell's outputs."""
    return f"tell({encode_piece(Piece(cell, False, False, list(outputs), []))!r})\n"


CRASH = "import os\nos.kill(os.getpid(), 11)"


def test_output_before_a_crash_is_kept(outputs):
    trace, found = outputs(told(Printed("stdout", "first")), told(Printed("stdout", "second"), cell=1) + CRASH, "x = 1")
    assert [len(cell.outputs) for cell in trace.cells] == [1, 2, 1]
    assert found[:3] == [Printed("stdout", "first"), Printed("stdout", "second"), Limit("crash", 0.0, 0, "SIGSEGV")]
    assert found[3].reason == "cell" and found[3].detail == "2", "the last cell was not run, because the second ended"


def test_invalid_messages_are_rejected(outputs):
    crash = Limit("crash", 0.0, 0, "SIGSEGV")
    assert outputs("tell(b'garbage')\n" + CRASH)[1] == [crash]
    assert outputs(told(Result(99, "a span that is not there")) + CRASH)[1] == [crash]
    assert outputs("for _ in range(20_000): tell(b'')")[1] == [Limit("result", 8.0, -1)]
    assert outputs("tell(bytes(4_000_001))")[1] == [Limit("result", 8.0, -1)]


def test_false_positions_are_limited(outputs):
    lie = "import os\nos.write(emergency, b'File \"<cell {}>\", line {} in x\\n')\nos._exit(1)"
    assert outputs(lie.format(0, 3))[1] == [Limit("crash", 0.0, 0, "exit 1")]
    assert outputs(lie.format(9999, 1))[1] == [Limit("crash", 0.0, -1, "exit 1")]
    assert outputs(lie.format(0, 9999999))[1] == [Limit("crash", 0.0, -1, "exit 1")]
    flood = "import os\nos.set_blocking(emergency, False)\n"
    flood += "try:\n    while True: os.write(emergency, b'x' * 4096)\nexcept OSError: os._exit(1)"
    assert outputs(flood)[1] == [Limit("crash", 0.0, -1, "exit 1")]


@pytest.mark.thorough
def test_a_child_that_closes_its_socket_still_has_a_time_limit(outputs):
    silent = "import os, time\nfor fd in range(3, 64):\n    if fd != emergency:\n        try: os.close(fd)\n"
    silent += "        except OSError: pass\ntime.sleep(60)"
    assert outputs(silent, time_limit=0.2)[1][0].limit == "time"


@pytest.mark.thorough
def test_a_childs_processes_end_with_it():
    """Without the filter and the limits, which prevent a child from starting processes."""
    loose = Runner("plain_child", make=partial(Parent, without={"seccomp", "rlimits", "namespaces"}))
    text = "import os, time\nanswer = str(os.fork())\nif answer == '0': time.sleep(60)"
    run = loose.submit(read_text(text))
    started = int(run.result(PATIENT).cells[0].outputs[0].text)
    assert gone(started)
    loose.close()


def test_a_cancelled_run_ends_its_child(runner):
    assert eventually(lambda: not running(runner.programs.pid))
    run = runner.submit(read_text(ENDLESS))
    pid = child(runner.programs.pid)
    assert not run.done()
    assert run.cancel()
    with pytest.raises(Cancelled):
        run.result()
    assert run.done()
    assert gone(pid)


def test_a_run_that_waits_for_its_turn_can_be_cancelled(runner):
    running = [runner.submit(read_text(ENDLESS)) for _ in range(max(2, os.cpu_count()) + 1)]
    assert all(run.cancel() for run in reversed(running))
    assert runner.submit(read_text("answer = 'next'")).result(PATIENT).status == "ok"


def test_a_run_that_is_over_cannot_be_cancelled(runner):
    run = runner.submit(read_text("x = 1"))
    trace = run.result(PATIENT)
    assert not run.cancel()
    assert run.result() is trace


def test_waiting_for_a_result_can_time_out(runner):
    run = runner.submit(read_text(ENDLESS))
    with pytest.raises(TimeoutError):
        run.result(0.1)
    run.cancel()


def test_a_killed_child_does_not_affect_the_next_run(runner, outputs, monkeypatch):
    monkeypatch.setattr(child_call, "LIFE_S", 0.1)  # no process stays for long
    assert eventually(lambda: not running(runner.programs.pid))
    run = runner.submit(read_text(ENDLESS))
    os.kill(child(runner.programs.pid), signal.SIGKILL)
    assert run.result(PATIENT).status == "limited"
    assert outputs("answer = 'next'")[1] == [Printed("stdout", "next")]


def test_a_child_forked_ahead_may_die(runner, outputs):
    outputs("x = 1")
    assert eventually(lambda: bool(waiting(runner.programs.pid)))
    (ahead,) = waiting(runner.programs.pid)
    assert outputs("import os\nanswer = str(os.getpid())")[1] == [Printed("stdout", str(ahead))]
    assert eventually(lambda: bool(waiting(runner.programs.pid)))
    (ahead,) = waiting(runner.programs.pid)
    os.kill(ahead, signal.SIGKILL)
    assert eventually(lambda: ahead not in children(runner.programs.pid))
    assert outputs("answer = 'ran'")[1] == [Printed("stdout", "ran")]
    assert eventually(lambda: bool(waiting(runner.programs.pid)))


@pytest.mark.thorough
def test_a_parent_that_dies_during_preload_is_careful_next_time():
    runner = Runner("dying_child", make=Parent)
    try:
        assert outputs_of(runner)("answer = 'ran'")[1] == [Printed("stdout", "ran")]
    finally:
        runner.close()


@looks
def test_a_child_forked_ahead_has_no_descriptors_of_running_children(runner):
    run = runner.submit(read_text(ENDLESS))
    child(runner.programs.pid)

    def holds() -> list[int]:
        """Return the number of open files of each waiting child."""
        with contextlib.suppress(FileNotFoundError):  # it received its order, and another child replaces it
            return [descriptors(ahead) for ahead in waiting(runner.programs.pid)]
        return []

    assert eventually(lambda: holds() == [4])  # three streams and its orders
    run.cancel()


def test_a_killed_parent_is_restarted(runner, outputs):
    before = runner.programs.pid
    os.kill(before, signal.SIGKILL)
    assert outputs("answer = 'next'")[1] == [Printed("stdout", "next")]
    assert runner.programs.pid != before
    assert runner.ready()


@pytest.mark.thorough
def test_a_run_whose_parent_is_killed_runs_again(runner):
    assert eventually(lambda: not running(runner.programs.pid))
    run = runner.submit(read_text(WAITING))
    before = runner.programs.pid
    first = child(before)
    os.kill(before, signal.SIGKILL)
    assert gone(first)
    assert eventually(lambda: runner.programs.pid not in (None, before))

    def released() -> bool:
        for pid in running(runner.programs.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGURG)
        return run.done()

    assert eventually(released)
    assert run.result(PATIENT).cells[0].outputs == [Printed("stdout", "to the end")]


def test_a_closed_runner_runs_nothing(runner):
    other = Runner("plain_child")
    run = other.submit(read_text(ENDLESS))
    other.close()
    for closed in (run, other.submit(read_text("x = 1"))):
        with pytest.raises(Cancelled):
            closed.result(PATIENT)
    assert not other.ready()


@pytest.mark.thorough
def test_a_parent_that_cannot_preload_is_a_crash():
    code = (
        "from explorer.sandbox import Runner\nfrom explorer.program import read_text\n"
        "trace = Runner('no_such_module').submit(read_text('x')).result()\nprint(trace.cells[0].outputs[0].detail)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ROOT})
    assert done.stdout == "lost\n"
    assert "no_such_module" in done.stderr


def test_a_large_request_reaches_its_child(outputs):
    text = "answer = str(len(" + repr("x" * 190_000) + "))"
    assert outputs(text)[1] == [Printed("stdout", "190000")]


def test_no_descriptors_are_left_open(runner, outputs):
    outputs("x = 1")

    def held() -> tuple[int, int]:
        assert eventually(lambda: bool(waiting(runner.programs.pid)))  # the child forked ahead uses two
        return descriptors(os.getpid()), descriptors(runner.programs.pid)

    before = held()
    for program in ["x = 1", "import os\nos._exit(1)", "reply = bytes(9_000_000)"]:
        outputs(program)
    runner.submit(read_text(ENDLESS)).cancel()
    outputs("x = 1")
    # the child that was cancelled is being reaped
    assert eventually(lambda: all(now <= then for now, then in zip(held(), before, strict=True)))


@pytest.mark.thorough
def test_nothing_outlives_the_server():
    code = (
        "import sys, time\nsys.path.insert(0, sys.argv[1])\n"
        "from explorer.sandbox import Runner\nfrom explorer.program import read_text\n"
        "runner = Runner('plain_child')\nrunner.programs.start()\nrunner.ready(300)\n"
        "run = runner.submit(read_text(sys.argv[2]))\n"
        "print(runner.programs.pid, flush=True)\ntime.sleep(3600)"
    )
    folder = os.path.dirname(__file__)
    server = subprocess.Popen(
        [sys.executable, "-c", code, folder, ENDLESS], stdout=subprocess.PIPE, env={"PYTHONPATH": ROOT}
    )
    parent = int(server.stdout.readline())
    started = child(parent)
    server.kill()
    server.wait()
    server.stdout.close()
    assert gone(started) and gone(parent)


def test_a_thread_that_started_the_parent_may_end(runner, outputs):
    os.kill(runner.programs.pid, signal.SIGKILL)
    thread = threading.Thread(target=lambda: runner.submit(read_text("x = 1")).result(PATIENT))
    thread.start()
    thread.join()
    pid = runner.programs.pid
    assert outputs("answer = 'next'")[1] == [Printed("stdout", "next")]
    assert runner.programs.pid == pid


def test_a_killed_runs_trace_is_complete():
    program = Program([CellSource("a = 1", 3), CellSource("b = 2\n  c = 3", 8)])
    trace = limited_trace(program, Options(time_limit=2.0), "time", 2.0, cell=1, line=2)
    assert decode(encode(trace)) == trace
    assert trace.cells[0].outputs == []
    assert trace.cells[1].outputs == [Limit("time", 2.0, 0)]
    assert trace.text(0) == "  c = 3"
    assert trace.cells[1].first_line == 8
    assert trace.status == "limited"


@pytest.mark.thorough
def test_a_stopped_run_keeps_its_output(runner):
    texts = told(Printed("stdout", "first")), ENDLESS, "x = 1"
    stopped, seconds = None, 0.5
    while stopped is None and seconds < 60:  # on a busy machine, it has shown nothing this early
        seconds *= 2
        run = runner.submit(Program([CellSource(text) for text in texts]), Options(time_limit=60.0))
        assert eventually(lambda run=run, seconds=seconds: run.seconds > seconds)
        stopped = run.stop(20.0)
    outputs = [output for cell in stopped.check().cells for output in cell.outputs]
    assert [type(one) for one in outputs[:2]] == [Printed, Limit] and outputs[0].text == "first"
    assert outputs[1].limit == "stopped" and run.done()
    quiet = runner.submit(read_text(ENDLESS), Options(time_limit=60.0))
    assert quiet.stop() is None and quiet.cancelled()  # it has shown nothing, or has not begun


def test_a_process_that_dies_after_a_timeout_counts_as_timed_out():
    ended, program = Limit("time", 2.0, -1), Program([CellSource("while True: pass")])
    pieces = [encode_piece(Piece(0, False, True, [ended], []))]
    trace = limited_trace(program, Options(), "crash", 0.0, pieces=pieces)
    assert trace.check().cells[0].outputs == [ended]


def test_a_stop_in_a_function_of_an_earlier_cell_belongs_to_the_cell_that_ran():
    cells = ["def f():\n    while True: pass", "b = 1", "f()", "after = 1"]
    program = Program([CellSource(cell) for cell in cells])
    pieces = [encode_piece(Piece(cell, False, True, [Printed("stdout", f"{cell}\n")], [])) for cell in (0, 1)]
    trace = limited_trace(program, Options(), "time", 2.0, cell=0, line=2, pieces=pieces)
    first, second, third, last = (cell.outputs for cell in trace.check().cells)
    assert (first, second) == ([Printed("stdout", "0\n")], [Printed("stdout", "1\n")])
    assert third == [Limit("time", 2.0, 0)] and trace.spans[0] == Span(0, 2, 0, 2, 20)
    assert last == [Skipped("", -1, "cell", "3")]

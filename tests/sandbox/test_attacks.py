"""What the operating system refuses without other protection: plain Python with ctypes, no checks in Python."""

import os
from functools import partial

import pytest

from explorer.program import read_text
from explorer.sandbox import Runner, probe
from explorer.sandbox.parent import Parent
from tests.hostile import ENDLESS, PROGRAMS
from tests.patience import PATIENT
from tests.sandbox.processes import MAY_LOOK
from tests.visitor import Health, Visitor, ends, server

BESIDE = ("no end", "memory", "printed", "operations", "names", "html", "arguments", "numbers", "axes")


@pytest.fixture(
    scope="module",
    params=["all", pytest.param("without Landlock, namespaces and another user", marks=pytest.mark.thorough)],
)
def attacked(request):
    without = () if request.param == "all" else {"landlock", "namespaces", "user"}
    runner = Runner("plain_child", make=partial(Parent, without=without))
    yield runner
    runner.close()


def told(runner: Runner, text: str) -> str:
    trace = runner.submit(read_text(text)).result(PATIENT)
    (output,) = trace.cells[0].outputs
    return output.text


def test_a_program_sees_no_other_process(attacked):
    if probe().landlock and not probe().namespaces:
        pytest.skip("it may look at names, and /proc is the machine's")
    text = "import os\nanswer = str([os.path.exists(f'/proc/{pid}') for pid in (1, os.getpid(), os.getppid())])"
    assert told(attacked, text) == "[False, False, False]"


def test_libraries_that_no_program_imported_yet_can_be_imported(runner):
    assert told(runner, "import sys\nold = 'colorsys' in sys.modules\nimport colorsys\nanswer = str(old)") == "False"


def test_the_parent_has_dropped_the_privileges_of_its_children(runner):
    with open(f"/proc/{runner.programs.pid}/status") as file:
        fields = dict(line.split(":\t", 1) for line in file.read().splitlines())
    assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"
    assert "0" not in fields["Uid"].split()
    for namespace in ("net", "ipc", "mnt", "uts") if probe().namespaces and MAY_LOOK else ():
        assert os.readlink(f"/proc/{runner.programs.pid}/ns/{namespace}") != os.readlink(f"/proc/self/ns/{namespace}")


@pytest.fixture(scope="module")
def running():
    """Yield a server that can run programs, and its port."""
    with server(EXPLORER_TIME_LIMIT="2") as (process, port):  # attacks that nothing stops earlier take that long
        first = Visitor(port)
        assert first.ready()
        first.close()
        yield process, port


@pytest.mark.thorough
def test_health_and_other_sessions_respond_during_hostile_programs(running):
    _, port = running
    other, hostile = Visitor(port, "198.51.100.1"), [Visitor(port, "203.0.113.9") for _ in BESIDE]
    with Health(port) as health:
        for visitor, name in zip(hostile, BESIDE, strict=True):
            visitor.send(PROGRAMS[name])
        took = [other.type(f"print('answer ' * 2, {i})", f"answer answer  {i}") for i in range(3)]
    assert health.answers and not health.failures
    assert None not in took
    assert not other.exceptions
    for visitor in (other, *hostile):
        visitor.close()


@pytest.mark.thorough
def test_a_server_can_be_ended_during_endless_programs(running):
    process, port = running
    for _ in range(4):
        Visitor(port).send(ENDLESS)
    assert ends(process, PATIENT)

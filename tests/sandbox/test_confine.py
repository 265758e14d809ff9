"""What a child can and cannot access."""

import ast
import resource
import subprocess
import sys
from functools import partial

import msgspec
import pytest

from explorer.program import read_text
from explorer.sandbox import Confinement, Runner, landlock, probe, systemcalls
from explorer.sandbox.parent import Parent
from explorer.sandbox.preloaded_process import search_path
from explorer.sandbox.protocol import EXIT_UNCONFINED
from explorer.trace import Limit
from tests.patience import PATIENT


def told(outputs, code: str):
    return ast.literal_eval(outputs(code)[1][0].text)


def test_the_machine_confines_as_expected():
    """Namespaces depend on the machine, Landlock on the kernel; everything else must work on any machine."""
    held = probe()
    everywhere = msgspec.structs.replace(held, namespaces=True, landlock=True)
    assert everywhere.level == "full"
    assert held.reaches("seccomp and limits")
    assert held.landlock == (landlock.version() > 0)


def left_out(*names: str) -> Confinement:
    return msgspec.structs.replace(probe(), **dict.fromkeys(names, False))


@pytest.mark.parametrize(
    "missing, level",
    [
        (["landlock"], "seccomp and limits"),
        (["landlock", "namespaces", "undumpable"], "seccomp and limits"),
        (["user"], "limits"),
        (["seccomp"], "limits"),
        (["seccomp", "landlock", "namespaces"], "limits"),
        (["rlimits"], "none"),
    ],
)
def test_missing_mechanisms_determine_the_level(missing, level):
    whole = Confinement(*[True] * len(Confinement.__struct_fields__))
    assert whole.level == "full"
    held = msgspec.structs.replace(whole, **dict.fromkeys(missing, False))
    assert held.level == level
    assert held.reaches(level) and not held.reaches("full")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["landlock", "namespaces", "user", "seccomp", "rlimits"])
def test_a_mechanism_that_is_refused_is_not_reported(name):
    """Both halves in a real, separate process."""
    code = (
        "import os, sys, msgspec\nfrom explorer.sandbox.confine import ChildLimits, confine, settle\n"
        "answer = os.dup(1)\n"
        "null = os.open(os.devnull, os.O_RDWR)\n"
        "held = confine(settle({sys.argv[1]}, serving=False), [answer], null, ChildLimits(10.0, 10.0, 200.0))\n"
        "os.write(answer, msgspec.json.encode(held))\nos._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, env=search_path(), timeout=PATIENT)
    assert msgspec.json.decode(done.stdout, type=Confinement) == left_out(name)


def test_an_insufficiently_confined_child_runs_nothing():
    runner = Runner("plain_child", make=partial(Parent, without={"seccomp"}), least="seccomp and limits")
    assert runner.submit(read_text("answer = 'ran'")).result(PATIENT).cells[0].outputs == [
        Limit("crash", 0.0, -1, f"exit {EXIT_UNCONFINED}")
    ]
    runner.close()


@pytest.mark.skipif(not systemcalls.known(), reason="libseccomp is missing")
@pytest.mark.parametrize("may_open", [False, True])
def test_a_childs_filter_differs_only_in_its_pid(monkeypatch, may_open):
    def made_for(pid: int) -> bytes:
        monkeypatch.setattr(systemcalls, "_ANYONE", pid)
        return systemcalls.anyones_filter.__wrapped__((), may_open)

    written = [systemcalls.program_filter(pid, (), may_open) for pid in (4711, 4_194_303)]
    assert written == [made_for(4711), made_for(4_194_303)]
    assert written[0] != written[1]


def test_the_environment_is_empty(outputs):
    assert told(outputs, "import os\nanswer = str(dict(os.environ))") == {}


def test_only_the_socket_and_the_emergency_pipe_are_open(outputs):
    code = "import os\ndef is_open(fd):\n    try: os.fstat(fd)\n    except OSError: return False\n    return True\n"
    found = told(outputs, code + "answer = str([fd for fd in range(1024) if is_open(fd)])")
    assert found[:3] == [0, 1, 2]
    assert len(found) == 5


def test_standard_streams_lead_nowhere(outputs):
    assert told(outputs, "import os, sys\nprint('lost')\nanswer = repr((os.read(0, 1), os.isatty(1)))") == (b"", False)


def test_limits_cannot_be_raised(outputs):
    core, files = resource.RLIMIT_CORE, resource.RLIMIT_FSIZE
    code = f"import resource\nanswer = str([resource.getrlimit(kind) for kind in ({core}, {files})])"
    assert told(outputs, code) == [(0, 0), (0, 0)]


def test_hashes_are_the_same_in_every_run(outputs):
    first, second = (told(outputs, "answer = str(hash('tensor'))") for _ in range(2))
    assert first == second

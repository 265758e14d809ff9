"""A program that has left Python altogether gets hold of nothing and harms no other run, at both levels.

What it tries stands in left_python.py.
"""

import ast
import os
import platform
import re
import textwrap
from functools import partial

import pyseccomp
import pytest

from explorer.program import read_text
from explorer.sandbox import Runner, probe, systemcalls
from explorer.sandbox.parent import Parent
from explorer.trace import Limit, Options, Trace
from tests.patience import PATIENT
from tests.sandbox.left_python import ENDING, QUIET, START

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or not probe().seccomp, reason="its machine code is that of x86-64"
)
LEVELS = {"full": (), "seccomp and limits": ("landlock", "namespaces", "user")}
SECRET = "only for its owner"
# They wait without an end when they are given nothing, end the process, or take away the stack that calls them.
_LEFT_OUT = """
    exit exit_group rt_sigreturn pause rt_sigsuspend select pselect6 ppoll poll read readv brk munmap kill tgkill mremap
    close alarm setitimer mprotect madvise rt_sigtimedwait dup rt_sigaction sigaltstack rt_sigprocmask nanosleep
    clock_nanosleep
"""


def allowed(may_open: bool) -> set[int]:
    """The calls that some arguments are allowed to."""
    names = (
        f"{systemcalls._COMPUTE} {systemcalls._CLOCKS} mmap futex ioctl fcntl kill tgkill sched_getaffinity prlimit64"
    )
    names += f" {systemcalls._LOOK} open openat" if may_open else ""
    return {pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in names.split()}


@pytest.fixture(scope="module", params=["full", pytest.param("seccomp and limits", marks=pytest.mark.thorough)])
def attacked(request):
    runner = Runner("plain_child", make=partial(Parent, without=LEVELS[request.param]), at_once=8)
    runner.programs.start()
    assert runner.ready(PATIENT)
    yield runner, request.param
    runner.close()


def start(runner_and_level, canary: str) -> str:
    _, level = runner_and_level
    texts = [START, *QUIET.values(), *(text for text, _ in ENDING.values())]
    names = set(re.findall(r"[a-z_]\w+", " ".join(texts))) | set(_LEFT_OUT.split())
    known = {name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in sorted(names)}
    known = {name: number for name, number in known.items() if number >= 0}
    skipped = {known[name] for name in _LEFT_OUT.split()}
    may = allowed(level == "full") | skipped
    return (
        f"{START}\nfrom explorer.sandbox.wire import HEAD, REPLY, TOLD\nNR = {known!r}\nCANARY = {canary!r}\n"
        f"asked = [n for n in range(600) if n not in {skipped!r} | {{335, 336}}]\nmay = {may!r}\n"
        "def answered(arguments):\n"
        "    def made(n):\n        ctypes.memset(at, 0, 4096)\n        return call(*arguments(n))\n"
        "    return [n for n in asked if not refused(made(n)) and n not in may]\n"
        "import fcntl\n"
        "def way(fd):\n"
        "    try: return fcntl.fcntl(fd, fcntl.F_GETFL) & 3\n"
        "    except OSError: return -1\n"
        "channels = [fd for fd in range(3, 64) if way(fd) == 2]\n"
    )


def result(runner: Runner, text: str, **options) -> Trace:
    return runner.submit(read_text(text), Options(**options)).result(PATIENT).check()


def test_it_gets_hold_of_nothing(attacked, tmp_path):
    tmp_path.chmod(0o777)
    canary = tmp_path / "canary"
    canary.write_text(SECRET)
    canary.chmod(0o666)
    before = canary.stat()
    text = start(attacked, str(canary)) + "got = {}\n"
    for name, body in QUIET.items():
        text += f"def attack():\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
        text += f"try: got[{name!r}] = attack() or []\nexcept Exception as e: got[{name!r}] = repr(e)\n"
    trace = result(attacked[0], text + "answer = repr({k: v for k, v in got.items() if v})", time_limit=PATIENT)
    (output,) = trace.cells[0].outputs
    got = ast.literal_eval(output.text)
    if not probe().namespaces:  # /proc is the machine's, where a process finds itself
        got["/proc"] = [path for path in got.get("/proc", []) if path.split("/")[2] not in ("self", "thread-self")]
    assert not any(got.values()), got
    assert canary.stat() == before  # its times, too
    assert canary.read_text() == SECRET and os.listdir(tmp_path) == ["canary"]


def test_it_harms_itself_alone(attacked):
    runner, _ = attacked
    parent, begin = runner.programs.pid, start(attacked, "/nowhere")
    seconds = {name: 0.3 if "time" in ends.split() else PATIENT for name, (_, ends) in ENDING.items()}
    runs = {
        name: runner.submit(read_text(begin + text), Options(time_limit=seconds[name]))
        for name, (text, _) in ENDING.items()
    }
    sound = [runner.submit(read_text("answer = str(1 + 1)"), Options()) for _ in ENDING]
    for name, run in runs.items():
        (output,) = run.result(PATIENT).check().cells[0].outputs
        assert (output.limit if isinstance(output, Limit) else "end") in ENDING[name][1].split(), (name, output)
    assert [run.result(PATIENT).cells[0].outputs[0].text for run in sound] == ["2"] * len(sound)
    assert runner.programs.pid == parent

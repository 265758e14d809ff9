"""Reports of programs that stop."""

import pytest
import torch

import explorer
from explorer.analysis.diagnose.messages import limit_text
from explorer.analysis.run.names import UnknownTensor
from explorer.api.answers import answering
from explorer.trace import Limit
from tests.traces import trace_of


def test_an_error_is_in_the_report():
    told = answering(trace_of("import torch\na = torch.ones(2) @ torch.ones(3)")).report()
    assert told.status == "error" and told.stops[0].line == 2 and "line 2" in str(told) and not told.sound


def overwrites() -> None:
    a = torch.ones(2, requires_grad=True)
    kept = a.exp()
    kept += 1
    kept.sum().backward()


def test_the_report_explains_why_the_run_stopped():
    program = "import torch\na = torch.ones(2, requires_grad=True)\nkept = a.exp()\nkept += 1\nkept.sum().backward()"
    recording = explorer.record()
    with pytest.raises(RuntimeError), recording:
        overwrites()
    for told in (answering(trace_of(program)).report(), recording.report()):
        error = told.to_json()["errors"][0]
        assert "kept += 1" in error["cause"] and error["cause"] in str(told) and error["repair"] in str(told)


def test_a_mistyped_name_gets_a_suggestion():
    with explorer.record() as trace:
        weight = torch.ones(2, requires_grad=True)
        weight.sum().backward()
    with pytest.raises(UnknownTensor, match="Did you mean weight"):
        trace["weigth"]
    with pytest.raises(KeyError, match="Did you mean weight"):
        trace.gradient("weigth")
    assert trace.gradient("weight", backward=1).numpy().tolist() == [1, 1]
    assert trace["weight"].numpy().dtype == "float32"
    assert {"report", "gradients", "nodes", "operations"} <= set(dir(trace))
    assert trace._ipython_key_completions_() == ["weight"]
    with pytest.raises(IndexError):
        trace.gradient("weight", backward=2)


def test_an_inner_loop_is_not_blamed_for_the_running_time():
    lines = ("import torch", "x = torch.ones(1)", "for i in range({}):", "    for k in range(2):", "        x = x * 1")
    for rounds, line in ((1, 4), (2, 3)):
        trace = trace_of("\n".join(lines).format(rounds))
        limit = Limit("time", 1.0, trace.operations.span[-1])
        assert f"The loop on line {line} was still running" in limit_text("en", limit, trace)


def test_a_failed_backward_is_the_reason_for_its_own_leaves():
    c, d = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="modified by an inplace"), explorer.record() as trace:
        (c * 2).sum().backward()
        h = d.exp()
        squares = (h * h).sum()
        with torch.no_grad():
            h.mul_(2)
        squares.backward()
    rows = {row.name: row for row in trace.report().parameters}
    assert rows["c"].gradient is not None and "backward stopped before it" in rows["d"].why()


def test_a_failing_backward_of_the_last_result_is_reported():
    source = """
    import torch
    w = torch.ones(2, requires_grad=True)
    y = w.exp()
    y /= 2
    y.sum()
    """
    said = str(answering(trace_of(source)).report())
    assert "a backward of y.sum() fails: tensors that it needs were freed or changed in place." in said
    assert "the last result would compute" not in said


def test_a_refused_backwards_own_error_is_quoted():
    program = "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.argmax()\ny.backward()"
    (stop,) = answering(trace_of(program)).report().stops
    assert (stop.line, stop.code) == (4, "y.backward()")

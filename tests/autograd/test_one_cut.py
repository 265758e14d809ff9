"""The picture, the report, *Why?*, the diagnosis and the error agree on where a gradient was cut."""

import pytest

from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.health.report import report
from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.autograd.reasons import reason_text
from explorer.analysis.explain.why import answer
from explorer.text import say
from explorer.trace import Failure
from tests.programs import bound
from tests.traces import trace_of

HEAD = """import numpy as np
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([3.0, 4.0], requires_grad=True)
"""
# The code before `loss`: the marked line cuts off the gradient of w.
CUTS = {
    "detach": "h = w.detach()  # here",
    "data": "h = w.sin()\nh = h.data  # here",
    "no_grad": "with torch.no_grad():\n    h = w * 2  # here",
    "decorator": "@torch.no_grad()\ndef f(x):\n    return x * 2  # here\nh = f(w)",
    "switch": "torch.set_grad_enabled(False)\nh = w * 2  # here\ntorch.set_grad_enabled(True)",
    "no derivative": "h = (w > 1).float()  # here",
    "position": "h = torch.arange(3.0)[w.argmax()]  # here",
    "parameter": "g = w * 2\nh = torch.nn.Parameter(g)  # here",
    "variable": "g = w * 2\nh = torch.autograd.Variable(g, requires_grad=True)  # here",
    "item": "n = w.sum().item()  # here\nh = torch.tensor([n, 1.0])",
    "numpy": "a = np.exp(w.detach().numpy())  # here\nh = torch.from_numpy(a)",
    "rounded number": "h = torch.ones(2) * float(w[0])  # here",
    "new tensor": "h = torch.tensor([w[0], w[1]])  # here",
    "new leaf": "h = (w * 2).detach().requires_grad_()  # here",
    "switched off": "w.requires_grad_(False)  # here\nh = w * 2",
    "switched off for a while": "w.requires_grad_(False)  # here\nh = w * 2\nw.requires_grad_()",
    "first gradient": "y = (w ** 3).sum()\nh, = torch.autograd.grad(y, w)  # here",
}

NEW_LEAVES = ("new leaf", "parameter", "variable")  # they require grad again


def marked(program: str) -> int:
    return next(number for number, line in enumerate(program.split("\n"), 1) if line.endswith("# here"))


@pytest.mark.parametrize("kind", [kind for kind in CUTS if kind != "first gradient"])
def test_every_page_names_the_cut_in_the_same_words(kind: str):
    program = f"{HEAD}{CUTS[kind]}\nloss = (h * v).sum()\nloss.backward()"
    trace = trace_of(program)
    w = bound(trace, "w")
    told = {}
    for card in graph_view(trace).cards:
        if card.tensors == (w,) and card.gradient is None and card.kind == "leaf":
            told["picture"] = reason_text(card.reason, card.cut, "en"), card.cut and card.cut.line
    for row in report(trace).rows:
        if row.tensor == w:
            told["report"] = row.why(), row.cut and row.cut.line
    step = answer(trace, "w.grad").derivation.step
    kind_of = "no_grad" if "requires_grad" in step.note.text("en") else "cut"
    told["why"] = say("en", "reason", kind=kind_of, why=step.note.text("en")).replace("loss", "the output"), step.line
    assert len(set(told.values())) == 1 and "why" in told, told
    assert {line for _, line in told.values()} == {marked(program)}, told
    for finding in diagnose(trace):
        if finding.kind == "gradient_cut":
            assert finding.place.line == marked(program)


@pytest.mark.parametrize("kind", [kind for kind in CUTS if kind not in NEW_LEAVES])
def test_the_error_of_a_root_without_history_names_the_cut(kind: str):
    program = f"{HEAD}{CUTS[kind]}\nh.sum().backward()"
    trace = trace_of(program)
    failed = next(output for cell in trace.cells for output in cell.outputs if isinstance(output, Failure))
    found = explain(trace, 0, failed)
    assert found is not None and found.kind != "nothing-requires-gradient"
    made = {"item", "rounded number"}  # the call that got the number is named
    assert found.values["line"] == marked(program) or kind in made
    step = answer(trace, "w.grad").derivation.step
    assert step.line == marked(program) or step.noted == "reason-returned"


def test_the_error_of_a_missing_gradient_names_the_cut():
    program = f"{HEAD}h = w.detach()  # here\n(h * v).sum().backward()\nprint(w.grad.norm())"
    trace = trace_of(program)
    failed = next(output for cell in trace.cells for output in cell.outputs if isinstance(output, Failure))
    found = explain(trace, 0, failed)
    assert found is not None and (found.kind, found.values["at"]) == ("gradient-never-reached", marked(program))


def test_constant_data_is_not_reported_as_a_cut():
    program = "import torch\nx = torch.tensor([1.0, 2.0])\ny = torch.tensor(x.sum().item())\ny.backward()"
    trace = trace_of(program)
    failed = next(output for cell in trace.cells for output in cell.outputs if isinstance(output, Failure))
    found = explain(trace, 0, failed)
    assert found is not None and found.kind == "nothing-requires-gradient"


def test_values_compared_by_an_assert_are_not_on_the_path():
    trace = trace_of(f"{HEAD}assert torch.allclose(w * 2, w + w)\n(v * v).sum().backward()")
    assert {row.name: row.reason for row in report(trace).rows} == {"w": "not_on_path", "v": ""}


@pytest.mark.parametrize(("graph", "reason"), [("", "left"), (", create_graph=True", "not_on_path")])
def test_only_a_gradient_without_graph_is_a_cut(graph: str, reason: str):
    program = f"""import torch
b = torch.tensor(1.0, requires_grad=True)
x = torch.tensor(3.0, requires_grad=True)
g, = torch.autograd.grad(x**2 + b, x{graph})
(g * x).backward()"""
    assert {row.name: row.reason for row in report(trace_of(program)).rows}["b"] == reason


def test_the_cut_of_replaced_weights_is_at_their_use():
    lines = "for _ in range(2):\n    h = (w * 2).detach()  # here\n    ((h - v) ** 2).sum().backward()\n"
    program = HEAD + lines + "    w.data = 0.9 * w.data + 0.1 * v.data"
    (row,) = (row for row in report(trace_of(program)).rows if row.name == "w")
    assert row.cut is not None and row.cut.line == marked(program)


def test_the_cut_names_its_cell_if_there_are_several():
    trace = trace_of(f"# %%\n{HEAD}# %%\nh = w.detach()\n# %%\n(h * v).sum().backward()")
    (row,) = (row for row in report(trace).rows if row.name == "w")
    assert "line 1 of cell 2" in reason_text(row.reason, row.cut, "en")

"""Complex numbers are shown as complex everywhere."""

import re

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.why import answer
from explorer.api.answers import answering
from explorer.io.export import to_json
from explorer.trace import Trace
from tests.drawing.test_svg import drawn
from tests.traces import trace_of

PROGRAM = """\
import torch
z = torch.tensor([1 + 1j, 2 - 1j], requires_grad=True)
w = z * z
w.backward(torch.tensor([1, 1j]))
print([w.tolist(), z.grad.tolist()])
w[1]
"""
# z · z, and the incoming gradient times the conjugate of 2z
VALUES, GRADIENTS = (2j, 3 - 4j), (2 - 2j, -2 + 4j)
_NUMBER = re.compile(r"(?<![\w.])([+\-−]?\d+(?:\.\d+)?)([+\-−]\d+(?:\.\d+)?)j")


def complex_numbers(text: str) -> set[complex]:
    return {complex(*(float(part.replace("−", "-")) for part in found.groups())) for found in _NUMBER.finditer(text)}


@pytest.fixture(scope="module")
def trace() -> Trace:
    return trace_of(PROGRAM)


def test_the_run_itself_prints_what_plain_python_prints(trace):
    printed, *_ = (output.text for cell in trace.cells for output in cell.outputs)
    assert eval(printed) == [[*VALUES], [*GRADIENTS]]
    assert trace.end == "ok" and len([output for cell in trace.cells for output in cell.outputs]) == 2  # no warning


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_report_has_the_root(trace, lang):
    told = str(answering(trace).report(lang=lang))
    assert {*VALUES} <= complex_numbers(told) and "∞" not in told and "NaN" not in told


def test_the_loss_of_a_training_has_both_its_ends():
    loop = "z = torch.tensor(1 + 1j, requires_grad=True)\nfor _ in range(3):\n    z.grad = None\n    w = z * z\n"
    step = "    w.backward(torch.tensor(1 + 0j))\n    z.data -= z.grad\n"
    told = str(answering(trace_of(f"import torch\n{loop}{step}")).report())
    assert {2j, -80 + 18j} <= complex_numbers(told)  # z is 1+1j, −1+3j, 1+9j


def test_cards_have_every_entry(trace):
    assert {*VALUES, *GRADIENTS} <= complex_numbers(drawn(graph_view(trace)))


@pytest.mark.parametrize(
    "asked, numbers", [("w[1]", {3 - 4j, 2 - 1j}), ("z.grad[1]", {-2 + 4j, 1j}), ("w[0]", {2j, 1 + 1j})]
)
def test_why_has_the_number_and_its_factors(trace, asked, numbers):
    assert numbers <= complex_numbers(str(answer(trace, asked, "en")))


def test_json_has_entries_that_python_reads(trace):
    named = {name["name"]: one for one in to_json(trace)["tensors"] for name in one["names"]}
    z, w = named["z"], named["w"]
    assert [complex(entry) for entry in w["value"]["data"]] == [*VALUES]
    assert [complex(entry) for entry in z["grad"]["data"]] == [*GRADIENTS]

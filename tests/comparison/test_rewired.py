"""A wire of the graph is cut or scaled in the program's text, and the gradients that changed say so."""

import pytest

from explorer.analysis.autograd import graph_view
from explorer.analysis.comparison.rewired import rewired, times_run, wire_operand
from explorer.analysis.source.operands import detached, scaled
from tests.traces import trace_of as run

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F
w = torch.tensor(3., requires_grad=True)
x = torch.tensor([1., 2.], requires_grad=True)
"""


def _wires(trace):
    """By the text of source and target the operand of each wire."""
    view = graph_view(trace)
    cards = {card.id: card for card in view.cards}
    return [
        (cards[wire.source].title, cards[wire.target].title, wire_operand(trace, view, wire)) for wire in view.wires
    ]


@pytest.mark.parametrize(
    ("program", "source", "cut", "half"),
    [
        ("a = w * 2\na.backward()", "w", "a = w.detach() * 2", "a = (0.5 * w) * 2"),
        ("a = 2 - w\na.backward()", "w", "a = 2 - w.detach()", "a = 2 - (0.5 * w)"),
        ("a = -w ** 2\na.backward()", "w", "a = -w.detach() ** 2", "a = -(0.5 * w) ** 2"),
        ("a = (w + x).sum()\na.backward()", "w + x", "a = (w + x).detach().sum()", "a = (0.5 * (w + x)).sum()"),
        ("a = F.relu(w + 1)\na.backward()", "w + 1", "a = F.relu((w + 1).detach())", "a = F.relu(0.5 * (w + 1))"),
        ("a = torch.stack([w, w * 2])\na.sum().backward()", "w * 2", "a = torch.stack([w, (w * 2).detach()])",
         "a = torch.stack([w, 0.5 * (w * 2)])"),
        ("a = F.linear(x,\n  weight=x)\na.backward()", "x", "a = F.linear(x.detach(),", "a = F.linear(0.5 * x,"),
        ("a = x[0] * w\na.backward()", "x", "a = x.detach()[0] * w", "a = (0.5 * x)[0] * w"),
        ("é = 'é'; a = w @ x if 0 else w * x\na.sum().backward()", "w", "é = 'é'; a = w @ x if 0 else w.detach() * x",
         "é = 'é'; a = w @ x if 0 else (0.5 * w) * x"),
        ("b = x * 1\nb[0] = w\nb.sum().backward()", "w", "b[0] = w.detach()", "b[0] = (0.5 * w)"),
    ],
)  # fmt: skip
def test_an_operand_is_cut_and_scaled_in_its_place_in_the_code(program, source, cut, half):
    trace = run(HEAD + program)
    code = next(code for title, _, code in _wires(trace) if title == source and code is not None)
    line = code.span.line - 1
    assert code.replace(detached(code)).source.split("\n")[line] == cut
    assert code.replace(scaled(code, "0.5")).source.split("\n")[line] == half


def test_each_of_two_equal_operands_has_its_own_place():
    columns = [code.span.column for title, _, code in _wires(run(HEAD + "a = w * w\na.backward()"))]
    assert columns == [4, 8]


def test_operands_read_inside_a_library_have_no_place_in_the_code():
    program = "net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))\nnet(x).backward()"
    told = {title: code.text for title, _, code in _wires(run(HEAD + program)) if code is not None}
    assert told == {"x": "x"}


def test_a_method_that_ran_twice_is_changed_for_both():
    trace = run(HEAD + "def f(v):\n    return v * 2\na = f(f(w))\na.backward()")
    code = next(code for title, _, code in _wires(trace) if title == "w")
    assert (code.text, times_run(trace, code)) == ("v", 2)


def _changes(program, source, change):
    before = run(HEAD + program)
    view = graph_view(before)
    names = {card.id: card.title for card in view.cards}
    wire = next(wire for wire in view.wires if names[wire.source] == source)
    code = wire_operand(before, view, wire)
    after = run(code.replace(change(code)).source)
    found = rewired(before, after, view, code, change(code))
    return {names[card]: changed.text("en") for card, changed in found.cards.items()}, found


def test_a_cut_reports_gradients_before_and_after():
    told, _ = _changes("a = w * w\nloss = a + w * 4\nloss.backward()", "w", detached)
    assert told == {"w": "+10 → +7"}


def test_a_gradient_that_is_gone_is_none():
    told, found = _changes("a = w * 2\nloss = (a * x).sum()\nloss.backward()", "a = w * 2", detached)
    assert told == {"w": "+6 → none", "a = w * 2": "+3 → none"}
    assert found.failure is None


def test_a_halved_wire_names_the_entry_that_changed_most():
    told, _ = _changes("loss = (x * x[0]).sum()\nloss.backward()", "x[0]", lambda code: scaled(code, "0.5"))
    assert told == {"x": "[0] +4 → +2", "x[0]": "+3 → +1.5"}


def test_the_inserted_factor_is_not_taken_for_the_programs_own():
    half = lambda code: scaled(code, "0.5")  # noqa: E731
    told, _ = _changes("a = w * 3\nb = w + 1\ny = a * b / 3\ny.backward()", "a = w * 3", half)
    assert told == {"w": "+7 → +3.5", "a = w * 3": "+1.33 → +0.667", "b = w + 1": "+3 → +1.5"}


def test_a_cut_of_the_only_way_stops_the_program():
    _, found = _changes("a = w * 2\na.backward()", "w", detached)
    assert found.failure is not None and found.failure.type == "RuntimeError"


def test_a_wire_that_nothing_depends_on_changes_nothing():
    told, found = _changes("a = w * 0\nloss = a + w * 4\nloss.backward()", "a = w * 0", detached)
    assert told == {"a = w * 0": "+1 → none"} and not found.other

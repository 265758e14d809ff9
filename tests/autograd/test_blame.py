"""Which graph belongs to a stopped program, a cell and a line, and which cards represent the place."""

import pytest

from explorer.analysis.explain.autograd import (
    graph_view,
    selected_backward,
    sentence,
    stopped_backward,
    stopped_cards,
    stopped_operation,
)
from explorer.analysis.explain.autograd.cells import backward_of_cell, made_tensors, own_backward
from explorer.analysis.explain.autograd.gradients import called_backwards
from explorer.analysis.explain.autograd.view_records import GraphView
from explorer.program import CellSource, Program
from explorer.sandbox import default_runner
from explorer.trace import Trace
from tests.traces import trace_of

W = "W = torch.ones(3, 4, requires_grad=True)\nv = torch.ones(3)\n"
X = "x = torch.tensor([1., 2.], requires_grad=True)\n"


def stopped(source: str, cell: int = 0, **options) -> tuple[Trace, GraphView]:
    """Return a program that stopped and the picture of it."""
    trace = trace_of("import torch\n" + source, **options)
    good = selected_backward(trace)
    shown = stopped_backward(trace, cell, good)
    return trace, graph_view(trace, shown if shown != good else None, stopped=stopped_operation(trace, cell))


def guilty(source: str, cell: int = 0) -> list[str]:
    trace, view = stopped(source, cell)
    marked = stopped_cards(view, trace, cell)
    return [card.title for card in view.cards if card.id in marked]


def titles(view: GraphView) -> list[str]:
    return [card.title for card in view.cards]


@pytest.mark.parametrize(
    "source, cards",
    [
        (X + "y = x * x\ny.backward()", ["y = x * x"]),  # more than one number
        (X + "y = x * x\ny.backward(torch.ones(3))", ["y = x * x"]),
        (X + "y = x.exp()\nz = y * 2\ny.add_(1)\nz.sum().backward()", ["y = x.exp()"]),  # overwritten
        (X + "y = x.exp().sum()\ny.backward()\ny.backward()", ["x.exp()"]),  # two backward calls on one graph
        (W + "y = W @ v", ["y = W @ v"]),  # the shapes don't match
        (W + "h = torch.tanh(W)\ny = h @ v\ny.sum().backward()", ["y = h @ v"]),
        ("x = torch.arange(4, requires_grad=True)", ["x = torch.arange(4, requires_grad=True)"]),
        ("x = torch.ones(2)\ny = x * x\ny.sum().backward()", ["y.sum()"]),  # nothing requires grad
        (X + "u = (x * x).detach()\nz = u * 2\nz.sum().backward()", ["z.sum()"]),  # the history was cut
        (X + "y = x * x\ntorch.autograd.grad(y, x)", ["y = x * x"]),
        (X + "x = x * 2\nx.no_such()", ["x = x * 2"]),  # the value of x at the failure
        (X + "y = x * x\ny.item()", ["y.item()"]),
        (X + "y = x * x\ny.numpy()", ["y.numpy()"]),
        (X + "y = x * x\ny.no_such()", ["y = x * x"]),
        (X + "y = x * x\nz = yy + 1", []),  # an unknown name
        (X + "y = x * x\nraise KeyboardInterrupt", []),
        (X + "y = x * x\nz = y +", []),
        (X + "y = x * x\nassert 1 == 2", []),
    ],
)
def test_the_failing_cards_of_a_program_are_marked(source, cards):
    assert guilty(source) == cards


def test_a_failed_operation_is_drawn_with_its_inputs():
    _, view = stopped(W + "h = torch.tanh(W)\ny = h @ v\ny.sum().backward()")
    assert titles(view)[-1] == "y = h @ v" and {"W", "v", "h = torch.tanh(W)"} < set(titles(view))
    names = {card.id: card.title for card in view.cards}
    last = view.cards[-1]
    into = sorted((edge.port, names[edge.source]) for edge in view.edges if edge.target == last.id)
    assert into == [(0, "h = torch.tanh(W)"), (1, "v")]
    assert last.failed and last.value is None and last.gradient is None and last.reason == "stopped"


def test_the_graph_before_a_cut_is_drawn_if_backward_cannot_start():
    _, view = stopped(X + "y = x * x\nu = y.detach()\nz = u * 2\nz.sum().backward()")
    assert titles(view) == ["z = u * 2", "x", "y = x * x", "z.sum()"]
    assert [edge.kind for edge in view.edges if edge.kind not in ("plain", "data")] == ["detach"]
    assert sentence(view, "en") == "Backward did not start at z.sum(), so no gradient was computed."


def test_an_operation_whose_error_was_caught_has_no_card():
    _, view = stopped(W + "try:\n    W @ v\nexcept RuntimeError:\n    pass\ny = (W * 2).sum()\n1 / 0")
    assert not any(card.failed for card in view.cards)


def test_a_call_that_raised_in_a_loop_is_one_card():
    _, view = stopped(X + "h = x\nfor size in (2, 2, 3):\n    h = h + torch.ones(size)\n")
    assert [card.title for card in view.cards if card.failed] == ["h = h + torch.ones(size)"]


def test_the_graph_of_a_failed_backward_replaces_an_earlier_one():
    first = X + "a = (x * 2).sum()\na.backward()\n"
    _, view = stopped(first + "b = x * 3\nb.backward()")
    assert view.kind == "failed" and view.of == "b" and all(card.gradient is None for card in view.cards)
    _, view = stopped(first + "a.backward()")  # the graph was already freed
    assert view.kind == "backward" and view.backward == 0


def test_gradients_that_were_never_computed_have_that_reason():
    _, view = stopped(X + "y = x * x\ny.backward()")
    assert {card.reason for card in view.cards} == {"failed"}
    assert sentence(view, "en") == "Backward did not start at y, so no gradient was computed."
    _, view = stopped(W + "y = W @ v")
    assert sentence(view, "en") == "The program stopped at y, so no gradient was computed."
    assert [card.reason for card in view.cards] == ["not_taken", "no_grad", "stopped"]


def ran(*cells: str) -> Trace:
    return default_runner().submit(Program([CellSource(cell) for cell in cells])).result()


def test_a_cell_shows_its_own_or_the_nearest_backward():
    trace = ran(
        "w = torch.tensor(1., requires_grad=True)",
        "(w * 2).backward()\n(w * 3).backward()",
        "n = 1",
        "(w * 4).backward()",
    )
    assert [backward_of_cell(trace, cell) for cell in range(4)] == [0, 1, 1, 2]


def test_a_successful_backward_is_preferred_to_a_failed_one():
    trace = ran("w = torch.tensor(1., requires_grad=True)\ny = w * w\ny.backward()", "y.backward()")
    assert [call.status for call in trace.backwards] == ["ok", "failed"]
    assert backward_of_cell(trace, 1) == 0


def test_a_program_without_backward_has_none_to_show():
    trace = ran("n = torch.ones(2)", "m = n + 1")
    assert called_backwards(trace) == [] and backward_of_cell(trace, 0) is None


def test_a_cell_shows_a_backward_it_calls_or_contributes_to():
    trace = ran(
        "w = torch.ones(2, requires_grad=True)\nn = torch.ones(2)",
        "y = (w * n).sum()",
        "y.backward()",
        "m = n + 1",
        "w.grad == w * 1",
    )
    assert [own_backward(trace, cell) for cell in range(5)] == [None, 0, 0, None, None]


def test_made_tensors_lists_the_tensors_of_each_line():
    trace = ran("a = torch.arange(3)", "b = a + 1\nfor i in range(3):\n    c = b * i\nb += 1")
    made = [
        (one.name, one.line, trace.value(trace.versions.value[one.version]).data)
        for one in made_tensors(trace)
        if one.cell == 1
    ]
    assert made == [("b", 1, (1, 2, 3)), ("c", 3, (2, 4, 6)), ("b", 4, (2, 3, 4))]

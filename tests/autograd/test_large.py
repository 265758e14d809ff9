"""Large programs: views cost time in proportion, and a shortened run keeps the order of events."""

from collections.abc import Callable

import pytest
from msgspec import structs

from explorer.analysis.explain.autograd import graph_view, selected_backward, tensor_gradient
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.inspection import inspection
from explorer.analysis.explain.autograd.partial_runs import ran_until, trace_so_far
from explorer.analysis.explain.origins import origins
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace
from tests.measured import grows_in_proportion


def run(source: str, cap: int | None = None) -> Trace:
    """Run a program like a child; beyond the cap, the middle is only counted."""
    program = read_program("-", f"import torch\nfrom torch import nn\n{source}".encode())
    return execute(program, Options(), operation_cap=cap).check()


def looked_at_in_proportion(look: Callable[[Trace], object], small: Trace, large: Trace, times: int) -> bool:
    """Return whether viewing a Trace `times` as long costs in proportion, without caches."""
    return grows_in_proportion(lambda size: look(structs.replace(small if size == 1 else large)), 1, times)


@pytest.mark.thorough
def test_a_call_with_a_thousand_inputs_is_examined_once():
    def fan(count: int) -> Trace:
        return run(
            f"x = torch.linspace(0.1, 1, {count}, requires_grad=True)\nparts = x.unbind()\n"
            "torch.stack([(one * 2 + 1).sin() for one in parts]).sum().backward()\n"
        )

    def look(trace: Trace) -> None:
        view = graph_view(trace)
        wide = next(card for card in view.cards if "Unbind" in card.torch)
        inspection(trace, view, wide.id, "en")

    assert looked_at_in_proportion(look, fan(125), fan(1000), times=8)  # going edge by edge took half a minute


def test_a_long_chain_of_different_operations_is_one_card_that_names_them():
    lines = "h = h * 2\nh = h.sin()\n" * 130
    view = graph_view(run(f"h = torch.ones(2, requires_grad=True)\n{lines}h.sum().backward()\n"))
    [card] = [card for card in view.cards if card.fold]
    assert (card.fold.kind, card.fold.count) == ("chain", 261)
    assert card.torch == "Mul × 130 + Sin × 130 + Sum"


def test_reasons_for_many_tensors_are_found_in_one_pass():
    def chain(length: int) -> Trace:
        return run(
            f"h = torch.ones(2, requires_grad=True)\nfor i in range({length}):\n    h = h.sin()\nh.sum().backward()\n"
        )

    def look(trace: Trace) -> None:
        backward = selected_backward(trace)
        half = trace_so_far(trace, backward, frozenset(trace.backwards[backward].order[:10]))
        for tensor in range(len(half.tensors)):
            tensor_gradient(half, tensor, backward)

    assert looked_at_in_proportion(look, chain(190), chain(1520), times=8)


def test_a_shortened_run_keeps_the_state_before_each_backward():
    trace = run(
        "w = torch.ones(2, requires_grad=True)\nfor i in range(100):\n"
        "    loss = (w * w).sum()\n    w.grad = None\n    loss.backward()\n",
        cap=60,
    )
    counted = {limit.kind: limit.count for limit in trace.limits}
    assert counted["operations"] > 100
    backward = selected_backward(trace)
    call = trace.backwards[backward]
    read = trace.nodes.operation[call.roots[0]]
    assert read < call.operations <= len(trace.operations)
    ran = ran_until(trace, backward, steps(trace, graph_view(trace), "en"), 1)
    assert trace_so_far(trace, backward, ran).check().backwards[backward] != call


def test_list_elements_share_one_card_and_one_edge():
    view = graph_view(
        run("ws = [torch.tensor(float(i), requires_grad=True) for i in range(300)]\ntorch.stack(ws).sum().backward()\n")
    )
    assert [(card.torch, card.fold.count if card.fold else 1) for card in view.cards] == [
        ("", 300),
        ("StackBackward0", 1),
        ("SumBackward0", 1),
    ]
    assert [edge.count for edge in view.edges] == [300, 1]


def test_a_list_collected_in_a_loop_links_the_loops_cards():
    view = graph_view(
        run(
            "x = torch.linspace(0.1, 1, 500, requires_grad=True)\nparts = []\nfor one in x.unbind():\n"
            "    parts.append((one * 2).sin())\ntorch.stack(parts).sum().backward()\n"
        )
    )
    names = [card.torch.removesuffix("Backward0") for card in view.cards]
    assert names == ["", "Unbind", "Mul", "Sin", "Stack", "Sum"]
    assert [edge.count for edge in view.edges] == [1, 500, 500, 500, 1]


def test_a_shortened_run_blames_no_hook():
    trace = run(
        "w = torch.tensor(0.5, requires_grad=True)\nloss = torch.tensor(0.0)\nfor i in range(200):\n"
        "    loss = loss + (w * i).tanh()\nloss.backward()\n",
        cap=100,
    )
    assert any(limit.kind == "nodes" for limit in trace.limits)
    assert graph_view(trace).altered == ""  # the contributions of w's uses in the middle are unknown


def test_a_contribution_is_unknown_if_other_uses_were_dropped():
    trace = run(
        "w = torch.tensor(0.5, requires_grad=True)\nv = torch.tensor(0.5, requires_grad=True)\nloss = w * 1\n"
        "for i in range(200):\n    loss = loss + (w * i).tanh()\n    if 60 < i < 150:\n        loss = loss + v * i\n"
        "loss = loss + v * 3\nloss.backward()\n",
        cap=100,
    )
    view = graph_view(trace)
    cards = {card.title: card for card in view.cards}
    (edge,) = [edge for edge in view.edges if edge.source == cards["v"].id]
    assert cards["v"].gradient.entries[0] == sum(range(61, 150)) + 3
    assert edge.contribution is None or edge.contribution.entries == (3.0,)
    into = [edge for edge in view.edges if edge.source == cards["v * 3"].id]
    assert [one.contribution.entries for one in into] == [(1.0,)]  # everything after the dropped part is known


def test_nan_from_dropped_operations_has_no_false_origin():
    def starts(cap: int | None) -> list[bool]:
        trace = run(
            "w = torch.tensor(1.0, requires_grad=True)\nh = w * 1\n"
            "for i in range(200):\n    if i == 100:\n        h = h / 0 - h / 0\n    h = h * 1.0\n"
            "loss = (h + h.sin()).sum()\nloss.backward()\n",
            cap,
        )
        return [origin.sure for origin in origins(trace)]

    assert starts(None) == [True] * len(starts(None)) != []
    assert starts(cap=100) in ([], [False])

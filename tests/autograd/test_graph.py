"""The graph view: small programs in, cards and edges out."""

from textwrap import dedent

import pytest
from msgspec import structs

from explorer.analysis.explain.autograd import graph_view
from explorer.trace import Trace
from tests.corpus import facts_beside
from tests.measured import grows_in_proportion
from tests.traces import trace_of


def view_of(source, **how):
    """Return the view of a program that may use torch, nn and F."""
    return graph_view(trace_of("import torch\nfrom torch import nn\nF = nn.functional\n" + dedent(source)), **how)


def by_title(view):
    return {card.title: card for card in view.cards}


def one(value):
    return None if value is None else value.entries[0]


def edges(view):
    """(title of source, title of target, port) of every edge."""
    title = {card.id: card.title for card in view.cards}
    return [(title[edge.source], title[edge.target], edge.port) for edge in view.edges]


@pytest.mark.parametrize(
    ("cut", "kind", "reason"),
    [
        ("u = v.detach()", "detach", "cut"),
        ("u = v.data", "data_attribute", "cut"),
        ("with torch.no_grad():\n    u = v * 2", "no_grad", "no_grad"),
        ("u = v.item()", "item", "cut"),
    ],
)
def test_the_cut_of_a_gradient_is_drawn(cut, kind, reason):
    start = "w = torch.tensor(1., requires_grad=True)\nv = torch.tensor(3., requires_grad=True)\n"
    view = view_of(start + cut + "\ny = u * w\ny.backward()")
    kinds = {edge.kind: (edge.source, edge.target) for edge in view.edges}
    assert by_title(view)["v"].id == kinds[kind][0]
    assert by_title(view)["v"].reason == reason


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [("", "w.requires_grad_(False)", "leaf"), ("w.requires_grad_(False)", "w.requires_grad_(True)", "data")],
)
def test_a_leaf_keeps_its_requires_grad_from_when_it_was_read(before, after, kind):
    view = view_of(f"""
        w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        {before}
        y = (w * v).sum()
        y.backward()
        {after}
    """)
    assert [card.kind for card in view.cards if card.name == "w"] == [kind]


@pytest.mark.parametrize(
    ("program", "starts"),
    [
        ("s.masked_fill(mask, -torch.inf).softmax(-1)", {}),  # the program wrote the causal mask
        ("(s + torch.full((9, 9), -torch.inf).triu(1)).softmax(-1)", {}),
        (
            "s.masked_fill(mask | True, -torch.inf).softmax(-1)",
            {"a = s.masked_fill(mask | True, -torch.inf).softmax(-1)": "nan"},
        ),
        ("(1000 + s).exp()", {"a = (1000 + s).exp()": "inf"}),
        ("(s * 1000).exp() / (s * 1000).exp().sum()", {"(s * 1000).exp()": "inf"}),
        ("torch.where(s < 0, s / torch.zeros(9, 9), s)", {}),  # NaN never reaches the result
    ],
)
def test_nan_is_noted_at_its_origin_and_at_the_result(program, starts):
    view = view_of(f"""
        s = torch.arange(81.).view(9, 9).requires_grad_()
        mask = torch.ones(9, 9).triu(1).bool()
        a = {program}
        a.sum().backward()
    """)
    assert {
        card.title: card.notes[0].kind for card in view.cards if card.notes and card.notes[0].phase != "backward"
    } == starts


@pytest.mark.thorough
def test_many_layers_fold_in_time_proportional_to_their_number():
    def deep(layers: int) -> Trace:
        return trace_of(f"""
            import torch
            x = torch.ones(1, requires_grad=True)
            w = torch.ones(1, requires_grad=True)
            s = x
            def layer(h):
                return torch.tanh(h * w)
            def ten(h):
                for _ in range(10):
                    h = layer(h)
                return h
            for i in range({layers}):
                s = s + ten(x)
            s.backward()
        """)

    def look(layers: int) -> None:
        graph_view(structs.replace(traces[layers])), graph_view(structs.replace(traces[layers]), fold=False)

    traces = {layers: deep(layers) for layers in (25, 200)}
    assert len(traces[200].nodes) > 4000
    view, flat = graph_view(traces[200]), graph_view(traces[200], fold=False)
    assert len(view.cards) < 20 and view.left_out == 0
    assert len(flat.cards) <= 200 and len(flat.edges) <= 400 and flat.left_out > 3000
    assert grows_in_proportion(look, 25)


test_facts = facts_beside(__file__, globals())

"""During a backward, no part of the page shows a later gradient."""

import json
import re
from itertools import pairwise

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import explorer
from explorer.analysis.explain.autograd import graph_view, selected_backward
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.gradients import contributions, node_gradients
from explorer.analysis.explain.autograd.partial_runs import ran_until
from explorer.api.whole_tensors import NotKept
from explorer.drawing.graph.badges import legend
from explorer.drawing.graph.player_data import player_data
from explorer.drawing.notebook.ghosts import ghosts
from explorer.drawing.notebook.outputs import output_html
from explorer.drawing.picture import Picture
from explorer.text.numbers import number
from tests.traces import trace_of

# In each program, the gradients are numbers that don't occur in the forward pass.
CHAIN = """
x = torch.tensor(0.5, requires_grad=True)
y = x * 7.13
z = y * 3.37
z.backward(torch.tensor(1.7))
g = x.grad
print(x.grad)
x.grad * 2
"""
TWICE = """
w = torch.tensor(1.37, requires_grad=True)
h = w * 2.91
y = h * h + w * 0.77
y.backward()
w.grad
"""
VECTOR = """
x = torch.tensor([0.5, 1.5, 2.5], requires_grad=True)
y = (x * 3.17).exp().sum() * 1.93
y.backward()
with torch.no_grad():
    x -= 0.1 * x.grad
x
"""
LOOP = """
h = x = torch.tensor(1.01, requires_grad=True)
for i in range(4):
    h = h * 1.37
h.backward()
"""
MODEL = """
torch.manual_seed(7)
x = torch.randn(4, 3)
net = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
loss = (net(x) ** 2).mean()
loss.backward()
print(net[0].weight.grad)
"""
TRAINING = """
w = torch.tensor(1.37, requires_grad=True)
for i in range(3):
    loss = (w * 2.31 - 1) ** 2
    if w.grad is not None:
        w.grad.zero_()
    loss.backward()
    with torch.no_grad():
        w -= 0.013 * w.grad
"""
GRAD = """
x = torch.tensor(1.31, requires_grad=True)
first, = torch.autograd.grad(x ** 3, x, create_graph=True)
second, = torch.autograd.grad(first, x)
second
"""
IMPLICIT = "x = torch.tensor(1.31, requires_grad=True)\ny = (x * 4.17) ** 2\n"
GEOMETRY = re.compile(r' (?:x|y|x1|x2|y1|y2|d|transform|viewBox|width|height)=\\?"[^"]*"')
PROGRAMS = [CHAIN, TWICE, VECTOR, LOOP, MODEL, TRAINING, GRAD, IMPLICIT]


def picture_of(program: str) -> Picture:
    trace = trace_of(f"import torch\n{program}")
    return Picture(trace, graph_view(trace), None, "en")


def sent(picture: Picture, found, count: int) -> str:
    """Return everything the page would send to the browser, as one text."""
    view, trace, lang = picture.view, picture.trace, "en"
    told = [
        picture.svg(),
        picture.svg(standalone=True),
        picture.html(),  # the inspector of every card is in it
        picture.dot(),
        legend(view, lang),
        json.dumps(player_data(found, count)),
        repr(ghosts(trace, view.backward, lang)),
        *(output_html(trace, cell, lang, alone=True) for cell in range(len(trace.cells))),
    ]
    return GEOMETRY.sub("", "\n".join(told))


def texts_of(picture: Picture, trace) -> set[str]:
    """Return how the page may write a Trace's gradients: longer texts absent from the forward pass."""
    backward = picture.view.backward
    ids = {value for arrived in node_gradients(trace, backward).values() for value in arrived}
    ids |= set(contributions(trace, backward).values()) | set(trace.backwards[backward].after)
    found = {text for i in ids if i >= 0 for text in written(trace.value(i))}
    values = [card.value for card in picture.view.cards if card.value is not None]
    forward = {text for value in values for text in written(value)}
    return {
        text
        for text in found - forward
        if len(text.replace(".", "").strip("0")) > 2 and text not in trace.cells[0].source
    }


def written(value) -> set[str]:
    return {number(abs(entry), digits=digits) for entry in value.entries for digits in (2, 3, 4, 6, 7)}


def steps_of(picture: Picture):
    return steps(picture.trace, picture.view, "en")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_not_yet_reached_are_shown_nowhere(program):
    picture = picture_of(program)
    found, known_at_last = steps_of(picture), texts_of(picture, picture.trace)
    for count in range(len(found.steps)):
        now = picture.so_far(found, count)
        told = sent(now, found, count)
        hidden = [text for text in known_at_last - texts_of(picture, now.trace) if text in told]
        assert [text for text in hidden if re.search(rf"(?<![\d.]){re.escape(text)}(?!\d)", told)] == []
    assert picture.so_far(found, len(found.steps)) is picture


def test_the_search_finds_a_deliberate_leak():
    picture = picture_of(CHAIN)
    found = steps_of(picture)
    hidden = texts_of(picture, picture.trace) - texts_of(picture, picture.so_far(found, 0).trace)
    assert hidden and all(text in sent(picture, found, len(found.steps)) for text in hidden if len(text) < 5)


def test_gradients_stay_known_once_reached():
    picture = picture_of(TWICE)
    found = steps_of(picture)
    known = [{card.name for card in picture.so_far(found, k).view.cards if card.gradient} for k in range(5)]
    assert known[0] == {"y"}
    assert all(less <= more for less, more in pairwise(known))
    edges = [sum(w.contribution is not None for w in picture.so_far(found, k).view.edges) for k in range(5)]
    assert edges[0] == 0 and edges == sorted(edges) and edges[4] > 2


def test_the_sum_at_a_leaf_waits_for_its_own_step():
    picture = picture_of("w = torch.tensor(2., requires_grad=True)\ny = w * 3 + w * 5\ny.backward()")
    found = steps_of(picture)
    leaf = [{c.name: c for c in picture.so_far(found, k).view.cards}["w"].gradient is not None for k in range(5)]
    assert leaf == [False, False, False, False, True]


def test_forward_values_and_places_stay_visible():
    picture = picture_of(VECTOR)
    found = steps_of(picture)
    now = picture.so_far(found, 1)
    assert [card.value for card in now.view.cards] == [card.value for card in picture.view.cards]
    assert [(card.id, card.title) for card in now.view.cards] == [(card.id, card.title) for card in picture.view.cards]
    size = [one.svg().split("viewBox=")[1].split(">")[0] for one in (now, picture)]
    assert size[0] == size[1]


def test_values_computed_from_a_hidden_gradient_are_hidden_too():
    picture = picture_of(CHAIN)
    beside = {one.line: one for one in ghosts(picture.so_far(steps_of(picture), 0).trace, 0, "en")[0]}
    assert (beside[3].value, beside[3].gradient) == ("0.5", "")
    assert beside[7].value == "" and not {8, 9} & beside.keys()


def test_only_nodes_that_ran_count_in_a_step():
    picture = picture_of(CHAIN)
    trace, found = picture.trace, steps_of(picture)
    ran = [ran_until(trace, 0, found, k) for k in range(len(found.steps) + 1)]
    assert ran[0] == frozenset() and ran[-1] == set(trace.backwards[0].order)
    assert selected_backward(trace) == 0


def _checkpointed(how, net, x):
    if how == "nested":
        x = checkpoint(lambda x: checkpoint(net[0], x, use_reentrant=True).relu(), x, use_reentrant=True)
    else:
        for _ in range({"once": 1, "twice": 2, "twice added": 2}[how]):
            x = checkpoint(net[:2], x, use_reentrant=True)
    return net[2](x)


@pytest.mark.parametrize("detail", ["light", "complete"])
@pytest.mark.parametrize("how", ["once", "twice", "nested", "twice added"])
def test_a_reentrant_checkpoints_gradients_belong_to_the_backward_that_ran_it(how, detail):
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    x = torch.randn(8, 4, requires_grad=True)
    if how == "twice added":
        _checkpointed(how, net, x).sum().backward()
    with explorer.record(detail=detail) as trace:
        loss = _checkpointed(how, net, x).square().sum()
        loss.backward()
    rows = {row.name: row for row in trace.parameters()}
    names = [f"net.{name}" for name, _ in net.named_parameters()]
    assert sorted(rows) == sorted([*names, "x"]) and {row.backward for row in rows.values()} == {1}
    cards = {card.name for card in graph_view(trace, selected_backward(trace)).cards}
    assert cards >= set(names)
    for name, parameter in net[0].named_parameters():
        if how == "twice added":  # the sum of two parts added to `.grad` is unknown
            with pytest.raises(NotKept):
                trace.gradient(f"net.0.{name}")
        else:
            assert trace.gradient(f"net.0.{name}").norm == pytest.approx(float(parameter.grad.norm()), rel=1e-4)

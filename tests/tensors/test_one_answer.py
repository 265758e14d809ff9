"""Cards, line ends and the tensor pages show the same gradient of a tensor."""

import pytest

from explorer.analysis.explain.autograd import graph_view, selected_backward
from explorer.analysis.views.tensors.tensor_list import tensor_list
from explorer.analysis.views.tensors.views import gradient_of, tensor_view
from explorer.drawing.notebook.ghosts import ghosts
from explorer.drawing.tensors.arrays import origin_html
from explorer.drawing.tensors.sheets import spread_html
from explorer.text.numbers import numbers
from tests.traces import trace_of

STOPPED = """
import torch
a = torch.tensor([1., 2.], requires_grad=True)
s = a.sigmoid()
s.mul_(3)
L = s.sum()
L.backward()
"""
UNCALLED = """
import torch
a = torch.tensor([1., 2., 4.], requires_grad=True)
h = torch.relu(a * 2)
loss = (h ** 2).sum()
"""
STOPPED_LATER = """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
for k in range(2):
    h = w.exp()
    if k:
        h.add_(1)
    loss = (h * w).sum()
    loss.backward()
"""
FREED = """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
h = w.exp()
loss = (h * w).sum()
loss.backward()
loss.backward()
"""
RETAINED = """
import torch
w = torch.tensor([1., 2.], requires_grad=True)
h = w * w
h.retain_grad()
v = h[:1]
v.mul_(5)
loss = h.sum()
loss.backward()
"""


def on_pages(trace) -> dict:
    """Return (line, name) → gradient on the pages of tensors."""
    backward, told = selected_backward(trace), {}
    for one in tensor_list(trace):
        gradient, _ = gradient_of(trace, tensor_view(trace, one.tensor, one.version), backward)
        if gradient is not None and one.place is not None:
            told[one.place.line, one.name] = " ".join(numbers(gradient.data, True))
    return told


@pytest.mark.parametrize("program", [STOPPED, UNCALLED, STOPPED_LATER, FREED, RETAINED])
def test_tensors_line_ends_and_cards_show_the_same_gradients(program):
    trace = trace_of(program)
    told = on_pages(trace)
    beside = {ghost.line: ghost.gradient for ghost in ghosts(trace, selected_backward(trace), "en")[0]}
    cards = {(card.line, card.name): card.gradient for card in graph_view(trace, None).cards if card.gradient}
    assert {line: told[line, name] for line, name in told} == {line: text for line, text in beside.items() if text}
    shown = {place: told[place] for place in told if place in cards}
    assert shown and shown == {place: " ".join(numbers(cards[place].data, True)) for place in shown}


def test_a_stopped_backwards_gradients_are_shown_with_a_note():
    trace = trace_of(STOPPED)
    assert on_pages(trace) == {(4, "s"): "+3 +3", (5, "s"): "+1 +1", (6, "L"): "+1"}
    assert "stopped" in origin_html(trace, selected_backward(trace), "en", 0)
    later = trace_of(STOPPED_LATER)
    assert selected_backward(later) == 1 and selected_backward(trace_of(FREED)) == 0


def test_an_implicit_gradient_is_hatched_with_a_note():
    trace = trace_of(UNCALLED)
    html = spread_html(trace, tensor_list(trace)[0], False, "en")
    assert html.count('<section class="hypothetical">') == 1 and "No backward() ran" in html

"""Predict during forward: the questions, and that no answer is in the Trace or picture before."""

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.autograd.partial_runs import trace_before
from explorer.analysis.views.timeline.forward_steps import forward_steps
from explorer.drawing.picture import picture
from explorer.trace import Trace
from tests.timeline.programs import PROGRAMS
from tests.traces import trace_of

ASKED = """\
import torch
x = torch.tensor([1.5, 2.5], requires_grad=True)
noise = torch.rand(2)
a = x * 2
print(a)
b = a + noise
c = torch.nn.functional.dropout(a, 0.5)
d = a.detach()
row = a.reshape(1, 2)
large = torch.zeros(2, 30) + x.sum()
e = large @ torch.ones(30, 4)
total = (c * 0 + b * 0).sum() + e.sum()
total.backward()
"""


def asked(program: str) -> list[tuple[str, str]]:
    trace = trace_of(program)
    found = forward_steps(trace, graph_view(trace), "en").steps
    return [(step.question.text, step.question.shown) for step in found if step.question is not None]


def test_only_predictable_values_are_asked():
    questions = asked(ASKED)
    assert questions[0] == ("`a = x * 2` runs next. What will `a[0]` be?", "3")
    assert ("`e = large @ torch.ones(30, 4)` runs next. What is the shape of `e`?", "(2, 4)") in questions
    about = " ".join(text for text, _ in questions)
    assert not any(f"will `{name}` " in about for name in ("x", "noise", "c", "d"))


def test_only_the_first_two_rounds_and_the_last_are_questions():
    loop = "w = torch.tensor(2.0, requires_grad=True)\ny = w\nfor i in range(9):\n    y = y + 1\ny.backward()\n"
    assert [shown for _, shown in asked(loop)] == ["3", "4", "11"]


def test_a_failed_run_has_no_questions():
    assert asked("w = torch.ones(2, requires_grad=True)\ny = w * 3\n(y @ torch.ones(3)).backward()\n") == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_trace_before_a_step_reveals_nothing_of_it(name):
    trace = trace_of(PROGRAMS[name])
    drawn = picture(trace)
    found = forward_steps(trace, drawn.view, "en")
    assert found.steps or name == "no_grad"
    for count, step in list(enumerate(found.steps))[:: max(1, len(found.steps) // 4)]:
        held = trace_before(trace, step.operation)
        late = [row for row, time in enumerate(held.index.times) if time >= step.operation]
        assert late and all(held.versions.value[row] < 0 for row in late)
        assert not [one for one in held.bindings if one.start >= step.operation] and not len(held.steps)
        assert all(value < 0 for call in later(held, step.operation) for value in [*call.seeds, *call.arrived.items])
        before = drawn.before(found, count)
        known = {card.id: card for card in before.view.cards}
        unborn = [known[card] for card, made in found.born.items() if made > count]
        assert all(card.value is None and card.shape == () and card.gradient is None for card in unborn)
        assert before.svg().count('class="node') == drawn.svg().count('class="node')


def later(trace: Trace, operation: int) -> list:
    return [call for call in trace.backwards if call.operations > operation]

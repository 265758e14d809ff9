"""Results at the line ends."""

import pytest

from explorer.analysis.explain.autograd import graph_view, selected_backward
from explorer.analysis.explain.autograd.entry_texts import listed, range_text
from explorer.analysis.views.timeline import timeline
from explorer.analysis.views.timeline.sentence_parts import amount
from explorer.drawing.line_ends import LineEnds
from explorer.drawing.notebook.ghosts import Ghost, ghosts
from explorer.text.numbers import number
from tests.programs import traced
from tests.traces import trace_of


def beside(source: str, lang: str = "en") -> list[Ghost]:
    trace = trace_of(source)
    return ghosts(trace, selected_backward(trace), lang)[0]


def test_scalars_show_value_and_gradient():
    assert beside("w = torch.tensor(1., requires_grad=True)\ny = w * -3\ny.backward()\n") == [
        Ghost(1, "", "1", "grad", "−3"),
        Ghost(2, "", "−3", "grad", "+1"),
    ]


def test_a_tensor_shows_its_shape_and_the_range_of_its_gradient():
    told = beside("w = torch.full((3, 4), 2., requires_grad=True)\n(w * 3).sum().backward()\n", "zh")
    assert told == [Ghost(1, "(3, 4)", "", "梯度", "+3")]


def test_a_loop_line_shows_its_last_value_and_an_in_place_line_its_result():
    told = beside("x = torch.zeros(1)\nfor i in range(3):\n    y = x + i\nx += 7\n")
    assert [(one.line, one.value) for one in told] == [(1, "0"), (3, "2"), (4, "7")]


def test_an_in_place_change_with_a_truncated_echo_shows_value_and_gradient():
    told = beside("x = torch.ones(3, requires_grad=True)\ny = x * 2\ny.add_(1)\n(y * y).sum().backward()\n")
    assert [(one.value, one.gradient) for one in told if one.line == 3] == [("3 3 3", "+6 +6 +6")]
    assert [one.value for one in beside("x = torch.ones(2)\nx.add_(1)\n") if one.line == 2] == ["tensor([2., 2.])"]


def test_short_bare_expressions_are_shown():
    told = beside("x = torch.ones(2)\nx.shape\nx.sum()\n")
    assert [(one.line, one.value) for one in told[1:]] == [(2, "torch.Size([2])"), (3, "tensor(2.)")]


def test_values_that_only_name_a_type_are_not_shown():
    told = beside("x = torch.ones(2)\nx.sum\nprint\n(i for i in x)\nx.shape\nobject()\n")
    assert [one.line for one in told] == [1, 5]


def test_a_nan_gradient_is_marked():
    told = beside("x = torch.tensor(0., requires_grad=True)\n(x * torch.tensor(float('inf')) * 0).backward()\n")
    assert told[0].gradient == "NaN"


def test_values_of_modules_are_not_shown_on_the_code():
    told = beside("net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))\na = b = torch.ones(1) * 2")
    assert [(ghost.line, ghost.shape, ghost.value) for ghost in told] == [(1, "", "13 parameters"), (2, "(1,)", "2")]


def test_a_modules_line_shows_the_module_and_its_call_the_result():
    told = beside("""
bn = torch.nn.BatchNorm1d(2)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
    def forward(self, x):
        return self.fc(x)
net = Net()
y = bn(net(torch.ones(4, 3)))
""")
    assert [(ghost.line, ghost.shape, ghost.value) for ghost in told] == [
        (2, "(2,)", "4 parameters"),
        (6, "(2, 3)", "8 parameters"),
        (9, "", "8 parameters"),
        (10, "(4, 2)", ""),
    ]


def test_a_backwards_gradient_and_the_stored_grad_are_distinguished():
    program = "w = torch.tensor(1., requires_grad=True)\n(w * 2).backward()\n(w * 3).backward()\n"
    assert beside(program) == [Ghost(1, "", "1", "grad", "+3", "+5")]


TRAINED = """
import torch
w = torch.tensor(1., requires_grad=True)
for step in range(2):
    loss = (w - 3) ** 2
    loss.backward()
    w.data -= 0.25 * w.grad
    w.grad = None
"""


def test_a_leaf_shows_its_value_at_backward_and_after_the_last_update():
    trace = traced(TRAINED, statements=True)
    told = {ghost.line: (ghost.value, ghost.gradient) for ghost in ghosts(trace, 1, "en")[0]}
    assert told[3] == ("1 → 2.5", "−2") and told[7] == ("2.5", "−2")
    first = {ghost.line: (ghost.value, ghost.gradient) for ghost in ghosts(trace, 0, "en")[0]}
    assert first[3] == ("1", "−4") and first[7] == ("2.5", "")
    ends, seen = LineEnds(trace, "en"), []
    for moment in timeline(trace, None).moments:
        ends.changed(moment, -1, "backward" if moment.kind == "backward" else "forward")
        ghost = ends.now.get((0, 3))
        seen += [(ghost.value, ghost.gradient)] if ghost is not None else []
    assert list(dict.fromkeys(seen)) == [("1", ""), ("1", "−4"), ("1 → 2", "−2")]


def test_a_line_that_writes_an_unnamed_tensor_shows_its_name():
    told = beside(
        "w = torch.tensor(1., requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.5)\n(w * 3).backward()\nopt.step()\n"
    )
    assert told[1] == Ghost(4, "", "w = −0.5")


def test_an_in_place_version_unused_by_the_root_shows_no_gradient():
    told = beside(
        "x = torch.ones(3, requires_grad=True)\ny = x * 2\nz = y.relu()\ny.mul_(3)\nz.sum().backward()\n", "en"
    )
    assert {ghost.line: ghost.gradient for ghost in told} == {1: "+2 +2 +2", 2: "+1 +1 +1", 3: "+1 +1 +1", 4: ""}


def test_numbers_are_shown_in_the_programs_precision():
    told = beside("a = torch.tensor(1.23456)\nb = torch.tensor([1.3, -2.7], dtype=torch.bfloat16)\nc = a * 1.000001\n")
    assert [ghost.value for ghost in told] == ["1.23456", "1.3 −2.7", "1.23"]


def test_a_single_value_from_several_bound_names_shows_its_name():
    values = {
        "a, b = x * 2, 5": "a = 6",
        "a, b, c = x * 2, x * 3, 'c'": "a = 6 · b = 9",
        "a, b = x * 2, x * 3": "6 · 9",
        "a = b = x * 2": "6",
        "a, b = 1, torch.ones(3, 3)": "b (3, 3)",
    }
    for line, value in values.items():
        told = beside(f"x = torch.tensor(3.)\n{line}\n")[1]
        assert (told.value, told.shape) == (value, ""), line


def test_the_same_values_are_shown_during_playback():
    values = {"a, b = x * 2, torch.ones(5, 5)": "a = 6", "a, b, c, d = x * 2, 1, 2, 3": "d = 3", "a, b = x, 5": "3 · 5"}
    for line, value in values.items():
        trace = traced(f"x = torch.tensor(3.)\n{line}\n", statements=True)
        ends = LineEnds(trace, "en")
        for moment in timeline(trace, None).moments:
            ends.changed(moment, -1, "forward")
        assert ends.now[0, 2].value == value


def test_entries_of_one_tensor_are_all_exact_or_all_rounded():
    value = trace_of("b = torch.tensor([2.25, 0.015625, 1 / 3])").latest(0)
    assert listed(value) == "[+2.25, +0.0156, +0.333]" and range_text(value, False) == "0.0156 … 2.25"
    assert amount(value) == "[2.25, 0.0156, 0.333]"
    matrix = trace_of("b = torch.tensor([[1., 2.], [3., 4.]])").latest(0)
    assert listed(matrix) == "[[+1, +2], [+3, +4]]"


@pytest.mark.parametrize("asks", ["", ", requires_grad=True"])
def test_a_number_has_equal_digits_at_its_line_and_on_its_card(asks):
    trace = trace_of(f"w = torch.tensor(-0.3, dtype=torch.bfloat16{asks})\ny = w * 1\nz = y * 1\n")
    backward = selected_backward(trace)
    cards = {card.name: number(card.value.data[0]) for card in graph_view(trace, backward).cards}
    lines = [ghost.value for ghost in ghosts(trace, backward, "en")[0]]
    assert lines == [cards["w"], cards["y"], cards["z"]] == ["−0.3"] * 3


def test_implicit_gradients_are_marked() -> None:
    program = "import torch\nw = torch.tensor(2.0, requires_grad=True)\ny = w * 3\n"
    assert [ghost.hypothetical for ghost in beside(program)] == [True, True]
    assert not any(ghost.hypothetical for ghost in beside(program + "y.backward()\n"))

"""The timeline for the browser: what each moment shows."""

import re

import pytest

from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.views.timeline import timeline
from explorer.drawing.moments import line_data
from explorer.drawing.picture import picture
from tests.programs import traced


def told(program: str) -> dict:
    """Return the line of a program."""
    trace = traced(program, statements=True)
    drawn = picture(trace)
    line = timeline(trace, drawn.view)

    def other(backward: int):
        return picture(trace, "en", backward)

    return line_data(trace, drawn, line, steps(trace, drawn.view, "en"), other, True)


def beside(line: dict, position: int) -> dict[int, tuple]:
    """Return the values and gradients at the line ends after so many moments, by line."""
    found: dict[int, tuple] = {}
    for moment in line["moments"][:position]:
        for _, (number, _, value, _, gradient, *_) in moment.get("beside", ()):
            found[number] = (value, gradient)
    return found


def at_line(line: dict, number: int) -> list[int]:
    """Return the moments, from 1, at which a line runs."""
    return [i for i, moment in enumerate(line["moments"], 1) if moment.get("at", (0, 0))[1] == number]


def scene_at(line: dict, position: int) -> int:
    """Return the picture in which a moment is shown."""
    return [one["scene"] for one in line["chapters"] for _ in range(one["count"])][position - 1]


def gradient(line: dict, position: int) -> str | None:
    """Return the gradient on the first leaf's card after so many moments: "·" for none, None for the picture's own."""
    number = scene_at(line, position)
    scene, drawn, held = line["scenes"][number], None, None
    card = scene["cards"][0]
    for i, moment in enumerate(line["moments"][:position], 1):
        if scene_at(line, i) == number:
            drawn = moment.get("drawn", {}).get(card, drawn)
            held = moment.get("held", {}).get(card, held)
    if not (scene["reached"].get(card, 1000) <= position if held is None else held):
        return "·"
    found = re.search(r'class="grad"[^>]*>([^<]*)<', drawn or "")
    return found and found[1]


SCALAR = """w = torch.tensor(1., requires_grad=True)
x = torch.tensor(2., requires_grad=True)
a = w + x
y = a * 3
print(y.item())
y.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
"""


@pytest.fixture(scope="module")
def scalar():
    return told(SCALAR)


def test_cards_appear_with_their_operation_and_fill_with_their_gradient(scalar):
    [scene] = scalar["scenes"]
    w, x, a, y = scene["cards"]
    runs = {number: at_line(scalar, number)[-1] for number in (1, 2, 3, 4)}
    assert [scene["born"][card] for card in (w, x, a, y)] == [runs[1], runs[2], runs[3], runs[4]]
    backward = at_line(scalar, 6)
    assert scene["reached"][y] == scene["reached"][a] == backward[0] < scene["reached"][w] <= backward[-1]


def test_modules_and_updated_tensors_show_their_names():
    line = told(
        "net = torch.nn.Linear(1, 1)\nw = torch.tensor(1., requires_grad=True)\n"
        "opt = torch.optim.SGD([w], lr=0.5)\n(w * 3).backward()\nopt.step()\n"
    )
    last = beside(line, len(line["moments"]))
    assert last[1] == ("2 parameters", "") and last[5] == ("w = −0.5", "")


def test_values_at_line_ends_match_the_moment(scalar):
    before = at_line(scalar, 3)[0] - 1
    assert beside(scalar, before) == {1: ("1", ""), 2: ("2", "")}
    backward = at_line(scalar, 6)
    assert beside(scalar, backward[0] - 1)[4] == ("9", "")
    assert beside(scalar, backward[0])[4] == ("9", "+1")
    assert beside(scalar, len(scalar["moments"]))[8][0] == "0.7"


def test_a_written_leaf_shows_its_value_at_the_moment(scalar):
    drawn = {i: moment["drawn"] for i, moment in enumerate(scalar["moments"], 1) if "drawn" in moment}
    assert list(drawn) == at_line(scalar, 8)[-1:]
    [(leaf, svg)] = drawn[at_line(scalar, 8)[-1]].items()
    assert leaf == scalar["scenes"][0]["cards"][0] and ">0.7<" in svg


def test_output_is_shown_up_to_the_moment(scalar):
    outs = [scalar["outs"][moment["out"]] for moment in scalar["moments"] if "out" in moment]
    assert [whole for _, _, whole in outs] == [False, False, True]
    assert "9.0" in outs[1][1] and "9.0" not in outs[0][1]


LOOP = """w = torch.tensor(2., requires_grad=True)
for k in [1., 3.]:
    loss = (w * k - 1) ** 2
    loss.backward()
    w.grad = None
"""


def test_each_round_of_a_loop_is_shown_in_its_own_picture():
    line = told(LOOP)
    assert len(line["scenes"]) == 2
    kinds = [(one["kind"], one["round"], one["scene"]) for one in line["chapters"]]
    assert kinds[:2] == [("forward", 0, 1), ("backward", 0, 1)]
    assert ("forward", 1, 0) in kinds and ("backward", 1, 0) in kinds
    first, last = at_line(line, 3)[0], at_line(line, 3)[-1]
    assert beside(line, last)[3] == ("25", "") and beside(line, first + 2)[2][0] == "1.0"


def test_the_programs_text_is_escaped():
    line = told("k = {'<b>': torch.tensor(1., requires_grad=True)}\ny = k['<b>'] * 2\ny.backward()\n")
    assert "<b>" not in "".join(moment["says"] for moment in line["moments"])


def test_a_cleared_gradient_disappears():
    line = told("w = torch.tensor(2., requires_grad=True)\ny = w * 3\ny.backward()\nw.grad = None\nz = 1\n")
    [cleared] = at_line(line, 4)
    assert gradient(line, cleared - 1) is None and beside(line, cleared - 1)[1] == ("2", "+3")
    assert gradient(line, cleared) == gradient(line, len(line["moments"])) == "·"
    assert beside(line, cleared)[1] == ("2", "") and beside(line, cleared)[2] == ("6", "+1")


def test_a_zeroed_gradient_is_shown_as_zero():
    line = told("w = torch.tensor(2., requires_grad=True)\ny = w * 3\ny.backward()\nw.grad.zero_()\n")
    zeroed = at_line(line, 4)[-1]
    assert gradient(line, zeroed) == "0" and beside(line, zeroed)[1] == ("2", "0")


TWICE = """w = torch.tensor(2., requires_grad=True)
y = w * 3
y.backward()
z = w * 5
z.backward()
"""


def test_an_earlier_gradient_is_shown_until_the_next_backward_adds_to_it():
    line = told(TWICE)
    [first], second = at_line(line, 3), at_line(line, 5)
    assert gradient(line, first - 1) == "·" and gradient(line, first) is None
    assert gradient(line, at_line(line, 4)[0]) == "+3" and beside(line, at_line(line, 4)[0])[1] == ("2", "+3")
    assert gradient(line, second[0]) == "+3"  # only from z
    assert gradient(line, second[-1]) is None  # the second contribution


def test_zero_grad_clears_the_shown_gradients():
    line = told(
        """w = torch.tensor(2., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
(w * 3).backward()
opt.step()
opt.zero_grad()
z = w * 5
z.backward()
"""
    )
    assert [gradient(line, at_line(line, number)[-1]) for number in (3, 4, 5, 6)] == [None, "+3", "·", "·"]


def test_a_curve_holds_the_losses_of_one_place():
    line = told(
        "import torch\nw = torch.tensor(1., requires_grad=True)\n"
        "for i in range(10):\n    d = w * 2\n    d.backward()\n    g = w * 3 + i\n    g.backward()\n"
    )
    drawn = {one["curve"]: one["loss"] for one in line["chapters"] if "loss" in one}
    assert list(drawn) == ["g"] or list(drawn) == ["d"]
    assert {one["lossText"] for one in line["chapters"] if one["backward"] in (0, 1)} == {"d 2", "g 3"}


def test_every_backward_strikes_out_the_tensors_it_frees():
    """The first backward is one moment, the last has steps."""
    line = told(
        "w = torch.tensor(2., requires_grad=True)\nfor i in range(2):\n    y = w * w\n    (y ** 3).backward()\n"
    )
    freed = [set(moment["freed"]) for moment in line["moments"] if moment.get("freed")]
    assert [len(cards) for cards in freed] == [2, 1, 1] and freed[1] != freed[2]
    kept = told("w = torch.tensor(2., requires_grad=True)\ny = w * w\ny.backward(retain_graph=True)\n")
    assert not any(moment.get("freed") for moment in kept["moments"])
    svg = picture(traced("w = torch.tensor(2., requires_grad=True)\n(w ** 3).backward()")).svg()
    assert svg.count('class="saved"') + svg.count("class='saved'") == 1 and svg.count("saved stays") == 1

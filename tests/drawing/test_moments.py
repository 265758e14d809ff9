"""The time line for the browser: small programs in, what each moment shows out."""

import pytest

from explorer.analysis.autograd.steps import steps
from explorer.analysis.timeline import timeline
from explorer.drawing.moments import line_data
from explorer.drawing.picture import picture
from tests.programs import traced


def told(program: str) -> dict:
    """The line of a program, and the last picture that it is played in."""
    trace = traced(program, statements=True)
    drawn = picture(trace)
    line = timeline(trace, drawn.view)

    def shows(cell: int, count: int, characters: int) -> str:
        return f"{count} {characters}"

    def other(backward: int):
        return picture(trace, "en", backward)

    return line_data(trace, drawn, line, steps(trace, drawn.view, "en"), shows, other)


def beside(line: dict, position: int) -> dict[int, tuple]:
    """What stands at the ends of the lines after so many moments: by line the value and the gradient."""
    found: dict[int, tuple] = {}
    for moment in line["moments"][:position]:
        for _, (number, _, value, _, gradient, _) in moment.get("beside", ()):
            found[number] = (value, gradient)
    return found


def at_line(line: dict, number: int) -> list[int]:
    """The moments, from 1, at which a line runs."""
    return [i for i, moment in enumerate(line["moments"], 1) if moment.get("at", (0, 0))[1] == number]


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


def test_a_card_is_born_when_its_operation_ran_and_reached_when_its_gradient_arrived(scalar):
    [scene] = scalar["scenes"]
    w, x, a, y = scene["cards"]
    runs = {number: at_line(scalar, number)[-1] for number in (1, 2, 3, 4)}
    assert [scene["born"][card] for card in (w, x, a, y)] == [runs[1], runs[2], runs[3], runs[4]]
    backward = at_line(scalar, 6)
    assert scene["reached"][y] == scene["reached"][a] == backward[0] < scene["reached"][w] <= backward[-1]


def test_values_stand_beside_their_lines_as_they_were_then(scalar):
    before = at_line(scalar, 3)[0] - 1
    assert beside(scalar, before) == {1: ("1", ""), 2: ("2", "")}
    backward = at_line(scalar, 6)
    assert beside(scalar, backward[0] - 1)[4] == ("9", "")
    assert beside(scalar, backward[0])[4] == ("9", "+1")
    assert beside(scalar, len(scalar["moments"]))[8][0] == "0.7"


def test_a_leaf_that_is_written_to_shows_its_value_of_then(scalar):
    drawn = {i: moment["drawn"] for i, moment in enumerate(scalar["moments"], 1) if "drawn" in moment}
    assert list(drawn) == at_line(scalar, 8)[-1:]
    [(leaf, svg)] = drawn[at_line(scalar, 8)[-1]].items()
    assert leaf == scalar["scenes"][0]["cards"][0] and ">0.7<" in svg


def test_output_ends_where_the_moment_does(scalar):
    outs = [scalar["outs"][moment["out"]] for moment in scalar["moments"] if "out" in moment]
    assert [whole for _, _, whole in outs] == [False, False, True]
    assert outs[1][1] == "0 4"  # of 9.0 and the end of its line


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

"""One entry of a gradient, followed: every place that speaks of the gradient speaks of that entry, by its index."""

import pytest
from msgspec import structs

from explorer.analysis.autograd import GraphView, graph_view, sentence
from explorer.analysis.autograd.inspection import inspection
from explorer.analysis.autograd.steps import steps
from explorer.analysis.autograd.view import FollowedEntry
from explorer.drawing.graph.inspector import inspector_html
from explorer.trace import Trace
from tests.svg import to_svg
from tests.traces import trace_of

SUM = "import torch\nx = torch.arange(12.).reshape(3, 4).requires_grad_()\ny = (x * x + 3 * x).sum()\ny.backward()"


def following(position: int, program: str = SUM) -> tuple[Trace, GraphView, str]:
    """A program, its picture with an entry of its leaf's gradient chosen, and the leaf's card."""
    trace = trace_of(program)
    view = graph_view(trace)
    leaf = next(card.id for card in view.cards if card.kind == "leaf")
    return trace, structs.replace(view, entry=FollowedEntry(leaf, position)), leaf


def test_the_chosen_entry_is_named_everywhere():
    trace, view, leaf = following(6)  # x[1, 2] = 6
    assert sentence(view, "en") == (
        "∂y/∂x[1, 2] = 15: 6 arrives through the first factor of x * x, 6 through the second factor of x * x, "
        "3 through 3 * x."
    )
    told = inspector_html(inspection(trace, view, leaf, "en"), view, "en")
    assert "sum at [1, 2]" in told and told.count(">+6<") == 2 and ">+15</td>" in told
    assert told.count('aria-pressed="true"') == 1 and 'data-entry="6"' in told
    drawn = to_svg(view, None, "en")
    assert drawn.count("[1, 2] +6") == 2 and "[1, 2] +3" in drawn and "[1, 2] +15" in drawn
    assert "At `x[1, 2]` `+6` through the first factor of `x * x`" in steps(trace, view, "en").steps[-1].sentence


def test_an_entry_of_a_sample_has_its_index_in_the_tensor():
    program = SUM.replace("12.).reshape(3, 4)", "400.).reshape(20, 20)")
    trace, view, leaf = following(9, program)
    value = inspection(trace, view, leaf, "en").gradient
    assert value.data is None
    assert "sum at [2, 2]" in inspector_html(inspection(trace, view, leaf, "en"), view, "en")
    assert sentence(view, "en").startswith("∂y/∂x[2, 2] = 87: 42 arrives")


@pytest.mark.parametrize("entry", [FollowedEntry("t0", 99), FollowedEntry("n99", 0)])
def test_an_entry_that_the_picture_does_not_have_is_none(entry):
    trace, view, leaf = following(0)
    lost = structs.replace(view, entry=entry)
    plain = structs.replace(view, entry=None)
    assert to_svg(lost, None, "en") == to_svg(plain, None, "en") and sentence(lost, "en") == sentence(plain, "en")
    assert inspector_html(inspection(trace, lost, leaf, "en"), lost, "en") == inspector_html(
        inspection(trace, plain, leaf, "en"), plain, "en"
    )


def test_what_goes_opposite_ways_adds_up_to_nothing_in_numbers():
    program = (
        "import torch\nx = torch.arange(12., requires_grad=True)\ny = 3 * x\nz = -3 * x\n(y.sum() + z.sum()).backward()"
    )
    trace, view, leaf = following(4, program)
    assert sentence(view, "en") == "∂(y.sum() + z.sum())/∂x[4] = 0: 3 arrives through y, −3 through z."
    told = inspector_html(inspection(trace, view, leaf, "en"), view, "en").partition("sum at [4]")
    assert "+3" in told[0] and "−3" in told[0] and ">0</td>" in told[2]

"""Models as people build them, recorded in this process: each has a picture that a person can read, and opens."""

import pytest
import torch

import explorer
from explorer.analysis.autograd import NOTHING_OPENED, graph_view
from explorer.analysis.autograd.outline import READABLE
from explorer.api.answers import answering
from explorer.drawing.graph.dot import to_dot
from tests.zoo import ZOO, loss_of

MOST = READABLE + 4  # leaves that several cards share are counted when the picture is done


def recorded(name: str):
    """A model and the Trace of its forward and backward."""
    torch.manual_seed(0)
    model, given = ZOO[name]()
    with explorer.record() as trace:
        loss = loss_of(model(*given))
        loss.backward()
    return model, trace.check()


@pytest.mark.thorough
@pytest.mark.parametrize("name", ZOO)
def test_a_model_is_recorded_drawn_and_opened(name):
    model, trace = recorded(name)
    states = {row.name.removeprefix("model."): row.state for row in answering(trace).parameters()}
    expected = {
        parameter: "none" if one.grad is None else "flows" if one.grad.any() else "zero"
        for parameter, one in model.named_parameters()
    }
    assert expected.items() <= states.items()

    view = graph_view(trace)
    assert len(view.cards) <= MOST and not view.left_out and to_dot(view)
    closed = [card.module.path for card in view.cards if card.module]
    for path in closed[:: max(1, len(closed) // 3)][:3]:
        opened = graph_view(trace, opened=NOTHING_OPENED.open(path))
        assert len(opened.cards) > len(view.cards) - 1 and path not in {
            card.module.path for card in opened.cards if card.module
        }


def test_a_u_net_goes_down_and_up_and_no_wire_leads_back():
    """Its pools are three and its joins are three, although one line of a loop each makes them."""
    view = graph_view(recorded("unet")[1])
    assert not any(wire.again for wire in view.wires)
    titles = [card.title for card in view.cards]
    assert titles.count("x = F.max_pool2d(x, 2)") == 3 and titles.count("model.downs.1") == 1
    cell = next(card for card in graph_view(recorded("recurrent_cells")[1]).cards if card.fold)
    assert cell.fold.loop and cell.fold.count == 9  # a loop over steps is one all the same

"""Pictures of typical models: what is open initially, and names."""

import types

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import explorer
from explorer.analysis.diagnose.health.report import report
from explorer.analysis.explain.autograd import NOTHING_OPENED, graph_view
from explorer.analysis.explain.autograd.outline import READABLE
from explorer.api.answers import answering
from explorer.drawing.graph.dot import to_dot
from tests.zoo import ZOO, loss_of

MOST = READABLE + 4  # shared leaves are only counted in the finished picture


class Adapted(nn.Module):
    """A frozen layer with a trained detour, as LoRA adds one."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.base = nn.Linear(width, width).requires_grad_(False)
        self.down, self.up = nn.Linear(width, 2, bias=False), nn.Linear(2, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + self.up(self.down(x))


class Layer(nn.Module):
    def __init__(self, width: int, mixed: nn.Module) -> None:
        super().__init__()
        self.norm, self.mixed = nn.LayerNorm(width), mixed
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.mlp(self.mixed(self.norm(x)))


def closed(trace) -> set[str]:
    return {card.module.path for card in graph_view(trace).cards if card.module}


def test_trained_parts_of_a_partly_frozen_model_are_opened():
    model = nn.Sequential(*[Layer(6, Adapted(6)) for _ in range(4)], nn.Linear(6, 6))
    for name, parameter in model.named_parameters():
        parameter.requires_grad_("down" in name or "up" in name)
    with explorer.record() as trace:
        model(torch.randn(3, 6)).square().mean().backward()
    drawn = closed(trace)
    assert drawn == {"model.0.mixed", "model.0.mlp", "model.*", "model.4"}


def test_a_small_model_of_modules_within_modules_is_drawn_as_modules():
    model = nn.Sequential(*[Layer(4, nn.Linear(4, 4)) for _ in range(2)], nn.Linear(4, 1))
    with explorer.record() as trace:
        model(torch.randn(3, 4)).mean().backward()
    assert {"model.0.mlp", "model.1.mlp"} <= closed(trace) and len(graph_view(trace).cards) < 16


def test_losses_in_a_dictionary_are_named_by_key():
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(20)])
            self.head = nn.ModuleDict({"class": nn.Linear(4, 3), "box": nn.Linear(4, 2)})

        def forward(self, x: Tensor) -> dict[str, Tensor]:
            x = self.body(x)
            return {name: head(x).square().mean() for name, head in self.head.items()}

    model = Model()
    x, y = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
    with explorer.record() as trace:
        given = model(x)
        losses = {"plain": F.cross_entropy(model.head["class"](x), y), **given}
        sum(losses.values()).backward()
    names = {binding.name for binding in trace.bindings}
    assert {'losses["plain"]', 'given["class"]', 'given["box"]'} <= names


def library(text: str) -> types.ModuleType:
    """Return a module whose code counts as a library's."""
    made = types.ModuleType("trainer")
    exec(compile(text, "/home/ada/site-packages/trainer.py", "exec"), made.__dict__)
    return made


def test_a_loss_scaled_by_a_trainer_is_named_by_the_programs_line():
    trainer = library("def fit(step):\n    (step() / 2).backward()\n")
    net = nn.Linear(3, 1)

    def step() -> Tensor:
        loss = net(torch.ones(2, 3)).mean()
        return loss

    with explorer.record() as trace:
        trainer.fit(step)
    root = next(card for card in graph_view(trace).cards if card.kind == "out")
    assert root.title == "div(loss)"
    assert report(trace).losses[0].name == "div(loss)"


def test_library_cards_with_equal_titles_are_numbered():
    model = library(
        "import torch\nclass Distance(torch.nn.Module):\n"
        "    def forward(self, x):\n        return ((x**2).sum() ** 2).exp()\n"
    )
    x, distance = torch.full((3,), 0.1, requires_grad=True), model.Distance()
    with explorer.record() as trace:
        distance(x).log().backward()
    titles = [card.title for card in graph_view(trace).cards]
    assert {"distance: pow (1)", "distance: pow (2)", "distance: exp"} <= {*titles}


def recorded(name: str):
    """Return a model and the Trace of its forward and backward."""
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


def test_a_u_net_is_drawn_down_and_up_without_backward_edges():
    """It has three pools and three joins, although a single line in a loop creates each kind."""
    view = graph_view(recorded("unet")[1])
    assert not any(edge.again for edge in view.edges)
    titles = [card.title for card in view.cards]
    assert titles.count("x = F.max_pool2d(x, 2)") == 3 and titles.count("model.downs.1") == 1
    cell = next(card for card in graph_view(recorded("recurrent_cells")[1]).cards if card.fold)
    assert cell.fold.kind == "loop" and cell.fold.count == 9  # a loop over steps is still one loop

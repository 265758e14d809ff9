"""`trace.summary()`: the modules as a plain table."""

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import explorer


def saved(trace) -> Path:
    path = Path(tempfile.mkdtemp()) / "run.trace"
    explorer.save(trace, path)
    return path


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head, self.spare = nn.Embedding(7, 3), nn.Linear(3, 7, bias=False), nn.Linear(2, 2)
        self.body = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        self.head.weight = self.embed.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(self.embed(tokens)))


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(0)
    model = Tied()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with explorer.record() as trace:
        for _ in range(10):
            optimizer.zero_grad()
            loss = model(torch.arange(5)).square().mean()
            loss.backward()
            before = model.body[0].weight.detach().clone()
            optimizer.step()
    return trace, model, before


def test_each_module_has_its_shape_and_parameters_without_counting_shared_twice(trained):
    table, model = trained[0].summary(), trained[1]
    assert [(row.path, row.depth, row.output, row.parameters) for row in table] == [
        ("model", 0, (5, 7), 39),
        ("model.embed", 1, (5, 3), 21),
        ("model.body", 1, (5, 3), 12),
        ("model.body.0", 2, (5, 3), 12),
        ("model.body.1", 2, (5, 3), 0),
        ("model.head", 1, (5, 7), 0),
        ("model.spare", 1, None, 6),
    ]
    assert table["model.head"].tied == ("model.embed.weight",)
    assert table.parameters == table.trained == sum(p.numel() for p in model.parameters())


def test_gradients_and_updates_are_from_the_last_step(trained):
    trace, model, before = trained
    layer, row = model.body[0], trace.summary()["model.body.0"]
    assert row.gradient_norm == pytest.approx(math.hypot(layer.weight.grad.norm(), layer.bias.grad.norm()))
    moved = [(p.grad * 0.1).norm().item() for p in layer.parameters()]
    length = math.hypot(before.norm(), (layer.bias + 0.1 * layer.bias.grad).detach().norm())
    assert row.update_ratio == pytest.approx(math.hypot(*moved) / length, rel=1e-4)
    assert trace.summary()["model.spare"].update_ratio in (None, 0)


def test_the_table_prints_displays_and_converts_to_pandas(trained):
    trace = trained[0]
    assert "tied to embed.weight" in str(trace.summary()) and "update / weight" in str(trace.summary())
    assert "embed.weight" in trace.summary(lang="zh")._repr_html_()
    assert list(trace.summary(depth=1).to_pandas().index) == ["model"]
    with pytest.raises(KeyError, match=r"model\.head"):
        trace.summary()["model.heat"]
    with pytest.raises(ValueError, match="depth"):
        trace.summary(depth=0)


def test_a_plain_holder_is_not_a_module_and_a_single_parameter_has_a_row():
    class Trainer:
        def __init__(self) -> None:
            self.model = nn.Sequential(nn.Linear(3, 1), nn.Tanh())

    trainer, w = Trainer(), torch.ones(1, requires_grad=True)
    with explorer.record() as trace:
        (trainer.model(torch.ones(2, 3)) * w).sum().backward()
    # Where the run has models, a leaf outside of them is not counted as a parameter.
    assert [row.path for row in trace.summary()] == ["trainer.model", "trainer.model.0", "trainer.model.1"]
    with explorer.record() as trace:
        (w * 2).sum().backward()
    assert [(row.path, row.parameters) for row in trace.summary()] == [("w", 1)]


def test_modules_whose_parameters_a_call_replaces_are_rows():
    net = nn.Linear(3, 1)
    given = {name: parameter.detach() for name, parameter in net.named_parameters()}
    with explorer.record() as trace:
        loss = lambda values: torch.func.functional_call(net, values, (torch.ones(2, 3),)).sum()  # noqa: E731
        torch.func.grad(loss)(given)
    rows = [(row.path, row.parameters) for row in trace.summary()]
    assert rows == [("net", 0), ('given["weight"]', 3), ('given["bias"]', 1)]


def test_an_unnamed_leaf_has_its_own_row():
    def work():
        a = torch.ones(2, requires_grad=True)
        (a.sum() + torch.zeros(()).requires_grad_() + torch.ones(3, requires_grad=True).sum()).backward()

    with explorer.record() as trace:
        work()
    rows = {row.path: row.parameters for row in trace.summary()}
    assert rows == {"a": 2, "torch.zeros(())": 1, "torch.ones(3, requires_grad=True)": 3}


def test_a_module_created_in_forward_is_listed_below_its_caller():
    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return nn.Sequential(nn.ReLU(), nn.Tanh())(self.layer(x)) + x

    net = nn.Sequential(Block(), Block())
    with explorer.record() as trace:
        net(torch.ones(2, 3)).sum().backward()
    block = ["layer", "Sequential", "Sequential.0", "Sequential.1"]
    expected = ["net", "net.0", *(f"net.0.{part}" for part in block), "net.1", *(f"net.1.{part}" for part in block)]
    assert [row.path for row in trace.summary()] == expected


def test_accumulated_gradients_have_the_norm_of_grad_with_their_parts():
    torch.manual_seed(0)
    net, x = nn.Linear(3, 1), torch.randn(8, 3)
    with explorer.record() as trace:
        (net(x[:4]).pow(2).mean() / 2).backward()
        before = [parameter.grad.clone() for parameter in net.parameters()]
        (net(x[4:]).pow(2).mean() / 2).backward()

    def norm(parts):
        return torch.cat([part.flatten() for part in parts]).norm().item()

    after = [parameter.grad for parameter in net.parameters()]
    row = trace.summary()["net"]
    assert row.gradient_norm == pytest.approx(norm(after))
    assert row.parts == pytest.approx((norm(before), norm([one - two for one, two in zip(after, before, strict=True)])))
    assert "before" in str(trace.summary()) and "之前" in str(trace.summary(lang="zh"))
    with explorer.record() as trace:
        net.zero_grad(set_to_none=False)
        net(x).mean().backward()
    assert trace.summary()["net"].parts == ()


def test_the_norm_after_clipping_has_a_column():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    with explorer.record() as trace:
        for _ in range(3):
            optimizer.zero_grad()
            (100 * net(torch.ones(2, 3)).square()).sum().backward()
            before = [one.grad.norm().item() for one in net[0].parameters()]
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            after = [one.grad.norm().item() for one in net[0].parameters()]
            optimizer.step()
    table = trace.summary()
    assert table["net"].clipped_norm == pytest.approx(1.0, rel=1e-4) and "after clipping" in str(table)
    assert table["0"].gradient_norm == pytest.approx(math.hypot(*before), rel=1e-5)
    assert table["0"].clipped_norm == pytest.approx(math.hypot(*after), rel=1e-5)


def test_without_clipping_there_is_no_such_column():
    net = torch.nn.Linear(3, 1)
    with explorer.record() as trace:
        net(torch.ones(2, 3)).sum().backward()
        net.weight.grad.mul_(0.5)
    assert trace.summary()["net"].clipped_norm is None and "clipping" not in str(trace.summary())


@dataclass
class Scores:
    loss: torch.Tensor
    logits: torch.Tensor


class Head(nn.Module):
    def __init__(self, result: type) -> None:
        super().__init__()
        self.layer, self.drop, self.result = nn.Linear(3, 4), nn.Dropout(), result

    def forward(self, x: torch.Tensor, scale: float = 1.0) -> Any:
        logits = self.drop(self.layer(x)) * scale
        return self.result(loss=logits.square().mean(), logits=logits)


@pytest.mark.parametrize("result", [Scores, dict])
def test_a_result_with_names_shows_their_shapes(result, tmp_path):
    net = Head(result)
    with explorer.record() as trace:
        net(torch.ones(2, 3), scale=2.0)
        given = net(torch.ones(5, 3))
        (given.loss if result is Scores else given["loss"]).backward()
    assert trace.summary()["net"].results == (("loss", ()), ("logits", (5, 4)))
    assert trace.summary()["layer"].results == ()
    explorer.save(trace, tmp_path / "run.trace")
    assert "loss (), logits (5, 4)" in str(explorer.load(tmp_path / "run.trace").summary())


def test_names_are_those_of_state_dict_unless_two_models_have_them():
    first, second = nn.Sequential(nn.ReLU(), nn.Linear(3, 3)), nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Linear(3, 1))
    with explorer.record() as trace:
        second(first(torch.ones(2, 3))).sum().backward()
    assert [row.name for row in trace.summary()] == [
        *("first", "first.0", "first.1"),
        *("second", "second.0", "second.1", "2"),
    ]
    assert trace.summary()["2"].path == "second.2" and trace.summary()["first.1"].output == (2, 3)


def test_costs_are_measured_without_changing_the_host():
    torch.manual_seed(0)
    net, x = Head(dict), torch.ones(8, 3)
    with explorer.record() as trace:
        net(x, scale=3.0)["loss"].backward()
    before, drawn = [one.grad.clone() for one in net.parameters()], torch.get_rng_state()
    table = trace.summary(cost=True)
    assert table["layer"].cost.flops == table["net"].cost.flops == 2 * 8 * 3 * 4
    assert table["layer"].cost.memory == 8 * 4 * 4 and table["net"].cost.memory >= table["layer"].cost.memory
    assert 0 < table["layer"].cost.forward < table["net"].cost.forward and table["layer"].cost.backward > 0
    assert list(table.to_pandas()["flops"]) == [192, 192, 0]
    assert torch.equal(drawn, torch.get_rng_state()) and all(
        map(torch.equal, before, (p.grad for p in net.parameters()))
    )


def test_costs_under_autocast_are_those_of_the_smaller_dtype():
    net, x = nn.Linear(64, 64), torch.ones(32, 64)
    with explorer.record() as trace, torch.autocast("cpu", torch.bfloat16):
        net(x).float().sum().backward()
    with explorer.record() as plain:
        net(x).sum().backward()
    assert trace.summary(cost=True)["net"].cost.memory != plain.summary(cost=True)["net"].cost.memory


def test_an_argument_that_is_gone_is_replaced_or_reported():
    net, words = nn.Linear(3, 3), nn.Embedding(5, 3)
    with explorer.record() as trace:
        net(words(torch.arange(4))).sum().backward()
    assert trace.summary(cost=True)["net"].cost.flops == 2 * 4 * 3 * 3
    assert trace.summary(cost=True)["words"].cost is None  # the indices matter
    with explorer.record() as trace:
        words(torch.arange(4)).sum().backward()
    with pytest.raises(LookupError, match="words cannot be called again"):
        trace.summary(cost=True)
    with pytest.raises(LookupError, match=r"explorer\.record"):
        explorer.load(saved(trace)).summary(cost=True)

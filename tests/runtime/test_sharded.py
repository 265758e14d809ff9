"""FSDP2: a module computes with its own tensor, whose gradient belongs to the sharded parameter."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import explorer
from explorer.trace.steps import FEW
from tests.patience import leave_process_group


@pytest.fixture
def shard():
    """Shards parts of a model in a group of one process."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    group = torch.distributed
    group.init_process_group("gloo", store=group.HashStore(), rank=0, world_size=1)
    mesh = init_device_mesh("cpu", (1,))
    yield lambda *parts: [fully_shard(part, mesh=mesh) for part in parts]
    leave_process_group()


class Scaled(nn.Module):
    """Reads its parameters by attribute and leaves one unused."""

    def __init__(self):
        super().__init__()
        self.scale, self.unused = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))

    def forward(self, x):
        scale = self.scale
        return x * scale


def training(shard=lambda *parts: None, passes=1):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2), Scaled())
    x, y = torch.randn(8, 4), torch.randn(8, 2)
    shard(model[0], model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(passes):
        F.mse_loss(model(x), y).backward()
    optimizer.step()
    return model


def of_model(trace):
    """Return name → state, gradient, and `.grad` before and after, except for the unused parameter."""
    rows = [row for row in trace.parameters() if not row.name.endswith("unused")]
    return {row.name: (row.state, row.gradient, row.held, row.grad) for row in rows}


def curves(trace):
    """Return each leaf's recorded gradients over the training's steps, by name."""
    return {leaf.name: (leaf.gradients, leaf.values, leaf.before, leaf.used) for leaf in trace.trace.steps.leaves}


@pytest.mark.parametrize("passes", (1, FEW + 2))
def test_a_sharded_parameter_has_the_gradient_of_the_plain_one(shard, passes):
    with explorer.record() as plain:
        model = training(passes=passes)
    assert {"model.0.weight", "model.3.scale"} < {*of_model(plain)}
    with explorer.record() as sharded:
        model = training(shard, passes)
    assert of_model(sharded) == of_model(plain)
    [weight] = [one for name, one in model.named_parameters() if name == "0.weight"]
    assert torch.equal(
        sharded.gradient("model.0.weight", passes).tensor, plain.gradient("model.0.weight", passes).tensor
    )
    assert weight.grad.to_local().flatten().tolist() == [*sharded.parameters()["model.0.weight"].grad.entries]
    report = sharded.report()
    assert report.sound
    [group] = report.optimizers.optimizers[0].groups
    assert {*group.trains} == {*of_model(plain)} and not report.optimizers.in_none
    assert curves(sharded) == curves(plain) and bool(curves(plain)) is (passes > FEW)


def test_a_torch_without_these_attributes_is_supported(shard, monkeypatch):
    monkeypatch.delattr("torch.distributed._composable_state._module_state_mapping")
    with pytest.raises((NameError, AttributeError)):
        shard(nn.Linear(1, 1))
    with explorer.record() as trace:
        training()
    assert trace.report().sound and "lost" not in {limit.kind for limit in trace.limits}

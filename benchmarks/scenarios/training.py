"""Training loops: optimizers, accumulation, clipping, modes, schedules, mixed precision."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from benchmarks.scenarios import data, kinds, mlp, remarks, scenario, states


@scenario
def sound_training(record):
    """A sound loop of 30 steps: nothing at all is said against it, and the steps are there as a table."""
    net, x = mlp(3, 16, 1), data(32, 3)
    y = x.sum(1, keepdim=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    with record() as trace:
        for _ in range(30):
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()

    def facts():
        report = trace.report()
        assert report.sound and not report.diagnoses and not report.training, report
        table = trace.steps.to_pandas()
        assert len(table) == 30 and table["loss"].iloc[-1] < table["loss"].iloc[0]
        audit = report.optimizers.optimizers[0]
        assert (audit.kind, audit.steps) == ("Adam", 30) and len(audit.groups[0].trains) == 4

    return net, facts


@scenario
def forgotten_zero_grad(record):
    """zero_grad forgotten: a fault that says so, and it is not said of accumulation that is meant."""
    net, x = mlp(3, 4, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with record() as trace:
        for _ in range(12):
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()

    def facts():
        found = kinds(trace) | remarks(trace)
        assert found & {"gradient_stale", "uncleared"} and not trace.report().sound

    return net, facts


@scenario
def accumulation(record):
    """Four micro-batches per step is sound; no stale gradient is told."""
    net, x = mlp(3, 4, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with record() as trace:
        for step in range(12):
            loss = net(x).square().mean() / 4
            loss.backward()
            if step % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()

    def facts():
        assert trace.report().sound and not kinds(trace), trace.report()
        assert not remarks(trace) & {"uncleared"}

    return net, facts


@scenario
def zero_grad_between(record):
    """zero_grad between backward and step: no step ever changes anything."""
    net, x = mlp(3, 4, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with record() as trace:
        for _ in range(3):
            loss = net(x).square().mean()
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()

    def facts():
        assert "step_without_gradient" in kinds(trace, "fault") and not trace.report().sound

    return net, facts


@scenario
def clipped_gradients(record):
    """clip_grad_norm_ to 0.1: what arrived and what the optimizer used are told apart."""
    net, x = mlp(3, 4, 1), data(8, 3) * 100
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        optimizer.step()

    def facts():
        arrived = math.sqrt(sum(trace.gradient(f"net.{n}").norm ** 2 for n, _ in net.named_parameters()))
        held = math.sqrt(sum(trace.grad(f"net.{n}").norm ** 2 for n, _ in net.named_parameters()))
        assert arrived > 1 and abs(held - 0.1) < 1e-4
        assert "clip" in str(trace.why("net.0.weight.grad"))
        assert trace.report().sound

    return net, facts


@scenario
def clipped_too_late(record):
    """Clipping after the step does nothing: told."""
    net, x = mlp(3, 4, 1), data(8, 3) * 100
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-6)
    with record() as trace:
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
            nn.utils.clip_grad_norm_(net.parameters(), 0.1)

    def facts():
        assert "clip_unused" in kinds(trace)

    return net, facts


@scenario
def frozen_backbone(record):
    """A frozen backbone with a trained head is sound; frozen is not none."""
    backbone, head, x = mlp(3, 8, 4).requires_grad_(False), nn.Linear(4, 1), data(8, 3)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    with record() as trace:
        for _ in range(3):
            optimizer.zero_grad()
            head(backbone(x)).square().mean().backward()
            optimizer.step()

    def facts():
        found = states(trace)
        assert found["backbone.0.weight"] == "frozen" and found["head.weight"] == "flows"
        assert trace.report().sound and not kinds(trace, "fault", "note"), trace.report()

    return (backbone, head), facts


@scenario
def frozen_in_the_optimizer(record):
    """The optimizer holds a frozen layer: named in its audit."""
    net, x = mlp(3, 4, 1), data(8, 3)
    net[0].requires_grad_(False)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    with record() as trace:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        optimizer.step()

    def facts():
        group = trace.report().optimizers.optimizers[0].groups[0]
        assert set(group.frozen) == {"net.0.weight", "net.0.bias"}
        assert set(group.trains) == {"net.2.weight", "net.2.bias"}

    return net, facts


@scenario
def parameter_in_no_optimizer(record):
    """A head that no optimizer holds gets gradients and never moves: told by name."""
    body, head, x = mlp(3, 8, 4), nn.Linear(4, 1), data(8, 3)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    with record() as trace:
        for _ in range(3):
            optimizer.zero_grad()
            head(body(x)).square().mean().backward()
            optimizer.step()

    def facts():
        assert set(trace.report().optimizers.in_none) == {"head.weight", "head.bias"}
        assert kinds(trace) & {"layer_forgotten", "not_in_optimizer"}

    return (body, head), facts


@scenario
def parameter_in_two_optimizers(record):
    """A shared layer is stepped by two optimizers: named."""
    shared, left, right, x = nn.Linear(3, 4), nn.Linear(4, 1), nn.Linear(4, 1), data(8, 3)
    first = torch.optim.SGD([*shared.parameters(), *left.parameters()], lr=0.1)
    second = torch.optim.Adam([*shared.parameters(), *right.parameters()], lr=0.1)
    with record() as trace:
        for optimizer, head in ((first, left), (second, right)):
            optimizer.zero_grad()
            head(shared(x)).square().mean().backward()
            optimizer.step()

    def facts():
        assert set(trace.report().optimizers.in_several) == {"shared.weight", "shared.bias"}

    return (shared, left, right), facts


@scenario
def rates_per_group(record):
    """Groups with their own rate and decay; one has lr=0 by mistake."""
    net, x = mlp(3, 4, 1), data(8, 3)
    groups = [{"params": net[0].parameters(), "lr": 0.0}, {"params": net[2].parameters(), "weight_decay": 0.1}]
    optimizer = torch.optim.AdamW(groups, lr=0.05, weight_decay=0.0)
    with record() as trace:
        for _ in range(10):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()

    def facts():
        found = trace.report().optimizers.optimizers[0].groups
        assert [(group.rate, group.weight_decay) for group in found] == [(0.0, 0.0), (0.05, 0.1)]
        assert "unmoved" in remarks(trace), trace.report()
        assert not trace.report().optimizers.in_several

    return net, facts


@scenario
def schedule(record):
    """OneCycle: the rate per step is in the table, first and last in the audit."""
    net, x = mlp(3, 4, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=20)
    with record() as trace:
        for _ in range(20):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
            scheduler.step()

    def facts():
        rates = trace.steps.to_pandas()["rate"]
        assert rates.iloc[0] < rates.max() and abs(rates.max() - 0.1) < 1e-6
        assert trace.report().sound and not kinds(trace, "fault", "note"), trace.report()

    return net, facts


@scenario
def scheduler_before_optimizer(record):
    """scheduler.step() before optimizer.step(): told."""
    net, x = mlp(3, 4, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with record() as trace:
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            scheduler.step()
            optimizer.step()

    def facts():
        assert "schedule_first" in kinds(trace)

    return net, facts


@scenario
def lbfgs_closure(record):
    """LBFGS calls its closure several times in a step: every evaluation is a backward, and the loss falls."""
    w = torch.tensor([3.0, -2.0], requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=5)

    def closure():
        optimizer.zero_grad()
        loss = ((w - 1) ** 2 * torch.tensor([1.0, 10.0])).sum()
        loss.backward()
        return loss

    with record() as trace:
        for _ in range(3):
            optimizer.step(closure)

    def facts():
        assert len(trace.backwards) >= 5 and states(trace)["w"] in ("flows", "zero")
        assert trace.report().sound, trace.report()
        assert trace.report().optimizers.optimizers[0].kind == "LBFGS"

    return w, facts


@scenario
def eval_during_training(record):
    """net.train() forgotten after evaluating: told, and the mode stands in the audit."""
    net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
    x = data(16, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with record() as trace:
        for _ in range(3):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
            net.eval()
            with torch.no_grad():
                net(x)

    def facts():
        assert any("eval" in mode.modes for mode in trace.report().optimizers.modes)
        assert "wrong_mode" in kinds(trace)

    return net, facts


@scenario
def train_then_evaluate(record):
    """train, then eval under no_grad, then train again: sound, no mode is told as wrong."""
    net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 1))
    x = data(16, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with record() as trace:
        for _ in range(3):
            net.train()
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
            net.eval()
            with torch.no_grad():
                score = net(x).square().mean().item()

    def facts():
        assert trace.report().sound and not kinds(trace, "fault", "note"), trace.report()
        assert {mode.modes for mode in trace.report().optimizers.modes} == {"net train"} and score > 0

    return net, facts

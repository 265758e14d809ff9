"""Gradients that are missing, zero, too large, NaN or altered."""

import torch
from torch import nn
from torch.nn import functional as F

from benchmarks.scenarios import data, kinds, mlp, scenario, states, why


@scenario
def detached_activation(record):
    """A detach in the middle: the layers before it have no gradient, and the line that cut is named."""
    net, x = mlp(3, 4, 4, 1), data(5, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with record() as trace:
        hidden = net[0](x)
        cut = hidden.detach()
        loss = net[4](F.relu(net[2](cut))).square().mean()
        loss.backward()
        optimizer.step()

    def facts():
        assert states(trace)["net.0.weight"] == "none" and states(trace)["net.4.weight"] == "flows"
        assert "hidden.detach()" in why(trace, "net.0.weight")
        assert not trace.report().sound
        assert "gradient_cut" in kinds(trace, "fault")

    return net, facts


@scenario
def no_grad_left_on(record):
    """A forward under no_grad: backward raises, and the report names the cause."""
    net, x = mlp(3, 4, 1), data(5, 3)
    trace = None
    try:
        with record() as trace:
            with torch.no_grad():
                prediction = net(x)
            loss = prediction.square().mean()
            loss.backward()
    except RuntimeError:
        pass

    def facts():
        assert trace.report().status == "error" and not trace.report().sound
        assert "no_grad" in str(trace.report())
        assert set(states(trace).values()) == {"none"}

    return None, facts


@scenario
def item_in_the_loss(record):
    """A loss made of numbers (`.item()`) reaches no parameter of that branch."""
    net, head, x = mlp(3, 4, 1), nn.Linear(3, 1), data(5, 3)
    with record() as trace:
        penalty = net(x).square().mean().item()
        loss = head(x).square().mean() + penalty
        loss.backward()

    def facts():
        assert states(trace)["net.0.weight"] == "none" and states(trace)["head.weight"] == "flows"
        assert "item" in why(trace, "net.0.weight")

    return (net, head), facts


@scenario
def dead_relu(record):
    """Biases of −100 kill a ReLU: zeros, not None, and the place is found."""
    net, x = mlp(3, 4, 1), data(5, 3)
    with torch.no_grad():
        net[0].bias.fill_(-100.0)
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert states(trace)["net.0.weight"] == "zero" and states(trace)["net.2.bias"] == "flows"
        assert trace.grad("net.0.weight").is_zero
        assert "gradient_stopped" in kinds(trace)

    return net, facts


@scenario
def argmax_stops(record):
    """argmax and rounding have slope 0 or no gradient at all; the line is named."""
    w = torch.tensor([0.3, 1.7], requires_grad=True)
    with record() as trace:
        loss = (torch.round(w * 3) - 2).square().sum()
        loss.backward()

    def facts():
        assert states(trace)["w"] == "zero"
        assert "step_function" in kinds(trace)

    return w, facts


@scenario
def vanishing_in_thirty_sigmoids(record):
    """Thirty sigmoid layers: the first gradient is 1e-10 of the last; a note says so."""
    net = nn.Sequential(*[part for _ in range(30) for part in (nn.Linear(8, 8), nn.Sigmoid())], nn.Linear(8, 1))
    x = data(16, 8)
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert trace.grad("net.0.weight").norm < 1e-8 * trace.grad("net.60.weight").norm
        assert "gradient_vanishes" in kinds(trace)
        assert states(trace)["net.0.weight"] == "flows"

    return net, facts


@scenario
def exploding_recurrence(record):
    """A recurrence with a factor of 3: the gradient grows until it is infinite, and the first bad line is found."""
    w, h = torch.tensor(3.0, requires_grad=True), torch.tensor(1.0)
    with record() as trace:
        for _ in range(100):
            h = h * w
        h.backward()

    def facts():
        first = trace.nonfinite()[0]
        assert first.phase == "forward" and first.code == "h * w"
        assert states(trace)["w"] == "nonfinite" and not trace.report().sound

    return w, facts


@scenario
def nan_from_sqrt(record):
    """sqrt at 0: the loss is finite, the gradient NaN, and backward is where it starts."""
    net, x = mlp(3, 4, 1), torch.zeros(2, 3)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.zero_()
    with record() as trace:
        distance = net(x).square().sum().sqrt()
        loss = distance * 2
        loss.backward()

    def facts():
        first = trace.nonfinite()[0]
        assert (first.phase, first.node) == ("backward", "SqrtBackward0")
        assert "sqrt" in first.code
        assert trace.report().sound is False

    return net, facts


@scenario
def nan_behind_where(record):
    """torch.where does not protect: the gradient of the branch not taken is NaN."""
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    with record() as trace:
        safe = torch.where(x > 0, x.log(), torch.zeros_like(x))
        loss = (x / x.sum() * safe).sum() + torch.where(x > 0, x / x, 0.0).sum()
        loss.backward()

    def facts():
        assert {origin.phase for origin in trace.nonfinite() if origin.reaches} >= {"backward"}
        assert states(trace)["x"] == "nonfinite"

    return x, facts


@scenario
def log_of_softmax(record):
    """log(softmax) of large scores: −inf in the forward at the log, named as first."""
    w = torch.tensor([[1000.0, 0.0]], requires_grad=True)
    with record() as trace:
        p = torch.softmax(w, 1)
        loss = -(p.log() * torch.tensor([[0.0, 1.0]])).sum()
        loss.backward()

    def facts():
        first = trace.nonfinite()[0]
        assert (first.phase, first.kind, first.code) == ("forward", "-inf", "p.log()")

    return w, facts


@scenario
def nan_in_the_data(record):
    """One NaN among the inputs: said to have come with the data, not made by an operation."""
    net, x = mlp(3, 4, 1), data(5, 3)
    x[2, 1] = float("nan")
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        first = trace.nonfinite()[0]
        assert (first.phase, first.name, first.index) == ("given", "x", (2, 1))

    return net, facts

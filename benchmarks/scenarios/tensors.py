"""Tensors: indexing, dtypes, views, writes in place, losses of wrong shape."""

import torch
from torch import nn
from torch.nn import functional as F

import explorer
from benchmarks.scenarios import data, kinds, mlp, scenario, states


@scenario
def gather_and_scatter(record):
    """gather, scatter_add, index_put_ and masked assignment: gradients are those of the entries chosen."""
    w = torch.arange(6.0).reshape(2, 3).requires_grad_()
    with record() as trace:
        picked = w.gather(1, torch.tensor([[2], [0]]))
        spread = torch.zeros(2, 3).scatter_add(1, torch.tensor([[1], [1]]), picked)
        board = torch.zeros(2, 3)
        board[0, 1] = w[1, 1]
        board = board.index_put((torch.tensor([1]), torch.tensor([2])), w[0, 0])
        loss = spread.sum() * 2 + board.sum() * 3
        loss.backward()

    def facts():
        assert trace.gradient("w").tolist() == [[3, 0, 2], [2, 3, 0]] and trace.report().sound, trace.report()

    return w, facts


@scenario
def complex_numbers(record):
    """A complex leaf: its gradient is complex, by torch's convention, and shown."""
    z = torch.tensor([1 + 2j, 0.5 - 1j], requires_grad=True)
    with record() as trace:
        loss = torch.fft.fft(z).abs().square().sum()
        loss.backward()

    def facts():
        assert torch.allclose(trace.gradient("z").tensor, 4 * z.detach()) and states(trace)["z"] == "flows"
        assert explorer.draw(trace).svg(standalone=True) and "z" in str(trace.why("z.grad"))

    return z, facts


@scenario
def leaves_of_every_dtype(record):
    """float64, float32, bfloat16 and float16 leaves in one graph keep their own dtype's gradient."""
    leaves = {d: torch.ones(3, dtype=getattr(torch, d), requires_grad=True) for d in ("float64", "bfloat16", "float16")}
    with record() as trace:
        a, b, c = leaves.values()
        loss = (a * b.double() * c.double()).sum()
        loss.backward()

    def facts():
        assert [trace.gradient(name).tensor.dtype for name in "abc"] == [torch.float64, torch.bfloat16, torch.float16]
        assert trace.report().sound

    return list(leaves.values()), facts


@scenario
def views_and_expand(record):
    """An expanded leaf sums its copies' gradients; a write into a view is followed to its base."""
    w = torch.tensor([[1.0], [2.0]], requires_grad=True)
    with record() as trace:
        wide = w.expand(2, 5)
        base = torch.zeros(2, 5)
        base[:, 1:3] = wide[:, :2]
        loss = (base * wide).sum()
        loss.backward()

    def facts():
        assert torch.equal(trace.gradient("w").tensor, w.grad) and trace.report().sound, trace.report()
        assert not kinds(trace, "fault", "note"), trace.report()

    return w, facts


@scenario
def leaf_written_in_place(record):
    """An in-place write to a leaf raises; the report shows the line and a remedy."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    try:
        with record() as trace:
            w -= 0.1 * w
    except RuntimeError:
        pass

    def facts():
        assert trace.report().status == "error" and "w -= 0.1 * w" in str(trace.report())

    return None, facts


@scenario
def leaf_replaced(record):
    """w = w - lr * w.grad makes a new tensor without .grad: told in the second round."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    kept = w
    try:
        with record() as trace:
            for _ in range(2):
                loss = w.square().sum()
                loss.backward()
                w = w - 0.1 * w.grad
    except TypeError:
        pass

    def facts():
        assert "leaf_rebound" in kinds(trace) or "leaf" in str(trace.report()), trace.report()

    return kept, facts


@scenario
def batch_of_variational_samples(record):
    """A VAE: the sample's gradient flows through mean and log-variance."""
    encoder, decoder, x = nn.Linear(3, 4), nn.Linear(2, 3), data(8, 3)
    with record() as trace:
        mean, spread = encoder(x).chunk(2, 1)
        z = mean + torch.randn_like(mean) * (spread / 2).exp()
        divergence = -0.5 * (1 + spread - mean.square() - spread.exp()).sum(1).mean()
        loss = F.mse_loss(decoder(z), x) + divergence
        loss.backward()

    def facts():
        assert set(states(trace).values()) == {"flows"} and trace.report().sound
        assert trace.gradient("spread") is not None

    return (encoder, decoder), facts


@scenario
def large_tensor_statistics(record):
    """A million entries: minimum, maximum, norm are those of all; one NaN among them is counted."""
    w = torch.zeros(1000, 1000, requires_grad=True)
    with record() as trace:
        loss = (w * 3).sum()
        loss.backward()
    with record() as broken:
        spoiled = w.detach().clone()
        spoiled[999, 998] = float("nan")
        bad = (spoiled * w).sum()

    def facts():
        assert trace.grad("w").norm == 3000.0 and trace.grad("w").maximum == 3.0
        assert broken["spoiled"].nonfinite == 1 and broken.nonfinite()[0].name == "spoiled"
        assert bad.isnan()

    return w, facts


@scenario
def broadcast_loss(record):
    """(8, 1) against (8,): the loss compares everything with everything."""
    net, x, y = mlp(3, 4, 1), data(8, 3), data(8)
    with record() as trace:
        loss = F.mse_loss(net(x), y)
        loss.backward()

    def facts():
        assert "loss_broadcast" in kinds(trace) and not trace.report().sound

    return net, facts


@scenario
def probabilities_into_cross_entropy(record):
    """softmax before cross_entropy: told."""
    net, x, y = mlp(3, 8, 4), data(8, 3), torch.arange(8) % 4
    with record() as trace:
        loss = F.cross_entropy(net(x).softmax(1), y)
        loss.backward()

    def facts():
        assert "probabilities_as_scores" in kinds(trace)

    return net, facts

"""Objectives: teachers, GANs, several losses, rewards, meta learning, mixed precision."""

import torch
from torch import nn
from torch.nn import functional as F

from benchmarks.scenarios import data, kinds, mlp, remarks, scenario, states


@scenario
def ema_teacher(record):
    """A teacher by moving average: frozen and in no graph, and sound."""
    student, x = mlp(3, 4, 1), data(8, 3)
    teacher = mlp(3, 4, 1).requires_grad_(False)
    teacher.load_state_dict(student.state_dict())
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    with record() as trace:
        for _ in range(3):
            with torch.no_grad():
                target = teacher(x)
            loss = F.mse_loss(student(x + 0.1), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for old, new in zip(teacher.parameters(), student.parameters(), strict=True):
                    old.mul_(0.9).add_(new, alpha=0.1)

    def facts():
        assert trace.report().sound and not kinds(trace, "fault", "note"), trace.report()
        assert states(trace)["teacher.0.weight"] == "frozen"

    return student, facts


@scenario
def target_not_detached(record):
    """A Q-learning target with its graph: the gradient runs through it, told."""
    q, x, following, reward = mlp(3, 8, 2), data(8, 3), data(8, 3) + 1, torch.ones(8)
    optimizer = torch.optim.SGD(q.parameters(), lr=0.1)
    with record() as trace:
        target = reward + 0.9 * q(following).max(1).values
        chosen = q(x)[:, 0]
        loss = F.mse_loss(chosen, target)
        loss.backward()
        optimizer.step()

    def facts():
        assert "target_moves" in kinds(trace)

    return q, facts


def _gan(record, detach):
    generator, critic, noise, real = mlp(2, 8, 3), mlp(3, 8, 1), data(8, 2), data(8, 3)
    of_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
    of_d = torch.optim.Adam(critic.parameters(), lr=1e-3)
    ones, zeros = torch.ones(8, 1), torch.zeros(8, 1)
    with record() as trace:
        for _ in range(2):
            fake = generator(noise)
            seen = fake.detach() if detach else fake
            of_d.zero_grad()
            judged = F.binary_cross_entropy_with_logits(critic(real), ones)
            loss_d = judged + F.binary_cross_entropy_with_logits(critic(seen), zeros)
            loss_d.backward(retain_graph=not detach)
            of_d.step()
            of_g.zero_grad()
            loss_g = F.binary_cross_entropy_with_logits(critic(generator(noise)), ones)
            loss_g.backward()
            of_g.step()
    return trace, generator, critic


@scenario
def gan(record):
    """Two optimizers, the fake detached: sound, and each optimizer's parameters are told apart."""
    trace, generator, critic = _gan(record, detach=True)

    def facts():
        report = trace.report()
        assert report.sound and not kinds(trace, "fault"), report
        trained = {audit.name: audit.groups[0].trains for audit in report.optimizers.optimizers}
        assert {name.partition(".")[0] for name in trained["of_g"]} == {"generator"}
        assert {name.partition(".")[0] for name in trained["of_d"]} == {"critic"}
        assert not report.optimizers.in_none

    return (generator, critic), facts


@scenario
def gan_without_detach(record):
    """The detach forgotten: the first backward reaches the generator too, and its gradient can be asked for."""
    trace, generator, critic = _gan(record, detach=False)

    def facts():
        assert trace.gradient("generator.0.weight", backward=1) is not None

    return (generator, critic), facts


@scenario
def dict_of_losses(record):
    """Losses in a dict are summed: each loss has its key as name, and its share can be asked for."""
    body, one, two, x = mlp(3, 8, 4), nn.Linear(4, 1), nn.Linear(4, 2), data(8, 3)
    with record() as trace:
        hidden = body(x)
        losses = {"value": one(hidden).square().mean(), "policy": two(hidden).logsumexp(1).mean()}
        total = sum(losses.values())
        total.backward()

    def facts():
        assert trace["losses['value']"] is not None
        assert set(states(trace).values()) <= {"flows", "zero"} and trace.report().sound
        titles = explorer_draw(trace)
        assert "value" in titles and "policy" in titles

    return (body, one, two), facts


def explorer_draw(trace):
    """The text of a picture."""
    import explorer

    return explorer.draw(trace).svg(standalone=True)


@scenario
def several_backwards(record):
    """Two losses, two backward calls, one step: each call's gradient apart, their sum in .grad."""
    net, x = mlp(3, 4, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with record() as trace:
        optimizer.zero_grad()
        net(x).square().mean().backward()
        net(x).abs().mean().backward()
        optimizer.step()

    def facts():
        one, two = (trace.gradient("net.2.bias", backward=n) for n in (1, 2))
        assert torch.allclose(one.tensor + two.tensor, trace.tensor("net.2.bias.grad"))
        assert trace.report().sound, trace.report()

    return net, facts


@scenario
def reinforce(record):
    """REINFORCE: log-probabilities times rewards; sampled actions cut nothing."""
    policy, state = mlp(3, 8, 2), data(8, 3)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    with record() as trace:
        spread = torch.distributions.Categorical(logits=policy(state))
        action = spread.sample()
        reward = (action == 0).float() - 0.5
        loss = -(spread.log_prob(action) * reward).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def facts():
        assert trace.report().sound and not kinds(trace, "fault", "note"), trace.report()
        assert set(states(trace).values()) <= {"flows", "zero"}

    return policy, facts


@scenario
def maml(record):
    """Meta learning: the outer gradient runs through the inner step."""
    net, x = nn.Linear(3, 1), data(8, 3)
    with record() as trace:
        inner = F.mse_loss(net(x), x[:, :1])
        slopes = torch.autograd.grad(inner, list(net.parameters()), create_graph=True)
        fast = [p - 0.1 * g for p, g in zip(net.parameters(), slopes, strict=True)]
        outer = F.mse_loss(F.linear(x, *fast), x[:, 1:2])
        outer.backward()

    def facts():
        assert states(trace)["net.weight"] == "flows" and trace.report().sound, trace.report()
        assert len(trace.backwards) == 2

    return net, facts


@scenario
def bfloat16_autocast(record):
    """CPU autocast: the matmul is bfloat16, the parameters' gradients float32, and sound."""
    net, x = mlp(3, 8, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with record() as trace:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            prediction = net(x)
            loss = prediction.float().square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def facts():
        assert trace["prediction"].dtype.endswith("bfloat16")
        assert trace.grad("net.0.weight").dtype.endswith("float32")
        assert trace.report().sound and not kinds(trace, "fault"), trace.report()
        assert states(trace)["net.0.weight"] == "flows"

    return net, facts


@scenario
def grad_scaler(record):
    """GradScaler on a CPU: gradients arrive scaled, the step uses them unscaled."""
    net, x = mlp(3, 8, 1), data(8, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    with record() as trace:
        optimizer.zero_grad()
        loss = net(x).square().mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()

    def facts():
        assert trace.gradient("net.2.bias").norm > 500 * trace.grad("net.2.bias").norm
        assert trace.report().sound and not kinds(trace, "fault"), trace.report()
        assert [audit.name for audit in trace.report().optimizers.optimizers] == ["optimizer"]

    return net, facts


@scenario
def half_precision_overflow(record):
    """float16 sums overflow: the first infinite operation is named."""
    w = torch.full((8,), 300.0, dtype=torch.float16, requires_grad=True)
    with record() as trace:
        loss = w.square().sum()
        loss.backward()

    def facts():
        first = trace.nonfinite()[0]
        assert first.phase == "forward" and first.kind == "inf" and "square" in first.code

    return w, facts


@scenario
def rate_too_high(record):
    """A rate of 1.5 on a parabola of slope 2: the loss grows, told with the step."""
    w = torch.tensor([1.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.5)
    with record() as trace:
        for _ in range(40):
            optimizer.zero_grad()
            loss = (w**2).sum()
            loss.backward()
            optimizer.step()

    def facts():
        assert remarks(trace) & {"loss-grows", "loss-nonfinite"} or "loss_grows" in kinds(trace), trace.report()

    return w, facts

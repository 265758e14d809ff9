"""Correct idioms of training, small: each returns the tensors it ends with. What `hosts` has is not repeated here."""

import copy
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn

from tests.patience import leave_process_group
from tests.runtime.hosts import perceptron, squared, state, trained

IDIOMS: dict[str, Callable[[], list]] = {}


def idiom(function: Callable[[], list]) -> Callable[[], list]:
    """One of IDIOMS."""
    IDIOMS[function.__name__] = function
    return function


@idiom
def gan_with_fakes_made_without_gradients():
    g, d = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2)), perceptron(2, 4, 1)
    of_g, of_d = torch.optim.Adam(g.parameters(), 0.01), torch.optim.Adam(d.parameters(), 0.01)
    for _ in range(3):
        with torch.no_grad():
            fake = g(torch.randn(8, 2))
        of_d.zero_grad()
        (F.softplus(-d(torch.randn(8, 2) + 3)).mean() + F.softplus(d(fake)).mean()).backward()
        of_d.step()
        of_g.zero_grad()
        F.softplus(-d(g(torch.randn(8, 2)))).mean().backward()
        of_g.step()
    return state(g, d)


@idiom
def dqn():
    online = perceptron(4, 8, 2)
    target = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), 0.01)
    for step in range(4):
        states, actions, rewards = torch.randn(8, 4), torch.randint(2, (8, 1)), torch.randn(8)
        with torch.no_grad():
            aim = rewards + 0.9 * target(torch.randn(8, 4)).max(1).values
        loss = F.smooth_l1_loss(online(states).gather(1, actions).squeeze(1), aim)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2:
            target.load_state_dict(online.state_dict())
    return state(online, target)


@idiom
def byol():
    online, predictor = perceptron(4, 8, 4), nn.Linear(4, 4)
    target = copy.deepcopy(online).requires_grad_(False)
    optimizer = torch.optim.SGD([*online.parameters(), *predictor.parameters()], 0.05)
    for _ in range(3):
        x = torch.randn(8, 4)
        one, other = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
        with torch.no_grad():
            aim = target(other)
        loss = 2 - 2 * F.cosine_similarity(predictor(online(one)), aim, dim=-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), online.parameters(), strict=True):
                slow.mul_(0.9).add_(fast, alpha=0.1)
    return state(online, predictor, target)


@idiom
def ppo():
    policy, critic = perceptron(3, 8, 2), perceptron(3, 8, 1)
    optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], 0.01)
    states = torch.randn(8, 3)
    with torch.no_grad():
        before = torch.distributions.Categorical(logits=policy(states))
        actions = before.sample()
        log = before.log_prob(actions)
        returns = torch.randn(8)
        advantage = returns - critic(states).squeeze(1)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for _ in range(3):
        now = torch.distributions.Categorical(logits=policy(states))
        ratio = (now.log_prob(actions) - log).exp()
        gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        loss = -gain + 0.5 * F.mse_loss(critic(states).squeeze(1), returns) - 0.01 * now.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_([*policy.parameters(), *critic.parameters()], 0.5)
        optimizer.step()
    return state(policy, critic)


class LoRA(nn.Module):
    """A frozen layer with a low-rank change, which begins as none."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Parameter(torch.randn(2, layer.in_features) * 0.1)
        self.up = nn.Parameter(torch.zeros(layer.out_features, 2))

    def forward(self, x):
        return self.layer(x) + x @ self.down.T @ self.up.T


@idiom
def lora():
    model = nn.Sequential(LoRA(nn.Linear(4, 8)), nn.ReLU(), LoRA(nn.Linear(8, 1)))
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], 0.01)
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    for _ in range(4):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    return state(model)


@idiom
def distillation():
    teacher, student = perceptron(4, 16, 3).eval(), perceptron(4, 4, 3)
    optimizer = torch.optim.Adam(student.parameters(), 0.01)
    for _ in range(3):
        x, y = torch.randn(8, 4), torch.randint(3, (8,))
        with torch.no_grad():
            soft = F.softmax(teacher(x) / 2, 1)
        out = student(x)
        loss = F.kl_div(F.log_softmax(out / 2, 1), soft, reduction="batchmean") * 4 + F.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return state(teacher, student)


@idiom
def mean_teacher():
    student = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 2))
    teacher = torch.optim.swa_utils.AveragedModel(student, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.SGD(student.parameters(), 0.1)
    for _ in range(3):
        x, y = torch.randn(8, 4), torch.randint(2, (8,))
        with torch.no_grad():
            aim = teacher(x).softmax(1)
        out = student(x)
        loss = F.cross_entropy(out, y) + F.mse_loss(out.softmax(1), aim)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        teacher.update_parameters(student)
    return state(student, teacher)


@idiom
def truncated_bptt():
    rnn, head = nn.LSTM(2, 4, batch_first=True), nn.Linear(4, 1)
    optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], 0.01)
    sequence, aims, memory = torch.randn(2, 12, 2), torch.randn(2, 12, 1), None
    for at in range(0, 12, 4):
        if memory is not None:
            memory = tuple(one.detach() for one in memory)
        out, memory = rnn(sequence[:, at : at + 4], memory)
        loss = F.mse_loss(head(out), aims[:, at : at + 4])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return state(rnn, head)


@idiom
def scaled_gradients():
    model = perceptron(4, 8, 1)
    optimizer, scaler = torch.optim.SGD(model.parameters(), 0.05), torch.amp.GradScaler("cpu", init_scale=1024.0)
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    for _ in range(3):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = F.mse_loss(model(x).float(), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return state(model)


@idiom
def functional_sgd():
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    w, b = torch.randn(3, 1, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(4):
        loss = F.mse_loss(x @ w + b, y)
        slopes = torch.autograd.grad(loss, (w, b))
        w, b = ((one - 0.1 * slope).detach().requires_grad_() for one, slope in zip((w, b), slopes, strict=True))
    return [w, b]


@idiom
def frozen_extractor_without_gradients():
    features, head = perceptron(4, 8, 8).eval(), nn.Linear(8, 3)
    optimizer = torch.optim.Adam(head.parameters(), 0.01)
    for _ in range(3):
        with torch.no_grad():
            found = features(torch.randn(8, 4))
        optimizer.zero_grad()
        F.cross_entropy(head(found), torch.randint(3, (8,))).backward()
        optimizer.step()
    return state(features, head)


@idiom
def a_schedule_with_warm_up():
    model = perceptron(4, 8, 1)
    optimizer = torch.optim.AdamW(model.parameters(), 0.01, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=4)
    x, y = torch.randn(8, 4), torch.randn(8, 1)
    for _ in range(4):
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        schedule.step()
    return state(model)


@idiom
def adam_in_one_call_of_foreach():
    return trained(model := perceptron(3, 4, 1), squared(model, 8), torch.optim.Adam, foreach=True)


@idiom
def fully_sharded():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    group = torch.distributed
    group.init_process_group("gloo", store=group.HashStore(), rank=0, world_size=1)
    try:
        model, mesh = perceptron(4, 8, 2), init_device_mesh("cpu", (1,))
        for part in (model[0], model[2], model):
            fully_shard(part, mesh=mesh)
        optimizer = torch.optim.Adam(model.parameters(), 0.1)
        x, y = torch.randn(8, 4), torch.randn(8, 2)
        for _ in range(3):
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        return [one.to_local() for one in model.parameters()]
    finally:
        leave_process_group()

"""Steps with optimizers: used gradients, distances, and which backward belongs to which step."""

import json

import numpy as np
import pytest
import torch

import explorer
from explorer.analysis.run.curves import curves
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.runtime.recorder.values import ValueStore
from explorer.trace import Options, Trace, decode, encode
from tests.programs import printed

HEAD = """
import json
import torch
from torch import nn
torch.manual_seed(0)
X = torch.randn(20, 2)
y = X @ torch.tensor([[2.], [-3.4]]) + 4.2
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
log = []
def norm(parameters):
    return sum(float(p.grad.double().square().sum()) for p in parameters if p.grad is not None) ** 0.5
def kept(parameters):
    return [p.detach().clone() for p in parameters]
def moved(before, parameters):
    return [float((p.detach().double() - b.double()).norm()) for b, p in zip(before, parameters)]
"""
PLAIN = """
for step in range(60):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), y)
    loss.backward()
    total, rate = norm(net.parameters()), opt.param_groups[0]["lr"]
    before = kept(net.parameters())
    opt.step()
    log.append([loss.item(), total, total, rate, moved(before, net.parameters())])
"""
LOOPS = {
    "SGD": "opt = torch.optim.SGD(net.parameters(), 0.05)\n" + PLAIN,
    "momentum": "opt = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)\n" + PLAIN,
    "Adam": "opt = torch.optim.Adam(net.parameters(), 0.01)\n" + PLAIN,
    "AdamW, fused": "opt = torch.optim.AdamW(net.parameters(), 0.01, fused=True)\n" + PLAIN,
    "a rate that is a tensor": "opt = torch.optim.SGD(net.parameters(), torch.tensor(0.05))\n"
    + PLAIN.replace('["lr"]', '["lr"].item()'),
    "a schedule": """
opt = torch.optim.SGD(net.parameters(), 0.05)
schedule = torch.optim.lr_scheduler.StepLR(opt, 10, 0.5)
"""
    + PLAIN
    + "    schedule.step()\n",
    "clipped": """
opt = torch.optim.SGD(net.parameters(), 0.05)
for step in range(60):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), y)
    loss.backward()
    total = float(nn.utils.clip_grad_norm_(net.parameters(), 1.0))
    used, before = norm(net.parameters()), kept(net.parameters())
    opt.step()
    log.append([loss.item(), total, used, 0.05, moved(before, net.parameters())])
""",
    "a class": """
class Trainer:
    def __init__(self, net):
        self.net, self.opt = net, torch.optim.RMSprop(net.parameters(), 0.01)
    def step(self):
        self.opt.zero_grad()
        self.loss = nn.functional.mse_loss(self.net(X), y)
        self.loss.backward()
        total, before = norm(self.net.parameters()), kept(self.net.parameters())
        self.opt.step()
        log.append([self.loss.item(), total, total, 0.01, moved(before, self.net.parameters())])
    def fit(self, epochs):
        for epoch in range(epochs):
            for k in range(10):
                self.step()
Trainer(net).fit(6)
""",
}


def run(source: str, cap: int = 400) -> tuple[Trace, list]:
    """Return a program's Trace and its log."""
    program = read_program("-", (HEAD + source + "\nprint('LOG', json.dumps(log))\n").encode())
    trace = execute(program, Options(output_limit=5_000), operation_cap=cap).check()
    return decode(encode(trace)), json.loads(printed(trace).partition("LOG ")[2])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", LOOPS)
def test_an_optimizers_steps_match_the_logged_updates(kind):
    trace, log = run(LOOPS[kind])
    found = curves(trace)
    assert [leaf.name for leaf in found.leaves] == ["net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias"]
    assert len(found) == len(log) == 60
    loss, total, used, rate, moved = zip(*log, strict=True)
    assert found.loss == pytest.approx(loss)
    assert found.gradient_norm == pytest.approx(total, rel=1e-5)
    assert found.used_norm == pytest.approx(used, rel=1e-5)
    assert found.rate == pytest.approx(rate)
    for leaf, steps in zip(found.leaves, zip(*moved, strict=True), strict=True):
        assert leaf.update_norm == pytest.approx(steps, rel=1e-5)
    if kind == "a class":
        assert found.rounds[25] == (("epoch", "2"), ("k", "5"))


def test_two_optimizers_have_separate_places():
    trace, log = run("""
g, d = nn.Linear(2, 2), nn.Linear(2, 1)
opt_g, opt_d = torch.optim.Adam(g.parameters(), 0.01), torch.optim.SGD(d.parameters(), 0.1)
for step in range(50):
    noise = torch.randn(8, 2)
    opt_d.zero_grad()
    loss_d = d(g(noise).detach()).mean() - d(X[:8]).mean()
    loss_d.backward()
    was = kept(d.parameters())
    opt_d.step()
    for p in d.parameters():
        p.data.clamp_(-0.5, 0.5)
    log.append(["d", loss_d.item(), moved(was, d.parameters())])
    opt_g.zero_grad()
    loss_g = -d(g(noise)).mean()
    loss_g.backward()
    was = kept(g.parameters())
    opt_g.step()
    log.append(["g", loss_g.item(), moved(was, g.parameters())])
""")
    assert [place.calls for place in trace.steps.places] == [50, 50]
    for place, name, rate in ((0, "d", 0.1), (1, "g", 0.01)):
        found = curves(trace, place)
        mine = [one for one in log if one[0] == name]
        assert found.loss == pytest.approx([one[1] for one in mine])
        assert set(found.rate[~np.isnan(found.rate)]) == {rate}
        own = [leaf for leaf in found.leaves if leaf.name.startswith(name + ".")]
        for leaf, steps in zip(own, zip(*(one[2] for one in mine), strict=True), strict=True):
            assert leaf.update_norm == pytest.approx(steps, rel=1e-5, abs=1e-9)
        still = [leaf for leaf in found.leaves if not leaf.name.startswith(name + ".")]
        assert all(not leaf.update_norm.any() for leaf in still)  # the critic does not move while the generator learns


def test_a_closure_is_a_step_for_each_of_its_calls():
    trace, log = run("""
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=5)
def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), y)
    loss.backward()
    log.append([loss.item(), norm(net.parameters()), [p.tolist() for p in net.parameters()]])
    return loss
for step in range(8):
    opt.step(closure)
log.append([p.tolist() for p in net.parameters()])
""")
    found, end = curves(trace), log.pop()
    assert len(found) == len(log) > 20
    assert found.loss == pytest.approx([one[0] for one in log])
    assert found.gradient_norm == pytest.approx([one[1] for one in log], rel=1e-5)
    assert set(found.rate) == {0.5}
    assert found.leaves[0].optimizer == "LBFGS"
    for i, leaf in enumerate(found.leaves):
        values = np.array([np.ravel(one[2][i]) for one in log] + [np.ravel(end[i])])
        assert np.array_equal(leaf.values, values[:-1])
        assert np.array_equal(leaf.updates, np.diff(values, axis=0).astype(np.float32))


def test_only_the_last_micro_batch_moves_parameters():
    trace, _ = run("""
opt = torch.optim.SGD(net.parameters(), 0.05)
for step in range(15):
    for part in range(4):
        (nn.functional.mse_loss(net(X[part::4]), y[part::4]) / 4).backward()
    opt.step()
    opt.zero_grad()
""")
    found = curves(trace)
    assert len(found) == 60 and found.rounds[6] == (("step", "1"), ("part", "2"))
    last = np.arange(60) % 4 == 3
    for leaf in found.leaves:
        assert (leaf.update_norm[last] > 0).all() and not leaf.update_norm[~last].any()
        assert (leaf.before > 0).tolist() == (np.arange(60) % 4 > 0).tolist()  # `.grad` grows over the parts
    assert np.isnan(found.rate[~last]).all() and set(found.rate[last]) == {0.05}


def test_another_model_is_another_leaf():
    trace, _ = run("""
for seed in range(3):
    torch.manual_seed(seed)
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), 0.05)
    for step in range(20):
        opt.zero_grad()
        nn.functional.mse_loss(net(X), y).backward()
        opt.step()
""")
    found = curves(trace)
    assert [len(leaf) for leaf in found.leaves] == [20] * 6
    for leaf in found.leaves:  # a new model is not a step of the previous one
        assert leaf.update_norm[-1] <= leaf.update_norm[0]


READ = """
import torch
w, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
opt = torch.optim.{}
for step in range(2):
    opt.zero_grad()
    (w * 3 + b).sum().backward()
    {}
    opt.step()
"""


def _read(made: str, line: str = "pass") -> list[list[str]]:
    """Return the names each step used, gradients by their parameters; "" for unnamed ones."""
    trace = execute(read_program("-", READ.format(made, line).encode()), Options()).check()
    names = {tensor: name for name, tensor in trace.index.bound.items()}
    steps = [row for row in range(len(trace.operations)) if trace.strings[trace.operations.name[row]].endswith(".step")]
    return [[names.get(tensor, "") for tensor in trace.operations.inputs[row]] for row in steps]


@pytest.mark.parametrize("made", ["SGD([w, b], 0.1)", "Adam([w, b], 0.1)", "AdamW([w, b], 0.1)"])
def test_a_step_has_the_same_inputs_with_and_without_foreach(made):
    assert _read(made) == _read(made.replace(")", ", foreach=True)")) == [["w", "b", "", ""]] * 2


def test_optimizer_state_read_by_the_program_is_recorded():
    seen = 'm = opt.state[w]["exp_avg"].sum() if step else None'
    assert [len(used) for used in _read("Adam([w, b], 0.1)", seen)] == [4, 5]


def test_a_failure_inside_an_optimizer_is_its_steps():
    broken = 'opt.state[w]["exp_avg"] = torch.ones(3)'
    trace = execute(read_program("-", READ.format("Adam([w, b], 0.1)", f"if step: {broken}").encode()), Options())
    failed = [row for row, error in enumerate(trace.operations.error) if error >= 0]
    assert [trace.strings[trace.operations.name[row]] for row in failed] == ["Adam.step"]


def named(trace, part: str) -> list[int]:
    """Return the operations with a name that has this in it."""
    return [i for i, name in enumerate(trace.operations.name) if part in trace.strings[name]]


@pytest.mark.parametrize("kind, options", [("SGD", {"momentum": 0.9}), ("AdamW", {}), ("Adam", {"foreach": True})])
def test_a_step_is_one_operation_over_parameters_and_gradients(kind, options):
    w, v = (torch.nn.Parameter(torch.ones(2) * size) for size in (1, 3))
    alone = torch.nn.Parameter(torch.ones(2))
    optimizer = getattr(torch.optim, kind)([w, v, alone], 0.1, **options)
    with explorer.record() as recorded:
        (w * v).sum().backward()
        optimizer.step()
    trace = recorded.trace
    [step] = named(trace, f"{kind}.step")
    changed = {
        i for i in range(len(trace.tensors)) if step in [trace.versions.operation[r] for r in trace.versions_of(i)]
    }
    assert (
        changed == {trace.bound("w"), trace.bound("v")} == set(trace.operations.outputs[step])
        and len(trace.operations.inputs[step]) == 4
    )
    assert recorded["w"].data == tuple(w.tolist())
    assert not named(trace, "add") and not named(trace, "mul_") and len(named(trace, "grad")) == 3


def test_a_closure_within_a_step_is_recorded_and_each_write_before_it_too():
    w = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with explorer.record() as recorded:
        optimizer.step(closure)
    trace = recorded.trace
    assert len(trace.backwards) == len(named(trace, "sum")) >= 2
    rows = [trace.versions.operation[row] for row in trace.versions_of(trace.bound("w"))][1:]
    assert rows and set(rows) <= set(named(trace, "LBFGS.step"))


def test_a_step_that_a_compiler_has_wrapped_is_one_operation(monkeypatch):
    w = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.LBFGS([w], max_iter=1)  # creating it makes torch wrap the class's step
    monkeypatch.setattr(torch.optim.LBFGS, "step", torch.compiler.disable(torch.optim.LBFGS.step))

    def closure():
        loss = (w * w).sum()
        loss.backward()
        return loss

    with explorer.record() as recorded:
        optimizer.step(closure)
    assert named(recorded.trace, "LBFGS.step") and len(named(recorded.trace, "mul")) == 1


def test_memory_written_past_torchs_counter_is_summarised_again():
    large = torch.zeros(200, 200)
    with explorer.record() as recorded:
        seen = large.view(-1)
        large.data.add_(1)
        again = large.view(-1)
    trace = recorded.trace
    assert (recorded["again"].minimum, recorded["again"].norm) == (1.0, 200.0)
    assert seen is not again and trace.status == "ok"


def test_reused_memory_is_not_mistaken_for_a_known_tensor():
    store = ValueStore()
    for number in range(20):
        tensor = torch.full((400, 400), float(number))
        assert store.summaries[store.add(tensor)][:2] == (number, number)
        del tensor


def test_arrays_may_write_unseen():
    large = torch.zeros(400, 400)
    array = large.numpy()
    store = ValueStore()
    store.add(large)
    array[0, 0] = 9
    assert store.summaries[store.add(large)][1] == 9


STEPS_OF_TORCH = """
import torch
from torch import nn
net = nn.Linear(3, 2)
opt = torch.optim.{optimizer}
x = torch.randn(8, 3)
for _ in range(5):
    opt.zero_grad()
    net(x).square().mean().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    {after}
"""


def multiples(optimizer, after="pass"):
    source = STEPS_OF_TORCH.format(optimizer=optimizer, after=after)
    trace = execute(read_program("-", source.encode()), Options()).check()
    return [np.frombuffer(leaf.multiples, "<f8") for leaf in trace.steps.leaves]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "optimizer",
    [
        *("SGD(net.parameters(), 0.1, momentum=0.9, nesterov=True, weight_decay=0.1)", "Adam(net.parameters(), 0.1)"),
        *("AdamW(net.parameters(), 0.1, fused=True)", "RMSprop(net.parameters(), momentum=0.9, centered=True)"),
        *(
            "NAdam(net.parameters())",
            "RAdam(net.parameters())",
            "Adamax(net.parameters())",
            "Adagrad(net.parameters())",
        ),
        *("Adadelta(net.parameters())", "Rprop(net.parameters())", "ASGD(net.parameters())"),
        "SGD([{'params': [net.weight], 'lr': 0.1}, {'params': [net.bias], 'foreach': True}], 0.01, maximize=True)",
    ],
)
def test_a_leaf_moves_once_as_far_as_the_step_of_its_optimizer(optimizer):
    for leaf in multiples(optimizer):
        np.testing.assert_allclose(leaf, 1.0, rtol=1e-3)


def test_a_second_optimizer_doubles_the_movement_and_other_writes_bend_it():
    twice = "torch.optim.SGD(net.parameters(), 0.1).step()"
    assert all(np.allclose(leaf, 2.0, rtol=1e-3) for leaf in multiples("SGD(net.parameters(), 0.1)", twice))
    bent = "net.weight.data.mul_(torch.tensor([0.5, 0.9, 1.0]))"
    weight, bias = multiples("Adam(net.parameters(), 0.1)", bent)
    assert np.isinf(weight).all() and np.allclose(bias, 1.0, rtol=1e-3)


def test_an_own_optimizer_is_not_compared():
    own = "SGD\nclass Own(opt):\n    pass\nopt = Own(net.parameters(), 0.1)"
    assert not any(map(len, multiples(own)))

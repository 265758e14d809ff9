"""torch's own larger machines: compile, func, jit, export, distributed, data, meta and other devices."""

import os
import socket

import torch
from torch import nn
from torch.func import functional_call, grad, hessian, jvp, vmap
from torch.nn import functional as F

import explorer
from benchmarks.scenarios import data, kinds, mlp, scenario, states


@scenario
def compiled_model(record):
    """torch.compile with the eager backend: gradients by name, or a limit that says what was not seen."""
    net, x = mlp(3, 4, 1), data(8, 3)
    compiled = torch.compile(net, backend="eager")
    with record() as trace:
        loss = compiled(x).square().mean()
        loss.backward()

    def facts():
        assert {name.rpartition("_orig_mod.")[2].removeprefix("net.") for name in states(trace)} == {
            name for name, _ in net.named_parameters()
        }, states(trace)
        assert set(states(trace).values()) == {"flows"} and trace.report().sound

    return net, facts


@scenario
def compiled_by_inductor(record):
    """torch.compile as it is (aot_eager stands for a machine without a compiler): gradients by name."""
    net, x = mlp(3, 4, 1), data(8, 3)
    compiled = torch.compile(net, backend="aot_eager")
    with record() as trace:
        loss = compiled(x).square().mean()
        loss.backward()

    def facts():
        assert set(states(trace).values()) == {"flows"} and trace.report().sound, trace.report()

    return net, facts


@scenario
def functional_gradient(record):
    """torch.func.grad of a functional_call: no fault is invented of parameters that .grad never reaches."""
    net, x = mlp(3, 4, 1), data(8, 3)
    weights = {name: parameter.detach() for name, parameter in net.named_parameters()}
    with record() as trace:

        def objective(given):
            return functional_call(net, given, (x,)).square().mean()

        slopes = grad(objective)(weights)
        moved = {name: weights[name] - 0.1 * slopes[name] for name in weights}

    def facts():
        assert trace.report().sound and not kinds(trace, "fault"), trace.report()
        assert len(moved) == 4

    return slopes, facts


@scenario
def per_example_gradients(record):
    """vmap over grad: a gradient per example; the recording holds and is silent about what it cannot see."""
    net, x = nn.Linear(3, 1), data(8, 3)
    weights = {name: parameter.detach() for name, parameter in net.named_parameters()}
    with record() as trace:

        def objective(given, example):
            return functional_call(net, given, (example,)).square().sum()

        each = vmap(grad(objective), in_dims=(None, 0))(weights, x)

    def facts():
        assert each["weight"].shape == (8, 1, 3) and trace.report().sound, trace.report()

    return each, facts


@scenario
def forward_mode(record):
    """jvp and hessian of torch.func: values as without recording."""
    x, v = data(3), torch.ones(3)
    with record() as trace:
        value, slope = jvp(lambda a: (a**3).sum(), (x,), (v,))
        curvature = hessian(lambda a: (a**3).sum())(x)

    def facts():
        assert torch.allclose(curvature.diagonal(), 6 * x) and trace.report().sound, trace.report()

    return (value, slope, curvature), facts


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@scenario
def distributed_data_parallel(record):
    """DDP over gloo, one process: gradients by the name of the wrapped module's parameter."""
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(_free_port()))
    dist.init_process_group("gloo", rank=0, world_size=1)
    try:
        net, x = mlp(3, 4, 1), data(8, 3)
        wrapped = nn.parallel.DistributedDataParallel(net)
        with record() as trace:
            loss = wrapped(x).square().mean()
            loss.backward()
    finally:
        dist.destroy_process_group()

    def facts():
        found = states(trace)
        assert set(found.values()) == {"flows"} and len(found) == 4, found
        assert trace.report().sound

    return net, facts


TWO_RANKS = """
import os, sys, torch, explorer
import torch.distributed as dist
rank = int(sys.argv[1])
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=sys.argv[2])
dist.init_process_group("gloo", rank=rank, world_size=2)
torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
model = torch.nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with explorer.watch(net, optimizer, every=1, share=None, out=sys.argv[3]):
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.full((4, 3), rank + 1.0)).square().mean().backward()
        optimizer.step()
dist.destroy_process_group()
"""


@scenario
def two_ranks_watched(record):
    """Two processes under gloo, watched: one run, two ranks, local and reduced gradients told apart."""
    import subprocess
    import sys
    import tempfile

    folder = os.path.join(tempfile.mkdtemp(), "run")
    port = str(_free_port())
    command = [sys.executable, "-c", TWO_RANKS]

    def facts():
        running = [
            subprocess.Popen([*command, str(rank), port, folder], stderr=subprocess.PIPE, text=True) for rank in (0, 1)
        ]
        errors = [process.communicate(timeout=300)[1] for process in running]
        assert not any(process.returncode for process in running), errors
        run = explorer.load(folder)
        assert [index.rank for index in run.ranks] == [0, 1] and {step.step for step in run.steps} == {1, 2, 3}, run
        table = run.to_pandas()
        assert any("local" in column for column in table.columns), list(table.columns)

    return None, facts


@scenario
def replicas_by_functional_call(record):
    """Replicas that share parameters as DataParallel has them: one gradient, the sum of two halves."""
    net, x = nn.Linear(3, 1), data(8, 3)
    with record() as trace:
        halves = [functional_call(net, dict(net.named_parameters()), (part,)) for part in x.chunk(2)]
        loss = torch.cat(halves).square().mean()
        loss.backward()

    def facts():
        assert states(trace)["net.weight"] == "flows" and len(states(trace)) == 2 and trace.report().sound

    return net, facts


@scenario
def scripted_model(record):
    """A scripted model: its operations are not seen one by one; gradients by name all the same."""
    net, x = mlp(3, 4, 1), data(8, 3)
    scripted = torch.jit.script(net)
    with record() as trace:
        loss = scripted(x).square().mean()
        loss.backward()

    def facts():
        assert len(states(trace)) == 4 and set(states(trace).values()) == {"flows"}, states(trace)
        assert trace.report().sound and explorer.draw(trace).svg(standalone=True)

    return net, facts


@scenario
def exported_model(record):
    """torch.export's module is called and trained as any other."""
    net, x = mlp(3, 4, 1), data(8, 3)
    exported = torch.export.export(net, (x,)).module()
    with record() as trace:
        loss = exported(x).square().mean()
        loss.backward()

    def facts():
        found = states(trace)
        assert len(found) == 4 and set(found.values()) == {"flows"} and trace.report().sound, found

    return exported, facts


@scenario
def exporting_inside(record):
    """Exporting and tracing inside the `with` works as without."""
    net, x = mlp(3, 4, 1), data(8, 3)
    with record() as trace:
        exported = torch.export.export(net, (x,)).module()
        traced = torch.jit.trace(net, x)
        loss = exported(x).square().mean() + traced(x).square().mean()
        loss.backward()

    def facts():
        assert trace.report().sound and torch.isfinite(loss)

    return net, facts


@scenario
def meta_device(record):
    """A model on the meta device has no entries: the picture has shapes, no invented numbers."""
    with torch.device("meta"):
        net, x = mlp(3, 4, 1), torch.empty(8, 3)
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert explorer.draw(trace).svg(standalone=True)
        assert trace.report().sound, trace.report()
        assert trace["loss"] is None or trace["loss"].data is None

    return None, facts


@scenario
def data_loader(record):
    """A DataLoader feeds batches; rows of a report name the loop's variables."""
    from torch.utils.data import DataLoader, TensorDataset

    net, loader = mlp(3, 4, 1), DataLoader(TensorDataset(data(12, 3), data(12, 1)), batch_size=4, shuffle=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with record() as trace:
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()

    def facts():
        assert trace.report().sound and len(trace.backwards) == 3 and not kinds(trace, "fault"), trace.report()
        assert trace["x"].shape == (4, 3)

    return net, facts


@scenario
def anomaly_mode(record):
    """Recording inside detect_anomaly: torch raises, the report names the origin."""
    w = torch.tensor([0.0], requires_grad=True)
    try:
        with record() as trace, torch.autograd.detect_anomaly():
            (w.sqrt() * 0).sum().backward()
    except RuntimeError:
        pass

    def facts():
        assert "w.sqrt()" in str(trace.report()) and not trace.report().sound

    return None, facts


@scenario
def parametrized_weight(record):
    """spectral_norm and weight_norm: the original weights are named and trained."""
    from torch.nn.utils import parametrizations

    net, x = nn.Sequential(parametrizations.spectral_norm(nn.Linear(3, 4)), nn.ReLU(), nn.Linear(4, 1)), data(8, 3)
    parametrizations.weight_norm(net[2])
    with record() as trace:
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        found = states(trace)
        assert all(found[f"net.{name}"] in ("flows", "zero") for name, _ in net.named_parameters()), found
        assert trace.report().sound

    return net, facts


@scenario
def saved_tensor_hooks(record):
    """save_on_cpu and own pack/unpack hooks run as they do without recording."""
    net, x, packed = mlp(3, 4, 1), data(8, 3), []

    def pack(tensor):
        packed.append(tensor.shape)
        return tensor.double()

    with record() as trace, torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor.float()):
        loss = net(x).square().mean()
        loss.backward()

    def facts():
        assert 0 < len(packed) < 12 and trace.report().sound

    return net, facts


@scenario
def tensor_subclass(record):
    """A tensor subclass with __torch_function__ stays what it is."""

    class Logged(torch.Tensor):
        calls = 0

        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            Logged.calls += 1
            return super().__torch_function__(function, types, args, kwargs or {})

    w = data(3).as_subclass(Logged).requires_grad_()
    with record() as trace:
        y = (w * 2).sum()
        y.backward()

    def facts():
        assert type(y) is Logged and Logged.calls and trace.report().sound

    return None, facts

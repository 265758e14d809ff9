"""Recording and drawing leave nothing behind in their host: nothing runs twice, nothing changes."""

import contextlib
import random
import subprocess
import sys
import tempfile
import types
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

import explorer
from explorer.runtime.recorder import node_kinds, nodes
from explorer.trace import PACKED, RECOMPUTED
from tools.footprint import footprint
from tools.footprint import main as run_footprint

ROOT = Path(__file__).parents[2]


class Hooks:
    """Saved-tensor hooks that count how often they unpack a tensor."""

    def __init__(self):
        self.unpacked = 0

    def unpack(self, tensor):
        self.unpacked += 1
        return tensor

    def around(self):
        return saved_tensors_hooks(lambda tensor: tensor, self.unpack)


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.calls = nn.Linear(3, 4), nn.Linear(4, 3), 0

    def forward(self, x):
        self.calls += 1
        return self.second(torch.tanh(self.first(x)))


class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * gradient * ctx.saved_tensors[0]


def known_of_saved(trace):
    return {trace.string(text) for text in trace.saved.constant} & {PACKED, RECOMPUTED}


def test_drawing_a_checkpoint_does_not_run_its_block_again():
    block = Counted()
    loss = checkpoint(block, torch.ones(2, 3, requires_grad=True), use_reentrant=False).square().sum()
    drawn = explorer.draw(loss)
    drawn.html()
    assert block.calls == 1 and known_of_saved(drawn.trace) == {RECOMPUTED}
    loss.backward()
    assert block.calls == 2


@pytest.mark.parametrize("detail", ["light", "complete"])
def test_recording_does_not_rerun_checkpoints(detail):
    block, x = Counted(), torch.ones(2, 3, requires_grad=True)
    before = checkpoint(block, x, use_reentrant=False)
    with explorer.record(detail, full="x.grad[0, 0]") as trace:  # explaining an entry calls nodes
        loss = checkpoint(block, before, use_reentrant=False).square().sum()
        loss.backward()
    trace.report()
    str(trace.why("x.grad[0, 0]"))
    explorer.draw(trace).html()
    assert block.calls == 4


def by_a_custom_function(x):
    return Kept.apply(x).sum()


def by_a_composite(x):
    return nn.functional.multi_head_attention_forward(
        x[:, None], x[:, None], x[:, None], 4, 2, torch.ones(12, 4), torch.ones(12), None, None, False, 0.0,
        torch.ones(4, 4), torch.ones(4),
    )[0].sum()  # fmt: skip


def by_indexing(x):
    return x[torch.tensor([0, 1, 0])].square().sum()


def by_a_product(x):
    return (x @ torch.ones(4, 2)).exp().prod()


@pytest.mark.parametrize("made", [by_a_custom_function, by_a_composite, by_indexing, by_a_product])
def test_recording_runs_no_saved_tensor_hook(made):
    def losses():
        x = torch.ones(3, 4, requires_grad=True)
        with hooks.around():
            loss = made(x)
        return x, loss

    hooks = Hooks()
    losses()[1].backward()
    plain, hooks = hooks.unpacked, Hooks()
    _, loss = losses()
    explorer.draw(loss).html()
    assert not hooks.unpacked
    with explorer.record() as earlier:
        loss.backward()
    with explorer.record(full="x.grad[0, 0]") as trace:
        x, loss = losses()
        loss.backward()
    for recording in (earlier, trace):
        recording.report()
        explorer.draw(recording).html()
    assert hooks.unpacked == 2 * plain and PACKED in known_of_saved(trace)
    assert x.grad is not None


def test_recording_runs_no_hook_of_a_single_saved_tensor():
    hooks, x = Hooks(), torch.ones(3, requires_grad=True)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda tensor: tensor, hooks.unpack)
    with explorer.record() as trace:
        z = y * y
        z.grad_fn._raw_saved_self.register_hooks(lambda tensor: tensor, hooks.unpack)
        loss = z.sum()
    explorer.draw(trace)
    explorer.draw(loss)
    assert not hooks.unpacked


def test_drawing_does_not_unpack_tensors_offloaded_to_the_cpu():
    offload = torch.autograd.graph.save_on_cpu()
    unpacked, give = [], offload.unpack_hook
    offload.unpack_hook = lambda packed: unpacked.append(0) or give(packed)
    with offload:
        loss = nn.Linear(3, 1)(torch.ones(2, 3)).square().sum()
    explorer.draw(loss)
    assert not unpacked


def test_no_hook_runs_if_torch_does_not_expose_hooks(monkeypatch):
    monkeypatch.setattr(node_kinds, "TELLS_HOOKS", False)
    monkeypatch.setattr(nodes, "TELLS_HOOKS", False)
    hooks, x = Hooks(), torch.ones(3, requires_grad=True)
    with hooks.around():
        explorer.draw((x * x).sum())
        with explorer.record() as trace:
            loss = (x * x).sum()
        explorer.draw(loss)
    assert not hooks.unpacked and known_of_saved(trace) == {PACKED}


def test_a_graph_from_before_the_recording_runs_into_a_module():
    weight, model = torch.ones(2, 3, requires_grad=True), Counted()
    before = weight * 2
    with explorer.record() as trace:
        loss = model(before).sum()
        loss.backward()
    assert explorer.draw(trace).view.cards


ENDS = {
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)",
    "exit": "os._exit(0)",
    "forked": "os.fork() or sys.exit(); os.wait(); assert explorer.draw((x * x * x).sum()).positions",
    "workers": "list(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x), num_workers=2))",
}


@pytest.mark.thorough
@pytest.mark.parametrize("end", ENDS)
def test_a_process_that_drew_ends_silently(end):
    program = f"""
import os, signal, sys, time
import torch, explorer
x = torch.ones(3, requires_grad=True)
assert explorer.draw((x * x).sum()).positions
x = x.detach() if {end!r} == "workers" else x
{ENDS[end]}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert not done.stdout + done.stderr


class Moving(nn.Module):
    """A model that changes something in every run."""

    def __init__(self, raises=False):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
        self.net(torch.ones(2, 3)).sum().backward()
        self.register_buffer("last", None)
        self.raises = raises

    def forward(self, x):
        self.last = self.net(x).detach()
        self.net[0].weight.requires_grad_(False)
        self.net[2].eval()
        self.net(x).sum().backward()
        random.random()
        np.random.rand()
        if self.raises:
            raise ValueError("on purpose")
        return self.net(x)


def state_of(model):
    """Return the complete state of a model, and the random states."""
    tensors = {f"buffer {name}": held for name, held in model.named_buffers()}
    tensors |= {f"grad {name}": held.grad for name, held in model.named_parameters()}
    flags = [held.requires_grad for held in model.parameters()] + [module.training for module in model.modules()]
    hooks = [{name: held for name, held in vars(module).items() if "hooks" in name} for module in model.modules()]
    generators = repr((random.getstate(), np.random.get_state(), torch.get_rng_state().tolist()))
    return {name: held.tolist() for name, held in tensors.items()}, flags, repr(hooks), generators


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("drawn", ["model", "method", "function"])
def test_drawing_a_call_restores_the_state_it_changes(raises, drawn):
    model, x = Moving(raises), torch.ones(2, 3)
    what = {"model": model, "method": model.forward, "function": lambda x: model(x).sum()}[drawn]
    before = state_of(model)
    with pytest.warns(RuntimeWarning, match="on purpose") if raises else contextlib.nullcontext():
        picture = explorer.draw(what, x)
    assert state_of(model) == before and picture.view.cards


def test_drawing_keeps_a_graph_with_running_statistics_valid():
    norm, x = nn.BatchNorm1d(3).eval(), torch.ones(2, 3, requires_grad=True)
    loss = norm(x).sum()
    norm.train()
    picture = explorer.draw(norm, x)
    assert picture.view.cards
    loss.backward()


def test_discarding_a_drawing_prints_a_hint(capsys):
    w = torch.ones(2, requires_grad=True)
    kept = explorer.draw((w * w).sum())
    assert not capsys.readouterr().err and kept.view.cards
    explorer.draw((w * w).sum())
    assert "save(" in capsys.readouterr().err


def test_discarding_a_drawing_in_a_notebook_displays_it(monkeypatch, capsys):
    shown = []
    display = types.SimpleNamespace(display=shown.append)
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=display))
    explorer.draw(torch.ones(2, requires_grad=True).sum())
    assert len(shown) == 1 and not capsys.readouterr().err


def one_step(model, x):
    model(x).square().mean().backward()


def recorded_step(model, x):
    with explorer.record() as trace:
        one_step(model, x)
    return trace


def compared(model, x):
    trace = recorded_step(model, x)
    str(explorer.compare(trace, trace))


def saved(model, x):
    with tempfile.TemporaryDirectory() as folder:
        explorer.save(recorded_step(model, x), Path(folder) / "run.trace")
        explorer.load(Path(folder) / "run.trace")


OURS = {
    "draw": (lambda model, x: explorer.draw(model, x).svg(), None),
    "draw a loss": (lambda model, x: explorer.draw(model(x).sum()).svg(), lambda model, x: model(x)),
    "record": (recorded_step, one_step),
    "report": (lambda model, x: recorded_step(model, x).report(), one_step),
    "why": (lambda model, x: str(recorded_step(model, x).why("model.last.bias.grad")), one_step),
    "compare": (compared, one_step),
    "save": (saved, one_step),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("call", OURS)
def test_our_own_calls_leave_no_footprint(call):
    assert not footprint(*OURS[call]).left


def patched(model, x, monkeypatch):
    relu = torch.relu
    monkeypatch.setattr(torch, "relu", lambda x: relu(x))
    model.forward = model.forward
    model.first.register_forward_hook(lambda *_: None)
    model(model.block(torch.relu(torch.randn(4, 16)))[:, :8])
    model.first.weight.requires_grad_(False)
    model.drop.eval()
    model.last.bias.grad = torch.ones(4)


def test_a_footprint_lists_every_change_a_call_leaves(monkeypatch):
    left = footprint(lambda model, x: patched(model, x, monkeypatch)).left
    assert left == {
        "functions": ("torch.relu",),
        "random": ("torch",),
        "hooks": ("first._forward_hooks",),
        "attributes": ("forward",),
        "buffers": ("norm.running_mean", "norm.running_var", "norm.num_batches_tracked"),
        "grad": ("last.bias",),
        "requires_grad": ("first.weight",),
        "training": ("drop",),
        "runs": 1,
    }


@pytest.mark.thorough
def test_the_footprint_tool_runs_on_the_command_line(capsys):
    assert run_footprint(["import torch; torch.manual_seed(1)"]) == 1
    assert "random: 1: torch" in capsys.readouterr().out
    assert run_footprint(["--plain", "model(x)", "model(x).sum()"]) == 0
    assert "times as long" in capsys.readouterr().out


@pytest.mark.thorough
def test_changes_by_torchs_own_imports_are_not_counted():
    source = "from tools.footprint import footprint; print(footprint(lambda m, x: __import__('torch._dynamo')).left)"
    said = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.strip() == "{}"

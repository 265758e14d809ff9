"""Measure what watching every step of a training costs, beside other tools and a handwritten loop.

usage: python -m benchmarks.watch [--models NAME ...] [--rounds 5] [--seconds 4]

A line per model: the plain step in ms of CPU, and what each tool adds to it in percent, the median of rounds in turns.
A round is a number of steps that takes about so many seconds. Tools that are not installed are left out:

    ours      explorer.watch, which keeps within 5 % by leaving out steps (last column: steps with norms)
    all       explorer.watch(share=0): all statistics of every step
    loop      a norm per parameter with .item(), as many write it
    grad_norm lightning.pytorch.utilities.grad_norm, every step
    wandb     wandb.watch(log="all", log_freq=1), offline, with a log of the loss every step
    tensorboard  add_histogram of each gradient, every step
    nansense  a session that watches every layer with parameters, without its page
"""

import argparse
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import nn

import explorer
from benchmarks.models import Made, gpt, mlp, resnet
from explorer.trace.step_statistics import read

Step = Callable[[], object]


def vit() -> Made:
    """Return a small vision transformer's encoder on 32 × 32 images in patches of 4."""
    layer = nn.TransformerEncoderLayer(192, 3, 768, batch_first=True)
    model = nn.Sequential(
        nn.Conv2d(3, 192, 4, 4), nn.Flatten(2), nn.LayerNorm(64), nn.Conv1d(192, 192, 1),
        _Turn(), nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), nn.Flatten(), nn.Linear(64 * 192, 10),
    )  # fmt: skip
    return Made(model, torch.randn(8, 3, 32, 32), torch.randint(10, (8,)))


class _Turn(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Swap features and time."""
        return x.transpose(1, 2)


def many() -> Made:
    """Return a thousand parameters."""
    layers = [layer for _ in range(500) for layer in (nn.Linear(32, 32), nn.Tanh())]
    return Made(nn.Sequential(*layers), torch.randn(256, 32), torch.randint(10, (256,)))


MODELS = {"mlp": mlp, "resnet18": resnet, "gpt": gpt, "vit": vit, "1000 parameters": many}


@contextmanager
def plain(_: nn.Module, __: torch.optim.Optimizer, step: Step) -> Iterator[Step]:
    """Yield the training alone."""
    yield step


@contextmanager
def ours(model: nn.Module, optimizer: torch.optim.Optimizer, step: Step, share: float = 0.05) -> Iterator[Step]:
    """explorer.watch without a recorded step."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        with explorer.watch(model, optimizer, out=out, on=None, every=10**9, share=share):
            step()  # so that step 1 is recorded beforehand
            yield step
        ours.rows = read(out / "steps.stats")[1]  # type: ignore[attr-defined]


@contextmanager
def everything(model: nn.Module, optimizer: torch.optim.Optimizer, step: Step) -> Iterator[Step]:
    """explorer.watch with all statistics of every step."""
    with ours(model, optimizer, step, share=0) as watched:
        yield watched


def _with(step: Step, look: Step) -> Step:
    """Return the step with a look at the gradients after it."""

    def watched() -> None:
        step()
        look()

    return watched


@contextmanager
def loop(model: nn.Module, _: torch.optim.Optimizer, step: Step) -> Iterator[Step]:
    """Yield a norm per parameter."""
    kept: list[dict[str, float]] = []
    named = list(model.named_parameters())
    yield _with(step, lambda: kept.append({name: one.grad.norm().item() for name, one in named}))


@contextmanager
def grad_norm(model: nn.Module, _: torch.optim.Optimizer, step: Step) -> Iterator[Step]:
    """Lightning's norms."""
    from lightning.pytorch.utilities import grad_norm

    kept: list[dict[str, float]] = []
    yield _with(step, lambda: kept.append({name: float(norm) for name, norm in grad_norm(model, 2).items()}))


@contextmanager
def wandb(model: nn.Module, _: torch.optim.Optimizer, step: Step) -> Iterator[Step]:
    """wandb's histograms of gradients and parameters."""
    os.environ |= {"WANDB_MODE": "offline", "WANDB_SILENT": "true"}
    import wandb as library

    with tempfile.TemporaryDirectory() as folder, library.init(dir=folder) as run:
        run.watch(model, log="all", log_freq=1)
        yield _with(step, lambda: run.log({"step": 1}))
        run.unwatch(model)


@contextmanager
def tensorboard(model: nn.Module, _: torch.optim.Optimizer, step: Step) -> Iterator[Step]:
    """TensorBoard's histograms of gradients."""
    from torch.utils.tensorboard import SummaryWriter

    with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
        named = list(model.named_parameters())
        yield _with(step, lambda: [writer.add_histogram(name, one.grad, 0) for name, one in named])


@contextmanager
def nansense(model: nn.Module, optimizer: torch.optim.Optimizer, step: Step) -> Iterator[Step]:
    """Yield steps inside a session's batches."""
    import nansense as library

    session = library.start(model, phases={"train": 10**6}, epochs=1, optimizer=optimizer)
    session.detach()
    session.set_stats_scope("watched")
    held = {name.rpartition(".")[0] for name, _ in model.named_parameters()}
    for name in held.intersection(session.layer_names):
        session.watch(name)

    def watched() -> None:
        with session.batch(phase="train", epoch=0):
            step()

    yield watched
    session.close()


TOOLS = {
    "plain": (plain, ""), "ours": (ours, ""), "all": (everything, ""), "loop": (loop, ""),
    "grad_norm": (grad_norm, "lightning"), "wandb": (wandb, "wandb"), "tensorboard": (tensorboard, "tensorboard"),
    "nansense": (nansense, "nansense"),
}  # fmt: skip


def made(name: str) -> tuple[nn.Module, torch.optim.Optimizer, Step]:
    """Return a model, its optimizer and a step."""
    torch.manual_seed(0)
    model, x, y = MODELS[name]()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)

    def step() -> None:
        optimizer.zero_grad()
        given = model(x)
        loss = given.sum() if y is None else nn.functional.cross_entropy(given.flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()

    return model, optimizer, step


def cost(tool: str, name: str, steps: int) -> float:
    """Return CPU seconds of a step."""
    model, optimizer, step = made(name)
    with TOOLS[tool][0](model, optimizer, step) as watched:
        watched()
        began = time.process_time()
        for _ in range(steps):
            watched()
        return (time.process_time() - began) / steps


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--models", nargs="*", default=list(MODELS))
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--seconds", type=float, default=4.0)
    given = asked.parse_args()
    torch.set_num_threads(1)
    tools = [name for name, (_, needs) in TOOLS.items() if not needs or importlib.util.find_spec(needs)]
    print(f"{'':16}{'plain':>10}" + "".join(f"{tool:>13}" for tool in tools[1:]) + "   steps with norms")
    for name in given.models:
        steps = max(3, int(given.seconds / cost("plain", name, 2)))
        rounds: dict[str, list[float]] = {tool: [] for tool in tools}
        for _ in range(given.rounds):
            for tool in tools:
                rounds[tool].append(cost(tool, name, steps))
                if tool == "ours":
                    rows = ours.rows  # type: ignore[attr-defined]
        base = statistics.median(rounds["plain"])
        added = [
            statistics.median(each / b - 1 for each, b in zip(rounds[t], rounds["plain"], strict=True))
            for t in tools[1:]
        ]
        measured = sum(bool(row.norms) for row in rows) / len(rows)
        print(
            f"{name:16}{base * 1e3:>7.1f} ms" + "".join(f"{one:>12.1%} " for one in added) + f"{measured:>10.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main()

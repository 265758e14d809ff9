"""Report what any library call leaves behind in its process, by comparing a program with and without it.

    python tools/footprint.py "import torchview; torchview.draw_graph(model, input_data=x)"
    python tools/footprint.py --plain "model(x)" "model(x).sum()"

The call is code that uses `model` and `x`; it runs here, unconfined. Exit status 1: something was left.
"""

import argparse
import importlib
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from explorer.runtime.host_state import random_states

_NAMESPACES = (
    torch,
    torch.Tensor,
    torch.nn.functional,
    torch.nn.Module,
    torch.autograd,
    torch.autograd.Function,
    torch.linalg,
    torch.fft,
    torch.special,
    torch.optim.Optimizer,
    torch.utils.checkpoint,
    torch.nn.init,
)
_MODES = {  # how torch and Python run a program
    "grad mode": torch.is_grad_enabled,
    "default dtype": torch.get_default_dtype,
    "threads": torch.get_num_threads,
    "anomaly mode": torch.is_anomaly_enabled,
    "dispatch modes": lambda: torch._C._len_torch_dispatch_stack(),
    "function modes": lambda: torch._C._len_torch_function_stack(),
    "trace": sys.gettrace,
    "profile": sys.getprofile,
}
_STEPS = 40  # steps of one timing
Step = Callable[[nn.Module, torch.Tensor], Any]


@dataclass(frozen=True)
class Footprint:
    """Changes that a call left, other than the program's own. Each tuple holds names.

    Attributes:
        functions: replaced functions and classes of torch.
        modes: changed settings of the process, such as the grad mode.
        random: generators that were moved.
        hooks: hooks on modules or tensors, and global hooks.
        attributes: new or replaced attributes of modules, such as `forward`.
        buffers, parameters, grad, requires_grad, training: parts of the model whose values differ.
        runs: extra runs of a block of the model.
        slower: time of a plain step afterwards as a multiple of before; about 1 if nothing is left.
    """

    functions: tuple[str, ...]
    modes: tuple[str, ...]
    random: tuple[str, ...]
    hooks: tuple[str, ...]
    attributes: tuple[str, ...]
    buffers: tuple[str, ...]
    parameters: tuple[str, ...]
    grad: tuple[str, ...]
    requires_grad: tuple[str, ...]
    training: tuple[str, ...]
    runs: int
    slower: float

    @property
    def left(self) -> dict[str, Any]:
        """Everything that was left, except the time of a step, which varies."""
        return {name: held for name, held in vars(self).items() if held and name != "slower"}


class SmallModel(nn.Module):
    """A model with running statistics, dropout and a counted block."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.2)
        self.block, self.last = _Block(), nn.Linear(16, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.block(self.drop(torch.relu(self.norm(self.first(x))))))


class _Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(16, 16)
        self.runs = [0]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.runs[0] += 1
        return torch.tanh(self.layer(x))


def footprint(function: Step, plain: Step | None = None) -> Footprint:
    """Compare what `function(model, x)` and `plain(model, x)` leave on equal models.

    Args:
        plain: the program without the library, whose effects don't count. None: nothing runs, which suits a call that
            runs the model itself; one run of its block is then not counted.
    """
    importlib.import_module("torch._dynamo")  # importing it replaces torch.manual_seed
    torch_before = _functions()
    modes = {name: mode() for name, mode in _MODES.items()}
    model, x, expected = _state_after(plain or (lambda model, x: None))
    _seconds(model, x)  # to warm up
    before = _seconds(model, x)
    model, x, found = _state_after(function)
    left = {name: _differences(expected[name], held) for name, held in found.items() if name != "runs"}
    runs = found["runs"] - expected["runs"] - (plain is None and found["runs"] > 0)
    after, later = _seconds(model, x), {name: mode() for name, mode in _MODES.items()}
    functions = _differences(torch_before, _functions())
    changed = tuple(name for name, mode in later.items() if mode != modes[name])
    return Footprint(functions=functions, modes=changed, **left, runs=runs, slower=after / before)


def _state_after(step: Step) -> tuple[nn.Module, torch.Tensor, dict[str, Any]]:
    """Return an equal model after a step, its input, and the state of both and of the generators by kind and name."""
    for seed in (random.seed, np.random.seed, torch.manual_seed):
        seed(0)
    model, x = SmallModel(), torch.randn(32, 8)
    step(model, x)
    modules = dict(model.named_modules())
    ended = {
        "random": {name: repr(state if name != "torch" else state.tolist()) for name, state in random_states().items()},
        "hooks": _hooks(model),
        "attributes": {
            f"{path}.{name}".lstrip("."): repr(held) if isinstance(held, int | str) else None
            for path, module in modules.items()
            for name, held in vars(module).items()
            if name not in vars(nn.Module())
        },
        "buffers": {name: held.tolist() for name, held in model.named_buffers()},
        "parameters": {name: held.tolist() for name, held in model.named_parameters()},
        "grad": {name: held.grad is not None and held.grad.tolist() for name, held in model.named_parameters()},
        "requires_grad": {name: held.requires_grad for name, held in model.named_parameters()},
        "training": {path or "model": module.training for path, module in modules.items()},
        "runs": model.block.runs[0],
    }
    return model, x, ended


def _hooks(model: nn.Module) -> dict[str, int]:
    """Return the number of hooks by location."""
    every: dict[str, Any] = vars(torch.nn.modules.module)
    counts = {name: len(held) for name, held in every.items() if name.startswith("_global_") and "hooks" in name}
    for path, module in model.named_modules():
        for name, held in vars(module).items():
            if "hooks" in name and isinstance(held, dict):
                counts[f"{path or 'model'}.{name}"] = len(held)
    for name, parameter in model.named_parameters():
        counts[f"{name} hooks"] = len(parameter._backward_hooks or ())
        counts[f"{name} at its node"] = len(getattr(parameter, "_post_accumulate_grad_hooks", None) or ())
        node = torch.autograd.graph._get_grad_fn_or_grad_acc(parameter) if parameter.requires_grad else None
        metadata: Any = node.metadata if node is not None else ()
        counts[f"{name} metadata"] = len(metadata)
    return counts


def _functions() -> dict[str, Any]:
    return {
        f"{space.__name__}.{name}": getattr(space, name)
        for space in _NAMESPACES
        for name in (dir(space) if isinstance(space, type) else list(vars(space)))
        if callable(getattr(space, name, None)) or isinstance(getattr(space, name, None), property)
    }


def _differences(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """Return names with different values, except torch modules imported in the meantime."""
    lacking = object()
    return tuple(name for name, held in after.items() if before.get(name, lacking) != held) + tuple(
        name for name in before if name not in after
    )


def _seconds(model: nn.Module, x: torch.Tensor) -> float:
    """Return the shortest CPU time of several plain steps, because other load only adds to it."""
    times = []
    for _ in range(15):
        begun = time.thread_time()
        for _ in range(_STEPS):
            model(x).square().mean().backward()
        times.append(time.thread_time() - begun)
    return min(times)


def _step(code: str) -> Step:
    """Compile the call into a function of the model and its input."""
    compiled = compile(code, "<CALL>", "exec")
    return lambda model, x: exec(compiled, {"model": model, "x": x})


def main(arguments: list[str]) -> int:
    """Print what a call leaves; return 1 if it leaves anything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("call", help="code with model and x")
    parser.add_argument("--plain", help="the same program without the library, whose own effects don't count")
    asked = parser.parse_args(arguments)
    found = footprint(_step(asked.call), _step(asked.plain) if asked.plain else None)
    for name, held in found.left.items():
        shown = held if isinstance(held, int) else f"{len(held)}: {', '.join(held[:4])}{' …' if len(held) > 4 else ''}"
        print(f"{name}: {shown}")
    print(f"a plain step afterwards takes {found.slower:.2f} times as long")
    return int(bool(found.left))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

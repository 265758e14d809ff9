"""Steps of a module from a fixed state: parameters, buffers, attributes and random generators."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map_only

from explorer.runtime.host_state import HostState, modules_of

STEPS = 2  # steps per side; the second shows side effects of the first
_WRAPPED = "_orig_mod", "module"  # attributes in which torch.compile and data parallelism keep the module
_WEIGHTS_SEED = 0
_INPUT = "input"


@dataclass(frozen=True)
class FormBatch:
    """A module's inputs and the loss of its output.

    Attributes: inputs: positional. keywords: by name. loss: of the output. None: its own `.loss`, the output itself if
    it is a number, otherwise the sum of its entries times fixed weights between 0.5 and 1.5. A plain sum is blind if
    outputs always have the same sum, for example those of softmax.
    """

    inputs: tuple[Any, ...]
    keywords: Mapping[str, Any]
    loss: Callable[[Any], torch.Tensor] | None

    def value(self, output: Any) -> torch.Tensor:
        """Return the loss of an output."""
        if self.loss is not None:
            return self.loss(output)
        own = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
        if isinstance(own, torch.Tensor):
            return own
        tensors = [torch.view_as_real(one) if one.is_complex() else one for one in _floating(output, {})]
        if len(tensors) == 1 and tensors[0].numel() == 1:
            return tensors[0].sum()
        draw = torch.Generator().manual_seed(_WEIGHTS_SEED)
        weights = [(0.5 + torch.rand(one.shape, generator=draw)).to(one.device, one.dtype) for one in tensors]
        return sum((one * weight).sum() for one, weight in zip(tensors, weights, strict=True))  # type: ignore[return-value]


def batch_of(inputs: tuple[Any, ...], loss: Callable | None) -> FormBatch:
    """Create a call's batch. A single dictionary holds keywords."""
    if len(inputs) == 1 and isinstance(inputs[0], Mapping):
        return FormBatch((), dict(inputs[0]), loss)
    return FormBatch(inputs, {}, loss)


@dataclass(frozen=True)
class FormSide:
    """A side of the comparison.

    Attributes: call: the callable. module: has the parameters. modules: all that a call can reach.
    """

    call: Callable[..., Any]
    module: nn.Module
    modules: tuple[nn.Module, ...]

    def named(self) -> dict[str, torch.Tensor]:
        """Return parameters and buffers by name, shared ones under each name."""
        named = [*self.module.named_parameters(remove_duplicate=False), *self.module.named_buffers()]
        return {name.replace(f"{_WRAPPED[0]}.", ""): held for name, held in named if not nn.parameter.is_lazy(held)}

    def forget(self) -> None:
        """Drop the gradients."""
        for held in self.named().values():
            if held.is_leaf:
                held.grad = None

    def load(self, values: Mapping[str, torch.Tensor]) -> None:
        """Set parameters and buffers to these values if name and shape fit."""
        with torch.no_grad():
            for name, held in self.named().items():
                if name in values and values[name].shape == held.shape and values[name] is not held:
                    held.copy_(values[name])


def side_of(call: Any, of: "FormSide | None" = None) -> FormSide:
    """Create the side of a module, or of a function."""
    module = call
    while not isinstance(module, torch.jit.ScriptModule):
        inner = next((one for name in _WRAPPED if _wraps(module, one := getattr(module, name, None))), None)
        if inner is None:
            break
        module = inner
    if isinstance(module, nn.Module):
        return FormSide(call, module, (module, call) if isinstance(call, nn.Module) else (module,))
    assert of is not None, "a function has no parameters of its own"
    return FormSide(call, of.module, (*of.modules, *modules_of(call, ())))


def _wraps(module: Any, inner: Any) -> bool:
    kind = type(module).__name__
    return isinstance(inner, nn.Module) and (kind == "OptimizedModule" or kind.endswith("DataParallel"))


@dataclass(frozen=True)
class FormStep:
    """The results of a step.

    Attributes: gradients: by name, None for none. buffers: by name. loss: the loss.
    """

    gradients: dict[str, torch.Tensor | None]
    buffers: dict[str, torch.Tensor]
    loss: torch.Tensor


@dataclass(frozen=True)
class Moved:
    """Random relative changes of numbers, like rounding.

    Attributes: size: the largest. draw: draws them.
    """

    size: float
    draw: torch.Generator

    def __call__(self, held: torch.Tensor) -> torch.Tensor:
        """Return a changed copy, of integers an equal copy."""
        if not held.is_floating_point():
            return held.clone()
        change = self.size * (2 * torch.rand(held.shape, generator=self.draw) - 1)
        return held * (1 + change.to(held.device)).to(held.dtype)


def run(side: FormSide, batch: FormBatch, moved: Moved | None = None) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Run forward and backward, if there is a graph.

    The result is the loss, and the copies of inputs that require a gradient. `moved` changes the inputs.
    """
    inputs, keywords = fresh_inputs(batch, moved)
    loss = batch.value(side.call(*inputs, **keywords))
    if loss.requires_grad:
        loss.backward()
    given = [one for one in tree_leaves((inputs, keywords)) if isinstance(one, torch.Tensor) and one.requires_grad]
    return loss.detach(), given


def fresh_inputs(batch: FormBatch, moved: Moved | None = None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Copy a batch's inputs, without their histories."""

    def fresh(tensor: torch.Tensor) -> torch.Tensor:
        copied = tensor.detach().clone(memory_format=torch.preserve_format)
        return (moved(copied) if moved is not None else copied).requires_grad_(tensor.requires_grad)

    return tree_map_only(torch.Tensor, fresh, (batch.inputs, dict(batch.keywords)))


def step(side: FormSide, batch: FormBatch, moved: Moved | None = None) -> FormStep:
    """Take a step and return its results. The step has its own `.grad`."""
    side.forget()
    loss, given = run(side, batch, moved)
    named = side.named()
    every = {f"{_INPUT} {at}": held for at, held in enumerate(given)} | {
        name: held for name, held in named.items() if isinstance(held, nn.Parameter)
    }
    gradients = {name: None if held.grad is None else _dense(held.grad) for name, held in every.items()}
    buffers = {name: held.detach().clone() for name, held in named.items() if name not in every}
    return FormStep(gradients, buffers, loss)


class Stage:
    """The common state from which both sides make their steps, finally restored.

    Attributes: before: the state of all modules. start: parameters and buffers of the first.
    """

    def __init__(self, first: FormSide, others: Iterable[nn.Module], batch: FormBatch) -> None:
        self.first, self.batch = first, batch
        self.before = HostState([*first.modules, *others])
        self.start = {name: held.detach().clone() for name, held in first.named().items()}

    def steps(
        self,
        side: FormSide,
        *,
        moved: Moved | None = None,
        seed: int | None = None,
        around: Callable[[], AbstractContextManager] = nullcontext,
    ) -> list[FormStep]:
        """Make steps of a side from the start.

        Args: moved: changes parameters and input. seed: for other random numbers than the state's. around: a context
        around each step.
        """
        self.begin(side)
        if moved is not None:
            side.load({name: moved(held) for name, held in self.start.items()})
        made = []
        for at in range(STEPS):
            self.draw(at, seed)
            with around():
                made.append(step(side, self.batch, moved))
        return made

    def draw(self, at: int, seed: int | None = None) -> None:
        """Set the random numbers of step `at`, from 0.

        The first has the state's, later steps have others. The second step shows numbers that a form drew at its
        creation, from the same state.
        """
        self.before.put_back_random()
        if at or seed is not None:
            torch.manual_seed(at + (seed or 0))

    def begin(self, side: FormSide) -> None:
        """Restore everything, and load the first's parameters and buffers."""
        self.before.put_back()
        side.load(self.start)


def _dense(gradient: torch.Tensor) -> torch.Tensor:
    return gradient.to_dense() if gradient.is_sparse else gradient.detach().clone()


def _floating(output: Any, seen: dict[int, Any]) -> list[torch.Tensor]:
    """Return an output's floating or complex tensors in order, each once."""
    if id(output) in seen:
        return []
    seen[id(output)] = output
    if isinstance(output, torch.Tensor):
        return [output] if output.is_floating_point() or output.is_complex() else []
    parts = output.values() if isinstance(output, Mapping) else output if isinstance(output, list | tuple) else ()
    if not parts and hasattr(output, "__dict__") and not callable(output):
        parts = vars(output).values()
    return [tensor for part in parts for tensor in _floating(part, seen)]

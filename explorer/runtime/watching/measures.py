"""Norms and other statistics of gradients, values and updates, by torch's fused calls."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils import _python_dispatch

from explorer.trace.step_statistics import MOST_NAMES

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_HALF = (torch.float16, torch.bfloat16)
NONE = -1.0  # used as the norm of a missing gradient


class unseen:
    """Compute outside the program's modes and without a graph. Every step enters it several times."""

    def __enter__(self) -> None:
        self._grad = torch.is_grad_enabled()
        self._functions = torch._C.DisableTorchFunction()
        self._functions.__enter__()
        torch._C._set_grad_enabled(False)
        self._modes: Any = None
        if torch._C._len_torch_dispatch_stack():
            self._modes = _python_dispatch._disable_current_modes()
            self._modes.__enter__()

    def __exit__(self, *problem: Any) -> None:
        if self._modes is not None:
            self._modes.__exit__(*problem)
        torch._C._set_grad_enabled(self._grad)
        self._functions.__exit__(*problem)


class MeasuredRows:
    """The rows of a table: the model's parameters, or its modules if there are too many.

    Attributes:
        names: names as in `state_dict()`.
        modules: whether they are modules'.
        parameters: all parameters that have entries.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        named = [(name, one) for name, one in model.named_parameters() if one.numel()]
        self.parameters = [one for _, one in named]
        self.modules = len(named) > MOST_NAMES
        of = _modules([name for name, _ in named]) if self.modules else [name for name, _ in named]
        self.names = list(dict.fromkeys(of))
        numbered = {name: number for number, name in enumerate(self.names)}
        self._row = torch.tensor([numbered[name] for name in of])
        self.entries = self.sums(torch.tensor([float(one.numel()) for one in self.parameters])).long().tolist()

    def sums(self, each: torch.Tensor) -> torch.Tensor:
        """Add up the parameters' numbers in each row."""
        if not self.modules:
            return each
        return torch.zeros(len(self.names), dtype=each.dtype).index_add_(0, self._row, each.clamp(min=0))

    def norms(self, each: torch.Tensor) -> torch.Tensor:
        """Return each row's norm from its parameters' norms, NONE where no parameter has one."""
        if not self.modules:
            return each
        there = self.sums((each != NONE).to(each.dtype)) > 0
        return torch.where(there, self.sums(each.clamp(min=0).square()).sqrt(), torch.tensor(NONE))

    def largest(self, each: torch.Tensor) -> torch.Tensor:
        """Return each row's largest number."""
        if not self.modules:
            return each
        return torch.full((len(self.names),), NONE).scatter_reduce_(0, self._row, each, "amax")


def _modules(names: Sequence[str]) -> list[str]:
    """Return each parameter's module, at the deepest level that has few enough modules."""
    parts = [name.split(".") for name in names]
    for depth in range(max(map(len, parts)), 0, -1):
        cut = [".".join(one[: min(depth, max(len(one) - 1, 1))]) for one in parts]
        if len(set(cut)) <= MOST_NAMES:
            return cut
    return [""] * len(names)


def local(tensor: torch.Tensor) -> torch.Tensor:
    """Return this process's entries as a dense tensor, without those that a sparse tensor leaves out."""
    tensor = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return tensor.coalesce().values() if tensor.is_sparse else tensor


def norms(tensors: Sequence[torch.Tensor | None]) -> "Pending":
    """Start computing each tensor's norm, on its device."""
    pending = Pending(len(tensors))
    if _are_alike(tensors):
        pending.add(None, torch.stack(torch._foreach_norm(tensors)))  # type: ignore[arg-type]
        return pending
    groups: dict[Any, list[tuple[int, torch.Tensor]]] = {}
    for place, one in enumerate(tensors):
        if one is not None and (one := local(one)).numel():
            groups.setdefault((one.device, one.dtype), []).append((place, one))
    for (_, dtype), members in groups.items():
        wider = torch.float32 if dtype in _HALF else None
        found = torch._foreach_norm([one for _, one in members], dtype=wider)
        pending.add([place for place, _ in members], torch.stack(found))
    return pending


def _are_alike(tensors: Sequence[torch.Tensor | None]) -> bool:
    """Return whether all are plain float32 tensors of one device: the usual case, which has no groups."""
    device = tensors[0].device if tensors and tensors[0] is not None else None
    return device is not None and all(
        type(one) in _PLAIN and one.dtype is torch.float32 and one.layout is torch.strided and one.device == device
        for one in tensors
    )


def counts(tensors: Sequence[torch.Tensor | None], count: Any) -> "Pending":
    """Start computing a number of each tensor."""
    pending = Pending(len(tensors))
    groups: dict[Any, list[tuple[int, torch.Tensor]]] = {}
    for place, one in enumerate(tensors):
        if one is not None:
            groups.setdefault(one.device, []).append((place, count(local(one))))
    for members in groups.values():
        pending.add([place for place, _ in members], torch.stack([one for _, one in members]))
    return pending


class Pending:
    """Numbers that a device may still be computing."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._parts: list[tuple[list[int] | None, torch.Tensor]] = []

    def add(self, places: list[int] | None, found: torch.Tensor) -> None:
        """Add the numbers of these places. None: of all."""
        self._parts.append((places, found))

    def fetch(self) -> torch.Tensor:
        """Wait for the numbers. Return them as float32, with NONE for missing ones."""
        fetched = None
        for places, found in self._parts:
            numbers = found.detach().to("cpu", torch.float32)
            if places is None:
                return numbers
            fetched = torch.full((self._size,), NONE) if fetched is None else fetched
            fetched[torch.tensor(places)] = numbers
        return torch.full((self._size,), NONE) if fetched is None else fetched


def zeros(tensor: torch.Tensor) -> torch.Tensor:
    """Count the stored entries that are 0."""
    return tensor.numel() - torch.count_nonzero(tensor)


def nonfinite(tensor: torch.Tensor) -> torch.Tensor:
    """Count NaN and infinite entries: only for them the difference from itself is not 0."""
    return torch.count_nonzero(tensor - tensor)  # three times as fast as `isfinite` on a CPU


def largest(tensor: torch.Tensor) -> torch.Tensor:
    """Return the largest absolute value, NaN if there is one, and NONE without entries."""
    return tensor.abs().amax() if tensor.numel() else torch.tensor(NONE, device=tensor.device)

"""Tensors requested in full: all their entries, or every n-th of a very large one."""

from collections.abc import Sequence

import torch

from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.runtime.recorder.memory import plain_tensor, require
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import STATE_VALUE
from explorer.runtime.recorder.values import plain
from explorer.trace import FULL, STRIDED, WHOLE

EVERY = "*"  # requests all tensors that have a name at the end
_BUDGET = 3_000_000  # bytes of entries that one run keeps in full


def keep_whole(recorder: Recorder, namespace: dict, wanted: Sequence[str]) -> None:
    """Keep all entries of the tensors with these names, and of their `.grad`, instead of samples.

    Of a tensor with more than WHOLE entries at most STRIDED are kept beside its sample. Tensors without room are
    counted (Rows.counted["full"]).
    """
    room = _BUDGET
    found = {id(value): value for value in _tensors(namespace, wanted)}
    for tensor in found.values():
        tensors, index = recorder.rows.tensors, recorder.tensors.find(tensor)
        if not index:
            continue
        room -= min(tensor.numel(), WHOLE) * tensor.element_size()
        if room < 0:
            recorder.rows.counted["full"] += 1
            continue
        try:
            held = plain_tensor(tensor)
            require(held)
            if held.numel() > WHOLE:
                step = -(-held.numel() // STRIDED)
                picked = plain(held.detach().reshape(-1)[::step] if held.is_contiguous() else _picked(held, step))
                recorder.rows.strided.append((index, step, recorder.values.add_whole(picked)))
                continue
            tensors.write_last(index, STATE_VALUE, recorder.values.add_whole(tensor))
            if index in tensors.grads and tensor.grad is not None and tensor.grad.numel() == tensor.numel():
                tensors.grads[index] = recorder.values.add_whole(tensor.grad)
        except Exception as problem:  # sparse and opaque tensors have no plain entries
            raise_if_own_fault(problem)


def _tensors(namespace: dict, wanted: Sequence[str]) -> list[torch.Tensor]:
    names = [name for name in namespace if not name.startswith("_")] if EVERY in wanted else wanted
    values = [namespace.get(name) for name in names]
    return [value for value in values if isinstance(value, torch.Tensor) and _is_large(value)]


def _is_large(tensor: torch.Tensor) -> bool:
    try:
        return tensor.layout is torch.strided and tensor.numel() > FULL
    except Exception as problem:  # a nested tensor, a parameter without a shape, an unusual class
        raise_if_own_fault(problem)
        return False


def _picked(tensor: torch.Tensor, step: int) -> torch.Tensor:
    """Every step-th entry in row-major order, without copying the whole."""
    places = torch.arange(0, tensor.numel(), step)
    return tensor.detach()[torch.unravel_index(places, tensor.shape)]

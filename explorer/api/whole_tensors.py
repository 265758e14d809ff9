"""Return all entries of a recorded tensor or gradient."""

from typing import Any

import numpy as np

from explorer.text import say
from explorer.trace import STORED, Trace, Value


class NotKept(LookupError):
    """Raised if only a sample of a tensor was recorded. Names the `full=` that keeps all entries."""


class Gradient(Value, frozen=True, kw_only=True):
    """A recorded gradient: the numbers of `Value`, and all entries if they were kept.

    Attributes:
        name: as in `full=`, such as "w.grad".
    """

    name: str
    _trace: Trace
    _place: tuple[int, int, int]  # its value, its tensor and its backward, as `whole_tensor` takes them

    @property
    def tensor(self) -> Any:
        """All entries as a torch tensor, bit for bit, or a NumPy array without torch. Raises NotKept."""
        return whole_tensor(self._trace, self.name, *self._place)

    def numpy(self) -> np.ndarray:
        """Return all entries with shape and dtype. bfloat16 becomes float32. Raises NotKept."""
        return _entries(self._trace, self.name, *self._place)[0]

    def tolist(self) -> Any:
        """Return all entries as nested lists, or a number for a scalar. Raises NotKept."""
        return self.numpy().tolist()

    def __repr__(self) -> str:
        size = "" if self.norm is None else f", norm {self.norm:.4g}"
        return f"<Gradient {self.name}: {self.dtype} {self.shape}{size}>"


def gradient_of(trace: Trace, name: str, value: int, tensor: int, backward: int) -> Gradient | None:
    """Return a gradient with its numbers, None for value -1. Arguments as in `whole_tensor`."""
    recorded = trace.value(value)
    if recorded is None:
        return None
    numbers = {field: getattr(recorded, field) for field in recorded.__struct_fields__}
    return Gradient(**numbers, name=name, _trace=trace, _place=(value, tensor, backward))


def whole_tensor(trace: Trace, name: str, value: int, tensor: int, backward: int) -> Any:
    """Return all entries of a tensor's value, None for value -1. Raises NotKept.

    Args:
        name: for the message, as in `full=`.
        value: its id in `Trace.values`, or -1. backward: as in `Trace.full_entries`.
    """
    return None if value < 0 else _as_tensor(*_entries(trace, name, value, tensor, backward))


def _entries(trace: Trace, name: str, value: int, tensor: int, backward: int) -> tuple[np.ndarray, str]:
    """Return all entries and the torch dtype's name."""
    whole = trace.full_entries(tensor, backward)
    if whole is not None:
        return whole.numpy().copy(), whole.dtype
    recorded = trace.value(value)
    assert recorded is not None
    if recorded.data is None or recorded.dtype not in STORED:
        raise NotKept(_why_not(trace, name, recorded))
    return Value.numpy(recorded), recorded.dtype


def _why_not(trace: Trace, name: str, recorded: Value) -> str:
    if not recorded.sample:
        return say("en", "full-unreadable", name=name, dtype=recorded.dtype)
    left_out = sum(limit.count for limit in trace.limits if limit.kind == "full")
    shape, count = str(recorded.shape), len(recorded.sample)
    return say("en", "full-not-kept", name=name, shape=shape, count=count, left_out=left_out)


def _as_tensor(entries: np.ndarray, dtype: str) -> Any:
    try:
        from explorer.runtime.own_tensors import tensor_of
    except ImportError:  # a Trace can be read without torch
        return entries
    return tensor_of(entries, dtype)

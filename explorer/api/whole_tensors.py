"""All entries of a recorded tensor, as a torch tensor, or a NumPy array where torch is not installed; its gradients."""

from typing import Any

import numpy as np

from explorer.text import say
from explorer.trace import STORED, Trace, Value


class NotKept(LookupError):
    """Raised if only a sample of a tensor was recorded. Its text says which `full=` keeps all entries."""


class Gradient(Value, frozen=True, kw_only=True):
    """A recorded gradient: what `Value` says of every gradient, and all entries where they were kept.

    Attributes:
        name: as in `full=`, such as "w.grad".
    """

    name: str
    _trace: Trace
    _place: tuple[int, int, int]  # its value, its tensor and its backward, as `whole_tensor` takes them

    @property
    def tensor(self) -> Any:
        """All entries as a torch tensor with the bits of the original; without torch a NumPy array. Raises NotKept."""
        return whole_tensor(self._trace, self.name, *self._place)

    def numpy(self) -> np.ndarray:
        """All entries in their shape and dtype; bfloat16, which NumPy lacks, as float32. Raises NotKept."""
        return _entries(self._trace, self.name, *self._place)[0]

    def tolist(self) -> Any:
        """All entries as lists, of one entry without axes the number. Raises NotKept."""
        return self.numpy().tolist()

    def __repr__(self) -> str:
        size = "" if self.norm is None else f", norm {self.norm:.4g}"
        return f"<Gradient {self.name}: {self.dtype} {self.shape}{size}>"


def gradient_of(trace: Trace, name: str, value: int, tensor: int, backward: int) -> Gradient | None:
    """A gradient with its numbers, None for value -1. The arguments are those of `whole_tensor`."""
    recorded = trace.value(value)
    if recorded is None:
        return None
    numbers = {field: getattr(recorded, field) for field in recorded.__struct_fields__}
    return Gradient(**numbers, name=name, _trace=trace, _place=(value, tensor, backward))


def whole_tensor(trace: Trace, name: str, value: int, tensor: int, backward: int) -> Any:
    """The entries of a value of a tensor; None for value -1. Raises NotKept.

    Args:
        name: for the message, as in `full=`.
        value: its id in `Trace.values`, or -1; backward: as in `Trace.full_entries`.
    """
    return None if value < 0 else _as_tensor(*_entries(trace, name, value, tensor, backward))


def _entries(trace: Trace, name: str, value: int, tensor: int, backward: int) -> tuple[np.ndarray, str]:
    """All entries, and torch's name for their dtype."""
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
    except ImportError:  # a Trace is read where torch is not installed
        return entries
    return tensor_of(entries, dtype)

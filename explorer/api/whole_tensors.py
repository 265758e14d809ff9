"""All entries of a recorded tensor: as a torch tensor, or a NumPy array where torch is not installed."""

from typing import Any

import numpy as np

from explorer.text import say
from explorer.trace import STORED, Trace, Value


class NotKept(LookupError):
    """Raised if only a sample of a tensor was recorded. Its text says which `full=` keeps all entries."""


def whole_tensor(trace: Trace, name: str, value: int, tensor: int, backward: int) -> Any:
    """The entries of a value of a tensor; None for value -1. Raises NotKept.

    Args:
        name: for the message, as in `full=`.
        value: its id in `Trace.values`; backward: as in `Trace.full_entries`.
    """
    if value < 0:
        return None
    whole = trace.full_entries(tensor, backward)
    if whole is not None:
        return _as_tensor(whole.numpy(), whole.dtype)
    recorded = trace.value(value)
    if recorded is None:
        return None
    if recorded.data is None or recorded.dtype not in STORED:
        raise NotKept(_why_not(trace, name, recorded))
    return _as_tensor(recorded.numpy(), recorded.dtype)


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
        return entries.copy()
    return tensor_of(entries, dtype)

"""Values of plain Python as short texts, without running any code of the program."""

import types
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch._C import TensorBase

from explorer.runtime.recorder.entries import is_row_major
from explorer.runtime.recorder.hidden_calls import WithoutModes
from explorer.runtime.recorder.memory import NoEntries, address_of, memory, plain_tensor
from explorer.runtime.recorder.values import NUMPY

LONGEST = 120  # longest value
LISTED = 6  # tensors with up to this many entries are shown in full
ENTRIES, DEEPEST = 8, 3  # shown entries of a container, and levels of nesting
_BITS = 200  # largest integer, in bits
_SIMPLE = (bool, float, complex, type(None), type(...))
_SILENT = (
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.BuiltinMethodType, type),
    *(staticmethod, classmethod, property),
)
_BRACKETS: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}
UNCHANGING = (int, float, bool, str, complex, bytes, type(None))
CHANGING = (list, dict, set)


def plain_text(value: object) -> str | None:
    """Return a value's short text: numbers and strings, or another's class.

    None for modules, functions and classes.

    >>> plain_text([1, 2.5, "x", (3,)])
    "[1, 2.5, 'x', (3,)]"
    """
    kind = type(value)
    if issubclass(kind, _SILENT):
        return None
    text = _text(value, 0)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _text(value: Any, depth: int) -> str:
    kind = type(value)
    if kind is int:
        return repr(value) if value.bit_length() <= _BITS else f"<int of {value.bit_length()} bits>"
    if kind in _SIMPLE or kind in (torch.dtype, torch.device):
        return repr(value)
    if kind in (str, bytes):
        return repr(value[:LONGEST]) + ("…" if len(value) > LONGEST else "")
    if kind is range:
        bounds = (value.start, value.stop, value.step)[: 3 if value.step != 1 else 2]
        return f"range({', '.join(_text(bound, 1) for bound in bounds)})"
    if kind is torch.Size:
        return f"torch.Size([{', '.join(_text(size, 1) for size in islice(value, ENTRIES))}])"
    if kind in _BRACKETS:
        return _entries(value, kind, depth)
    if issubclass(kind, np.generic):
        return _text(value.item(), depth) if kind.__module__ == "numpy" and value.nbytes <= 16 else f"<{kind.__name__}>"
    if issubclass(kind, torch.Tensor) and (listed := _listed(value)):
        return listed
    if issubclass(kind, torch.Tensor | np.ndarray):
        return _shaped(value, kind.__name__)
    return f"<{kind.__name__}>"


def _listed(value: Any) -> str:
    """List a small tensor's entries with four digits, "" for another."""
    with WithoutModes():
        try:
            tensor = plain_tensor(value)
            count, dtype = TensorBase.numel(tensor), NUMPY.get(tensor.dtype)
            if dtype is None or not is_row_major(tensor) or not 0 < count <= LISTED:
                return ""
            if not (address := address_of(tensor, size := count * dtype.itemsize)):
                return ""
            entries = np.frombuffer(memory[address : address + size], dtype)
            flat = [float(f"{entry:.4g}") if isinstance(entry, float) else entry for entry in entries.tolist()]
            return repr(np.array(flat, object).reshape(tuple(tensor.shape)).tolist())
        except (NoEntries, RuntimeError):  # some tensors have no storage
            return ""


def _shaped(value: Any, name: str) -> str:
    base: Any = torch.Tensor if issubclass(type(value), torch.Tensor) else np.ndarray
    try:
        return f"<{name} {'×'.join(map(str, base.shape.__get__(value))) or 'scalar'}>"
    except RuntimeError:  # some tensors have no shape
        return f"<{name}>"


def _entries(value: Any, kind: type, depth: int) -> str:
    brackets = _BRACKETS[kind]
    opening, closing = brackets[0], brackets[1]
    if not value and kind in (set, frozenset):
        return f"{kind.__name__}()"
    if depth >= DEEPEST:
        return f"{opening}…{closing}" if value else opening + closing
    if kind is dict:
        texts = [f"{_text(key, depth + 1)}: {_text(entry, depth + 1)}" for key, entry in islice(value.items(), ENTRIES)]
    else:
        texts = [_text(entry, depth + 1) for entry in islice(value, ENTRIES)]
    if len(value) > ENTRIES:
        texts.append(f"… {len(value)} in all")
    inside = ", ".join(texts)
    return f"{opening}{inside}{',' if kind is tuple and len(value) == 1 else ''}{closing}"

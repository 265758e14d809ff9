"""The arguments of a call besides tensors (numbers, axes, indices, flags) as a short JSON text."""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import msgspec
import torch

from explorer.trace.arguments import DEEP, DROPPED, EXACT, MOST

_Tensor = torch.Tensor
_Slice, _Dots, _Dtype = slice, type(Ellipsis), torch.dtype
_PLAIN = (type(None), bool, str)
_encode = msgspec.json.encode


class _TooLong(Exception):
    pass


def arguments_text(args: tuple, kwargs: dict | None, tensors: int) -> str:
    """`[positional, by name]` of one call as JSON, which `trace/arguments.py` reads; "" if there are only tensors, or
    too much.

    The k-th tensor is {"tensor": k}, a slice {"slice": [start, stop, step]}, a tuple {"tuple": [...]}, Ellipsis
    {"dots": true}, a dtype {"dtype": name}, a number JSON lacks {"float": "nan"}; anything else {"other": type}.

    Args:
        tensors: how many tensors the call got; a text that counts differently is not kept.

    >>> arguments_text((torch.ones(2), 0), {"keepdim": True}, 1)
    '[[{"tensor":0},0],{"keepdim":true}]'
    """
    if not kwargs:
        if len(args) == 2 and isinstance(args[0], _Tensor):  # a + b, a * 2: most calls are like this
            kind = type(args[1])
            if (kind is float and math.isfinite(args[1])) or (kind is int and -EXACT < args[1] < EXACT):
                return f'[[{{"tensor":0}},{args[1]!r}],{{}}]'
        for argument in args:
            if not isinstance(argument, _Tensor):
                break
        else:
            return ""
    counted = [0, 0]  # tensors, everything
    try:
        positional = [_plain(argument, counted, DEEP) for argument in args]
        named = {name: _plain(argument, counted, DEEP) for name, argument in (kwargs or {}).items()}
        text = _encode([positional, named]).decode()
    except (_TooLong, UnicodeEncodeError):  # too long, or text with a lone surrogate
        return ""
    return text if len(text) <= MOST and counted[0] == tensors else ""


def without_tensors(text: str, kept: Sequence[bool]) -> str:
    """The text of a call after the recording dropped some of its tensors. Each of them becomes an Other(DROPPED); the
    tensors that are left are counted from 0 again.

    Args:
        text: of `arguments_text`.
        kept: for each tensor of the call whether it is left.

    >>> without_tensors('[[{"tensor":0},{"tensor":1},2],{}]', [False, True])
    '[[{"other":"Tensor"},{"tensor":0},2],{}]'
    """
    left = accumulate(kept, initial=0)
    parts = [{"tensor": number} if one else {"other": DROPPED} for number, one in zip(left, kept, strict=False)]

    only_tensors = [{"tensor": number} for number in range(len(kept))]

    def replaced(part: Any) -> Any:
        if isinstance(part, list):
            return [replaced(one) for one in part]
        if isinstance(part, dict):
            return parts[part["tensor"]] if "tensor" in part else {key: replaced(one) for key, one in part.items()}
        return part

    positional, named = msgspec.json.decode(text) if text else (only_tensors, {})
    # The names of arguments are the program's: only their values are parts.
    without = _encode([replaced(positional), {name: replaced(one) for name, one in named.items()}]).decode()
    return without if len(without) <= MOST else f'[[{{"other":"{DROPPED}"}}],{{}}]'


def _plain(value: Any, counted: list[int], deep: int) -> object:
    counted[1] += 1
    if counted[1] > MOST or deep < 0:
        raise _TooLong
    kind = type(value)
    if kind is int:
        return value if -EXACT < value < EXACT else {"other": "int"}
    if kind is str and len(value) > MOST:
        raise _TooLong
    if kind in _PLAIN:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, _Tensor):
        counted[0] += 1
        return {"tensor": counted[0] - 1}
    if kind is _Slice:
        return {"slice": [_plain(part, counted, deep - 1) for part in (value.start, value.stop, value.step)]}
    if kind is _Dots:
        return {"dots": True}
    if kind is _Dtype:
        return {"dtype": str(value).removeprefix("torch.")}
    if kind is list:  # iterating a subclass would run code of the program
        return [_plain(part, counted, deep - 1) for part in value]
    if kind is tuple or kind is torch.Size:
        return {"tuple": [_plain(part, counted, deep - 1) for part in value]}
    return {"other": kind.__name__[:40]}

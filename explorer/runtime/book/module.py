"""The names of the book's library in one module, and the methods that a program adds to its classes."""

import math
import random
import types

import numpy
import pandas
import torch
from torch import nn

from explorer.runtime.book import (
    attention,
    boxes,
    drawing,
    linear,
    measuring,
    modules,
    networks,
    recurrent,
    training,
    words,
)

_ROOMS = (measuring, linear, drawing, training, boxes, words, attention, modules, networks, recurrent)
_SITE = "http://d2l-data.s3-accelerate.amazonaws.com/"
_FUNCTIONS = """
    ones_like ones zeros_like zeros arange meshgrid sin sinh cos cosh tanh linspace exp log tensor normal rand randn
    matmul int32 int64 float32 stack abs eye sigmoid
"""


def _made_here() -> dict[str, object]:
    found = {}
    for room in _ROOMS:
        for name, value in vars(room).items():
            if not name.startswith("_") and getattr(value, "__module__", "") == room.__name__:
                found[name] = value
    del found["Growing"], found["pyplot"]
    return found


_MADE = _made_here()
CLASSES = [value for value in _MADE.values() if isinstance(value, type)]
for _kind in CLASSES:
    _kind.__module__ = "d2l.torch"  # the name that a program and its prints know
_THEIRS = {kind: dict(vars(kind)) for kind in CLASSES}


def forget_added() -> None:
    """Take away what the program of the last run added to the book's classes."""
    for kind, theirs in _THEIRS.items():
        for name in [name for name in vars(kind) if name not in theirs]:
            delattr(kind, name)
        for name in [name for name, value in vars(kind).items() if value is not theirs[name]]:
            if name in ("__dict__", "__weakref__", "__doc__", "__module__") or name.startswith("_abc"):
                continue
            setattr(kind, name, theirs[name])


def _method(name: str):
    """A function that calls the tensor's method of this name."""

    def call(x, *args, **keywords):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"a tensor is wanted, not {type(x).__name__}")
        return getattr(x.detach() if name == "numpy" else x, name)(*args, **keywords)

    call.__name__ = name
    return call


_METHODS = {
    **{name: _method(name) for name in ("numpy", "reshape", "to", "argmax", "swapaxes", "repeat")},
    **{"size": _method("numel"), "astype": _method("type"), "transpose": _method("t")},
    **{"reduce_sum": _method("sum"), "reduce_mean": _method("mean"), "expand_dims": _method("unsqueeze")},
}


def book_modules(pyplot: types.ModuleType) -> dict[str, types.ModuleType]:
    """`d2l` and `d2l.torch` by name, for a run that draws with this pyplot."""
    forget_added()
    module = types.ModuleType("d2l.torch")
    aliases = {name: getattr(torch, name) for name in _FUNCTIONS.split()}
    aliases |= {"concat": torch.cat, "batch_matmul": torch.bmm, "bool": torch.bool, "nn_Module": nn.Module}
    aliases |= _METHODS | {"DATA_URL": _SITE, "DATA_HUB": {}}
    aliases |= {"math": math, "random": random, "np": numpy, "pd": pandas, "torch": torch, "nn": nn}
    aliases |= {"F": nn.functional, "plt": pyplot}
    vars(module).update(aliases | _MADE, __stands_in__=True)
    package = types.ModuleType("d2l")
    vars(package).update(torch=module, __version__="1.0.3", __stands_in__=True)
    return {"d2l": package, "d2l.torch": module}

"""The book's library as a single module. An installed `d2l` takes precedence."""

import errno
import importlib.util
import math
import os
import random
import types
from collections.abc import Callable
from functools import cache

import numpy
import torch
from torch import nn

_SITE = "http://d2l-data.s3-accelerate.amazonaws.com/"
_FUNCTIONS = """
    ones_like ones zeros_like zeros arange meshgrid sin sinh cos cosh tanh linspace exp log tensor normal rand randn
    matmul int32 int64 float32 stack abs eye sigmoid
"""
_DOWNLOADS = "download download_all download_extract load_data_fashion_mnist FashionMNIST KaggleHouse"
_METHODS = {
    **{name: name for name in ("reshape", "to", "argmax", "swapaxes", "repeat")},
    **{"size": "numel", "astype": "type", "transpose": "t"},
    **{"reduce_sum": "sum", "reduce_mean": "mean", "expand_dims": "unsqueeze"},
}


def book_modules() -> dict[str, types.ModuleType]:
    """Return `d2l` and `d2l.torch` by name, {} if they are installed."""
    if _installed():
        return {}
    module = types.ModuleType("d2l.torch")
    vars(module).update(_names())
    package = types.ModuleType("d2l")
    package.__path__ = []
    vars(package).update(torch=module, __version__="1.0.3")
    return {"d2l": package, "d2l.torch": module}


@cache
def _installed() -> bool:
    try:
        return importlib.util.find_spec("d2l") is not None
    except (ImportError, ValueError):
        return False


@cache
def _names() -> dict[str, object]:
    """Return the contents of the module."""
    import pandas  # only for a program of the book

    from explorer.runtime.book import metrics, modules, plots

    rooms = (metrics, plots, modules)
    names = {name: getattr(torch, name) for name in _FUNCTIONS.split()}
    names |= {name: _method(method) for name, method in _METHODS.items()}
    names |= {name: _download(name) for name in _DOWNLOADS.split()}
    names |= {"concat": torch.cat, "batch_matmul": torch.bmm, "bool": torch.bool, "nn_Module": nn.Module}
    names |= {"numpy": lambda x, *args, **options: x.detach().numpy(*args, **options)}
    names |= {"math": math, "random": random, "np": numpy, "pd": pandas, "torch": torch, "nn": nn}
    names |= {"F": nn.functional, "plt": plots.plt, "DATA_URL": _SITE, "DATA_HUB": {}}
    for room in rooms:
        for name, value in vars(room).items():
            if not name.startswith("_") and getattr(value, "__module__", "") == room.__name__:
                names[name] = value
                if isinstance(value, type):
                    value.__module__ = "d2l.torch"  # the module's name in programs and their output
    return names


def _method(name: str) -> Callable:
    """Return a function that calls the tensor's method of this name."""
    return lambda x, *args, **options: getattr(x, name)(*args, **options)


def _download(name: str) -> Callable:
    """Return a function that needs a network, which programs lack."""

    def download(*arguments, **keywords):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    download.__name__ = name
    return download

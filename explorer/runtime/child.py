"""The child of a run: what the preloaded parent imports once, and what a fork of it does with one program."""

import contextlib
import importlib
import os
import sys
from collections.abc import Callable

from explorer.program import CellSource, Program, decode_request
from explorer.trace import MAX_BYTES

OPERATION_CAP = 8_000  # operations kept in full; beyond, the middle of the run is counted


# What torch and pandas import only when it is needed. Where Landlock is missing a child can open no file to do so.
_LATE = (
    "bz2",
    "csv",
    "encodings.utf_8_sig",
    "glob",
    "lzma",
    "numpy.fft",
    "pandas.io.excel._calamine",
    "pandas.io.formats.csvs",
    "pandas.io.formats.html",
    "pandas.io.formats.string",
    "python_calamine",
    "statistics",
    "torch._decomp.decompositions_for_jvp",
    "torch._subclasses.schema_check_mode",
    "torch.fx.experimental.symbolic_shapes",
    "urllib.error",
)

# Imports and first uses that a confined child could not make up for, or that would cost every child again.
_WARM_UP = """
import torch.distributions, torch.func, torch.utils.checkpoint, torch.autograd.functional
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
for optimizer in (optim.SGD(net.parameters(), 0.1), optim.Adam(net.parameters())):
    for x, y in DataLoader(TensorDataset(torch.ones(4, 2), torch.zeros(4).long()), 2, shuffle=True):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
torch.func.grad(lambda x: x.sin().sum())(torch.ones(2))
torch.linalg.svd(torch.ones(2, 2)), torch.einsum("i,i->", torch.ones(2), torch.ones(2))
print(loss, torch.distributions.Normal(0.0, 1.0).log_prob(torch.zeros(1)))
loss
"""

# A little of what most programs do.
_EVERYDAY = """
w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
loss = (torch.relu(w @ w + 1) ** 2 / 2 - w).mean()
loss.backward()
print(w.grad)
loss
"""


def preload() -> None:
    """Import everything a program is likely to need, and touch what torch prepares on first use."""
    import graphviz  # noqa: F401
    import IPython.lib.pretty  # noqa: F401
    import numpy  # noqa: F401
    import torch

    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)  # a parent that has used a thread pool hangs its children
    _zero_new_memory()
    _import_without_threads("pandas")
    for name in _LATE:
        with contextlib.suppress(ImportError):  # it may have another name in another version
            importlib.import_module(name)
    from explorer.runtime.execute import execute_encoded
    from explorer.runtime.policy import prepare
    from explorer.runtime.policy.extras import preload_extras
    from explorer.trace import Options

    execute_encoded(Program([CellSource(_WARM_UP)]), Options(), False, MAX_BYTES, OPERATION_CAP)
    preload_extras()
    prepare()


def warm() -> None:
    """Run a program of a few lines: the pages it copies every run would have to copy."""
    from explorer.runtime.execute import execute_encoded
    from explorer.trace import Options

    execute_encoded(Program([CellSource(_EVERYDAY)]), Options(), False, MAX_BYTES, OPERATION_CAP)


def handle(request: bytes, tell: Callable[[bytes], None] | None = None, language_ring: bool = True) -> bytes:
    """Run one request; its Trace as MessagePack. `tell` takes what cells show while they run.

    Only tests of the confinement alone switch the language ring off.
    """
    from explorer.runtime.execute import execute_encoded

    program, options = decode_request(request)
    return execute_encoded(program, options, True, MAX_BYTES, OPERATION_CAP, language_ring, tell)


def _import_without_threads(name: str) -> None:
    """pandas starts pyarrow's threads at import if it finds it; a parent that forks must have none."""
    sys.modules.setdefault("pyarrow", None)
    importlib.import_module(name)


def _zero_new_memory() -> None:
    """Let torch zero what it allocates: `torch.empty` shows nothing of the parent, and the same in every run."""
    import ctypes
    from pathlib import Path

    import torch

    for library in (Path(torch.__file__).parent / "lib").glob("*c10.*"):
        with contextlib.suppress(OSError, ValueError):  # a build without this switch of c10
            ctypes.c_bool.in_dll(ctypes.CDLL(str(library)), "FLAGS_caffe2_cpu_allocator_do_zero_fill").value = True

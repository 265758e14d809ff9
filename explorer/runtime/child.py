"""The child process of a run: preloaded imports, and running a program."""

import contextlib
import gc
import importlib
import os
import sys
import tempfile
from collections.abc import Callable

from explorer.program import CellSource, Parts, Program, decode_request
from explorer.trace import MAX_BYTES

FILES = True  # a child has its own files
OPERATION_CAP = 8_000  # operations kept in full. In longer runs the middle is only counted


# Modules that programs import, and that torch and pandas import lazily. Without Landlock a child can open no file, so
# it cannot import them later; otherwise this saves time.
_LATE = (
    *("argparse", "array", "ast", "asyncio", "base64", "calendar", "cmath", "concurrent.futures", "ctypes", "decimal"),
    *("difflib", "doctest", "fractions", "gzip", "hashlib", "heapq", "html", "logging", "multiprocessing", "pathlib"),
    *("pickle", "platform", "pprint", "secrets", "sqlite3", "string", "sympy", "tempfile", "textwrap", "timeit"),
    *("traceback", "typing", "unittest", "urllib.request", "uuid", "zipfile", "zlib"),
    *("functorch", "torch.hub", "torch.nn.utils.prune", "torch.nn.utils.parametrizations", "torch.optim.swa_utils"),
    *("torch.profiler", "torch.utils.benchmark", "torch.utils.data.sampler"),
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

# First uses that a confined child cannot do later, such as asking which instructions the processor has.
_FIRST_USES = """
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))
for x, y in DataLoader(TensorDataset(torch.ones(4, 2), torch.zeros(4).long()), 2, shuffle=True):
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
torch.linalg.svd(torch.ones(2, 2)), torch.einsum("i,i->", torch.ones(2), torch.ones(2))
print(loss)
loss
"""
# The first step of an optimizer and the first transformed function import torch's compiler.
_COMPILER = """
import torch.distributions, torch.func, torch.utils.checkpoint, torch.autograd.functional
from torch import nn, optim
net = nn.Linear(2, 3)
for optimizer in (optim.SGD(net.parameters(), 0.1), optim.Adam(net.parameters())):
    optimizer.zero_grad()
    net(torch.ones(2)).sum().backward()
    optimizer.step()
torch.func.grad(lambda x: x.sin().sum())(torch.ones(2))
torch.distributions.Normal(0.0, 1.0).log_prob(torch.zeros(1))
"""
# IPython imports its magics on first use.
_MAGICS = (
    """
%matplotlib inline
%config InlineBackend.figure_format = "retina"
%load_ext autoreload
%who
%cd -q .
%time 1
%timeit -n1 -r1 -q 1
len?
""",
    """
%%capture
await __import__("asyncio").sleep(0)
""",
    """
%%writefile a.py
1
""",
)


def preload(parts: Parts | None = None) -> None:
    """Import and warm up what programs need: these parts, or all."""
    gc.disable()  # imports create many objects and little garbage: collection would take a fifth of their time
    from explorer.runtime.figures import configuration_folder

    try:
        with configuration_folder():  # around all: some versions of IPython and pandas import matplotlib early
            _preload(parts)
    finally:
        gc.enable()


def _preload(parts: Parts | None) -> None:
    import torch

    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)  # forks of a process that has used a thread pool hang
    _zero_new_memory()
    sys.modules.setdefault("pyarrow", None)  # pandas would import it, which starts threads: a forking parent has none
    if parts is None or "tables" in parts:
        importlib.import_module("pandas")
    if parts is None:
        _import_plotting_and_late()
    from explorer.runtime.execute import execute_encoded
    from explorer.runtime.kernel.shell import prepare_shells
    from explorer.trace import Options

    compiler = [_COMPILER] if parts is None or "compiler" in parts else []
    cells = [CellSource(text) for text in (_FIRST_USES, *compiler, *(_MAGICS if parts is None else ()))]
    with contextlib.ExitStack() as stack:
        private = ""
        with contextlib.suppress(FileNotFoundError):  # no folder of this machine is writable: a child mounts its own
            private = stack.enter_context(tempfile.TemporaryDirectory())
        execute_encoded(Program(cells), Options(), False, MAX_BYTES, OPERATION_CAP, private=private)
    if parts is None:
        from explorer.runtime.optional_libraries import preload_extras, preload_profiler

        preload_extras()
        preload_profiler()
    prepare_shells(2)  # a child may run a few lines of ours before its program


def _import_plotting_and_late() -> None:
    from explorer.runtime.figures import preload_plotting

    preload_plotting()
    for name in _LATE:
        with contextlib.suppress(ImportError):  # another version may name it differently
            importlib.import_module(name)


def handle(request: bytes, send: Callable[[bytes], None] | None = None) -> bytes:
    """Run a request and return its Trace as MessagePack.

    `send` sends outputs of cells while they run.
    """
    from torch.utils.hooks import RemovableHandle

    from explorer.runtime.execute import execute_encoded
    from explorer.runtime.limits import hold_interrupts

    hold_interrupts()  # interrupts count only while cells run: afterwards the Trace is nearly finished
    RemovableHandle.next_id = 0  # as in a fresh process: preloading has used some ids
    program, options = decode_request(request)
    return execute_encoded(program, options, True, MAX_BYTES, OPERATION_CAP, send, _private())


def _private() -> str:
    """Return the folder for the program's files, "" if there are none."""
    try:
        return os.getcwd()
    except PermissionError:
        return ""


def _zero_new_memory() -> None:
    """Make torch zero new memory.

    `torch.empty` then shows nothing of the parent, and the same in every run.
    """
    import ctypes
    from pathlib import Path

    import torch

    for library in (Path(torch.__file__).parent / "lib").glob("*c10.*"):
        with contextlib.suppress(OSError, ValueError):  # a build of c10 without this option
            ctypes.c_bool.in_dll(ctypes.CDLL(str(library)), "FLAGS_caffe2_cpu_allocator_do_zero_fill").value = True

"""Adjustments of calls that a single process with one thread cannot execute as requested.

Each adjusted call has the same result. If it differs from the program's text, the run reports it in a grey line.
"""

import asyncio
import functools
import pdb
import selectors
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.utils.data
import tqdm
import tqdm.auto
import tqdm.notebook
from tqdm.std import tqdm as text_bar
from tqdm.std import trange

from explorer.runtime.replacements import Replacement, replaced


def prepare_progress() -> None:
    """Make tqdm use no thread, no shared lock, and text instead of widgets."""
    text_bar.monitor_interval = 0
    text_bar.set_lock(threading.RLock())  # tqdm's own lock is system-wide, and every fork would share it
    for module in (tqdm.notebook, tqdm):
        vars(module).update(tqdm_notebook=text_bar, tnrange=trange)
    tqdm.notebook.tqdm, tqdm.notebook.trange = text_bar, trange


# Environment variables about processes and threads that libraries read.
ENVIRONMENT = {"JOBLIB_MULTIPROCESSING": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_INDUCTOR = ("inductor", "cudagraphs", "tensorrt", "onnxrt")  # backends that start compilers or need other machines
_FOR_EVER_S, _sleep = 1e6, time.sleep
_OF_OWN_HOOKS = r"Using `torch.compile\(module\)` when there are global hooks"  # emitted for the recorder's own hooks
_OF_WORKERS = ("multiprocessing_context", "prefetch_factor", "persistent_workers", "worker_init_fn", "timeout")

# The creation of event loops. Python 3.14 renamed it, and its replacement functions warn there.
_EVENTS: Any = asyncio.events
_POLICY = getattr(_EVENTS, "_BaseDefaultEventLoopPolicy", None) or _EVENTS.BaseDefaultEventLoopPolicy


@contextmanager
def adjusted(skip: Callable[[str, str, str], None], display: Callable[[object], None]) -> Iterator[None]:
    """Install the adjustments while a program runs.

    Args:
        skip: called with the request, why it was not done, and a detail of the sentence.
        display: shows a value below the cell.
    """
    replacements: list[Replacement] = [
        (torch.utils.data.DataLoader, "__init__", _loader(skip)),
        (torch, "set_num_threads", _threads(skip, "set_num_threads")),
        (torch, "set_num_interop_threads", _threads(skip, "set_num_interop_threads")),
        (torch, "compile", _compile(skip)),
        (sys, "breakpointhook", _debugger(skip, "breakpoint()")),
        (pdb, "set_trace", _debugger(skip, "pdb.set_trace()")),
        (_POLICY, "new_event_loop", lambda policy: _Loop()),
        (asyncio.events, "_event_loop_policy", None),  # the program gets its own policy, which holds its loop
        *_pictures(display),
    ]
    if "threadpoolctl" in sys.modules:  # there is nothing to limit, and threadpoolctl would read /proc
        replacements.append((sys.modules["threadpoolctl"].ThreadpoolController, "_load_libraries", lambda self: None))
    if (events := sys.modules.get("tensorboard.summary.writer.event_file_writer")) is not None:
        replacements.append((events, "_AsyncWriter", _EventWriter))
    if (notebook := sys.modules.get("tensorboard.notebook")) is not None:
        replacements.append((notebook, "start", lambda line: skip(f"%tensorboard {line}", "server", "")))
    warnings.filterwarnings("ignore", _OF_OWN_HOOKS)
    with replaced(replacements):
        yield


class _Selector(selectors.SelectSelector):
    """A selector that also waits for time alone, which Windows refuses."""

    def select(self, timeout: float | None = None) -> list:
        if self.get_map():
            return super().select(timeout)
        _sleep(_FOR_EVER_S if timeout is None else max(0.0, timeout))
        return []


class _Loop(asyncio.SelectorEventLoop):
    """A single-threaded event loop that wakes without sockets."""

    def __init__(self) -> None:
        super().__init__(_Selector())

    def _make_self_pipe(self) -> None:
        self._ssock = self._csock = None

    def _close_self_pipe(self) -> None:
        pass


class _EventWriter:
    """A TensorBoard writer without a thread."""

    def __init__(self, record_writer, max_queue_size=20, flush_secs=120) -> None:
        self._writer, self._closed = record_writer, False

    def write(self, bytestring) -> None:
        """Write at once. Raises OSError if the writer is closed."""
        if self._closed:
            raise OSError("Writer is closed")
        self._writer.write(bytestring)

    def flush(self) -> None:
        """Send buffered text. Raises OSError if the writer is closed."""
        if self._closed:
            raise OSError("Writer is closed")
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        if not self._closed:
            self._closed = True
            self._writer.flush()
            self._writer.close()


def _loader(skip: Callable) -> Callable:
    """Load batches in the program's own process."""
    made = torch.utils.data.DataLoader.__init__

    @functools.wraps(made)
    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, *rest, **options
    ):
        if num_workers:
            skip(f"num_workers={num_workers}", "workers", "")
            options = {name: option for name, option in options.items() if name not in _OF_WORKERS}
            num_workers = 0
        made(self, dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, *rest, **options)

    return __init__


def _threads(skip: Callable, name: str) -> Callable:
    def set_threads(count: int) -> None:
        if type(count) is not int or count < 1:  # in torch's own words
            real(count)
        elif count > 1:
            skip(f"torch.{name}({count})", "threads", "")

    real = getattr(torch, name)
    set_threads.__name__ = set_threads.__qualname__ = name
    return set_threads


def _compile(skip: Callable) -> Callable:
    """Leave functions uncompiled for lack of a compiler.

    torch keeps the backends that need none.
    """
    real = torch.compile

    @functools.wraps(real)
    def compile(model: Any = None, *arguments, backend="inductor", **options):
        if backend not in _INDUCTOR or options.get("disable"):
            return real(model, *arguments, backend=backend, **options)
        skip(f"torch.compile(backend={backend!r})", "compiler", "")
        if isinstance(model, torch.nn.Module):
            return torch.compiler.disable(model)  # wrap it in a module, like a compiled model
        return (lambda later: later) if model is None else model

    return compile


def _debugger(skip: Callable, what: str) -> Callable:
    """Skip debugger calls: a run has no interactive input."""
    return lambda *arguments, **options: skip(what, "answer", "")


def _pictures(display: Callable[[object], None]) -> list[Replacement]:
    """Show a Pillow image below the cell instead of starting a viewer."""
    module = sys.modules.get("PIL.Image")
    return [(module.Image, "show", lambda self, *arguments, **options: display(self))] if module else []

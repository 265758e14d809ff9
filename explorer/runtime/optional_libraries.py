"""Optional libraries: which are installed, and how a parent imports them.

A program may import everything installed next to the app. The parent imports the popular libraries, for speed, and
limits them to one thread. If a fork can open no file (a kernel without Landlock), no others can be imported.
"""

import contextlib
import importlib
import importlib.util
import os
import signal
import subprocess
import sys
import types
from functools import cache

# Modules that the parent imports so that forks don't have to.
EXTRAS = {
    "sklearn": """
        datasets model_selection preprocessing metrics linear_model decomposition manifold cluster neighbors svm tree
        ensemble naive_bayes mixture neural_network gaussian_process discriminant_analysis impute feature_selection
        pipeline
        """,
    "torchvision": "transforms transforms.functional transforms.v2 models datasets utils ops",
    "einops": "layers.torch",
    "PIL": "Image ImageOps",
    "seaborn": "",
    "safetensors": "torch numpy",
    "requests": "",
    "tensorboard": "summary.writer.event_file_writer notebook",
}
CAUTIOUS = "EXPLORER_CAUTIOUS"  # see sandbox.protocol: set after a parent died while preloading
_TRIAL = """
import os, sys
answer = os.dup(1)
os.dup2(2, 1)
sys.path[:] = {path}
from explorer.runtime.optional_libraries import failure_of
os.write(answer, failure_of({name!r}).encode()[:4000])
os._exit(0)
"""
_TYPES_OF_ARROW = ("Table", "RecordBatch", "Array", "ChunkedArray")  # types that scikit-learn asks every array for


@cache
def installed(name: str) -> bool:
    """Return whether a library can be imported, without output."""
    if not _found(name):
        return False
    with _without_output():
        if os.environ.get(CAUTIOUS) and _tried(name):
            return False
        return not failure_of(name)


def failure_of(name: str) -> str:
    """Import a library. Return why that fails, "" if it works."""
    try:
        if name == "sklearn":
            os.environ["JOBLIB_MULTIPROCESSING"] = "0"  # this makes `n_jobs` 1
            _without_arrow()
        importlib.import_module(name)
        if name == "sklearn":
            importlib.import_module("sklearn.utils.parallel")._get_threadpool_controller()  # reads /proc, but only once
    except (Exception, SystemExit) as problem:  # such as a library built for another torch
        return f"{type(problem).__name__}: {problem}"
    return ""


def _found(name: str) -> bool:
    with contextlib.suppress(ImportError, ValueError):
        return name in sys.modules or importlib.util.find_spec(name) is not None
    return False


def left_out() -> list[str]:
    """Return the installed libraries that fail to import, and why."""
    tried = {name: _tried(name) for name in EXTRAS if _found(name)}
    return [f"{name}: {why.splitlines()[0]}" for name, why in tried.items() if why]


def _tried(name: str) -> str:
    """Try `failure_of` in a separate process, which it may end."""
    code = _TRIAL.format(path=sys.path, name=name)
    tried = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    status = tried.returncode
    ended = f"{signal.Signals(-status).name if status < 0 else status}" if status else ""
    return ended or tried.stdout.decode(errors="replace")


@contextlib.contextmanager
def _without_output():
    """Suppress output within a context, also from C++."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
    except OSError:  # a confined process, whose parent has imported them
        yield
        return
    sys.stdout.flush(), sys.stderr.flush()
    streams = [os.dup(1), os.dup(2)]
    os.dup2(null, 1), os.dup2(null, 2)
    try:
        yield
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        for stream, before in enumerate(streams, 1):
            os.dup2(before, stream)
            os.close(before)
        os.close(null)


def preload_extras() -> None:
    """Import the installed libraries."""
    for name, parts in EXTRAS.items():
        for part in parts.split() if installed(name) else ():
            with contextlib.suppress(Exception), _without_output():  # a part whose dependency is missing
                importlib.import_module(f"{name}.{part}")


def preload_profiler() -> None:
    """Start torch's profiler once and end its thread, which only reads settings.

    Children can start no thread, and a parent that forks must have none.
    """
    import ctypes
    from pathlib import Path

    import torch

    with contextlib.suppress(OSError, AttributeError):  # another build of torch: programs cannot use its profiler
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        settings = library._ZN9libkineto12ConfigLoader8instanceEv
        end_thread = library._ZN9libkineto12ConfigLoader10stopThreadEv
        settings.restype, end_thread.argtypes, end_thread.restype = ctypes.c_void_p, [ctypes.c_void_p], None
        try:
            with _without_output(), torch.autograd.profiler.profile():
                pass
        finally:
            end_thread(settings())


def _without_arrow() -> None:
    """Keep pyarrow out of the parent. Stubs satisfy scikit-learn."""
    if "pyarrow" in sys.modules and sys.modules["pyarrow"] is None:
        stub = types.ModuleType("pyarrow")
        vars(stub).update({name: type(name, (), {}) for name in _TYPES_OF_ARROW})
        sys.modules["pyarrow"] = stub

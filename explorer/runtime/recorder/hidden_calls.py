"""Let the recorder call torch unseen: no mode, class or profiler of the program notices."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, _pop_mode, _push_mode

dispatch_modes = torch._C._len_torch_dispatch_stack
function_modes = torch._C._len_torch_function_stack
profiled = torch._C._autograd._profiler_enabled
without_functions = torch._C.DisableTorchFunction
_jit_state = torch._C._get_tracing_state
_mode_of = torch._C._get_dispatch_mode
_record_functions = torch._C._autograd._enable_record_function
_TRACING = (torch._C._TorchDispatchModeKey.PROXY, torch._C._TorchDispatchModeKey.FUNCTIONAL)


class WithoutModes:
    """Disables function modes, dispatch modes, tensor classes, and the profiler if it runs."""

    __slots__ = ("_guards", "_profiled")

    def __enter__(self) -> None:
        self._guards = without_functions(), torch._C._DisableTorchDispatch()
        for guard in self._guards:
            guard.__enter__()
        self._profiled = profiled()
        if self._profiled:
            _record_functions(False)

    def __exit__(self, *problem: object) -> None:
        if self._profiled:
            _record_functions(True)
        for guard in reversed(self._guards):
            guard.__exit__(None, None, None)


def watched() -> bool:
    """Whether a dispatch mode or a profiler of the program would see a call."""
    return bool(dispatch_modes() or profiled())


def without_modes():
    """A context in which the recorder may call torch."""
    return WithoutModes() if dispatch_modes() or profiled() else without_functions()


def traced() -> bool:
    """Whether a graph is being traced (jit, fx, export): the recorder's reads would become part of it."""
    if _jit_state() is not None:
        return True
    if not dispatch_modes():
        return False
    return torch.compiler.is_compiling() or any(_mode_of(key) is not None for key in _TRACING)


@contextmanager
def unrecorded(recorder: Any) -> Iterator[None]:
    """A context whose calls are not recorded."""
    recorder.pauses += 1
    try:
        yield
    finally:
        recorder.pauses -= 1


def take_mode(mode: TorchFunctionMode) -> int:
    """Take a mode off torch's stack, from any place; return its place, -1 if it is not there."""
    modes = _get_current_function_mode_stack()
    if mode not in modes:
        return -1
    depth = modes.index(mode)
    above = [_pop_mode() for _ in modes[depth:]][:-1]
    for other in reversed(above):
        _push_mode(other)
    return depth


def put_mode(mode: TorchFunctionMode, depth: int) -> None:
    """Put a mode back at its place on torch's stack, unless that is below 0."""
    if depth < 0:
        return
    above = [_pop_mode() for _ in _get_current_function_mode_stack()[depth:]]
    for one in (mode, *reversed(above)):
        _push_mode(one)


class Paused:
    """The recorder's own reads between the program's calls: no mode sees them, and what cannot be read is counted."""

    __slots__ = ("_modes", "_recorder")

    def __init__(self, recorder: Any) -> None:
        self._recorder, self._modes = recorder, without_modes()

    def __enter__(self) -> None:
        self._recorder.pauses += 1
        self._modes.__enter__()

    def __exit__(self, _kind, problem, _traceback) -> bool:
        self._modes.__exit__(None, None, None)
        self._recorder.pauses -= 1
        if isinstance(problem, Exception):
            self._recorder.count_unrecorded(problem)
        return isinstance(problem, Exception)

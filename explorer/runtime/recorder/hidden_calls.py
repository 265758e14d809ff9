"""Calls of torch that no mode, class or profiler of the program notices.

Compiled functions run compiled: torch's compiler enters and leaves a recording's context around each call.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, FunctionType, MethodType
from typing import Any

import torch
from torch.nn import Module
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, _pop_mode, _push_mode

from explorer.runtime.recorder.calls import TorchCall

dispatch_modes = torch._C._len_torch_dispatch_stack
function_modes = torch._C._len_torch_function_stack
profiled = torch._C._autograd._profiler_enabled
without_functions = torch._C.DisableTorchFunction
_jit_state = torch._C._get_tracing_state
_mode_of = torch._C._get_dispatch_mode
_record_functions = torch._C._autograd._enable_record_function
_TRACING = (torch._C._TorchDispatchModeKey.PROXY, torch._C._TorchDispatchModeKey.FUNCTIONAL)
HOOKS = "enter_exit_hooks"  # hooks of a compiled function: called before it, and their results after it
_WRAPPER = "compile_wrapper"  # torch's name for the wrapper of a compiled function
_WRAPPERS = os.path.join("_dynamo", "external_utils.py")


class WithoutModes:
    """A context without function modes, dispatch modes, tensor classes and profiler."""

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
    """Return whether a dispatch mode or profiler would see a call."""
    return bool(dispatch_modes() or profiled())


def without_modes():
    """Return a context in which the recorder may call torch."""
    return WithoutModes() if dispatch_modes() or profiled() else without_functions()


def traced() -> bool:
    """Return whether a graph is being traced (jit, fx, export).

    The recorder's reads would become part of it.
    """
    if _jit_state() is not None:
        return True
    if not dispatch_modes():
        return False
    return torch.compiler.is_compiling() or any(_mode_of(key) is not None for key in _TRACING)


@contextmanager
def unrecorded(recorder: Any) -> Iterator[None]:
    """Yield a context whose calls are not recorded."""
    recorder.pauses += 1
    try:
        yield
    finally:
        recorder.pauses -= 1


def take_mode(mode: TorchFunctionMode) -> int:
    """Remove a mode from any place in torch's stack. Return its place or -1."""
    modes = _get_current_function_mode_stack()
    if mode not in modes:
        return -1
    depth = modes.index(mode)
    above = [_pop_mode() for _ in modes[depth:]][:-1]
    for other in reversed(above):
        _push_mode(other)
    return depth


def put_mode(mode: TorchFunctionMode, depth: int) -> None:
    """Restore a mode at its place on torch's stack, unless below 0."""
    if depth < 0:
        return
    above = [_pop_mode() for _ in _get_current_function_mode_stack()[depth:]]
    for one in (mode, *reversed(above)):
        _push_mode(one)


@contextmanager
def without_mode(mode: TorchFunctionMode) -> Iterator[None]:
    """Yield a context in which a mode is not on torch's stack."""
    depth = take_mode(mode)
    try:
        yield
    finally:
        put_mode(mode, depth)


class Paused:
    """The recorder's own reads: no mode sees them, and failures are counted."""

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


class EnteredCalls:
    """A property that adds a hook to those of every compiled function.

    Functions compiled before are included. A hook is called before the function runs, with the frame around it, and
    returns a function to call afterwards.
    """

    def __init__(self, hook: Callable[[FrameType], Callable[[], None]]) -> None:
        self._hook = hook

    def __get__(self, compiled: Any, _owner: type) -> Any:
        return self if compiled is None else _Hooks(vars(compiled)[HOOKS], self._hook)

    def __set__(self, compiled: Any, hooks: list) -> None:
        vars(compiled)[HOOKS] = hooks


class _Hooks:
    """The hooks of one compiled function, and ours after them."""

    def __init__(self, others: list, hook: Callable[[FrameType], Callable[[], None]]) -> None:
        self._others, self._hook = others, hook
        self.append = others.append

    def __iter__(self) -> Iterator[Callable]:
        yield from self._others
        yield self._enter

    def _enter(self) -> Callable[[], None]:
        frame = sys._getframe(1)
        if frame.f_code.co_name != _WRAPPER and frame.f_back is not None:
            frame = frame.f_back  # a comprehension has its own frame until Python 3.11
        return self._hook(frame) if frame.f_code.co_name == _WRAPPER else _nothing


def _nothing() -> None:
    """Do nothing after calls other than a function's."""


def runs_compiled() -> bool:
    """Return whether the program lets compiled functions run compiled."""
    return sys.modules["torch._dynamo.eval_frame"]._stance.stance != "force_eager"


def call_of(frame: FrameType, callee: FrameType) -> tuple[TorchCall, tuple, dict]:
    """Return a compiled function as an operation, with its arguments.

    Args: frame: torch's, around the function. callee: the function that the program called.
    """
    variables = frame.f_locals
    name = _name_of(variables.get("fn"))
    of = TorchCall(f"compiled {name}", f"torch.compile({name})", True, writes=True, code=callee.f_code)
    return of, variables.get("args", ()), variables.get("kwargs", {})


def _name_of(function: Any) -> str:
    """Return a function's name, for a module its class's name."""
    while type(function) is FunctionType and function.__code__.co_filename.endswith(_WRAPPERS) and function.__closure__:
        function = function.__closure__[0].cell_contents
    if type(function) is MethodType and issubclass(type(function.__self__), Module):
        return type(function.__self__).__name__
    return function.__name__ if type(function) in (FunctionType, MethodType) else type(function).__name__


def when_returned(frame: FrameType, do: Callable[[object], None]) -> None:
    """Call a function with a frame's return value.

    From torch 2.13 on, the value is in a variable, so this happens at once. Otherwise it happens on return, unless
    something else traces this thread.
    """
    variables = frame.f_locals
    if "result" in variables:
        do(variables["result"])
    elif sys.gettrace() is None and sys.exc_info()[1] is None:

        def event(_frame: FrameType, event: str, result: object) -> Any:
            if event == "return":
                sys.settrace(None)
                frame.f_trace = None
                do(result)
            return trace

        trace = event
        frame.f_trace = event
        sys.settrace(_no_function)


# Python calls it when a function begins. It answers None, "trace nothing in it", without running Python.
_no_function: Callable[..., Any] = getattr

"""What stands in the place of torch's own functions while records run.

It is there once, from the first record's begin to the last one's end, and hands each call to the records of its own
thread, the outermost last. So records may lie side by side, in threads, and end in another order than they began.
"""

import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial, wraps
from typing import Any, Protocol

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from explorer.runtime.recording.nodes import own_hooks, torch_register_hook
from explorer.runtime.recording.sink import ArrivalHook, LeafArrivalHook, LeafLeavingHook, LeavingHook


class Listener(Protocol):
    """A record's part in what happens in its thread (`engine.EnginePatch`)."""

    def run(self, engine, outputs, /, *args, **kwargs): ...
    def refused(self, outputs, grads, problem: Exception) -> None: ...
    def apply_function(self, original, cls, /, *args, **kwargs): ...
    def inside_backward(self, filename: str) -> AbstractContextManager[None]: ...
    def apart(self) -> AbstractContextManager[None]: ...
    def thread_started(self) -> None: ...
    def hooked(self) -> None: ...
    def stepping(self, optimizer: object) -> None: ...
    def stepped(self) -> None: ...
    def warned_at(self, filename: str, line: int) -> tuple[str, int]: ...


_TORCH = torch.__file__.removesuffix("__init__.py")
_UNCOMPILED = "force_eager"  # torch's word
_ON_NODES = (ArrivalHook, LeavingHook)
_OWN = (*_ON_NODES, LeafArrivalHook, LeafLeavingHook)
_begun: dict[int, list[Listener]] = {}  # by thread, the innermost last
_lock = threading.RLock()
_undo: list[Callable[[], None]] = []  # what gives every place back what stood there
_classes: dict[type, staticmethod] = {}  # custom Functions whose backward is looked into, and that backward


def begun() -> list[Listener]:
    """The records of this thread, the innermost last."""
    return _begun.get(threading.get_ident(), [])


def begin(patch: Listener, thread: int) -> None:
    """From now on the calls of that thread are handed to this one too."""
    with _lock:
        if not _begun:
            _install()
        _begun[thread] = [*_begun.get(thread, ()), patch]


def end(patch: Listener, thread: int) -> None:
    """It hears of nothing more. The last one gives torch its own functions back."""
    with _lock:
        left = [one for one in _begun.get(thread, ()) if one is not patch]
        _begun[thread] = left
        if not left:
            del _begun[thread]
        if not _begun:
            while _undo:
                _undo.pop()()


def _install() -> None:
    _undo.append(_unwrap_classes)
    autograd: Any = torch.autograd
    for owner, name, make in (
        (autograd, "_engine_run_backward", _engine),
        (autograd, "_make_grads", _make_grads),
        (threading.Thread, "start", _start),
        (warnings, "showwarning", _show_warning),
    ):
        _put(owner, name, make(getattr(owner, name)))
    if "torch._dynamo" in sys.modules:
        _run_uncompiled()
    _put(torch, "compile", _compile(torch.compile))
    apply = autograd.Function.apply.__func__ if hasattr(autograd.Function.apply, "__func__") else None
    inherited = None if apply else vars(torch._C._FunctionBase)["apply"]
    _put(autograd.Function, "apply", classmethod(_apply(apply or _bound(inherited))))
    _put(autograd.Function, "_register_hook", staticmethod(_enter_hook))
    for handle in (register_optimizer_step_pre_hook(_stepping), register_optimizer_step_post_hook(_stepped)):
        _undo.append(handle.remove)


def _put(owner: Any, name: str, new: object) -> None:
    """Put something in a place; what stood there comes back unless somebody else has put something over it."""
    before = vars(owner).get(name)

    def give_back() -> None:
        if vars(owner).get(name) is not new:
            return
        if before is None:
            delattr(owner, name)  # what is inherited shows again
        else:
            setattr(owner, name, before)

    setattr(owner, name, new)
    _undo.append(give_back)


def _bound(descriptor: Any) -> Callable:
    """A class method written in C, as one that is given its class."""
    return lambda cls, *args, **kwargs: descriptor.__get__(None, cls)(*args, **kwargs)


def _engine(original):
    def run_backward(outputs, *args, **kwargs):
        call = original
        for patch in begun():
            call = partial(patch.run, call)
        return call(outputs, *args, **kwargs)

    return run_backward


def _make_grads(original):
    def make_grads(outputs, grads, is_grads_batched):
        try:
            return original(outputs, grads, is_grads_batched=is_grads_batched)
        except Exception as problem:
            for patch in reversed(begun()):
                patch.refused(outputs, grads, problem)
            raise

    return make_grads


def _apply(original):
    def apply(cls, *args, **kwargs):
        call = original
        for patch in begun():
            call = partial(patch.apply_function, call)
        return call(cls, *args, **kwargs)

    return apply


def _start(original):
    def start(thread, *args, **kwargs):
        for patch in begun():
            patch.thread_started()
        return original(thread, *args, **kwargs)

    return start


def _show_warning(original):
    def show(message, category, filename, lineno, file=None, line=None):
        for patch in reversed(begun()):
            filename, lineno = patch.warned_at(filename, lineno)
        return original(message, category, filename, lineno, file, line)

    return show


def _compile(original):
    @wraps(original)
    def compile(*args, **kwargs):
        if sys._getframe(1).f_code.co_filename.startswith(_TORCH):  # torch.cond and its like need it
            return _opaque(original(*args, **kwargs))
        _run_uncompiled()
        return original(*args, **kwargs)

    return compile


def _run_uncompiled() -> None:
    """Compiled functions run as they are written, in all threads: what a compiler made of them has no operations."""
    from torch._dynamo import eval_frame

    if eval_frame._stance.stance != "default":
        return
    stance = torch.compiler.set_stance(_UNCOMPILED)

    def give_back() -> None:
        if eval_frame._stance.stance == _UNCOMPILED:
            stance.__exit__(None, None, None)

    _undo.append(give_back)


def _opaque(function: Callable) -> Callable:
    """A function whose inside no record sees, and no mode: it is compiled, and would be compiled with them."""

    @wraps(function)
    def call(*args, **kwargs):
        from torch._dynamo import eval_frame

        with ExitStack() as back:
            for patch in begun():
                back.enter_context(patch.apart())
            if eval_frame._stance.stance == _UNCOMPILED:
                back.enter_context(torch.compiler.set_stance("default"))
            return function(*args, **kwargs)

    return call


def _enter_hook(hooks, hook):
    if hooks is None and type(hook) in _ON_NODES:
        return own_hooks(hook), None
    if type(hook) not in _OWN:
        for patch in begun():
            patch.hooked()
    return torch_register_hook(hooks, hook)


def _stepping(optimizer, _args, _kwargs) -> None:
    for patch in begun():
        patch.stepping(optimizer)


def _stepped(_optimizer, _args, _kwargs) -> None:
    for patch in begun():
        patch.stepped()


def look_into(cls: type, backward: staticmethod) -> None:
    """Let the records of a thread hear of what a custom Function's own backward does: no lock of the engine is held."""
    with _lock:
        if cls in _classes or not _begun:
            return
        function = backward.__func__

        @wraps(function)
        def recorded(*args, **kwargs):
            with ExitStack() as listening:
                for patch in begun():
                    listening.enter_context(patch.inside_backward(function.__code__.co_filename))
                return function(*args, **kwargs)

        _classes[cls] = backward
        cls.backward = staticmethod(recorded)  # type: ignore[attr-defined]


def _unwrap_classes() -> None:
    for cls, backward in _classes.items():
        cls.backward = backward  # type: ignore[attr-defined]
    _classes.clear()

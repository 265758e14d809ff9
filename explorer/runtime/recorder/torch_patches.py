"""The replacements for torch's own functions while recordings run.

They are installed once, from the start of the first recording to the end of the last, and pass each call to the
recordings of its own thread, the outermost last. So recordings may run side by side, in threads, and end in any order.
"""

import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial, wraps
from types import FunctionType
from typing import Any, Protocol

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from explorer.runtime.recorder.gradient_hooks import ArrivalHook, LeafArrivalHook, LeafLeavingHook, LeavingHook
from explorer.runtime.recorder.own_hooks import (
    hooked,
    hooked_with_handle,
    modules_unhooked,
    registered,
    torch_register_hook,
)
from explorer.runtime.recorder.training_patches import replacements


class Listener(Protocol):
    """A recording's part in the events of its thread (`engine.EnginePatch`)."""

    def run(self, engine, outputs, /, *args, **kwargs): ...
    def refused(self, outputs, grads, problem: Exception) -> None: ...
    def apply_function(self, original, cls, /, *args, **kwargs): ...
    def inside_backward(self, filename: str) -> AbstractContextManager[None]: ...
    def suspended(self) -> AbstractContextManager[None]: ...
    def thread_started(self) -> None: ...
    def trained_elsewhere(self) -> None: ...
    def hooked(self) -> None: ...
    def stepping(self, optimizer: object) -> None: ...
    def stepped(self, optimizer: object) -> None: ...
    def trained(self, event: str, *given) -> None: ...
    def refers_to(self, reference: weakref.ref) -> bool: ...
    def swapping(self, *tensors: torch.Tensor) -> AbstractContextManager[None]: ...
    def warned(self, text: str, filename: str, line: int) -> tuple[str, int]: ...
    def silenced(self, text: str) -> None: ...


_TORCH = torch.__file__.removesuffix("__init__.py")
_UNCOMPILED = "force_eager"  # torch's word
_ON_NODES = (ArrivalHook, LeavingHook)
_SWAP, _EXPORT = "_explorer_swaps", "_explorer_exports"
_ON_LEAVES = (LeafArrivalHook, LeafLeavingHook)
_begun: dict[int, list[Listener]] = {}  # by thread, innermost last
_lock = threading.RLock()
_undo: list[Callable[[], None]] = []  # restore the originals
_classes: dict[type, staticmethod] = {}  # custom Functions whose backward is patched, and the original backward


def begun() -> list[Listener]:
    """The recordings of this thread, innermost last."""
    return _begun.get(threading.get_ident(), [])


def _unrecorded() -> None:
    """torch trains in an unrecorded thread."""
    for patches in list(_begun.values()):
        for patch in patches:
            patch.trained_elsewhere()


def begin(patch: Listener, thread: int) -> None:
    """Pass the calls of that thread to this recording too, from now on."""
    with _lock:
        if not _begun:
            _install()
        _begun[thread] = [*_begun.get(thread, ()), patch]


def end(patch: Listener, thread: int) -> None:
    """End a recording. The last one restores torch's own functions."""
    with _lock:
        left = [listener for listener in _begun.get(thread, ()) if listener is not patch]
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
        (warnings, "warn", _warn),
    ):
        _put(owner, name, make(getattr(owner, name)))
    if "torch._dynamo" in sys.modules:
        _run_uncompiled()
    _put(torch, "compile", _compile(torch.compile))
    apply = autograd.Function.apply.__func__ if hasattr(autograd.Function.apply, "__func__") else None
    inherited = None if apply else vars(torch._C._FunctionBase)["apply"]
    _put(autograd.Function, "apply", classmethod(_apply(apply or _bound(inherited))))
    _put(autograd.Function, "_register_hook", staticmethod(_enter_hook))
    for owner, name, new in replacements(_trained):
        _put(owner, name, new)
    _swap_unhindered()
    _export_apart()
    _undo.append(registered(register_optimizer_step_pre_hook, _stepping).remove)
    _undo.append(registered(register_optimizer_step_post_hook, _stepped).remove)


def _put(owner: Any, name: str, new: object) -> None:
    """Replace an attribute; on undo the original returns unless other code has replaced it again."""
    before = vars(owner).get(name)

    def give_back() -> None:
        if vars(owner).get(name) is not new:
            return
        if before is None:
            delattr(owner, name)  # the inherited attribute shows again
        else:
            setattr(owner, name, before)

    setattr(owner, name, new)
    _undo.append(give_back)


def _bound(descriptor: Any) -> Callable:
    """Bind a class method written in C to its class."""
    return lambda cls, *args, **kwargs: descriptor.__get__(None, cls)(*args, **kwargs)


def _engine(original):
    def run_backward(outputs, *args, **kwargs):
        call = original
        patches = begun()
        if not patches:
            _unrecorded()
        for patch in patches or ():
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
            filename, lineno = patch.warned(f"{category.__name__}: {message}\n", filename, lineno)
        return original(message, category, filename, lineno, file, line)

    return show


def _warn(original):
    """Tell recordings what torch warns of, also where Python does not show it: filtered out, or shown once before."""
    filters = warnings.filters  # another list within catch_warnings(), where torch or the program hides some on purpose

    def warn(message, category=None, stacklevel=1, *rest, **options):
        if sys._getframe(1).f_code.co_filename.startswith(_TORCH) and warnings.filters is filters:
            kind = type(message) if isinstance(message, Warning) else category or UserWarning
            for patch in begun():
                patch.silenced(f"{kind.__name__}: {message}\n")
        return original(message, category, max(stacklevel, 1) + 1, *rest, **options)

    return warn


class _OthersReferences:
    """Replaces `weakref` in `torch.utils.swap_tensors`, which refuses tensors with weak references."""

    @staticmethod
    def getweakrefs(tensor: object) -> list:
        """The weak references to a tensor, except those of recordings."""
        patches = [patch for patches in list(_begun.values()) for patch in patches]
        return [
            getweakref
            for getweakref in weakref.getweakrefs(tensor)
            if not any(patch.refers_to(getweakref) for patch in patches)
        ]


def _swap_unhindered() -> None:
    """Allow swapping tensors that a recording refers to, also in programs that imported the function by name."""
    function: Any = torch.utils.swap_tensors
    code, module = function.__code__, function.__globals__
    if module.get("weakref") is not weakref:  # another version of torch does it differently
        return
    original = FunctionType(code, {**module, "weakref": _OthersReferences})

    def swap(first, second):
        with ExitStack() as swapping:
            for patch in begun():
                swapping.enter_context(patch.swapping(first, second))
            original(first, second)

    _exchange(function, _swapped, _SWAP, swap)


def _exchange(function: Any, stand_in: Any, name: str, new: Callable) -> None:
    """Make a function of torch call `new`, also where a program has imported it by name.

    Args:
        stand_in: whose code calls `name`, which its module has as long as records run.
    """
    code, module = function.__code__, function.__globals__

    def give_back() -> None:
        function.__code__ = code
        del module[name]

    module[name] = new
    function.__code__ = stand_in.__code__
    _undo.append(give_back)


def _swapped(t1, t2):
    return _explorer_swaps(t1, t2)  # type: ignore[name-defined]  # noqa: F821 (a name of torch.utils, while records run)


def _export_apart() -> None:
    """Let torch export a module without our hooks: its compiler refuses modules with global hooks."""
    function: Any = torch.export.export
    original = FunctionType(function.__code__, function.__globals__, "export", function.__defaults__)
    original.__kwdefaults__ = function.__kwdefaults__
    unseen = _opaque(original)

    def export(*args, **kwargs):
        with modules_unhooked():
            return unseen(*args, **kwargs)

    _exchange(function, _exported, _EXPORT, export)


def _exported(*args, **kwargs):
    return _explorer_exports(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821 (a name of torch.export)


def _compile(original):
    @wraps(original)
    def compile(*args, **kwargs):
        if sys._getframe(1).f_code.co_filename.startswith(_TORCH):  # torch.cond and its like need it
            return _opaque(original(*args, **kwargs))
        _run_uncompiled()
        return original(*args, **kwargs)

    return compile


def _run_uncompiled() -> None:
    """Run compiled functions uncompiled, in all threads: compiled code has no operations to record."""
    from torch._dynamo import eval_frame

    if eval_frame._stance.stance != "default":
        return
    stance = torch.compiler.set_stance(_UNCOMPILED)

    def give_back() -> None:
        if eval_frame._stance.stance == _UNCOMPILED:
            stance.__exit__(None, None, None)

    _undo.append(give_back)


def _opaque(function: Callable) -> Callable:
    """A function whose inside no recording and no mode sees: it is compiled itself, and would be compiled with them."""

    @wraps(function)
    def call(*args, **kwargs):
        from torch._dynamo import eval_frame

        with ExitStack() as back:
            for patch in begun():
                back.enter_context(patch.suspended())
            if eval_frame._stance.stance == _UNCOMPILED:
                back.enter_context(torch.compiler.set_stance("default"))
            return function(*args, **kwargs)

    return call


def _enter_hook(hooks, hook):
    if type(hook) in _ON_NODES:
        return hooked(hooks, hook), None
    if type(hook) in _ON_LEAVES:
        return hooked_with_handle(hooks, hook)
    for patch in begun():
        patch.hooked()
    return torch_register_hook(hooks, hook)


def _stepping(optimizer, _args, _kwargs) -> None:
    for patch in begun():
        patch.stepping(optimizer)


def _stepped(optimizer, _args, _kwargs) -> None:
    for patch in begun():
        patch.stepped(optimizer)


def _trained(event: str, *given) -> None:
    for patch in begun():
        patch.trained(event, *given)


def look_into(cls: type, backward: staticmethod) -> None:
    """Let the recordings of a thread see a custom Function's own backward; no lock of the engine is held."""
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

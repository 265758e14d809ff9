"""Replacements of torch's own functions while recordings run.

They are installed from the start of the first recording to the end of the last, and pass each call to the recordings of
its own thread, the outermost last. So recordings may run in parallel, in threads, and end in any order.
"""

import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache, partial, wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from itertools import chain
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import torch
from torch.compiler import is_compiling
from torch.jit import _builtins as jit_builtins
from torch.jit import _trace as jit_trace
from torch.optim import optimizer as optimizers

from explorer.once import once
from explorer.runtime.recorder import warning_filter
from explorer.runtime.recorder.gradient_hooks import ArrivalHook, LeafArrivalHook, LeafLeavingHook, LeavingHook
from explorer.runtime.recorder.hidden_calls import HOOKS, EnteredCalls, put_mode, take_mode
from explorer.runtime.recorder.optimizer_steps import steps_of
from explorer.runtime.recorder.own_hooks import OWN, OwnHandle, OwnHooks, hook_into, hooked, torch_register_hook
from explorer.runtime.recorder.training_log import of_training
from explorer.runtime.replacements import replace, wrapped

_RUNTIME = str(Path(__file__).parents[1])
_AFTER = (LeavingHook, LeafLeavingHook)  # registered while a backward runs
_OURS = (ArrivalHook, LeafArrivalHook, *_AFTER)
_listeners: dict[int, list[Any]] = {}  # the recordings (`engine.EnginePatch`) of each thread, innermost last
_ONLY_SHOW = {"tqdm", "rich", "tensorboard"}  # their threads draw bars or write files, without calling torch
_WITH_FAST_PATH = {torch.nn.modules.transformer.__file__, torch.nn.modules.activation.__file__}
_lock = threading.RLock()
_installed = ExitStack()  # restores the originals


def begun() -> list[Any]:
    """Return the recordings of this thread, innermost last."""
    return _listeners.get(threading.get_ident(), [])


def _everywhere() -> list[Any]:
    """Return the recordings of all threads."""
    return [listener for listeners in list(_listeners.values()) for listener in listeners]


def begin(listener: Any, thread: int) -> None:
    """Pass that thread's calls to this recording too. Raises RuntimeError if already passed."""
    with _lock:
        if listener in _listeners.get(thread, ()):
            raise RuntimeError("this recording has begun already")
        if not _listeners:
            with ExitStack() as undo:  # a partial installation is undone
                _install(undo)
                _installed.push(undo.pop_all())
        _listeners[thread] = [*_listeners.get(thread, ()), listener]


def end(listener: Any, thread: int) -> None:
    """End a recording. The last one restores torch's own functions."""
    with _lock:
        _listeners[thread] = [one for one in _listeners.get(thread, ()) if one is not listener]
        if not _listeners[thread]:
            del _listeners[thread]
        if not _listeners:
            _installed.close()


def notify(event: str, *given: Any) -> None:
    """Call a method of this thread's recordings by name."""
    for listener in reversed(begun()):
        getattr(listener, event)(*given)


def _within(event: str, *given: Any) -> ExitStack:
    """Return the contexts that this thread's recordings put around something."""
    with ExitStack() as entered:
        for listener in begun():
            entered.enter_context(getattr(listener, event)(*given))
        return entered.pop_all()


def _through(event: str, original: Callable) -> Callable:
    """Return a function that passes calls through the thread's recordings."""

    @wraps(original)
    def call(*args, **kwargs):
        passed = original
        for listener in begun():
            passed = partial(getattr(listener, event), passed)
        return passed(*args, **kwargs)

    return call


def _install(undo: ExitStack) -> None:
    undo.callback(warning_filter.install(partial(notify, "silenced")))
    replace(undo, *chain.from_iterable(wrapped(*patch) for patch in _patches()))
    _known_to_scripts(undo)
    _mute(len(vars(sys.modules[__package__])))
    for name, install in _WHEN_IMPORTED.items():
        if name in sys.modules:
            install(undo, sys.modules[name])
    sys.meta_path.insert(0, _finder)
    undo.callback(_take_out)
    undo.callback(hook_into(optimizers._global_optimizer_pre_hooks, _stepping))
    undo.callback(hook_into(optimizers._global_optimizer_post_hooks, lambda one, *_: notify("stepped", one)))


@lru_cache(maxsize=1)
def _mute(_imported: int) -> None:
    """Let each warning inside the recorder reach `EnginePatch.warned`, by giving its modules no registry of warnings.

    Only its package is searched: a reference to each imported module would copy thousands of pages in a forked process.
    """
    for module in list(vars(sys.modules[__package__]).values()):
        if isinstance(module, ModuleType):
            vars(module)["__warningregistry__"] = None


@once
def _patches() -> list[tuple[Any, str, Callable[[Any], Any]]]:
    """Return the functions to replace: owner, name, and a function that creates the replacement."""
    autograd: Any = torch.autograd
    return [
        (autograd, "_engine_run_backward", _engine),
        (autograd, "_make_grads", _make_grads),
        (autograd.Function, "apply", _apply),
        (autograd.Function, "_register_hook", lambda _: staticmethod(_enter_hook)),
        (threading.Thread, "start", _start),
        (warnings, "_showwarnmsg", partial(_through, "warned")),  # programs replace `showwarning`
        (jit_trace, "_create_interpreter_name_lookup_fn", lambda _: _names_of_variables),
        (torch.utils, "weakref", lambda _: _OthersReferences()),
        (torch._C, "_swap_tensor_impl", _swap),
        (torch.overrides, "has_torch_function", _as_unrecorded),
        *of_training(partial(notify, "trained")),
        (torch.optim.Optimizer, "zero_grad", _zero_grad),
        (torch.nn.Module, "zero_grad", _zero_grad),
    ]


def _uncompiled(event: str, original: Callable) -> Callable:
    """Return `_through` that compilers look past."""
    passed = _through(event, original)

    def call(*args, **kwargs):
        return original(*args, **kwargs) if is_compiling() else passed(*args, **kwargs)

    return call


def _zero_grad(original):
    return wraps(original)(_uncompiled("zero_grad", original))


def _stepping(optimizer: Any, *_: object) -> None:
    """Pass a step that is about to run in torch's function around it."""
    notify("stepping", optimizer)
    with _lock:
        for cell in () if is_compiling() else steps_of(optimizer):
            _installed.callback(setattr, cell, "cell_contents", cell.cell_contents)
            cell.cell_contents = _uncompiled("step", cell.cell_contents)


def _as_unrecorded(original):
    """Let transformers and attention choose their fast path, which our mode would otherwise prevent.

    Its result can differ: it calls no layer, but reads its weights, and omits padding.
    """

    @wraps(original)
    def has_torch_function(arguments):
        if not begun() or sys._getframe(1).f_code.co_filename not in _WITH_FAST_PATH:
            return original(arguments)
        taken = [(listener.recorder, take_mode(listener.recorder)) for listener in begun()]
        try:
            return original(arguments)
        finally:
            for recorder, depth in reversed(taken):
                put_mode(recorder, depth)

    return has_torch_function


def _known_to_scripts(undo: ExitStack) -> None:
    """Let torch.jit, which looks functions up by id, compile our function as torch's."""
    ours = id(torch.overrides.has_torch_function)
    jit_builtins._register_builtin(torch.overrides.has_torch_function, "aten::has_torch_function")
    undo.callback(jit_builtins._get_builtin_table().pop, ours, None)


@contextmanager
def _known_to_compilers() -> Iterator[None]:
    """Restore torch's own function in a context, because compilers break graphs at ours."""
    overrides: Any = torch.overrides
    ours = overrides.has_torch_function
    overrides.has_torch_function = getattr(ours, "__wrapped__", ours)
    try:
        yield
    finally:
        if _listeners:
            overrides.has_torch_function = ours


def _bound(descriptor: Any) -> Callable:
    """Bind a class method written in C to its class."""

    def bound(cls, *args, **kwargs):
        return descriptor.__get__(None, cls)(*args, **kwargs)

    bound.__name__, bound.__qualname__ = descriptor.__name__, f"Function.{descriptor.__name__}"
    return bound


def _apply(original):
    apply = getattr(original, "__func__", None) or _bound(vars(torch._C._FunctionBase)["apply"])
    return classmethod(_through("apply_function", apply))


def _engine(original):
    passed = _through("run", original)

    @wraps(original)
    def run_backward(outputs, *args, **kwargs):
        if not begun():  # torch trains in a thread without a recording
            for listener in _everywhere():
                listener.trained_elsewhere()
        return passed(outputs, *args, **kwargs)

    return run_backward


def _make_grads(original):
    @wraps(original)
    def make_grads(outputs, grads, is_grads_batched):
        try:
            return original(outputs, grads, is_grads_batched=is_grads_batched)
        except Exception as problem:
            notify("refused", outputs, grads, problem, sys._getframe(2))
            raise

    return make_grads


def _start(original):
    @wraps(original)
    def start(thread, *args, **kwargs):
        if _ONLY_SHOW.isdisjoint(kind.__module__.split(".")[0] for kind in type(thread).__mro__):
            notify("thread_started")
        return original(thread, *args, **kwargs)

    return start


class _OthersReferences(ModuleType):
    """Replaces `weakref` in `torch.utils`, whose `swap_tensors` refuses tensors with weak references."""

    def __init__(self) -> None:
        super().__init__(weakref.__name__)
        vars(self).update(vars(weakref))
        self.getweakrefs = self._of_others

    @staticmethod
    def _of_others(tensor: object) -> list:
        """Return weak references to a tensor about to be swapped, except recordings' own."""
        others = [
            one for one in weakref.getweakrefs(tensor) if not any(listener.refers_to(one) for listener in _everywhere())
        ]
        notify("swapped", tensor)
        return others


def _swap(original):
    def swap(first, second):
        notify("swapped", first)  # torch has used the tensors since they were released
        notify("swapped", second)
        original(first, second)
        notify("made_new", first)
        notify("made_new", second)

    return swap


class _Finder(MetaPathFinder):
    """Installs replacements in large parts of torch when the program first imports them."""

    @staticmethod
    def find_spec(name: str, path: Any, _target: Any = None) -> ModuleSpec | None:
        """Return the module's usual spec. The replacements follow its execution."""
        install = _WHEN_IMPORTED.get(name)
        found = None if install is None else PathFinder.find_spec(name, path)
        if found is None or found.loader is None:
            return None
        loader: Any = found.loader

        def exec_module(module: Any) -> None:
            del loader.exec_module
            loader.exec_module(module)
            with _lock:
                if _listeners:
                    install(_installed, module)

        loader.exec_module = exec_module
        return found


_finder = _Finder()


def _take_out() -> None:
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


def _enter_compiled(undo: ExitStack, eval_frame: Any) -> None:
    replace(undo, (eval_frame._TorchDynamoContext, HOOKS, EnteredCalls(_entered)))


def _entered(frame: FrameType) -> Callable[[], None]:
    """Prepare for a compiled function's run. Return a function to call after it."""
    with ExitStack() as entered:
        entered.enter_context(_known_to_compilers())
        entered.callback(_within("inside_compiled", frame).close)
        return entered.pop_all().close


def _export_apart(undo: ExitStack, trace: Any) -> None:
    """Let torch export a module without our hooks and modes."""
    replace(undo, *wrapped(trace, "_export", _apart))


def _apart(original):
    @wraps(original)
    def export(*args, **kwargs):
        with _known_to_compilers(), _within("apart"):
            return original(*args, **kwargs)

    return export


_WHEN_IMPORTED = {"torch._dynamo.eval_frame": _enter_compiled, "torch.export._trace": _export_apart}


def _names_of_variables(frames_up: int = 1) -> Callable[[Any], str]:
    """Name tensors that torch.jit traces by the variables of the calling code.

    torch's own function inspects a fixed number of frames, which ours shift.
    """

    def name_of(tensor: Any) -> str:
        frame: FrameType | None = sys._getframe(frames_up + 1)
        while frame is not None and frame.f_code.co_filename.startswith(_RUNTIME):
            frame = frame.f_back
        names = (name for name, value in (frame.f_locals if frame else {}).items() if value is tensor)
        return next((name for name in names if name != "self"), "")

    return name_of


def _enter_hook(hooks, hook):
    kind = type(hook)
    if hooks is None and (kind is ArrivalHook or kind is LeavingHook):  # this is the usual case
        return OwnHooks({OWN: hook}), None
    if kind in _OURS:
        hooks, key = hooked(hooks, hook, first=kind in _AFTER)  # the program's own may precede it
        return hooks, OwnHandle(hooks, key)
    notify("hooked")
    return torch_register_hook(hooks, hook)


def look_into(cls: type, backward: staticmethod) -> None:
    """Show a custom Function's backward to a thread's recordings."""
    function = backward.__func__

    @wraps(function)
    def recorded(*args, **kwargs):
        with _within("inside_backward", function.__code__.co_filename):
            return function(*args, **kwargs)

    with _lock:
        if _listeners and vars(cls).get("backward") is backward:
            replace(_installed, (cls, "backward", staticmethod(recorded)))

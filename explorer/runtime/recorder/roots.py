"""Names of the program's outermost modules at their calls: `net`, `self.model`, `models["g"]`, `nets[0]`."""

import inspect
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import torch
from torch.compiler import is_compiling
from torch.nn.modules import module as modules

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.object_contents import reachable
from explorer.runtime.recorder.own_hooks import hook_into
from explorer.runtime.recorder.source_map import ProgramFiles, release_variables
from explorer.runtime.recorder.statements import loop_variables
from explorer.runtime.recorder.tensors import TensorBook
from explorer.trace import EVALUATES

MOST = 500  # most modules named in one run
MOST_MODES = 5  # most modules whose mode is recorded at a backward
OWN = ("self", "cls")  # names of a method's own object
_STEPS = 2  # for example in self.nets[0]


@dataclass(frozen=True)
class NamedModule:
    """An outermost module at its first call, possibly gone at the end.

    Attributes: name: its name in the program. parts: its modules with their paths. tensors: parameters and buffers by
    id, with their paths.
    """

    module: weakref.ref
    name: str
    parts: list[tuple[weakref.ref, str]]
    tensors: list[tuple[int, str]]


class ModuleRoots:
    """The outermost modules of a run.

    `found`: in the order of their first calls.
    """

    def __init__(self, files: ProgramFiles, tensors: TensorBook) -> None:
        self._files, self._tensors = files, tensors
        self._tried: dict[int, weakref.ref] = {}
        self.found: list[NamedModule] = []
        self._learning: set[int] = set()  # ids of the modules with parameters

    def called(self, module: torch.nn.Module) -> None:
        """Name an outermost module."""
        self._tried[id(module)] = weakref.ref(module)
        root, name = named(module, sys._getframe(1), self._files)
        if not name or any(module.module() is root for module in self.found):
            return
        paths: list[tuple[weakref.ref, str]] = []
        held: list[tuple[int, str]] = []
        for outer, outermost in with_listed(name, root):
            parts, tensors = contents_of(outermost, outer)
            paths += ((weakref.ref(part), path) for path, part in parts)
            held += ((self._tensors.find(tensor), path) for path, tensor in tensors)
        self.found.append(NamedModule(weakref.ref(root), name, paths, [(index, path) for index, path in held if index]))

    def tried(self, module: torch.nn.Module) -> bool:
        """Return whether a module was called before, or too many were."""
        before = self._tried.get(id(module))
        return (before is not None and before() is module) or len(self._tried) >= MOST

    def modes(self) -> str:
        """Return the known modules' modes: "net train, teacher eval, head mixed".

        Only modules with parameters count.
        """
        words = []
        for root in self.found[:MOST_MODES]:
            module = root.module()
            if module is not None and (id(root) in self._learning or _learns(module)):
                self._learning.add(id(root))
                modes = {part.training for part in all_parts(module)}
                words.append(f"{root.name} {'mixed' if len(modes) > 1 else 'train' if True in modes else 'eval'}")
        return ", ".join(dict.fromkeys(words))

    def forget(self) -> None:
        """Release all modules."""
        self.found.clear()
        self._learning.clear()
        self._tried.clear()


def named(module: torch.nn.Module, frame: FrameType | None, files: ProgramFiles) -> tuple[torch.nn.Module, str]:
    """Return the outermost module around a module, with its name or "".

    The name is that of the nearest frame. `self`, an argument and the variable of a loop mean little, since other calls
    and rounds reuse that name: if a frame farther out has another name for the object, it is used.
    """
    root, name = _named(module, frame, files, arguments=False)
    return (root, name) if name and name not in OWN else _named(module, frame, files, arguments=True)


def _named(
    module: torch.nn.Module, frame: FrameType | None, files: ProgramFiles, arguments: bool
) -> tuple[torch.nn.Module, str]:
    """Return the result of `named`.

    `arguments`: whether those of functions are names too.
    """
    root, name = module, ""
    outer: dict[int, dict] = {}
    weak = set(OWN)
    while frame is not None:
        if files[frame.f_code.co_filename] >= 0:
            code = frame.f_code
            variables = frame.f_locals
            outer[id(frame.f_globals)] = frame.f_globals
            weak |= loop_variables(code)
            given = () if arguments else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + _more(code)]
            own = {name: value for name, value in variables.items() if name in OWN or name not in given}
            root, name = _within(root, own, name, weak)
            release_variables(frame, variables)
            if name and name not in weak:
                return root, name
        frame = frame.f_back
    for variables in outer.values():
        root, name = _within(root, variables, name, weak)
    return root, name


def _more(code: CodeType) -> int:
    """Count a function's *args and **kwargs."""
    return bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)


def _within(
    module: torch.nn.Module, variables: dict, so_far: str, weak: Collection[str]
) -> tuple[torch.nn.Module, str]:
    """Return the result of `named` for a frame's variables.

    `so_far` is the result until now, and `weak` names mean little.
    """
    for name, value in variables.items():
        if value is module and name not in weak:
            return module, name
    held_by = {name: value for name, value in variables.items() if name in OWN or name not in weak}
    for name, value in held_by.items():
        if issubclass(type(value), torch.nn.Module) and (value is not module or not so_far) and _holds(value, module):
            return value, name
    if so_far not in OWN:
        for path, held in reachable(held_by, _STEPS):
            if held is module:
                return module, path
            if issubclass(type(held), torch.nn.Module) and _holds(held, module):
                return held, path
    return module, so_far or next((name for name, value in variables.items() if value is module), "")


def _holds(outer: torch.nn.Module, module: torch.nn.Module) -> bool:
    try:
        return any(part is module for part in all_parts(outer))
    except Exception as problem:  # a module whose __init__ has not run
        reraise_recorder_error(problem)
        return False


def with_listed(name: str, module: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """Yield a module, and those in its plain lists and dictionaries, by name."""
    yield name, module
    try:
        known = set(map(id, all_parts(module)))
        for path, held in reachable({name: module}):
            if issubclass(type(held), torch.nn.Module) and id(held) not in known:
                known.update(map(id, all_parts(held)))
                yield path, held
    except Exception as problem:  # a module whose __init__ has not run
        reraise_recorder_error(problem)


def contents_of(
    module: torch.nn.Module, name: str
) -> tuple[list[tuple[str, torch.nn.Module]], list[tuple[str, torch.Tensor]]]:
    """Return the modules in a module of this name by path, and its parameters and buffers.

    Modules appear once, tensors with all their paths.
    """
    parts: dict[int, tuple[str, torch.nn.Module]] = {}
    parameters: list[tuple[str, torch.Tensor]] = []
    buffers: list[tuple[str, torch.Tensor]] = []
    waiting: list[tuple[str, torch.nn.Module, tuple[int, ...]]] = [(name, module, ())]
    while waiting:
        path, part, around = waiting.pop()
        if id(part) in around:
            continue
        parts.setdefault(id(part), (path, part))
        before = path and f"{path}."
        for kind, held in (("_parameters", parameters), ("_buffers", buffers)):
            if there := _held(part, kind):
                held += [(before + name, tensor) for name, tensor in there.items() if tensor is not None]
        if inside := _held(part, "_modules"):
            around = *around, id(part)
            # A program's own container may accept a non-text name. Its position replaces it.
            waiting += [
                (before + (name if isinstance(name, str) else str(at)), child, around)
                for at, (name, child) in reversed([*enumerate(inside.items())])
                if child is not None
            ]
    return list(parts.values()), parameters + buffers


def all_parts(module: torch.nn.Module) -> list[torch.nn.Module]:
    """Return a module and its submodules, each once."""
    parts, seen = [module], {id(module)}
    for part in parts:
        for child in (_held(part, "_modules") or {}).values():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                parts.append(child)
    return parts


def _learns(module: torch.nn.Module) -> bool:
    return any(tensor is not None for part in all_parts(module) for tensor in _held(part, "_parameters").values())


def _held(module: torch.nn.Module, kind: str) -> dict:
    """Return a module's own modules, parameters or buffers.

    Raises AttributeError before its `__init__` has run.
    """
    own = module.__dict__
    return own[kind] if kind in own else getattr(module, kind)  # a ScriptModule keeps them in C++


def joined(name: str, path: str) -> str:
    """Join a name and a path.

    >>> joined("net", "0.weight"), joined("net", ""), joined("", "weight")
    ('net.0.weight', 'net', 'weight')
    """
    return f"{name}.{path}" if name and path else name or path


class RunningModule:
    """A call of a module.

    Attributes: caller: the call of the module that called it, None for an outermost module. mode: EVALUATES if it is
    in evaluation mode, or if its caller is and does not hold it, so that no call of eval() reached it.
    """

    __slots__ = ("caller", "mode", "module")

    def __init__(self, module: torch.nn.Module, caller: "RunningModule | None") -> None:
        self.module, self.caller = module, caller
        self.mode = 0 if module.__dict__.get("training", True) else EVALUATES  # a ScriptModule keeps it in C++
        if not self.mode and caller is not None and caller.mode and not _holds(caller.module, module):
            self.mode = EVALUATES

    def path(self, known: Mapping[int, str]) -> str:
        """Return its path in the program.

        A module created by a forward has none: its name is its class, below its caller.

        Args:
            known: the paths of the program's modules, by id.
        """
        if (path := known.get(id(self.module))) is not None:
            return path
        kind = type(self.module).__name__
        if self.caller is None:
            return kind
        held = _held(self.caller.module, "_modules").items()
        return joined(self.caller.path(known), next((str(name) for name, part in held if part is self.module), kind))


@contextmanager
def followed_modules(
    stack: list[RunningModule], left: Callable[[RunningModule, tuple[Any, ...], Mapping[str, Any], Any], None]
):
    """Track the running modules of this thread in `stack`, innermost last.

    `left` gets each call that ends, with its arguments and result.
    """
    thread = threading.get_ident()

    def enter(module, _inputs) -> None:
        if not is_compiling() and threading.get_ident() == thread:  # the compiler reads this first and stops here
            stack.append(RunningModule(module, stack[-1] if stack else None))

    def leave(module, inputs, *rest) -> None:  # after an error torch leaves the keywords out
        if is_compiling() or threading.get_ident() != thread:
            return
        call = None
        while stack and (call := stack.pop()).module is not module:
            pass
        if call is not None and call.module is module:
            left(call, inputs, rest[0] if len(rest) > 1 else {}, rest[-1])

    with ExitStack() as hooks:
        hooks.callback(stack.clear)
        hooks.callback(hook_into(modules._global_forward_pre_hooks, enter))
        flags = modules._global_forward_hooks_always_called, modules._global_forward_hooks_with_kwargs
        hooks.callback(hook_into(modules._global_forward_hooks, leave, *flags))
        yield

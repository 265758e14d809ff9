"""Record which of the program's functions are called, and which arguments they read."""

import dis
import inspect
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType, FunctionType, MethodType

from torch.nn import Module

from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace.effects import FUNCTIONS, FunctionUse

_READS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "DELETE_FAST")
_HIDDEN = ("<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
_READS_SOURCE = inspect.getsourcelines.__code__


class FunctionCounter:
    """Counts the calls of a program's functions while it runs.

    A profile function sees every call, which takes time, so it ends when all functions have been entered. One of the
    program's own takes its place, and nothing is known then.

    Args: cells: the program's text.
    """

    def __init__(self, source_map: SourceMap, cells: Iterable[str]) -> None:
        self._left = _defined(cells)
        self._files = source_map.files
        self._calls: Counter[CodeType] = Counter()
        self._own: set[CodeType] = set()
        self._modules: Counter[CodeType] = Counter()
        self.is_whole = True

    def __enter__(self) -> "FunctionCounter":
        sys.setprofile(self._event)
        return self

    def __exit__(self, *problem: object) -> None:
        self.is_whole = self.is_whole and (self._left == set() or sys.getprofile() == self._event)
        sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is _READS_SOURCE:  # to compile it, as torch.jit.script does
            compiled = frame.f_locals["object"]
            if isinstance(compiled, FunctionType | MethodType):
                self._calls[compiled.__code__] += 1
                self._end_with(compiled.__code__)
        elif event == "call" and self._files.get(frame.f_code.co_filename, -1) >= 0:
            code = frame.f_code
            (self._modules if code.co_name == "<module>" else self._calls)[code] += 1
            self._end_with(code)
            caller = frame.f_back
            if (code.co_name == "forward" and _is_of_module(frame)) or (
                caller is not None and self._files.get(caller.f_code.co_filename, -1) >= 0
            ):
                self._own.add(code)

    def _end_with(self, code: CodeType) -> None:
        """Stop counting if this was the last function of which no call is known."""
        if self._left is None:
            return
        if code.co_name == "<module>":
            self._left.update(self._key(one) for one in _inner([code]) if one not in self._calls)
        self._left.discard(self._key(code))
        if not self._left:
            sys.setprofile(None)

    def _key(self, code: CodeType) -> tuple[int, int, str]:
        return self._files.get(code.co_filename, -1), code.co_firstlineno, code.co_name

    def uses(self) -> tuple[FunctionUse, ...]:
        """Return the functions that the program defines, the entered and the others."""
        codes = _inner([*self._modules, *self._calls])
        uses = [self._use(one) for one in codes if self._files.get(one.co_filename, -1) >= 0]
        return tuple(sorted(uses, key=lambda one: (one.cell, one.line)))[:FUNCTIONS]

    def _use(self, code: CodeType) -> FunctionUse:
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        read = {one.argval for one in dis.get_instructions(code) if one.opname.startswith(_READS)}
        read |= {name for one in dis.get_instructions(code) if isinstance(one.argval, tuple) for name in one.argval}
        unread = tuple(name for name in names if name not in read and name not in code.co_cellvars)
        place = self._files[code.co_filename], code.co_firstlineno
        return FunctionUse(code.co_name[:200], *place, self._calls[code], unread[:50], code in self._own)


def _defined(cells: Iterable[str]) -> set[tuple[int, int, str]] | None:
    """Return the functions that cells define, None if a cell is more than Python."""
    found = set[tuple[int, int, str]]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell, text in enumerate(cells):
            try:
                codes = _inner([compile(text, "", "exec", dont_inherit=True)])
            except (SyntaxError, ValueError):
                return None
            found.update((cell, one.co_firstlineno, one.co_name) for one in codes)
    return found


def _inner(codes: list[CodeType]) -> Iterator[CodeType]:
    """Yield the functions that code defines, also inside others."""
    todo, found = [*codes], dict[CodeType, None]()
    while todo and len(found) < 4 * FUNCTIONS:
        for inner in (one for one in todo.pop().co_consts if isinstance(one, CodeType)):
            if inner not in found:
                found[inner] = None
                todo.append(inner)
    return (one for one in found if one.co_name not in _HIDDEN and _is_function(one))


def _is_of_module(frame: FrameType) -> bool:
    """Return whether a call is of a module's method. That of an autograd function must take a context."""
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    return bool(names) and isinstance(frame.f_locals.get(names[0]), Module)


def _is_function(code: CodeType) -> bool:
    """Return whether a code object is a function's, not the body of a class."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED)

"""Which functions of the program are entered, and which of their arguments they read."""

import dis
import inspect
import sys
from collections import Counter
from types import CodeType, FrameType, FunctionType, MethodType

from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace.effects import FUNCTIONS, FunctionUse

_READS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "DELETE_FAST")
_HIDDEN = ("<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
_READS_SOURCE = inspect.getsourcelines.__code__


class FunctionCounter:
    """Counts the calls of a program's functions while it runs.

    A profile function sees every call. One of the program's own takes its place, and nothing is known then.
    """

    def __init__(self, source_map: SourceMap) -> None:
        self._files = source_map.files
        self._calls: Counter[CodeType] = Counter()
        self._own: set[CodeType] = set()
        self._modules: Counter[CodeType] = Counter()
        self.is_whole = True

    def __enter__(self) -> "FunctionCounter":
        sys.setprofile(self._event)
        return self

    def __exit__(self, *problem: object) -> None:
        self.is_whole = self.is_whole and sys.getprofile() == self._event
        sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is _READS_SOURCE:  # to compile it, as torch.jit.script does
            compiled = frame.f_locals["object"]
            if isinstance(compiled, FunctionType | MethodType):
                self._calls[compiled.__code__] += 1
        elif event == "call" and self._files.get(frame.f_code.co_filename, -1) >= 0:
            code = frame.f_code
            (self._modules if code.co_name == "<module>" else self._calls)[code] += 1
            caller = frame.f_back
            if code.co_name == "forward" or (
                caller is not None and self._files.get(caller.f_code.co_filename, -1) >= 0
            ):
                self._own.add(code)

    def uses(self) -> tuple[FunctionUse, ...]:
        """Return the functions that the program defines, the entered and the others."""
        found: dict[CodeType, None] = {}
        todo = [*self._modules, *self._calls]
        while todo and len(found) < 4 * FUNCTIONS:
            code = todo.pop()
            for inner in (one for one in code.co_consts if isinstance(one, CodeType)):
                if inner not in found:
                    found[inner] = None
                    todo.append(inner)
        codes = [one for one in found if one.co_name not in _HIDDEN and _is_function(one)]
        uses = [self._use(one) for one in codes if self._files.get(one.co_filename, -1) >= 0]
        return tuple(sorted(uses, key=lambda one: (one.cell, one.line)))[:FUNCTIONS]

    def _use(self, code: CodeType) -> FunctionUse:
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        read = {one.argval for one in dis.get_instructions(code) if one.opname.startswith(_READS)}
        read |= {name for one in dis.get_instructions(code) if isinstance(one.argval, tuple) for name in one.argval}
        unread = tuple(name for name in names if name not in read and name not in code.co_cellvars)
        place = self._files[code.co_filename], code.co_firstlineno
        return FunctionUse(code.co_name[:200], *place, self._calls[code], unread[:50], code in self._own)


def _is_function(code: CodeType) -> bool:
    """Return whether a code object is a function's, not the body of a class."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED)

"""The program's handlers of signals: they wait while a recording begins or ends, and what they raise is the program's.

It imports no torch: `explorer.record()` uses it while it imports what does.
"""

import _signal  # as `signal`, which takes a hundred times as long: it looks each handler up in an enumeration
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType

_OWN = str(Path(__file__).parents[1])


class Waiting:
    """A context in which signals that a handler in Python answers wait; at its end they are sent again.

    A handler may raise at any moment, also where a recording has half begun. Python calls handlers in the main thread
    alone; elsewhere this does nothing.
    """

    def __init__(self) -> None:
        self._came: list[int] = []
        self._handlers: dict[int, Callable] = {}

    def __enter__(self) -> None:
        if threading.get_ident() == threading.main_thread().ident:
            self._handlers = _handlers()
            try:
                for number in self._handlers:
                    _signal.signal(number, self._note)
            except BaseException:
                self.__exit__()
                raise

    def __exit__(self, *problem: object) -> None:
        try:
            while self._handlers:
                number, handler = self._handlers.popitem()
                _signal.signal(number, handler)
        finally:
            self._send()

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if number not in self._came:  # one that waits comes once, as in the kernel
            self._came.append(number)

    def _send(self) -> None:
        if self._came:
            try:
                _signal.raise_signal(self._came.pop(0))
            finally:  # whatever its handler raises
                self._send()


def raised_by_handler(problem: BaseException) -> bool:
    """Whether an error comes from one of the program's handlers: it happened to run in the recorder's code."""
    codes, traceback = set(), problem.__traceback__
    while traceback is not None:
        if not (code := traceback.tb_frame.f_code).co_filename.startswith(_OWN):
            codes.add(code)
        traceback = traceback.tb_next
    return bool(codes) and not codes.isdisjoint(_code(handler) for handler in _handlers().values())


def _handlers() -> dict[int, Callable]:
    """The handlers in Python, by the number of their signal."""
    handlers = {}
    with suppress(ValueError):  # another interpreter
        numbers = _signal.valid_signals()
        handlers = dict(zip(numbers, map(_signal.getsignal, numbers), strict=True))
    # The others are numbers, for what the system does, or None, for a handler in C.
    return {number: handler for number, handler in handlers.items() if handler is not None and type(handler) is not int}


def _code(handler: Callable) -> CodeType | None:
    """The code of a function or method; no object of the program's is asked."""
    function = handler.__func__ if type(handler) is MethodType else handler
    return function.__code__ if type(function) is FunctionType else None

"""The program's signal handlers, delayed while a recording starts or ends.

It imports no torch: `explorer.record()` uses it while it imports torch.
"""

import _signal  # `signal` takes a hundred times as long, because it looks each handler up in an enumeration
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType

_OWN = str(Path(__file__).parents[1])


class DelayedSignals:
    """A context that delays signals with Python handlers, and sends them again.

    A handler may raise at any moment, even in a half-begun recording. Python calls handlers only in the main thread.
    Elsewhere this does nothing.
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
        if number not in self._came:  # a pending signal is delivered once, as in the kernel
            self._came.append(number)

    def _send(self) -> None:
        if self._came:
            try:
                _signal.raise_signal(self._came.pop(0))
            finally:  # even if its handler raises
                self._send()


def raised_by_handler(problem: BaseException) -> bool:
    """Return whether an error comes from a handler of the program."""
    codes, traceback = set(), problem.__traceback__
    while traceback is not None:
        if not (code := traceback.tb_frame.f_code).co_filename.startswith(_OWN):
            codes.add(code)
        traceback = traceback.tb_next
    return bool(codes) and not codes.isdisjoint(_code(handler) for handler in _handlers().values())


def _handlers() -> dict[int, Callable]:
    """Return the handlers in Python, by the number of their signal."""
    ask = _signal.getsignal
    try:
        # Other values are numbers for the system's actions, or None for a C handler.
        return {
            number: handler for number in _numbers() if type(handler := ask(number)) is not int and handler is not None
        }
    except ValueError:  # raised in another interpreter
        return {}


@cache
def _numbers() -> tuple[int, ...]:
    return tuple(_signal.valid_signals())


def _code(handler: Callable) -> CodeType | None:
    """Return a function's or method's code without asking an object."""
    function = handler.__func__ if type(handler) is MethodType else handler
    return function.__code__ if type(function) is FunctionType else None

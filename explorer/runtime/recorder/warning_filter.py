"""A filter of warnings that sees torch's, also if the next filter hides them.

Python asks its filters about a warning in their order. This one is in the list of the host while recordings run.
"""

import copyreg
import re
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import torch

from explorer.runtime.recorder.own_hooks import modules_hooked_by_others

_TORCH = torch.__file__.removesuffix("__init__.py")
_OF_OUR_HOOKS = "Using `torch.compile(module)` when there are global hooks"  # a warning that only recordings cause
_asked = threading.local()  # `text` of the warning that this thread is asking about


class _Message:
    """A pattern that matches every message and remembers it."""

    def match(self, text: str) -> bool:
        """Remember a warning's text until its category is checked."""
        _asked.text = text
        return True

    def __reduce__(self):
        return re.compile, ("(?!)",)  # programs send their filters to workers, where this one matches nothing


class _Asked(type):
    """The class of a category that answers whether a warning is ignored."""

    listener: Callable[[type, str, str], bool]  # set by `install`: category, text, file of the caller

    def __subclasscheck__(cls, category: type) -> bool:
        return cls.listener(category, _asked.text, sys._getframe(1).f_code.co_filename)


class _AnyCategory(Warning, metaclass=_Asked):
    pass


copyreg.pickle(_Asked, lambda _: (type, (Warning(),)))  # type: ignore[arg-type, return-value]
FILTER = ("ignore", _Message(), _AnyCategory, None, 0)


def is_of_our_hooks(text: str) -> bool:
    """Return whether only a recording causes this warning."""
    return text.startswith(_OF_OUR_HOOKS) and not modules_hooked_by_others()


def install(silenced: Callable[[str], None]) -> Callable[[], None]:
    """Put the filter before the host's, and return a function that removes it.

    Args: silenced: called with each warning of torch that reaches the filter.
    """

    def ask(category: type, text: str, filename: str) -> bool:
        if is_of_our_hooks(text):
            return True
        if filename.startswith(_TORCH):
            silenced(f"{category.__name__}: {text}\n")
        return False

    _AnyCategory.listener = ask
    _present().insert(0, FILTER)
    return partial(_remove, _present())


def _remove(there: list) -> None:
    for filters in (there, _present()):  # catch_warnings() installs another list
        with suppress(ValueError):
            filters.remove(FILTER)


def _present() -> list:
    """Return the list of filters in force."""
    found: Any = getattr(warnings, "_get_filters", lambda: warnings.filters)()  # Python 3.14 has a list per context
    return found

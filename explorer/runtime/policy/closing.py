"""The closed forms of what libraries have, put in their places while a program runs."""

import contextlib
from collections.abc import Callable

from explorer.runtime.policy import chosen_names, memory
from explorer.runtime.policy.memory import close_tensor, library

# The files that their code carries: a call through one of them is the call itself.
CLOSED = tuple(one.closed_functions.__code__.co_filename for one in (memory, chosen_names))


def closed_functions(guards) -> dict[tuple[str, str], Callable]:
    """The closed forms of functions that the libraries call themselves too, by module and name."""
    functions = memory.closed_functions(guards) | chosen_names.closed_functions(guards)
    for (_, name), function in functions.items():
        function.__name__ = function.__qualname__ = name
    return functions


@contextlib.contextmanager
def closed(functions: dict[tuple[str, str], Callable]):
    """These functions in their places in the libraries, and no tensor made of an address."""
    close_tensor()
    before = {(module, name): getattr(library(module), name) for module, name in functions}
    for (module, name), function in functions.items():
        setattr(library(module), name, function)
    try:
        yield
    finally:
        for (module, name), function in before.items():
            setattr(library(module), name, function)

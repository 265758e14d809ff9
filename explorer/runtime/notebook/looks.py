"""Which names of the program are looked at after each of its statements, so that a long program costs no square."""

from collections.abc import Iterator
from dis import opmap
from types import CodeType

_STORES_GLOBAL = opmap["STORE_GLOBAL"]
_NAMES_A_STATEMENT = 64  # how many names one statement pays for beside its own


class Looks:
    """A statement's own names are looked at when it has run, and all names as soon as as many statements have paid.

    So each statement of a short program is followed by a look at everything, which also finds what came in unseen: by
    `globals()`, through another name, by a backward that writes into a named gradient.
    """

    def __init__(self) -> None:
        self._assigned: dict[str, None] = {}  # by functions that declare them global
        self._paid = 0

    def after(self, code: CodeType, namespace: dict) -> list[str]:
        """The names to look at when a statement has run."""
        mentioned: dict[str, None] = {}
        for part in _parts(code):
            mentioned.update(dict.fromkeys(part.co_names))
            if part is not code and _STORES_GLOBAL in part.co_code[::2]:
                self._assigned.update(dict.fromkeys(part.co_names))
        self._paid += _NAMES_A_STATEMENT
        if self._paid >= len(namespace):
            return self.rest(namespace)
        return list(mentioned | self._assigned)

    def rest(self, namespace: dict) -> list[str]:
        """All names at the end, unless they have just been looked at."""
        paid, self._paid = self._paid, 0
        return list(namespace) if paid else []


def names_of(code: CodeType) -> list[str]:
    """The names that a statement mentions, in its own order, with those of the functions in it."""
    return list(dict.fromkeys(name for part in _parts(code) for name in part.co_names))


def _parts(code: CodeType) -> Iterator[CodeType]:
    """A statement's code and that of the functions and classes in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)

"""Choose the names to examine after each statement: the cost of full scans is amortized."""

from collections.abc import Iterator
from dis import opmap
from types import CodeType

_STORES_GLOBAL = opmap["STORE_GLOBAL"]
_NAMES_A_STATEMENT = 64  # names checked after each statement in addition to its own


class NameWatcher:
    """Examines a statement's own names after it, and periodically all names.

    A full scan follows as soon as enough statements have paid for it. So in a short program everything is examined
    after each statement, which also finds changes through `globals()`, through another name, or by a backward that
    writes into a named gradient.
    """

    def __init__(self) -> None:
        self._assigned: dict[str, None] = {}  # names assigned by functions that declare them global
        self._paid = 0

    def after(self, code: CodeType, namespace: dict) -> list[str]:
        """Return the names to examine after a statement."""
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
        """Return all names at the end, unless they were just examined."""
        paid, self._paid = self._paid, 0
        return list(namespace) if paid else []


def names_of(code: CodeType) -> list[str]:
    """Return a statement's names in order, with those of its functions."""
    return list(dict.fromkeys(name for part in _parts(code) for name in part.co_names))


def _parts(code: CodeType) -> Iterator[CodeType]:
    """Yield a statement's code and that of its functions and classes."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)

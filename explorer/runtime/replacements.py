"""Replace attributes of modules and classes for a while: the one way in which a run and a recording patch libraries."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

Replacement = tuple[Any, str, object]  # owner, name of the attribute, what it is meanwhile
_INHERITED = object()


def replace(undo: ExitStack, owner: Any, name: str, new: object, yields: bool = False) -> None:
    """Replace an attribute until `undo` closes; if it `yields`, what other code has set meanwhile stays."""
    before = vars(owner).get(name, _INHERITED)

    def give_back() -> None:
        if yields and vars(owner).get(name) is not new:
            return
        if before is not _INHERITED:
            setattr(owner, name, before)
        elif name in vars(owner):
            delattr(owner, name)

    setattr(owner, name, new)
    undo.callback(give_back)


@contextmanager
def replaced(replacements: Iterable[Replacement]) -> Iterator[None]:
    """A context with these attributes."""
    with ExitStack() as undo:
        for replacement in replacements:
            replace(undo, *replacement)
        yield

"""Replace attributes of modules and classes for a while: the one way in which a run and a recording patch libraries."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

Replacement = tuple[Any, str, object]  # owner, name of the attribute, what it is meanwhile
_INHERITED = object()
_wrappers: dict[tuple[Any, str], Any] = {}


def wrapped(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Replacement:
    """A replacement by a wrapper of what the attribute is now. It is made once, by the first recording of a process.

    Args:
        wrap: the same for all recordings; it uses functools.wraps.
    """
    original, made = getattr(owner, name), _wrappers.get((owner, name))
    if made is None or made.__wrapped__ is not original:
        made = _wrappers[owner, name] = wrap(original)
    return owner, name, made


def replace(undo: ExitStack, owner: Any, name: str, new: object, yields: bool = False) -> None:
    """Replace an attribute until `undo` closes; if it `yields`, what other code has set meanwhile stays."""
    replace_all(undo, ((owner, name, new),), yields)


def replace_all(undo: ExitStack, replacements: Iterable[Replacement], yields: bool = False) -> None:
    """Replace several attributes, one after the other."""
    done: list[tuple[Any, str, object, object]] = []

    def give_back() -> None:
        for owner, name, new, before in reversed(done):
            held = vars(owner)
            if yields and held.get(name) is not new:
                continue
            if before is not _INHERITED:
                setattr(owner, name, before)
            elif name in held:
                delattr(owner, name)

    undo.callback(give_back)
    for owner, name, new in replacements:
        before = vars(owner).get(name, _INHERITED)
        done.append((owner, name, new, before))  # first: an interrupt in between leaves nothing behind
        setattr(owner, name, new)


@contextmanager
def replaced(replacements: Iterable[Replacement]) -> Iterator[None]:
    """A context with these attributes."""
    with ExitStack() as undo:
        replace_all(undo, replacements)
        yield

"""Replace attributes of modules and classes for a time."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

Replacement = tuple[Any, str, object]  # owner, name of the attribute, its temporary value
_INHERITED = object()
_wrappers: dict[tuple[Any, str], tuple[Any, Any]] = {}  # (owner, name) → the original and its wrapper


def wrapped(owner: Any, name: str, wrap: Callable[[Any], Any]) -> Replacement:
    """Create a replacement that wraps the attribute's present value.

    It is created once for each value of the attribute.

    Args: wrap: the same for all recordings.
    """
    original = vars(owner)[name] if name in vars(owner) else getattr(owner, name)
    made = _wrappers.get((owner, name))
    if made is None or made[0] != original:
        made = _wrappers[owner, name] = original, wrap(original)
    return owner, name, made[1]


def replace(undo: ExitStack, *replacements: Replacement, yields: bool = True) -> None:
    """Replace attributes in order until `undo` closes.

    With `yields`, other code's later settings stay.
    """
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
        done.append((owner, name, new, before))  # first, so that an interrupt in between leaves nothing behind
        setattr(owner, name, new)


@contextmanager
def replaced(replacements: Iterable[Replacement]) -> Iterator[None]:
    """Yield a context with these attributes."""
    with ExitStack() as undo:
        replace(undo, *replacements, yields=False)
        yield

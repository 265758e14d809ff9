"""Cache results computed from a Trace or picture while this session shows it."""

from collections.abc import Callable
from typing import Any, TypeVar

from explorer.drawing.picture import Picture
from explorer.ui.components.session_values import SessionValue

Made = TypeVar("Made")
_made = SessionValue[dict[str, tuple[tuple[object, ...], tuple, Any]]]("_made", dict)  # name → inputs and result
MOST = 100  # most kept names; a page has up to sixty plots and a few more values


def memoize(what: str, of: object, make: Callable[[], Made], *asked: Any) -> Made:
    """Return the cached result of `make` for the same objects. `what` is its key.

    Args:
        of: source object, a tuple of several, or None, compared by identity because comparing Traces is slow.
        asked: further dependencies, compared by value.
    """
    results, parts = _made.get(), _parts(of)
    made_of, made_for, made = results.get(what, ((), (), None))
    if made_for != asked or list(map(id, made_of)) != list(map(id, parts)):
        made = make()
    results.pop(what, None)  # least recently used results are dropped first
    results[what] = parts, asked, made
    while len(results) > MOST:
        results.pop(next(iter(results)))
    return made


def _parts(of: object) -> tuple[object, ...]:
    """Return the identifying objects, since a copied picture may be the same drawing."""
    if isinstance(of, Picture):
        return (of.view, of.positions, of.lang)
    return of if type(of) is tuple else (of,)

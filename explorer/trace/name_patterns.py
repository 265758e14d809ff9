"""Names of torch's functions, and patterns of names as users write them in `full=`, `allow=` and assertions."""

from collections.abc import Iterable
from fnmatch import fnmatchcase


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name, or its end after a dot, matches a pattern.

    >>> fits("model.embed.weight", ["embed.*"]), fits("nets[0].weight", ["nets[0].weight"]), fits("bias", ["weight"])
    (True, True, False)
    """
    return any(
        name == pattern
        or name.endswith(f".{pattern}")
        or fnmatchcase(name, pattern)
        or fnmatchcase(name, f"*.{pattern}")
        for pattern in patterns
    )


def fitting_none(patterns: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns that match no name."""
    every = tuple(names)
    return tuple(pattern for pattern in patterns if not any(fits(name, (pattern,)) for name in every))


def writes_in_place(name: str) -> bool:
    """Return whether a function of torch writes to its first operand.

    >>> [writes_in_place(name) for name in ("add_", "__setitem__", "add", "__and__")]
    [True, True, False, False]
    """
    return name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))

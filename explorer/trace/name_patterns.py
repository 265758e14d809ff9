"""Patterns of names, as users write them in `full=`, `allow=` and the assertions."""

from collections.abc import Iterable
from fnmatch import fnmatchcase


def fits(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name, or its end after a dot, is one of these or fits it as a pattern.

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
    """The patterns that no name fits."""
    every = tuple(names)
    return tuple(pattern for pattern in patterns if not any(fits(name, (pattern,)) for name in every))

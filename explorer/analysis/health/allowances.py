"""What a user accepts: kinds of faults and notes, and parameters, by name or pattern."""

from collections.abc import Iterable
from fnmatch import fnmatchcase


class Allowed:
    """Patterns of kinds, such as "wrong_mode", and of names, such as "embed.*"; hyphens and underscores are alike in
    kinds.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = (patterns,) if isinstance(patterns, str) else tuple(patterns)
        self.kinds = {pattern.replace("-", "_") for pattern in self.patterns}

    def __call__(self, kind: str, name: str = "") -> bool:
        """Whether something of this kind, or about a tensor of this name, is accepted."""
        if kind.replace("-", "_") in self.kinds:
            return True
        return bool(name) and any(fnmatchcase(name, pattern) for pattern in self.patterns)

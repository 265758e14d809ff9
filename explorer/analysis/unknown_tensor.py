"""Unknown names, and suggestions of similar ones."""

from collections.abc import Sequence
from difflib import get_close_matches

from explorer.text import say

_LOOKED_AT = 2_000  # names that are searched for a similar one


class UnknownTensor(KeyError):
    """Raised if no tensor has a name. Its text suggests a similar one."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown(name: str, names: Sequence[str], lang: str = "en", message: str = "why-unknown-name") -> UnknownTensor:
    """The error for an unknown name of a tensor or a module, with a similar known one."""
    near = next(iter(get_close_matches(name, names[:_LOOKED_AT], 1, 0.6)), "")
    return UnknownTensor(say(lang, message, name=name, near=near, has="yes" if near else "no"))

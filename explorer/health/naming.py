"""A name that nothing has, and the one that was meant."""

from collections.abc import Sequence
from difflib import get_close_matches

from explorer.text import say

_LOOKED_AT = 2_000  # names among which a near one is looked for


class UnknownTensor(KeyError):
    """No tensor is called so. Its text says which name is near."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown(name: str, known: Sequence[str], lang: str = "en") -> UnknownTensor:
    """What to raise for a name that is none of these."""
    near = next(iter(get_close_matches(name, known[:_LOOKED_AT], 1, 0.6)), "")
    return UnknownTensor(say(lang, "why-unknown-name", name=name, near=near, has="yes" if near else "no"))

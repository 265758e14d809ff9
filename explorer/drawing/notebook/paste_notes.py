"""The sentence about a pasted text: what was changed."""

from functools import reduce

from explorer.program import Cleaned
from explorer.text import say

_ORDER = ("notebook", "fences", "prompts", "outputs")


def cleaned_sentence(cleaned: Cleaned, lang: str) -> str:
    """One line about what was changed, or "" for a plain program.

    >>> from explorer.program import read_pasted
    >>> cleaned_sentence(read_pasted("In [1]: 1 + 1"), "en")
    'Pasted: one prompt removed.'
    """
    done = [say(lang, f"cleaned-{kind}", count=cleaned.told[kind]) for kind in _ORDER if kind in cleaned.told]
    what = reduce(lambda before, change: say(lang, "cleaned-joint", before=before, next=change), done) if done else ""
    return what and say(lang, "cleaned", what=what)

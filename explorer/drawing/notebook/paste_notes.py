"""Sentences about a pasted text: one line for what was changed, one for each mark."""

from functools import reduce

from explorer.program import Cleaned, Mark
from explorer.text import joined, say

_ORDER = ("notebook", "fences", "line-numbers", "prompts", "outputs", "indentation")


def cleaned_sentence(cleaned: Cleaned, lang: str) -> str:
    """One line about what was changed, or "" for a plain program.

    >>> from explorer.program import read_pasted
    >>> cleaned_sentence(read_pasted("In [1]: 1 + 1"), "en")
    'Pasted: one prompt removed.'
    """
    done = [say(lang, f"cleaned-{kind}", count=cleaned.told[kind]) for kind in _ORDER if kind in cleaned.told]
    said = []
    if done:
        what = reduce(lambda before, change: say(lang, "cleaned-joint", before=before, next=change), done)
        said.append(say(lang, "cleaned", what=what))
    if cleaned.marks:
        said.append(say(lang, "cleaned-marks", count=len(cleaned.marks)))
    return joined(lang, said)


def mark_sentence(mark: Mark, lang: str) -> str:
    """The meaning of a mark, with its line in its cell."""
    return say(lang, f"mark-{mark.kind}", line=mark.line, end=mark.end_line, found=_shown(mark.found))


def mend_label(mark: Mark, lang: str) -> str:
    """The label of the button that repairs a mark's lines."""
    return say(lang, f"mark-{mark.kind}.mend")


def _shown(characters: str) -> str:
    """Characters in readable form: invisible ones by their code points."""
    return " ".join(
        character if character.isprintable() and not character.isspace() else f"U+{ord(character):04X}"
        for character in characters
    )

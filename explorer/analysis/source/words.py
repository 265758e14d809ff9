"""Words and brackets in a piece of a program's text, which need not be whole statements."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

_SHORT = 5  # letters up to which one slip changes most of a word
_LONGEST = 60  # characters of a word that is compared
_QUOTED = r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'|#[^\n]*"


def near(word: str, candidates: Iterable[str], cutoff: float = 0.72) -> str:
    """The candidate that a word may be a misspelling of, or "".

    >>> near("weigth", ["bias", "weight"])
    'weight'
    """
    known = sorted({candidate for candidate in candidates if candidate != word and len(candidate) <= _LONGEST})[:4_000]
    folded = [candidate for candidate in known if candidate.lower() == word.lower()]
    if folded or len(word) < 3 or len(word) > _LONGEST:
        return folded[0] if folded else ""
    if len(word) < _SHORT:
        return next((candidate for candidate in known if _is_a_slip(word.lower(), candidate.lower())), "")
    found = get_close_matches(word, known, 1, cutoff)
    return found[0] if found else ""


def _is_a_slip(word: str, right: str) -> bool:
    """Whether the words differ by one letter added, missing, wrong, or exchanged with its neighbour."""
    at = next((i for i, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), min(len(word), len(right)))
    a, b = word[at:], right[at:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def rename(source: str, old: str, new: str) -> str:
    """Replace a name everywhere as a word, "" if it may also mean something else.

    >>> rename("x = true  # true", "true", "True")
    'x = True  # true'
    """
    if any(_formats(line, old) for line in source.split("\n")):
        return ""
    pattern = rf"({_QUOTED})|(?<![\w.]){re.escape(old)}(?!\w)"
    return re.sub(pattern, lambda found: found[1] or new, source)


def _formats(line: str, name: str) -> bool:
    """Whether a name may be inside the braces of an f-string; linear in the line."""
    begin = re.search(r"\bf[\"']", line)
    brace = line.find("{", begin.end()) if begin else -1
    return brace >= 0 and re.search(rf"\b{re.escape(name)}\b", line[brace:]) is not None


def replace_word(text: str, old: str, new: str) -> str:
    """Replace a name wherever it stands as a word of its own, also within strings.

    >>> replace_word("h + net.h", "h", "h[0]")
    'h[0] + net.h'
    """
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", lambda _: new, text)


def closing(text: str, opening: int) -> int:
    """The position where the bracket opened at a position closes, -1 if it does not.

    >>> closing("f(g(x))", 1)
    6
    """
    depth = 0
    for found in re.compile(rf"{_QUOTED}|[(\[{{]|[)\]}}]").finditer(text, opening):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
            if depth == 0:
                return found.start()
    return -1

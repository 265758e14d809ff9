"""Linear-time regular expressions for untrusted text, required outside the children.

A pattern that could match a text in several ways is `linear`: RE2 reads any text in one pass. Without RE2, as in a
user's own process, Python's `re` reads the user's own text. A pattern with lookaround, which RE2 lacks, or one that
reads one kind of character up to another, is `plain`: written so that the standard library never backtracks over a
character twice. Its repetitions are possessive (`*+`) or followed by a character that they cannot match.
`tests/test_readers.py` tries slow texts on every reader.
"""

import re

try:
    import re2
except ImportError:  # an optional dependency that the app installs
    re2 = None

Pattern = re.Pattern
Match = re.Match

# Python's \w, \d and \s, written out because RE2's are ASCII only.
_WORD = r"\p{L}\p{N}_"
_SPACE = r"\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_CLASSES = {"w": _WORD, "d": r"\p{Nd}", "s": _SPACE}


# What an assignment can name: a variable, an attribute or an item, `held["net"].weight`.
PLACE = r"[^\W\d]\w*+(?:\.\w++|\[(?:\w++|'\w++'|\"\w++\")\])*"


def linear(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern in RE2's syntax, with Python's `\w`, `\d` and `\s`.

    >>> linear(r"(\w+) = ").match("数 = 1")[1]
    '数'
    """
    return re.compile(pattern) if re2 is None else re2.compile(_with_classes(pattern))


def plain(pattern: str | bytes) -> Pattern:
    """Compile a pattern of the standard library."""
    return re.compile(pattern)


def stands_in(text: str, name: str) -> bool:
    """Return whether a name occurs as a whole word, attributes included.

    >>> stands_in("y = w.T", "w"), stands_in("y = ww", "w"), stands_in("m.w", "w")
    (True, False, True)
    """
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not is_word(text[at - 1 : at]) and not is_word(text[end : end + 1]):
            return True
        at = text.find(name, end)  # names that overlap themselves, such as a.a in a.a.a, are not tensor names
    return False


def is_word(character: str) -> bool:
    """Return whether a character can be part of a name."""
    return character.isalnum() or character == "_"


def _with_classes(pattern: str) -> str:
    r"""Write out \w, \d and \s for RE2."""
    parts, inside, at = [], False, 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            escaped = pattern[at + 1]
            text = _CLASSES.get(escaped)
            parts.append(pattern[at : at + 2] if text is None else text if inside else f"[{text}]")
            at += 2
            continue
        inside = character == "[" or (inside and character != "]")
        parts.append(character)
        at += 1
    return "".join(parts)

"""Patterns over a stranger's text. A leaf: every room but those of children takes its patterns from here alone.

A pattern that could try one text in several ways is `linear`: RE2 reads it in one pass, whatever the text. One that
looks around, which RE2 cannot, or that reads one kind of character until another comes, is `plain`, and written so
that the standard library goes back over nothing twice: a repetition is possessive (`*+`) or followed by what it cannot
hold itself. Tests pump every pattern that is made here, with texts taken from its own pieces.
"""

import re
from dataclasses import dataclass
from typing import Any

import re2

Pattern = re.Pattern
Match = re.Match
LONGEST = 300_000  # characters of a text: as many as a Trace may hold in one

# What Python means by these, for RE2, which knows them in ASCII only.
_WORD = r"\p{L}\p{N}_"
_SPACE = r"\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_CLASSES = {"w": _WORD, "d": r"\p{Nd}", "s": _SPACE}


@dataclass(frozen=True)
class MadePattern:
    """A pattern that was made here. Attributes: text: as written; compiled: as used; longest: of the texts it reads."""

    text: str | bytes
    compiled: Any
    longest: int


made: list[MadePattern] = []


def linear(pattern: str) -> re.Pattern[str]:
    """A pattern in RE2's syntax, with the methods of re.Pattern. `\\w`, `\\d` and `\\s` are those of Python.

    >>> linear(r"(\\w+) = ").match("数 = 1")[1]
    '数'
    """
    compiled = re2.compile(_with_classes(pattern))
    made.append(MadePattern(pattern, compiled, LONGEST))
    return compiled


def plain(pattern: str | bytes, longest: int = LONGEST) -> Pattern:
    """A pattern of the standard library. `longest`: where the text is cut before."""
    compiled = re.compile(pattern)
    made.append(MadePattern(pattern, compiled, longest))
    return compiled


def stands_in(text: str, name: str, after_dot: bool = True) -> bool:
    """Whether a name stands in a text by itself; with `after_dot` also as an attribute of something.

    >>> stands_in("y = w.T", "w"), stands_in("y = ww", "w"), stands_in("m.w", "w", after_dot=False)
    (True, False, False)
    """
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not is_word(before) and not is_word(after) and (after_dot or before != "."):
            return True
        at = text.find(name, end)  # names that overlap themselves, such as a.a in a.a.a, are no names of tensors
    return False


def is_word(character: str) -> bool:
    """Whether a character may stand in a name."""
    return character.isalnum() or character == "_"


def _with_classes(pattern: str) -> str:
    """The pattern with \\w, \\d and \\s as RE2 has to be told them."""
    parts, inside, at = [], False, 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            escaped = pattern[at + 1]
            known = _CLASSES.get(escaped)
            parts.append(pattern[at : at + 2] if known is None else known if inside else f"[{known}]")
            at += 2
            continue
        inside = character == "[" or (inside and character != "]")
        parts.append(character)
        at += 1
    return "".join(parts)

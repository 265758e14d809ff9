"""Scan a text's lines for code, strings and comments, without parsing."""

import builtins
import keyword
from collections.abc import Iterator, Set
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from explorer.safe_regex import plain

_PIECE = plain(
    r"""(?s)(?P<triple>\"{3}(?:\\.|[^\\])*?(?:\"{3}|\\?\Z)|'{3}(?:\\.|[^\\])*?(?:'{3}|\\?\Z))"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?)"""
    r"""|(?P<comment>\#[^\n]*)"""
)
_OPEN, _CLOSE = "([{", ")]}"
_BRACKET = plain(r"[([{)\]}]")
_WORD, _ANY_WORD = plain(r"[^\W\d]\w*"), plain(r"\w+")
_NEIGHBOURS = plain(r"(?=(?<!\w)(\w+)[ \u3000]([^\W\d]\w*))")
_IN_A_LINE = plain(r"[^\n]")
HAN = plain(r"[\u3400-\u9fff]")
_BINDING = plain(
    r"(?m)^[ \t]*+\(?([\w.,*\[\] \t]{1,200}?)\)?[ \t]?(?::[^=\n]{1,200})?(?://|\*\*|>>|<<|[-+*/@%&|^])?=(?!=)"
    r"|\b(?:class|as|for|import|lambda|global|nonlocal)[ \t]+([\w.*, \t]+)"
    r"|\bdef[ \t]+(\w+[ \t]?\([^)]{0,1000})"
)
BUILTINS = frozenset(dir(builtins))

Kind = Literal["code", "string", "comment"]


class Line(Struct, frozen=True):
    """One line of a text.

    Attributes:
        text: as written.
        code: the same length; characters in strings become quotation marks, those in comments spaces.
        depth: open brackets at its beginning.
        inside: whether it begins inside a triple-quoted string.
        open: whether a triple-quoted string reaches beyond its end.
    """

    text: str
    code: str
    depth: int
    inside: bool
    open: bool

    @property
    def indent(self) -> int:
        """How many blanks it begins with."""
        return len(self.text) - len(self.text.lstrip(" \t\u00a0\u3000"))

    @property
    def empty(self) -> bool:
        """Whether it contains neither code nor a string."""
        return not self.code.strip() and not self.inside

    @property
    def continues(self) -> bool:
        """Whether it continues the statement of the line before."""
        return self.inside or self.depth > 0


def pieces(text: str) -> Iterator[tuple[Kind, str]]:
    """Cut the text into code, strings and comments."""
    at = 0
    for match in _PIECE.finditer(text):
        if match.start() > at:
            yield "code", text[at : match.start()]
        kind = match.lastgroup or "code"
        yield ("string" if kind == "triple" else kind), match[0]  # type: ignore[misc]
        at = match.end()
    if at < len(text):
        yield "code", text[at:]


def scan(text: str) -> list[Line]:
    """The lines of a text. Brackets in prose do not count."""
    return list(_scanned(text))


@lru_cache(maxsize=2)  # cleaning a pasted text scans it several times
def _scanned(text: str) -> list[Line]:
    masked = []  # the text without strings and comments
    opened: set[int] = set()  # lines at whose end a string is open
    at = 0  # line
    for kind, piece in pieces(text):
        masked.append(piece if kind == "code" else _IN_A_LINE.sub(" " if kind == "comment" else '"', piece))
        ends = piece.count("\n")
        if kind != "code":
            opened.update(range(at, at + ends))
        at += ends
    lines: list[Line] = []
    depth = 0
    names = bound_names("".join(masked)) if HAN.search(text) else frozenset()  # needed for Chinese only
    for number, (line, code) in enumerate(zip(text.split("\n"), "".join(masked).split("\n"), strict=True)):
        lines.append(Line(line, code, depth, number - 1 in opened, number in opened))
        if _BRACKET.search(code) and (depth or not reads_as_prose(code, names)):
            depth += sum(code.count(bracket) for bracket in _OPEN) - sum(code.count(bracket) for bracket in _CLOSE)
            depth = max(0, depth)
    return lines


def bound_names(code: str) -> frozenset[str]:
    """The names that a text binds, judged by its words: assigned, imported, defined, parameters, loop variables."""
    return frozenset(word for groups in _BINDING.findall(code) for part in groups for word in _WORD.findall(part))


def code_of(text: str) -> str:
    r"""A text without strings and comments.

    >>> code_of("y = x.detach()  # for\nprint('while')")
    'y = x.detach()  \nprint()'
    """
    return "".join(piece for kind, piece in pieces(text) if kind == "code")


def words_of(code: str) -> frozenset[str]:
    """All names in a text outside strings and comments, keywords included."""
    return frozenset(word for kind, piece in pieces(code) if kind == "code" for word in _WORD.findall(piece))


def reads_as_prose(code: str, names: Set[str]) -> bool:
    """Whether a line outside strings, comments and brackets is a sentence, not code.

    In a sentence words follow each other without an operator, or it begins with a Chinese word that no statement binds.
    """
    line = code.strip()
    if not line or line[0] in "%!?@" or (line.endswith("?") and " " not in line):
        return False
    words = _ANY_WORD.findall(line)
    neighbours = sum(not _joins(first) and not _joins(second) for first, second in _NEIGHBOURS.findall(line))
    if HAN.search(line):
        if neighbours or "。" in line:
            return True
        first = words[0] if words else ""
        return bool(HAN.search(first)) and first not in names
    ends = line[-1] in ".:!?" and line.split()[0] not in keyword.kwlist
    return neighbours > 1 or (neighbours == 1 and ends)


def _joins(word: str) -> bool:
    return keyword.iskeyword(word) or word in ("match", "case", "type", "print", "exec")

"""Scan a text's lines for code, strings and comments, without parsing."""

from collections.abc import Iterator
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
_WORD = plain(r"[^\W\d]\w*")
_IN_A_LINE = plain(r"[^\n]")
_BINDING = plain(
    r"(?m)^[ \t]*+\(?([\w.,*\[\] \t]{1,200}?)\)?[ \t]?(?::[^=\n]{1,200})?(?://|\*\*|>>|<<|[-+*/@%&|^])?=(?!=)"
    r"|\b(?:class|as|for|import|lambda|global|nonlocal)[ \t]+([\w.*, \t]+)"
    r"|\bdef[ \t]+(\w+[ \t]?\([^)]{0,1000})"
)

Kind = Literal["code", "string", "comment"]


class Line(Struct, frozen=True):
    """One line of a text.

    Attributes:
        code: same length, with quotes for characters in strings and spaces for those in comments.
        depth: number of open brackets at its start.
        inside: whether it starts inside a triple-quoted string.
    """

    text: str
    code: str
    depth: int
    inside: bool

    @property
    def indent(self) -> int:
        """Number of leading blanks."""
        return len(self.text) - len(self.text.lstrip(" \t\u00a0\u3000"))

    @property
    def empty(self) -> bool:
        """Return whether it contains neither code nor a string."""
        return not self.code.strip() and not self.inside

    @property
    def continues(self) -> bool:
        """Return whether it continues the statement of the line before."""
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
    """Return the lines of a text."""
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
    for number, (line, code) in enumerate(zip(text.split("\n"), "".join(masked).split("\n"), strict=True)):
        lines.append(Line(line, code, depth, number - 1 in opened))
        if _BRACKET.search(code):
            depth += sum(code.count(bracket) for bracket in _OPEN) - sum(code.count(bracket) for bracket in _CLOSE)
            depth = max(0, depth)
    return lines


def bound_names(code: str) -> frozenset[str]:
    """Return the names that a text binds by assignment, import, definition, parameter or loop."""
    return frozenset(word for groups in _BINDING.findall(code) for part in groups for word in _WORD.findall(part))


def code_of(text: str) -> str:
    r"""Return a text without strings and comments.

    >>> code_of("y = x.detach()  # for\nprint('while')")
    'y = x.detach()  \nprint()'
    """
    return "".join(piece for kind, piece in pieces(text) if kind == "code")


def words_of(code: str) -> frozenset[str]:
    """Return all names outside strings and comments, keywords included."""
    return frozenset(word for kind, piece in pieces(code) if kind == "code" for word in _WORD.findall(piece))

"""Program text at a place, `code_at(trace, place)`, and edits of its cell."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

from msgspec import Struct

from explorer.analysis.run.source.expressions import (
    WrittenCall,
    WrittenPair,
    is_statement,
    parse_binary,
    parse_call,
    replace_span,
)
from explorer.trace import Cell, Span, Text, Trace, memoized

LONGEST = 400  # most characters searched per line
MOST_READ = 100_000  # longest program that is searched as one text
_BINDS = re.compile(r"\s*([^\W\d]\w*)\s*=\s*$")
_OPENS = re.compile(r":\s*(?:#.*)?$")
_BODY = re.compile(r"\s*(?:async\s+)?(?:for|while|if|elif|else|with|try|finally|def|class)\b[^#]*?:\s+(?=[^\s#])")
_LOOP = re.compile(r"\s*(?:async\s+)?(?:for|while)\b")
_OWN = re.compile(r"\s*(?:async\s+)?(?:def|class)\b")  # the body runs when it is called


class Repair(Struct, frozen=True):
    """The whole text of a cell (from 0) after a change."""

    cell: int
    source: Text


@dataclass(frozen=True)
class Code:
    """A piece of the program. Edits return the whole cell."""

    cell: Cell = field(compare=False, repr=False)
    span: Span

    @property
    def line(self) -> int:
        """Line on which it begins, from 1."""
        return self.span.line

    @property
    def text(self) -> str:
        """Text at this place."""
        lines = list(self.cell.lines[self.span.line - 1 : self.span.end_line])
        lines[-1] = lines[-1][: self.span.end_column]
        lines[0] = lines[0][self.span.column :]
        text = "\n".join(lines)
        return text if text.strip() else "…"

    @property
    def is_readable(self) -> bool:
        """Return whether its cell's text is known, unlike for `python -c` and `exec`."""
        return not self.source.isspace()

    @property
    def whole_line(self) -> str:
        """Line on which it begins."""
        return self.lines[self.span.line - 1]

    def holds(self, other: "Code | None") -> bool:
        """Return whether another place is inside this place."""
        return other is not None and self.span.contains(other.span)

    @property
    def source(self) -> str:
        """Text of its cell."""
        return self.cell.source

    @property
    def lines(self) -> tuple[str, ...]:
        """Lines of its cell."""
        return self.cell.lines

    def line_at(self, number: int) -> "Code":
        """Return another line of its cell."""
        return Code(self.cell, Span(self.span.cell, number, 0, number, len(self.lines[number - 1])))

    @property
    def indent(self) -> str:
        """White space before that line."""
        return indent_of(self.whole_line)

    @property
    def before(self) -> str:
        """Text before it on its line."""
        return self.whole_line[: self.span.column]

    @property
    def after(self) -> str:
        """Text after it on its last line."""
        return self.lines[self.span.end_line - 1][self.span.end_column :]

    @cached_property
    def call(self) -> WrittenCall | None:
        """Call that it consists of."""
        return parse_call(self.text)

    @cached_property
    def operands(self) -> WrittenPair | None:
        """Two sides of the operator that it applies last."""
        return parse_binary(self.text)

    @property
    def binds(self) -> str:
        """Name assigned from it, as in `name = code`, or ""."""
        match = _BINDS.match(self.before)
        return match[1] if match and not self.after.partition("#")[0].strip() else ""

    @property
    def is_statement(self) -> bool:
        """Return whether it fills its lines, except for a comment at the end."""
        return not self.before.strip() and self.after.strip()[:1] in ("", "#")

    @property
    def headers(self) -> dict[int, str]:
        """Headers that it is indented under, by line number, innermost first."""
        headers, least = {}, len(self.indent)
        for number in range(self.line - 1, 0, -1):
            text = self.lines[number - 1]
            if text.strip() and not text.lstrip().startswith("#") and len(indent_of(text)) < least:
                headers[number], least = text, len(indent_of(text))
        return headers

    @cached_property
    def loops(self) -> list[int]:
        """Lines of the loops around it in its function, innermost first, possibly its own."""
        loops = []
        for number, header in {self.line: self.whole_line, **self.headers}.items():
            if number < self.line and _OWN.match(header):
                break
            if _LOOP.match(header):
                loops.append(number)
        return loops

    @property
    def block(self) -> list[str]:
        """More deeply indented lines below, or a body on the header's line."""
        head = self.whole_line
        inline = re.match(r"\s*(?:def|class)\b.*?\)?(?:\s*->[^:]*)?:\s*(\S.*)", head)
        body = [inline[1]] if inline and not inline[1].startswith("#") and not head.rstrip().endswith(":") else []
        return body + [self.lines[number - 1] for number in range(self.line + 1, self.end_of_block + 1)]

    @property
    def end_of_block(self) -> int:
        """Last line of the block that its line begins."""
        level = len(indent_of(self.whole_line))
        below = range(self.line + 1, len(self.lines) + 1)
        ends = (n for n in below if (text := self.lines[n - 1]).strip() and len(indent_of(text)) <= level)
        return next(ends, len(self.lines) + 1) - 1

    def with_source(self, source: str) -> Repair:
        """Return a change to another text of its cell."""
        return Repair(self.span.cell, source)

    def replace(self, new: str) -> Repair:
        """Replace its code."""
        return self.with_source(replace_span(self.source, self.span, new))

    def replace_lines(self, *new: str, first: int = 0, last: int = 0) -> Repair:
        """Replace its lines, or the lines `first` to `last` of its cell."""
        first, last = (first, last) if first else (self.line, self.span.end_line)
        return self.with_source("\n".join([*self.lines[: first - 1], *new, *self.lines[last:]]))

    def replace_line(self, *new: str) -> Repair:
        """Replace its line, keeping the indentation."""
        return self.replace_lines(*(self.indent + text for text in new), first=self.line, last=self.line)

    def add_before(self, *new: str) -> Repair:
        """Insert lines before it, or before a one-line body."""
        if (header := self._header) and not any(map(_OPENS.search, new)):
            rest = self.whole_line[len(header) :]
            return self.replace_lines(header + "; ".join([*new, rest]), first=self.line, last=self.line)
        return self.replace_lines(*(self.indent + text for text in new), first=self.line, last=self.line - 1)

    def add_after(self, *new: str) -> Repair:
        """Insert lines after it, or after a one-line body."""
        end = self.span.end_line
        if self._header and not any(map(_OPENS.search, new)):
            code, mark, comment = self.lines[end - 1].partition("  #")
            return self.replace_lines("; ".join([code.rstrip(), *new]) + mark + comment, first=end, last=end)
        return self.replace_lines(*(self.indent + text for text in new), first=end + 1, last=end)

    @property
    def _header(self) -> str:
        """Header of a one-line body, as `for x in xs: `, or ""."""
        match, line = _BODY.match(self.whole_line), self.whole_line.rstrip()
        whole = match is not None and all(match[0].count(a) == match[0].count(b) for a, b in ("()", "[]", "{}"))
        return match[0] if match is not None and whole and not line.endswith(":") else ""

    def drop_line(self) -> Repair | None:
        """Delete its line, None if its block needs it."""
        before = next((text for text in reversed(self.lines[: self.line - 1]) if text.strip()), "")
        after = next((text for text in self.lines[self.line :] if text.strip()), "")
        is_only = _OPENS.search(before) and len(indent_of(after)) < len(self.indent)
        return None if is_only or not is_statement(self.whole_line) else self.replace_line()

    def move_line(self, to: int, after: bool = True) -> Repair | None:
        """Move its line after another line, or before it.

        None unless both are whole statements and its block keeps another.
        """
        other = self.lines[to - 1] if to else ""
        if self.line == to or self.drop_line() is None or (after and to and not is_statement(other)):
            return None
        lines = list(self.lines)
        moved = indent_of(other) + lines.pop(self.line - 1).strip()
        lines.insert(to - (self.line < to) - (not after), moved)
        return self.with_source("\n".join(lines))

    def dedent_block(self) -> Repair | None:
        """Remove its header and unindent the block, None if complex."""
        body = [self.lines[number - 1] for number in range(self.line + 1, self.end_of_block + 1)]
        filled = [text for text in body if text.strip()]
        if not filled or any('"""' in text or "'''" in text for text in filled):
            return None
        less = len(indent_of(filled[0])) - len(self.indent)
        moved = (text[less:] if text.strip() else text for text in body)
        return self.replace_lines(*moved, first=self.line, last=self.end_of_block)


@overload
def code_at(trace: Trace, place: Span) -> Code: ...
@overload
def code_at(trace: Trace, place: int) -> Code | None: ...
def code_at(trace: Trace, place: int | Span) -> Code | None:
    """Return the code at a place of the Trace, None for -1."""
    if isinstance(place, Span):
        return Code(trace.cells[place.cell], place)
    return code_of_row(trace, place) if place >= 0 else None


@memoized
def code_of_row(trace: Trace, row: int) -> Code:
    """Return the code at a row of the Trace's spans."""
    return code_at(trace, trace.spans[row])


def lines_of(trace: Trace) -> Iterator[Code]:
    """Yield the lines of the program."""
    for number, cell in enumerate(trace.cells):
        for line, text in enumerate(cell.lines, 1):
            yield Code(cell, Span(number, line, 0, line, len(text)))


def find_lines(trace: Trace, pattern: str | re.Pattern[str]) -> Iterator[tuple[Code, re.Match[str]]]:
    """Yield the lines where a pattern occurs, with its place."""
    compiled = re.compile(pattern)
    for line in lines_of(trace):
        if match := compiled.search(line.whole_line[:LONGEST]):
            yield line, match


def source_text(trace: Trace) -> str:
    """Join a program's cells into one bounded text."""
    return "\n".join(cell.source for cell in trace.cells)[:MOST_READ]


def indent_of(line: str) -> str:
    """Return the white space before a line."""
    return line[: len(line) - len(line.lstrip())]

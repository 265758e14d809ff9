r"""Split .py text into cells at `# %%` or `# In[3]:`.

A line that only looks like a mark is escaped with a backslash: `# \%%`.
"""

from explorer.program.cells import CellSource, Program
from explorer.safe_regex import Pattern, plain
from explorer.trace import Note

MARK = plain(r"#[ \t]?%%(?=\s|$)(.*)")
NBCONVERT = plain(r"# In\[[ \d]*\]:\s*")
_ESCAPED = plain(r"(#[ \t]?\\*)\\(?=%%(\s|$))")
_LOOKS_LIKE_MARK = plain(r"#[ \t]?\\*(?=%%(\s|$))")
_PROSE = plain(r"\[(markdown|md|raw)\]")
_ABOUT_THE_FILE = plain(r"#!|# .*coding[:=]")


def read_percent(path: str, text: str) -> Program:
    """Split a .py text into cells. Without marks it is a single cell."""
    lines = text.split("\n")
    if any(MARK.fullmatch(line) for line in lines):
        return _split(path, lines, MARK)
    if any(NBCONVERT.fullmatch(line) for line in lines):
        return _split(path, lines, NBCONVERT)
    return Program([CellSource(text)], [], path, "py")


def looks_marked(text: str) -> bool:
    """Return whether some line looks like a cell mark or an escaped mark."""
    return any(_LOOKS_LIKE_MARK.match(line) or NBCONVERT.fullmatch(line) for line in text.split("\n"))


def escaped(line: str) -> str:
    """Escape a line for a text with `# %%` marks."""
    match = _LOOKS_LIKE_MARK.match(line)
    return f"{match[0]}\\{line[match.end() :]}" if match else line


def unquoted(text: str) -> str | None:
    """Return the content of a single triple-quoted string, None for other text.

    >>> unquoted("'''a'''")
    'a'
    """
    quoted = len(text) >= 6 and text[:3] == text[-3:] and text[:3] in ('"""', "'''")
    return text[3:-3] if quoted else None


def _split(path: str, lines: list[str], mark: Pattern) -> Program:
    marks = [number for number, line in enumerate(lines) if mark.fullmatch(line)]
    cells: list[CellSource] = []
    notes: list[Note] = []

    def note(markdown: str) -> None:
        if markdown.strip():
            notes.append(Note(len(cells), markdown.strip("\n")))

    head = lines[: marks[0]]
    if all(line.startswith("#") or not line.strip() for line in head):
        note(_uncommented([line for line in head if not _ABOUT_THE_FILE.match(line)]))
    else:
        cells.append(CellSource("\n".join(_trimmed(head)), 1))
    for begin, end in zip(marks, [*marks[1:], len(lines)], strict=True):
        body = lines[begin + 1 : end]
        if mark is NBCONVERT:  # nbconvert puts empty lines around the code; Markdown stays a comment
            start = next((number for number, line in enumerate(body) if line.strip()), 0)
            cells.append(CellSource("\n".join(body[start:]).rstrip("\n"), begin + 2 + start))
            continue
        body = [_ESCAPED.sub(r"\1", line, count=1) if _ESCAPED.match(line) else line for line in body]
        body = _trimmed(body)
        if _PROSE.search(lines[begin]):
            note(_uncommented(body))
        else:
            cells.append(CellSource("\n".join(body), begin + 2))
    return Program(cells, notes, path, "py")


def _trimmed(body: list[str]) -> list[str]:
    """Drop the empty line before the next mark or the end of the file."""
    return body[:-1] if body and not body[-1] else body


def _uncommented(lines: list[str]) -> str:
    """Return the Markdown in comment lines or in one triple-quoted string."""
    whole = "\n".join(lines)
    if (text := unquoted(whole.strip().removeprefix("r").removeprefix("R"))) is not None:
        return text
    return "\n".join(line[2:] if line.startswith("# ") else line.removeprefix("#") for line in lines)

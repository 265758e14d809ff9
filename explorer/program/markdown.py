"""Split Markdown into cells and notes."""

from dataclasses import dataclass
from functools import cache

from explorer.extras import need
from explorer.program.cells import CellSource, Program
from explorer.safe_regex import plain
from explorer.trace import Note

PYTHON = {"python", "py", "python3", "py3", "pycon", "ipython", "ipython3"}  # languages of fences that are cells
_AFTER_LANGUAGE = plain(r"[\s,}]")
NO_RUN = "no-run"  # a word after the language: the fence is shown, not run


def read_markdown(path: str, text: str) -> Program:
    """Split Markdown into cells.

    A fence marked `no-run` stays in its note. A pasted session (`>>> `) keeps its typed lines, and its output becomes
    empty lines.
    """
    lines = text.split("\n")
    cells: list[CellSource] = []
    notes: list[Note] = []
    done = 0  # lines that are already in a cell or a note

    def note(until: int) -> None:
        between = "\n".join(lines[done:until]).strip("\n")
        if between.strip():
            notes.append(Note(len(cells), _running(between)))

    for token in fences(text):
        if not is_cell(token):
            continue
        start, end = token.start, token.end
        note(start)
        source = token.content.removesuffix("\n")
        cells.append(CellSource(_typed(source) if is_session(token) else source, start + 2))
        done = end
    note(len(lines))
    return Program(cells, notes, path, "md")


@dataclass(frozen=True)
class Fence:
    """A fenced block. Attributes: info: text after the opening. start, end: lines from 0, end exclusive."""

    info: str
    content: str
    start: int
    end: int


def fences(text: str) -> list[Fence]:
    """Find the fenced blocks of a Markdown text."""
    if "```" not in text and "~~~" not in text:
        return []  # reading 100 000 lines takes a second
    tokens = [token for token in _parser().parse(text) if token.type == "fence"]
    return [Fence(token.info, token.content, *token.map) for token in tokens if token.map is not None]


@cache
def _parser():
    """Return a block-only parser, because links and emphasis take quadratic time on hostile text."""
    need("app")
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable(["inline", "reference"])


def is_cell(token: Fence) -> bool:
    """Return whether a fence is code to run."""
    return _language(token.info) in PYTHON and NO_RUN not in token.info.split()


def is_session(token: Fence) -> bool:
    """Return whether a Python fence holds an interpreter's session."""
    return _language(token.info) == "pycon" or token.content.lstrip("\n").startswith(">>> ")


def _running(note: str) -> str:
    """Return the note without the marks that older files put on display-only code."""
    if NO_RUN not in note:
        return note
    lines = note.split("\n")
    for token in fences(note):
        if _language(token.info) in PYTHON:
            lines[token.start] = lines[token.start].removesuffix(f" {NO_RUN}")
    return "\n".join(lines)


def _language(info: str) -> str:
    """Return a fence's language: `python`, `python title="x"`, `{.python .input}`."""
    return _AFTER_LANGUAGE.split(info.strip().lstrip("{. "), maxsplit=1)[0].lower()


def _typed(session: str) -> str:
    """Keep typed lines (`>>> `); empty the others."""
    return "\n".join(line[4:] if line.startswith((">>>", "...")) else "" for line in session.split("\n"))

"""A session's program: cells with lasting ids, notes, origin, and undo."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from explorer.program import CellSource, Cleaned, Program, Unusable, read_pasted, read_program, read_text
from explorer.program.cells import MAX_TEXT
from explorer.program.percent import MARK, looks_marked
from explorer.program.reader import bounded, decoded
from explorer.trace import Note

DOCUMENT = "_document"  # session state: the program of a session
NEW = "program.py"  # name of a program that was never saved as a file
NAME_LENGTH = 200


@dataclass(frozen=True)
class Cursor:
    """Cursor position: cell from 0, line from 1, column from 0."""

    cell: int
    line: int
    column: int = 0


# First revisions of documents. An edit identifies its document only by revision, so documents of a session may not
# share one. The program's own begin at 0.
FIRST_REVISION = {"lessons": 1_000_000, "compared": 500_000_000, "data": 800_000_000}


@dataclass(frozen=True)
class Document:
    """A program being edited.

    Attributes:
        texts: cell texts. ids: lasting ids of the cells.
        notes: Markdown, each with the following cell's id, -1 at the end.
        foreign: whether it is not from the user's typing or files, and so may not access the machine.
        about: .ipynb metadata (`Program.about`). abouts: of cells, by id.
        name: file name.
        key: browser's key of the session's program, stable under edits, or "".
        ours: whether it is an unmodified program of the app.
        revision: increased when the text changes outside the browser's editor.
        may_run: whether the user asked to run it. Files are shown first.
        focus: cursor after such a change. of: number of the causing browser edit, or -1.
        acted: number of its last completed act, which the browser repeats until acknowledged.
        cleaned: pasting changes. before: the document without them.
    """

    texts: tuple[str, ...]
    ids: tuple[int, ...]
    notes: tuple[tuple[int, str], ...] = ()
    name: str = NEW
    revision: int = 0
    may_run: bool = True
    focus: Cursor | None = None
    of: int = -1
    acted: int = -1
    cleaned: Cleaned | None = None
    before: "Document | None" = field(default=None, repr=False)
    about: str = ""
    abouts: tuple[tuple[int, str], ...] = ()
    foreign: bool = False
    key: str = ""
    ours: bool = False

    def program(self, upto: int | None = None) -> Program:
        """Return the program to run: all cells, or up to `upto`. Raises Unusable."""
        texts = self.texts if upto is None else self.texts[: upto + 1]
        written = [text.encode("utf-8", "surrogatepass") for text in texts]
        size = sum(map(len, written))
        if size > MAX_TEXT:
            raise Unusable.of("too-large", "", size=size, most=MAX_TEXT)
        beside = dict(self.abouts)
        cells = [
            CellSource(decoded("", data, MAX_TEXT), about=beside.get(of, ""))
            for of, data in zip(self.ids, written, strict=False)
        ]
        places = {of: number for number, of in enumerate(self.ids)}
        notes = [Note(places.get(of, len(self.ids)), markdown) for of, markdown in self.notes]
        return bounded(Program(cells, [note for note in notes if note.before <= len(cells)], about=self.about))


def opened(document: Document, name: str, data: bytes, may_run: bool, foreign: bool = False) -> Document:
    """Return the document with a file's content. Raises Unusable."""
    name = file_name(name)
    program = read_program(name, data)
    texts = tuple(cell.text for cell in program.cells) or ("",)
    first = max(document.ids) + 1  # new ids, so that no cell inherits another's undo
    ids = tuple(range(first, first + len(texts)))
    notes = tuple(((*ids, -1)[min(note.before, len(ids))], note.markdown) for note in program.notes)
    abouts = tuple((of, cell.about) for of, cell in zip(ids, program.cells, strict=False) if cell.about)
    revision = document.revision + 1
    return Document(texts, ids, notes, name, revision, may_run, about=program.about, abouts=abouts, foreign=foreign)


def file_name(name: str) -> str:
    """Return a file's name from a browser's path."""
    plain = name.encode("utf-8", "replace").decode()
    return os.path.basename(plain.replace("\\", "/"))[-NAME_LENGTH:] or NEW


def edited(document: Document, cells: Sequence[tuple[int, str]], cursor: Cursor | None) -> Document:
    """Return the edited document. A line `# %%` splits a cell."""
    own = set(document.ids)
    texts = tuple(text for of, text in cells if of in own) or ("",)
    ids = tuple(of for of, _ in cells if of in own) or (document.ids[0],)
    if (texts, ids) == (document.texts, document.ids):
        return replace(document, may_run=True)
    notes = tuple((_next_id(document.ids, of, ids), markdown) for of, markdown in document.notes)
    before = document.before if texts == document.texts else None
    cleaned = document.cleaned if before else None
    document = replace(
        document, texts=texts, ids=ids, notes=notes, may_run=True, cleaned=cleaned, before=before, ours=False
    )
    for cell, text in enumerate(texts):
        if looks_marked(text) and not _on_mark(text, cursor if cursor and cursor.cell == cell else None):
            split = read_text(text)
            if len(split.cells) > 1 or split.notes or (split.cells and split.cells[0].text != text):
                return _spliced(document, cell, split, cursor)
    return document


def pasted(document: Document, cell: int, start: int, text: str) -> Document:
    """Clean a text pasted at an offset of a cell. Raises Unusable.

    The text is already there. Without anything to clean, the document is unchanged.
    """
    cleaned = read_pasted(text)
    end = start + len(text)
    if not 0 <= cell < len(document.texts) or document.texts[cell][start:end] != text:
        return document
    if not cleaned.counts and len(cleaned.program.cells) <= 1 and not cleaned.program.notes:
        return document
    before, after = document.texts[cell][:start], document.texts[cell][end:]
    program = cleaned.program
    if before.strip() or after.strip():
        texts = [cell.text for cell in program.cells] or [""]
        texts[0] = before + texts[0]
        texts[-1] += ("\n" if text.endswith("\n") and after.strip() else "") + after
        program = Program([CellSource(text) for text in texts], program.notes)
    made = _spliced(document, cell, program, None)
    last = made.texts[cell + len(program.cells) - 1]
    end_line = last[: len(last) - len(after)].count("\n") + 1 if after.strip() else last.count("\n") + 1
    focus = Cursor(cell + max(0, len(program.cells) - 1), end_line, 10_000)
    return replace(made, cleaned=cleaned, before=document if cleaned.counts else None, focus=focus)


def undone(document: Document) -> Document:
    """Return the document before cleaning."""
    if document.before is None:
        return document
    return replace(document.before, revision=document.revision + 1, cleaned=None, before=None)


def with_text(document: Document, cell: int, before: str, text: str) -> Document:
    """Replace a cell's text `before`, unless edited meanwhile."""
    if not 0 <= cell < len(document.texts) or document.texts[cell] != before:
        return document
    texts = (*document.texts[:cell], text, *document.texts[cell + 1 :])
    return replace(document, texts=texts, revision=document.revision + 1, may_run=True, ours=False)


def with_cell_after(document: Document, of: int) -> Document:
    """Add an empty cell after this one, with the cursor."""
    at = document.ids.index(of) + 1 if of in document.ids else len(document.ids)
    new = max(document.ids) + 1
    texts, ids = [*document.texts], [*document.ids]
    texts.insert(at, "")
    ids.insert(at, new)
    return replace(
        document, texts=tuple(texts), ids=tuple(ids), revision=document.revision + 1, focus=Cursor(at, 1), before=None
    )


def _spliced(document: Document, cell: int, program: Program, cursor: Cursor | None) -> Document:
    """Replace one cell by a program's cells and notes."""
    new = max(document.ids) + 1
    made = program.cells or [CellSource("")]
    ids = (document.ids[cell], *range(new, new + len(made) - 1))
    after = document.ids[cell + 1] if cell + 1 < len(document.ids) else -1
    notes = [((*ids, after)[min(note.before, len(ids))], note.markdown) for note in program.notes]
    focus = None
    if cursor is not None and cursor.cell == cell:
        part = max((i for i, cell in enumerate(made) if cell.first_line <= cursor.line), default=0)
        focus = Cursor(cell + part, max(1, cursor.line - made[part].first_line + 1), cursor.column)
    elif cursor is not None:
        focus = replace(cursor, cell=cursor.cell + (len(made) - 1) * (cursor.cell > cell))
    return replace(
        document,
        texts=(*document.texts[:cell], *(cell.text for cell in made), *document.texts[cell + 1 :]),
        ids=(*document.ids[:cell], *ids, *document.ids[cell + 1 :]),
        notes=(*document.notes, *notes),
        revision=document.revision + 1,
        focus=focus,
    )


def _on_mark(text: str, cursor: Cursor | None) -> bool:
    """Return whether the cursor is still on the line that would split the cell."""
    lines = text.split("\n")
    return cursor is not None and 1 <= cursor.line <= len(lines) and MARK.fullmatch(lines[cursor.line - 1]) is not None


def _next_id(old: tuple[int, ...], of: int, ids: tuple[int, ...]) -> int:
    """Return the id of a note's cell, or of the next remaining one."""
    later = old[old.index(of) :] if of in old else ()
    return next((cell for cell in later if cell in ids), -1)

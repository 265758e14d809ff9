"""Programs as .py and .ipynb files, or with one cell replaced."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Literal

import msgspec

from explorer.program.cells import Program, normalised
from explorer.program.markdown import fences, is_session
from explorer.program.percent import MARK, NBCONVERT, escaped, looks_marked
from explorer.program.scanner import scan
from explorer.safe_regex import plain
from explorer.trace import Note

_TORCH = plain(r"\btorch\b")
_TICKS, _TILDES = plain("`+"), plain("~+")
_OPENING, _NO_QUOTE = plain(r"(.*?)(`{3,}|~{3,})"), plain(r"[^>\s]")
_LINE, _INDENT = plain(r"[^\n]*\n|[^\n]+"), plain(r"\{\r?\n( +)")


Outputs = Sequence[Sequence[dict[str, Any]]]


def write_program(program: Program, kind: Literal["py", "ipynb"], outputs: Outputs = ()) -> str:
    r"""Return the program as the text of a file.

    Reading it back returns the same cells and notes. Metadata and `outputs` (in Jupyter's form, per cell) are written
    only to an .ipynb.

    >>> from explorer.program import CellSource
    >>> write_program(Program([CellSource("1 + 1")], [Note(0, "Add.")]), "py")
    '# %% [markdown]\n# Add.\n\n# %%\n1 + 1\n'
    """
    return _notebook(program, outputs) if kind == "ipynb" else _percent(program)


def with_imports(program: Program) -> Program:
    r"""Add `import torch` if needed, because only this app predefines torch.

    >>> from explorer.program import CellSource
    >>> with_imports(Program([CellSource("torch.ones(2)")])).cells[0].text
    'import torch\n\ntorch.ones(2)'
    """
    statements = [line.code.strip() for cell in program.cells for line in scan(cell.text)]
    if not any(_TORCH.search(statement) for statement in statements if not statement.startswith(("import ", "from "))):
        return program
    if any(map(_binds_torch, statements)):
        return program
    first, *others = program.cells
    magic, _, rest = first.text.partition("\n")
    text = f"{magic}\nimport torch\n\n{rest}" if magic.startswith("%%") else f"import torch\n\n{first.text}"
    return msgspec.structs.replace(program, cells=[msgspec.structs.replace(first, text=text), *others])


def _binds_torch(statement: str) -> bool:
    """Return whether an import binds the name torch."""
    if not statement.startswith("import "):
        return False
    parts = [part.split() for part in statement.removeprefix("import ").split(";")[0].split(",")]
    return any(len(part) == 1 and part[0].split(".")[0] == "torch" for part in parts)


def with_cell_replaced(program: Program, cell: int, text: str, original: str) -> str:
    """Return the file `original` with the text of one cell replaced.

    `program` was read from it. All other lines stay, except for line ends. An .ipynb loses only that cell's outputs.
    """
    if program.kind == "ipynb":
        return _notebook_with(original, cell, text)
    lines = normalised(original).removeprefix("\ufeff").split("\n")
    source = program.cells[cell]
    begin = source.first_line - 1
    end = begin + source.text.count("\n") + 1
    if program.kind == "md":
        return _markdown_with(lines, begin, text)
    marked = any(MARK.fullmatch(line) or NBCONVERT.fullmatch(line) for line in lines)
    if not marked:
        return text
    return "\n".join([*lines[:begin], *map(escaped, text.split("\n")), *lines[end:]])


def _pieces(program: Program) -> list[Note | str]:
    """Return notes and cell texts in order."""
    pieces: list[Note | str] = []
    for number, cell in enumerate(program.cells):
        pieces += [note for note in program.notes if note.before == number]
        pieces.append(cell.text)
    return pieces + [note for note in program.notes if note.before >= len(program.cells)]


def _percent(program: Program) -> str:
    if len(program.cells) == 1 and not program.notes and not looks_marked(program.cells[0].text):
        return program.cells[0].text
    parts = []
    for piece in _pieces(program):
        is_note = isinstance(piece, Note)
        lines = (piece.markdown if isinstance(piece, Note) else piece).split("\n")
        body = [f"# {line}" if line else "#" for line in lines] if is_note else lines
        parts.append("\n".join(["# %% [markdown]" if is_note else "# %%", *map(escaped, body)]) + "\n")
    return "\n".join(parts)


def _closes(line: str, fence: str) -> bool:
    """Return whether a line closes a fence, even in a list or quotation."""
    bare = line.lstrip("> \t").rstrip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _markdown_with(lines: list[str], begin: int, text: str) -> str:
    """Replace a fence's content. `begin` is the line after its opening, from 0."""
    fence = next(token for token in fences("\n".join(lines)) if token.start == begin - 1)
    opening = _OPENING.match(lines[begin - 1])
    assert opening is not None, "a fence begins with its marks"
    prefix = _NO_QUOTE.sub(" ", opening[1])  # inside a list or quotation
    after = fence.end
    closed = after > begin and _closes(lines[after - 1], opening[2])
    if is_session(fence):
        text = "\n".join(line and f"{'...' if line[0] in ' )]}' else '>>>'} {line}" for line in text.split("\n"))
    marks = _TICKS if opening[2][0] == "`" else _TILDES
    longest = max(map(len, marks.findall(text)), default=0)
    fence_text = opening[2][0] * max(len(opening[2]), longest + 1 if longest >= len(opening[2]) else 0)
    head = opening[1] + fence_text + lines[begin - 1][opening.end() :]
    body = [(prefix + line).rstrip() if not line else prefix + line for line in text.split("\n")]
    tail = [prefix + fence_text] if closed else []
    return "\n".join([*lines[: begin - 1], head, *body, *tail, *lines[after:]])


def _notebook(program: Program, outputs: Outputs) -> str:
    """Write a notebook of format 4.5 with texts as lists of lines, like Jupyter."""
    cells, number, free = [], 0, _free_names(program)
    for piece in _pieces(program):
        if isinstance(piece, Note):
            kind, text, beside = "markdown", piece.markdown, {}
        else:
            shown = [_in_lines(output) for output in outputs[number]] if number < len(outputs) else []
            kind, text, members = "code", piece, json.loads(program.cells[number].about or "{}")
            number += 1
            beside = {"execution_count": number if shown else None, "outputs": shown, **members}
        made = {"cell_type": kind, "metadata": {}, "source": _LINE.findall(text), **beside}
        cells.append({"id": next(free), **made})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}} | json.loads(program.about or "{}")
    book = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def _in_lines(output: dict[str, Any]) -> dict[str, Any]:
    """Return an output with its texts as lists of lines."""
    lines = dict(output)
    if isinstance(lines.get("text"), str):
        lines["text"] = _LINE.findall(lines["text"])
    if "data" in lines:
        lines["data"] = {
            kind: _LINE.findall(text) if isinstance(text, str) else text for kind, text in lines["data"].items()
        }
    return lines


def _free_names(program: Program) -> Iterator[str]:
    """Yield unused ids for cells without an id."""
    taken = {json.loads(cell.about).get("id") for cell in program.cells if cell.about}
    return (name for number in count(1) if (name := f"cell-{number}") not in taken)


def _notebook_with(original: str, cell: int, text: str) -> str:
    book = json.loads(original.removeprefix("\ufeff"))
    old = [entry for entry in book["cells"] if entry.get("cell_type") == "code"][cell]
    lines = _LINE.findall(text)
    old["source"] = lines if isinstance(old.get("source"), list) else text
    old["outputs"], old["execution_count"] = [], None
    indented = _INDENT.match(original.removeprefix("\ufeff"))
    return json.dumps(book, ensure_ascii=False, indent=len(indented[1]) if indented else None) + "\n"

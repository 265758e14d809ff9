"""Programs as files: .py with `# %%` marks, .md, .ipynb, and a file with one of its cells replaced."""

import json
from html import escape
from typing import Any, Literal

from explorer.patterns import plain
from explorer.program.cells import CellSource, Program, normalised
from explorer.program.markdown import fences, is_cell, is_session, shown_only
from explorer.program.percent import MARK, NBCONVERT, as_comment, escaped, looks_marked
from explorer.program.scanning import scan
from explorer.trace import Echo, Failure, Note, Output, Printed, TableData, Trace

_TORCH = plain(r"\btorch\b")
_TICKS, _TILDES = plain("`+"), plain("~+")
_OPENING, _NO_QUOTE = plain(r"(.*?)(`{3,}|~{3,})"), plain(r"[^>\s]")
_LINE, _INDENT = plain(r"[^\n]*\n|[^\n]+"), plain(r"\{\r?\n( +)")


def write_program(program: Program, kind: Literal["py", "md", "ipynb"], trace: Trace | None = None) -> str:
    """The program as the text of a file.

    Reading it again gives the same cells and notes; notes that stand next to each other become one in .md. The outputs
    of `trace` go into an .ipynb, and nowhere else.

    >>> from explorer.program import CellSource
    >>> write_program(Program([CellSource("1 + 1")], [Note(0, "Add.")]), "py")
    '# %% [markdown]\\n# Add.\\n\\n# %%\\n1 + 1\\n'
    """
    if kind == "ipynb":
        return _notebook(program, trace)
    return _markdown(program) if kind == "md" else _percent(program)


def with_imports(program: Program) -> Program:
    """The program as it runs anywhere: `torch` is there without an import only here.

    >>> from explorer.program import CellSource
    >>> with_imports(Program([CellSource("torch.ones(2)")])).cells[0].text
    'import torch\\n\\ntorch.ones(2)'
    """
    statements = [line.code.strip() for cell in program.cells for line in scan(cell.text)]
    if not any(_TORCH.search(one) for one in statements if not one.startswith(("import ", "from "))):
        return program
    if any(map(_binds_torch, statements)):
        return program
    first, *others = program.cells
    magic, _, rest = first.text.partition("\n")
    text = f"{magic}\nimport torch\n\n{rest}" if magic.startswith("%%") else f"import torch\n\n{first.text}"
    return Program([CellSource(text, first.first_line), *others], program.notes, program.path, program.kind)


def _binds_torch(statement: str) -> bool:
    """Whether an import makes the name: `import torch`, `import torch.nn`, not `import torch.nn as nn`."""
    if not statement.startswith("import "):
        return False
    parts = [part.split() for part in statement.removeprefix("import ").split(";")[0].split(",")]
    return any(len(part) == 1 and part[0].split(".")[0] == "torch" for part in parts)


def with_cell_replaced(program: Program, cell: int, text: str, original: str) -> str:
    """The file `original`, of which `program` was read, in its own format with the text of one cell replaced.

    All other lines stay as they are but for line ends. An .ipynb keeps everything but the outputs of that cell.
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
    """Notes and texts of cells in their order."""
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
        mark, body = ("# %% [markdown]", as_comment(piece.markdown)) if isinstance(piece, Note) else ("# %%", piece)
        parts.append("\n".join([mark, *map(escaped, body.split("\n"))]) + "\n")
    return "\n".join(parts)


def _markdown(program: Program) -> str:
    parts = []
    for piece in _pieces(program):
        if isinstance(piece, Note):
            note = shown_only(piece.markdown)
            parts.append(f"{note if _stands_alone(note) else _fence(piece.markdown, 'text')}\n")
        else:
            parts.append(f"{_fence(piece, 'python')}\n")
    return "\n".join(parts)


def _stands_alone(note: str) -> bool:
    """Whether a cell after the note is still a cell: no fence and no HTML comment is left open in it."""
    found = fences(f"{note}\n\n```python\nlast\n```\n")
    return bool(found) and found[-1].content == "last\n" and is_cell(found[-1]) and not any(map(is_cell, found[:-1]))


def _fence(text: str, language: str) -> str:
    longest = _longest(text, "`")
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _longest(text: str, character: str) -> int:
    """The longest run of a character."""
    runs = _TICKS if character == "`" else _TILDES
    return max((len(run) for run in runs.findall(text)), default=0)


def _closes(line: str, fence: str) -> bool:
    """Whether a line, in a list or a quotation too, closes a fence."""
    bare = line.lstrip("> \t").rstrip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _markdown_with(lines: list[str], begin: int, text: str) -> str:
    """`begin`: the line after the fence's first one, from 0."""
    fence = next(token for token in fences("\n".join(lines)) if token.map[0] == begin - 1)
    opening = _OPENING.match(lines[begin - 1])
    prefix = _NO_QUOTE.sub(" ", opening[1])  # of a fence in a list or a quotation
    after = fence.map[1]
    closed = after > begin and _closes(lines[after - 1], opening[2])
    if is_session(fence):
        text = "\n".join(line and f"{'...' if line[0] in ' )]}' else '>>>'} {line}" for line in text.split("\n"))
    longest = _longest(text, opening[2][0])
    fence_text = opening[2][0] * max(len(opening[2]), longest + 1 if longest >= len(opening[2]) else 0)
    head = opening[1] + fence_text + lines[begin - 1][opening.end() :]
    body = [(prefix + line).rstrip() if not line else prefix + line for line in text.split("\n")]
    tail = [prefix + fence_text] if closed else []
    return "\n".join([*lines[: begin - 1], head, *body, *tail, *lines[after:]])


def _notebook(program: Program, trace: Trace | None) -> str:
    import nbformat  # its schemas take longer to import than a program to run

    v4 = nbformat.v4
    cells, number = [], 0
    for piece in _pieces(program):
        name = f"cell-{len(cells) + 1}"
        if isinstance(piece, Note):
            cells.append(v4.new_markdown_cell(piece.markdown, id=name))
            continue
        outputs = trace.cells[number].outputs if trace is not None and number < len(trace.cells) else []
        number += 1
        ran = number if outputs else None
        kept = [output for one in outputs if (output := _notebook_output(one, number)) is not None]
        cells.append(v4.new_code_cell(piece, id=name, execution_count=ran, outputs=kept))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})
    return nbformat.writes(book) + "\n"


def _notebook_output(output: Output, number: int) -> Any:
    from nbformat.v4 import new_output

    match output:
        case Printed(stream=stream, text=text):
            return new_output("stream", name="stdout" if stream == "stdout" else "stderr", text=text)
        case Echo(text=text, table=table):
            data = {"text/plain": text} | ({"text/html": _table(table)} if table is not None else {})
            return new_output("execute_result", data=data, execution_count=number)
        case Failure(type=kind, text=text):
            return new_output("error", ename=kind, evalue=text, traceback=[f"{kind}: {text}"])
    return None


def _table(table: TableData) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(entry)}</td>' for entry in row)}</tr>\n" for row in table.rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"


def _notebook_with(original: str, cell: int, text: str) -> str:
    book = json.loads(original.removeprefix("\ufeff"))
    old = [one for one in book["cells"] if one.get("cell_type") == "code"][cell]
    lines = _LINE.findall(text)
    old["source"] = lines if isinstance(old.get("source"), list) else text
    old["outputs"], old["execution_count"] = [], None
    indented = _INDENT.match(original.removeprefix("\ufeff"))
    return json.dumps(book, ensure_ascii=False, indent=len(indented[1]) if indented else None) + "\n"

"""Read pasted text: a notebook's file, Markdown, a session of Python or IPython, or a program."""

from dataclasses import dataclass
from typing import Literal

from explorer.program.cells import MAX_NOTEBOOK, MAX_TEXT, CellSource, Program
from explorer.program.markdown import fences, is_cell, read_markdown
from explorer.program.notebook import read_notebook
from explorer.program.percent import read_percent
from explorer.program.reader import bounded, decoded
from explorer.program.scanner import scan
from explorer.safe_regex import plain

Kind = Literal["notebook", "fences", "prompts", "outputs"]

_BRACE = plain(r"\s*+\{")
_PROMPT = plain(r"[ \t]*+(?:>>>(?: (.*)|$)|In ?\[\d{1,6}\]: (.*))")
_MORE = plain(r"[ \t]*+\.\.\.:?(?: (.*)|$)")


@dataclass(frozen=True)
class Cleaned:
    """The result of reading a pasted text.

    Attributes:
        program: its cells and notes; `first_line` counts in the text as it was pasted.
        told: what was changed: kinds with numbers of lines, for a notebook its cells.
    """

    program: Program
    told: dict[Kind, int]


def read_pasted(text: str) -> Cleaned:
    """The program in a pasted text, without the rest. Raises Unusable.

    >>> cleaned = read_pasted(">>> x = 1\\n>>> x\\n1\\n")
    >>> cleaned.program.cells, cleaned.told
    ([CellSource(text='x = 1\\nx')], {'prompts': 2, 'outputs': 1})
    """
    data = text.encode("utf-8", "surrogatepass")
    if _BRACE.match(text) and '"cells"' in text:
        program = bounded(read_notebook("", decoded("", data, MAX_NOTEBOOK)))
        return Cleaned(program, {"notebook": len(program.cells)})
    decoded_text = decoded("", data, MAX_TEXT)
    marked: dict[Kind, int] = {}
    if count := sum(map(is_cell, fences(decoded_text))):
        program, marked = read_markdown("", decoded_text), {"fences": count}
    elif any(_PROMPT.match(line.text) and not line.inside for line in scan(decoded_text)):
        program, marked = _session(decoded_text.split("\n"))
    else:
        program = read_percent("", decoded_text)
    return Cleaned(bounded(program), marked)


def _session(lines: list[str]) -> tuple[Program, dict[Kind, int]]:
    """Each run of typed lines is a cell, a statement at a later prompt of IPython one of its own; answers go."""
    cells: list[CellSource] = []
    typed: list[str] = []
    prompts, outputs = 0, 0
    for number, line in enumerate([*lines, ""], start=1):
        said = _PROMPT.match(line) or (_MORE.match(line) if typed else None)
        if typed and (said is None or line.lstrip().startswith("In")):
            cells.append(CellSource("\n".join(typed).rstrip("\n"), number - len(typed)))
            typed = []
        if said:
            typed.append(said[said.lastindex] if said.lastindex else "")
            prompts += 1
        else:
            outputs += bool(line.strip())
    return Program(cells), {"prompts": prompts, **({"outputs": outputs} if outputs else {})}

"""Read pasted text: a notebook, Markdown, an interpreter's session, a web page with line numbers."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import msgspec

from explorer.program.cells import MAX_NOTEBOOK, MAX_TEXT, CellSource, Program
from explorer.program.jupyter import SHOWN, looks_like_jupyter, read_jupyter
from explorer.program.markdown import fences, is_cell, read_markdown
from explorer.program.notebook import read_notebook
from explorer.program.percent import read_percent, unquoted
from explorer.program.reader import bounded, decoded
from explorer.program.scanner import bound_names, reads_as_prose, scan
from explorer.safe_regex import plain
from explorer.trace import Note

Kind = Literal["notebook", "fences", "prompts", "outputs", "line-numbers"]

_TYPED = plain(r"(>>>|\.\.\.)(?: |$)")
_ANSWER = plain(r"(?i)\s*+(运行|输出)?(结果|输出|output|results?|out)[^\n:：]{0,6}[:：]")
_BRACE, _OPERATOR = plain(r"\s*+\{"), plain(r"\s*+([-+*/%,=<>]|$)")
_NUMBERED = plain(r"[ \t]*(\d{1,5})(?:[.:|)]?[ \t]|[.:|)]?$)")


@dataclass(frozen=True)
class Cleaned:
    """The result of reading a pasted text.

    Attributes:
        program: its cells and notes; `first_line` counts in `original`.
        told: what was changed: kinds with numbers of lines, for a notebook its cells.
        original: the text as it was pasted, for undo.
    """

    program: Program
    told: dict[Kind, int]
    original: str


def read_pasted(text: str) -> Cleaned:
    """The program in a pasted text, without the rest. Raises Unusable.

    >>> cleaned = read_pasted(">>> x = 1\\n>>> x\\n1\\n")
    >>> cleaned.program.cells, cleaned.told
    ([CellSource(text='x = 1\\nx')], {'prompts': 2, 'outputs': 1})
    """
    data = text.encode("utf-8", "surrogatepass")
    if _BRACE.match(text) and '"cells"' in text:
        program = bounded(read_notebook("", decoded("", data, MAX_NOTEBOOK)))
        return Cleaned(program, {"notebook": len(program.cells)}, text)
    counts: Counter[Kind] = Counter()
    program = bounded(_split(decoded("", data, MAX_TEXT), counts))
    cells = []
    for cell in program.cells:
        source, answers = _without_answer(cell.text)
        counts["outputs"] += answers
        cells.append(CellSource(source, cell.first_line))
    program = msgspec.structs.replace(program, cells=cells)
    return Cleaned(program, {kind: count for kind, count in counts.items() if count}, text)


def _split(text: str, counts: Counter[Kind]) -> Program:
    lines = text.split("\n")
    if looks_like_jupyter(lines):
        return read_jupyter(lines, counts)
    if any(map(is_cell, blocks := fences(text))):
        counts["fences"] = sum(map(is_cell, blocks))
        return read_markdown("", text)
    if ">>>" in text and any(
        _TYPED.match(line.text.strip()) and line.text.strip()[0] == ">" and not line.inside for line in scan(text)
    ):
        return _session(lines, counts)
    if (columns := _number_runs(lines)) and any(length > 1 for _, length in columns):
        return _numbered(lines, columns, counts)
    if (bare := _without_numbers(lines)) is not None:
        counts["line-numbers"] = sum(bool(line.strip()) for line in lines)
        return read_percent("", "\n".join(bare))
    return read_percent("", text)


def _without_answer(source: str) -> tuple[str, int]:
    """A cell without the string at its end that holds a copy of its output, and how many lines it had.

    Otherwise Jupyter would echo the string instead of the value.
    """
    lines = scan(source)
    while lines and lines[-1].empty:
        lines.pop()
    first = len(lines) - 1
    while first > 0 and lines[first].inside:
        first -= 1
    text = "\n".join(line.text for line in lines[first:])
    answer = unquoted(text.rstrip())
    if not first or answer is None or not (_ANSWER.match(answer) or SHOWN.match(answer.lstrip("\n"))):
        return source, 0
    while first > 1 and (lines[first - 1].empty or _ANSWER.fullmatch(lines[first - 1].text.rstrip())):
        if lines[first - 1].text.strip().startswith("#"):
            break
        first -= 1
    return "\n".join(line.text for line in lines[:first]), len(lines) - first


def _session(lines: list[str], counts: Counter[Kind]) -> Program:
    """Split a session: runs of `>>> ` lines are cells; below them are answers, and after an empty line sentences."""
    cells: list[CellSource] = []
    said: dict[int, list[str]] = {}  # sentences, by the cell that follows them
    typed: list[str] = []
    names: set[str] = set()
    answered = True  # whether an empty line has ended the answer
    for number, raw in enumerate([*lines, ""], start=1):
        line = raw.strip(" \t") if not typed else raw.lstrip(" \t")
        if _TYPED.match(line) and (typed or line.startswith(">>>")):
            typed.append(line[4:])
            counts["prompts"] += 1
            continue
        if typed:
            cells.append(CellSource("\n".join(typed).rstrip("\n"), number - len(typed)))
            names |= bound_names(cells[-1].text)
            typed, answered = [], False
        if not line.strip():
            answered = True
        elif answered and (reads_as_prose(line, names) or line.startswith("#")):
            said.setdefault(len(cells), []).append(raw)
        else:
            counts["outputs"] += 1
    return Program(cells, [Note(before, "\n\n".join(sentences)) for before, sentences in said.items()])


def _number_runs(lines: list[str]) -> list[tuple[int, int]]:
    """Where lines count 1, 2, … n alone on their lines and code follows: the first of these lines, from 0, and n."""
    runs: list[tuple[int, int]] = []
    at = 0
    while at < len(lines):
        count = 0
        while at + count < len(lines) and lines[at + count].strip() == str(count + 1):
            count += 1
        if count and any(line.strip() for line in lines[at + count : at + 2 * count]):
            runs.append((at, count))
            at += count
        at += count or 1
    return runs


def _numbered(lines: list[str], runs: list[tuple[int, int]], counts: Counter[Kind]) -> Program:
    """Restore a column of n numbers followed by its n lines; what is between is text."""
    cells: list[CellSource] = []
    notes: list[Note] = []
    done = 0
    for begin, count in [*runs, (len(lines), 0)]:
        between = "\n".join(lines[done:begin]).strip("\n")
        if between.strip():
            notes.append(Note(len(cells), between))
        if count:
            code = lines[begin + count : begin + 2 * count]
            cells.append(CellSource("\n".join(code).rstrip(), begin + count + 1))
            counts["line-numbers"] += count
        done = begin + 2 * count
    return Program(cells, notes)


def _without_numbers(lines: list[str]) -> list[str] | None:
    """The lines without their numbers, if all of them count up: `1 import torch`, `2 x = …`."""
    written = [line for line in lines if line.strip()]
    numbered = [(line, match) for line in written if (match := _NUMBERED.match(line))]
    if len(numbered) < max(3, len(written)):
        return None
    numbers = [int(match[1]) for _, match in numbered]
    rest = [line[match.end() :] for line, match in numbered]
    if any(b - a != 1 for a, b in pairwise(numbers)) or numbers[0] not in (0, 1):
        return None
    if all(_OPERATOR.match(line) for line in rest):
        return None  # a sum in every line
    filled = [line for line in rest if line.strip()]
    common = min(len(line) - len(line.lstrip(" ")) for line in filled)
    shown = iter(line[common:] for line in rest)
    return [next(shown) if line.strip() else "" for line in lines]

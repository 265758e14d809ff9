"""Where the program's text mentions the tensors of the list: the names that lines give, the expressions, the uses."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from explorer.analysis.tensors.program_lines import LONGEST
from explorer.analysis.tensors.tensor_list import ListedTensor
from explorer.safe_regex import is_word
from explorer.trace import Trace
from explorer.trace.index import names_in

MOST = 20_000  # mentions of a program that are listed


@dataclass(frozen=True)
class CodeMention:
    """A piece of a line.

    Attributes:
        cell, line: from 0 and from 1; start, end: columns, the end exclusive.
        tensor: its number in the list.
        made: whether this is the place where the line names or makes it; otherwise an operation reads it here.
    """

    cell: int
    line: int
    start: int
    end: int
    tensor: int
    made: bool


def mentions(trace: Trace, tensors: tuple[ListedTensor, ...]) -> tuple[CodeMention, ...]:
    """The mentions of the listed tensors, one at a place; of a line in a loop those of its last run."""
    found: dict[tuple[int, int, int, int], CodeMention] = {}
    for mention in _made(trace, tensors):
        found.setdefault((mention.cell, mention.line, mention.start, mention.end), mention)
    for mention in _read(trace, tensors):
        found.setdefault((mention.cell, mention.line, mention.start, mention.end), mention)
        if len(found) >= MOST:
            break
    return tuple(found.values())


def _made(trace: Trace, tensors: tuple[ListedTensor, ...]) -> Iterator[CodeMention]:
    """Where the line of each tensor says its name, or the first line of the expression that made it."""
    for number, tensor in enumerate(tensors):
        if tensor.place is None:
            continue
        text = trace.cells[tensor.place.cell].lines[tensor.place.line - 1][:LONGEST]
        word = tensor.name.partition("\n")[0]
        for start in _places(text, word, tensor.named):
            yield CodeMention(tensor.place.cell, tensor.place.line, start, start + len(word), number, True)
            break


def _read(trace: Trace, tensors: tuple[ListedTensor, ...]) -> Iterator[CodeMention]:
    """The names, in the text of each operation, of the tensors that its last run read."""
    rows: dict[tuple[int, str], list[tuple[tuple[int, int], int]]] = {}  # by tensor and name: places, in order
    for number, listed in enumerate(tensors):
        if listed.named and listed.place is not None:
            rows.setdefault((listed.tensor, listed.name), []).append(((listed.place.cell, listed.place.line), number))
    operations = trace.operations
    last = {span: i for i, span in enumerate(operations.span) if span >= 0 and operations.in_backward[i] < 0}
    for span, operation in last.items():
        place = trace.spans[span]
        if place.end_line != place.line:
            continue
        text = trace.cells[place.cell].lines[place.line - 1][: min(LONGEST, place.end_column)]
        names = sorted(names_in(text[place.column :]))
        for tensor in dict.fromkeys(operations.inputs[operation]):
            for name in names:
                before = rows.get((tensor, name), [])
                behind = bisect_left(before, ((place.cell, place.line), -1))
                for start in _places(text, name, True, place.column) if behind else ():
                    number = before[behind - 1][1]
                    yield CodeMention(place.cell, place.line, start, start + len(name), number, False)


def _places(text: str, word: str, whole: bool, begin: int = 0) -> Iterator[int]:
    """The columns from `begin` on at which a word stands in a text; `whole`: as a name of its own."""
    at = text.find(word, begin) if word else -1
    while at >= 0:
        end = at + len(word)
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        if not whole or not (is_word(before) or before == "." or is_word(after)):
            yield at
        at = text.find(word, end)

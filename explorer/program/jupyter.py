"""Read a notebook copied from its web page: `In [3]:`, the code, its output, and the text after it."""

import keyword
from collections import Counter
from collections.abc import Set

from explorer.program.cells import MAX_CELLS, CellSource, Program, Unusable
from explorer.program.scanner import BUILTINS, HAN, Line, bound_names, reads_as_prose, scan
from explorer.safe_regex import plain
from explorer.trace import Note

_IN = plain(r"\s*+In ?\[[\d*\s]*\]:[ \t]?(.*)")
_OUT = plain(r"\s*+Out ?\[[\d*\s]*\]:")
_MORE = plain(r"\s*+\.\.\.:[ \t]?(.*)")

SHOWN = plain(  # values, types and errors, as notebooks print them
    r"\s*+(\(?(tensor|array)\(|\(?torch\.(Size\(|(float|int|uint|bool|bfloat|complex|strided)\w*\)?$)|<|\[|\(\w+\(|[-+]?[\d.]"
    r"|(True|False|None|nan|inf)\b|'.*'$|\".*\"$|-{20}|-+> \d|Traceback|Parameter containing|OrderedDict"
    r"|\w+(Error|Exception|Warning)\b|File |Cell In|/|~/)"
)
_STATEMENT = plain(
    r"\s*+((import|from|def|class|if|for|while|with|try|return|assert|del|raise|global|async|pass|else|elif|except|finally)\b"
    r"|[%!@#]|\(?[\w.,*: \[\]\"'+-]*?\)?\s?(//|\*\*|[-+*/@%&|^])?=(?!=))"
)
_MARKDOWN = plain(r"\s*+(#{1,6} |[-*] |>|-{3}\s*$|!?\[|<\w|\d+\. |```|~~~|\*\*|\||\$)")
_PUT_OUT = plain(r"\s*+(\[[\[\d\s.,'\"-]|<class |<\w+ object|-{20})")
_NAME = plain(r"(?<![\w.])[^\W\d]\w*\b(?!\s*=(?!=))")  # but names of arguments


def looks_like_jupyter(lines: list[str]) -> bool:
    """Whether a line is the prompt of a notebook or of IPython."""
    return any(_IN.fullmatch(line) for line in lines)


def read_jupyter(lines: list[str], counts: Counter) -> Program:
    """Split the text at prompts. Code ends at a paragraph that is not code; output is dropped, text is kept.

    Counts the dropped lines in `counts`: prompts and outputs. Raises Unusable when there are too many cells.
    """
    begins = [number for number, line in enumerate(lines) if _IN.fullmatch(line)]
    if len(begins) > MAX_CELLS:
        raise Unusable.of("too-many-cells", "", count=len(begins), most=MAX_CELLS)
    cells: list[CellSource] = []
    notes: list[Note] = []
    names: set[str] = set()

    def note(text: list[str]) -> None:
        if any(map(str.strip, text)):
            notes.append(Note(len(cells), "\n".join(text).strip("\n")))

    note(lines[: begins[0]])
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        counts["prompts"] += 1
        prompt = _IN.fullmatch(lines[begin])
        beside = prompt[1] if prompt else ""
        if beside.strip():
            code, first, rest = _terminal(beside, lines, begin, end, counts)
        else:
            first = next((number for number in range(begin + 1, end) if lines[number].strip()), end)
            rest = first + _code(lines[first:end], names)
            code = lines[first:rest]
        source = "\n".join(code).rstrip()
        cells.append(CellSource(source, first + 1))
        names |= bound_names(source)
        text, shown = _told(lines[rest:end], names)
        counts["outputs"] += shown
        note(text)
    return Program(cells, notes)


def _terminal(beside: str, lines: list[str], begin: int, end: int, counts: Counter) -> tuple[list[str], int, int]:
    """The code at IPython's prompt and its `...:` lines, its first line, and the line after it, from 0."""
    code = [beside]
    while begin + len(code) < end and (more := _MORE.fullmatch(lines[begin + len(code)])):
        code.append(more[1])
        counts["prompts"] += 1
    return code, begin, begin + len(code)


def _paragraphs(lines: list[Line]) -> list[tuple[int, int]]:
    """Where paragraphs begin and end, from 0; an empty line inside a string or bracket ends none."""
    paragraphs, begin = [], None
    for number, line in enumerate(lines):
        ends = not line.text.strip() and not line.continues
        if ends and begin is not None:
            paragraphs.append((begin, number))
            begin = None
        elif not ends and begin is None:
            begin = number
    return paragraphs + ([(begin, len(lines))] if begin is not None else [])


def _code(lines: list[str], names: Set[str]) -> int:
    """How many of the lines are code: the first paragraph, and the following ones that look like code."""
    out = next((number for number, line in enumerate(lines) if _OUT.match(line)), len(lines))
    scanned = scan("\n".join(lines[:out]))
    names = set(names)
    end = 0
    for begin, after in _paragraphs(scanned):
        paragraph = scanned[begin:after]
        if end and not _is_code(paragraph, names):
            if all(line.empty and line.text.strip() for line in paragraph):
                continue  # comments or a heading: the next paragraph decides
            break
        names |= bound_names("\n".join(line.code for line in scanned[end:after]))
        end = after
    return end


def _is_code(paragraph: list[Line], names: Set[str]) -> bool:
    """Whether every statement of a paragraph looks like code."""
    firsts = [line for line in paragraph if not line.continues and not line.empty]
    names = names | bound_names("\n".join(line.code for line in paragraph))
    return bool(firsts) and all(_is_statement(line, names) for line in firsts)


def _is_statement(line: Line, names: Set[str]) -> bool:
    if SHOWN.match(line.text) or reads_as_prose(line.code, names):
        return False
    if _STATEMENT.match(line.code):
        return True
    words = _NAME.findall(line.code)
    here = bound_names(line.code)
    return bool(words) and all(
        word in names or word in BUILTINS or word in here or keyword.iskeyword(word) for word in words
    )


def _told(lines: list[str], names: Set[str]) -> tuple[list[str], int]:
    """The text after a cell's code, without the code's output, and how many lines the output had.

    The output comes first. From the first sentence or Markdown on, every line is text unless it looks like a value.
    """
    text: list[str] = []
    shown, sentences, fenced = 0, False, False
    begin = 0
    lines = [*lines, ""]
    for number, line in enumerate(lines):
        if line.strip() or (fenced and number + 1 < len(lines)):
            fenced ^= line.lstrip().startswith(("```", "~~~"))
            continue
        paragraph = lines[begin:number]
        begin = number + 1
        if not paragraph:
            continue
        if sentences or _is_text(paragraph, names):
            sentences = True
            text += ["", *paragraph]
        else:
            shown += len(paragraph)
    return text, shown


def _is_text(paragraph: list[str], names: Set[str]) -> bool:
    first = paragraph[0]
    if _OUT.match(first) or (SHOWN.match(first) and not _MARKDOWN.match(first)):
        return False
    if _PUT_OUT.match(first):
        return False
    return bool(_MARKDOWN.match(first) or HAN.search(first) or reads_as_prose(first, names))

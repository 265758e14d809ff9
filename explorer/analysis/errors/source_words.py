"""Read a program's text line by line, without parsing: names and their assignments, brackets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile

from explorer.analysis.errors.failure_facts import Stopped
from explorer.trace import Trace

LONGEST = 400  # characters of a line that is read
_MOST_IMPORTED = 20  # lines of one import in brackets
_SHORT = 5  # letters up to which one slip changes most of a word
SHOWN = 60  # characters of a piece of code in a sentence
_TARGETS = re.compile(r"[\w.*,()\[\]'\" -]+(?::[^=]{1,80})?")
_FOR = re.compile(r"(?:async )?for ([\w, ()]+) in ")
_MAKING = re.compile(r"(?:async )?(?:def|class) (\w+)")
_IMPORT = re.compile(r"(?:from [\w.]+ )?import \(?([\w., \n]+)\)?$")
_BLOCK = re.compile(r"(?:if|elif|else|while|with|for|try|except|finally)\b[^:]*:[ ]+(?=\S)")
_BOUND_WITHIN = re.compile(r"\bas (\w+)|\(\s*(\w+) := ")
_QUOTED = r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'|#[^\n]*"


@dataclass(frozen=True)
class Assignment:
    """A line that assigns a name. Attributes: value: the text after `=`, "" for other kinds of lines."""

    name: str
    cell: int
    line: int
    indent: int
    value: str
    alone: bool


def near(word: str, candidates: Iterable[str], cutoff: float = 0.72) -> str:
    """The candidate that a word may be a misspelling of, or "".

    >>> near("weigth", ["bias", "weight"])
    'weight'
    """
    known = sorted({candidate for candidate in candidates if candidate != word and len(candidate) <= SHOWN})[:4_000]
    folded = [candidate for candidate in known if candidate.lower() == word.lower()]
    if folded or len(word) < 3 or len(word) > SHOWN:
        return folded[0] if folded else ""
    if len(word) < _SHORT:
        return next((candidate for candidate in known if _is_a_slip(word.lower(), candidate.lower())), "")
    found = get_close_matches(word, known, 1, cutoff)
    return found[0] if found else ""


def _is_a_slip(word: str, right: str) -> bool:
    """Whether the words differ by one letter added, missing, wrong, or exchanged with its neighbour."""
    at = next((i for i, (a, b) in enumerate(zip(word, right, strict=False)) if a != b), min(len(word), len(right)))
    a, b = word[at:], right[at:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def assignments(trace: Trace) -> Iterator[Assignment]:
    """Every line that assigns a name, in the order of the text."""
    for cell, cell_run in enumerate(trace.cells):
        lines = cell_run.source.split("\n")
        for line, text in enumerate(lines, 1):
            if re.match(r"\s*from [\w.]+ import \([^)]*$", text[:LONGEST]):
                text = "\n".join(lines[line - 1 : line + _MOST_IMPORTED]).partition(")")[0]
                text = re.sub(r"#[^\n]*", "", text)
            yield from _of_line(text[:LONGEST], cell, line)


def _of_line(text: str, cell: int, line: int) -> Iterator[Assignment]:
    """The assignments in one line."""
    indent = len(text) - len(text.lstrip())
    ends = [at for at, character in _code(text) if character == ";"]
    pieces = [text[a:b] for a, b in zip([0, *(end + 1 for end in ends)], [*ends, len(text)], strict=True)]
    for statement in pieces:
        within = _BLOCK.match(statement.strip())
        for part in (statement.strip(), statement.strip()[within.end() :] if within else ""):
            for name, value, alone in _assigned(part):
                yield Assignment(name, cell, line, indent, value, alone)


def _assigned(statement: str) -> Iterator[tuple[str, str, bool]]:
    """The names that a statement assigns, with the text of the value and whether it is a single name."""
    if loop := _FOR.match(statement):
        names = re.findall(r"[^\W\d]\w*", loop[1])
        yield from ((name, "", len(names) == 1) for name in names)
    elif making := _MAKING.match(statement):
        yield making[1], "", True
    elif imports := _IMPORT.match(statement):
        names = [imported.split(" as ")[-1].split(".")[0].strip() for imported in imports[1].split(",")]
        yield from ((name, "", len(names) == 1) for name in names if name.isidentifier())
    else:
        end = re.search(r"\blambda\b", statement)
        code = _code(statement[: end.start()] if end else statement)
        signs = [at for at, character in code if character == "=" and _assigns(statement, at)]
        ends = [statement[a:b].strip() for a, b in zip([0, *(at + 1 for at in signs)], signs, strict=False)]
        names = [name for end in ends if _TARGETS.fullmatch(end) for name in _names(end.partition(":")[0])]
        value = statement[signs[-1] + 1 :].strip() if signs else ""
        yield from ((name, value, len(signs) == 1 and ends[0].partition(":")[0].strip() == name) for name in names)
        yield from ((match[1] or match[2], "", False) for match in _BOUND_WITHIN.finditer(statement))


def _bare(text: str) -> Iterator[tuple[int, str]]:
    """The characters of a text outside strings and brackets, with their positions.

    >>> "".join(one for _, one in _bare("f(a, b)[0] + 'x' - y"))
    'f +  - y'
    """
    depth, quote = 0, ""
    for at, letter in enumerate(text[:LONGEST]):
        if quote:
            quote = "" if letter == quote and text[at - 1] != "\\" else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif depth == 0:
            yield at, letter


def _code(text: str) -> Iterator[tuple[int, str]]:
    """The characters of a line outside strings and brackets, up to a comment, with their positions."""
    return takewhile(lambda found: found[1] != "#", _bare(text))


def _assigns(text: str, at: int) -> bool:
    """Whether the = at a position assigns: not part of ==, <=, += and the like."""
    return text[at + 1 : at + 2] != "=" and (at == 0 or text[at - 1] not in "=!<>+-*/%@&|^:~")


def _names(targets: str) -> list[str]:
    """The names on the left side of an assignment, without attributes and items."""
    if re.search(r"\w\s*[(\[]", targets):
        targets = re.sub(r"[\w.]+\[[^\[\]]*\]", "", targets)
    return re.findall(r"(?<![\w.])[^\W\d]\w*(?![\w.(\[])", targets)


def made(stopped: Stopped, name: str) -> Assignment | None:
    """The last line before the failing one that assigns a name."""
    here = (stopped.place, stopped.span.line if stopped.span else 0)
    found = [
        assignment
        for assignment in assignments(stopped.trace)
        if assignment.name == name and (assignment.cell, assignment.line) < here
    ]
    return found[-1] if found else None


def made_once(stopped: Stopped, name: str) -> Assignment | None:
    """The only line that assigns a name, if it has that name alone on its left and no comment."""
    found = [assignment for assignment in assignments(stopped.trace) if assignment.name == name]
    sole = len(found) == 1 and found[0].alone and found[0].value and "#" not in found[0].value
    return found[0] if sole else None


def with_value(trace: Trace, at: Assignment, value: str) -> str:
    """The cell's text with another value in an assignment."""
    lines = trace.cells[at.cell].source.split("\n")
    old = lines[at.line - 1].rstrip()
    lines[at.line - 1] = old[: len(old) - len(at.value)] + value
    return "\n".join(lines)


def renamed(source: str, old: str, new: str) -> str:
    """Replace a name everywhere as a word, "" if it may also mean something else.

    >>> renamed("x = true  # true", "true", "True")
    'x = True  # true'
    """
    if any(_formats(line, old) for line in source.split("\n")):
        return ""
    pattern = rf"({_QUOTED})|(?<![\w.]){re.escape(old)}(?!\w)"
    return re.sub(pattern, lambda found: found[1] or new, source)


def _formats(line: str, name: str) -> bool:
    """Whether a name may be inside the braces of an f-string; linear in the line."""
    begin = re.search(r"\bf[\"']", line)
    brace = line.find("{", begin.end()) if begin else -1
    return brace >= 0 and re.search(rf"\b{re.escape(name)}\b", line[brace:]) is not None


def closing(text: str, opening: int) -> int:
    """The position where the bracket opened at a position closes, -1 if it does not.

    >>> closing("f(g(x))", 1)
    6
    """
    depth = 0
    for found in re.compile(rf"{_QUOTED}|[(\[{{]|[)\]}}]").finditer(text, opening):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
            if depth == 0:
                return found.start()
    return -1


def is_open(text: str) -> bool:
    """Whether a text ends within brackets or before a line that continues it.

    >>> is_open("a = f("), is_open("a = f(')')")
    (True, False)
    """
    signs = [found[0] for found in re.finditer(rf"{_QUOTED}|[(\[{{]|[)\]}}]", text)]
    depth = sum((sign in ("(", "[", "{")) - (sign in (")", "]", "}")) for sign in signs)
    return depth > 0 or text.endswith("\\")


def operands(code: str, sign: str) -> tuple[str, str] | None:
    """The two sides of the last such sign that no bracket encloses.

    >>> operands("'a' + f(x + 1)", "+")
    ("'a'", 'f(x + 1)')
    """
    depth, at = 0, -1
    for found in re.finditer(rf"{_QUOTED}|[(\[{{]|[)\]}}]|{re.escape(sign)}", code):
        depth += (found[0] in "([{") - (found[0] in ")]}") if len(found[0]) == 1 and found[0] != sign else 0
        at = found.start() if found[0] == sign and depth == 0 else at
    return None if at <= 0 else (code[:at].strip(), code[at + len(sign) :].strip())


def simple(text: str) -> bool:
    """Whether a text is a name, a number, an attribute, or a call or an index of one without further brackets.

    >>> simple("x.sum(0)"), simple("a b")
    (True, False)
    """
    return bool(re.fullmatch(r"[\w.]+(\([^()\[\]]*\)|\[[^()\[\]]*\])?", text))

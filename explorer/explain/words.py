"""What a program's text says, read line by line and never parsed: names and where they are assigned, brackets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from explorer.explain.stopped import Stopped
from explorer.trace import Trace

LONGEST = 400  # characters of a line that is read
SHOWN = 60  # characters of a piece of code in a sentence
_ASSIGNMENT = re.compile(r"(\s*)((?:[\w*]+[ ]?,[ ]?)*[\w*]+)[ ]?(?::[ ]?[\w.]+[ ]?)?=(?!=)[ ]*(.*)")
_FOR = re.compile(r"(\s*)for ([\w, ()]+) in (.*)")
_MAKING = re.compile(r"(\s*)(?:def|class) (\w+)(.*)")
_IMPORT = re.compile(r"(\s*)(?:from [\w.]+ )?import ([\w., ]+)()$")
_QUOTED = r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'|#[^\n]*"


@dataclass(frozen=True)
class Assignment:
    """A line that gives a name a value. Attributes: value: the text after `=`, "" for other kinds of lines."""

    name: str
    cell: int
    line: int
    indent: int
    value: str
    alone: bool


def near(word: str, candidates: Iterable[str], cutoff: float = 0.72) -> str:
    """The candidate that a word is a slip of, or "".

    >>> near("weigth", ["bias", "weight"])
    'weight'
    """
    known = sorted({one for one in candidates if one != word and len(one) <= SHOWN})[:4_000]
    folded = [one for one in known if one.lower() == word.lower()]
    if folded or len(word) < 3 or len(word) > SHOWN:
        return folded[0] if folded else ""
    found = get_close_matches(word, known, 1, cutoff)
    return found[0] if found else ""


def assignments(trace: Trace) -> Iterator[Assignment]:
    """Every line that gives a name a value, in the order of the text."""
    for cell, one in enumerate(trace.cells):
        for line, text in enumerate(one.source.split("\n"), 1):
            several = text[:LONGEST].split(";") if "import " in text else [text[:LONGEST]]
            for one_statement in several:
                yield from _assigned(one_statement.lstrip() if len(several) > 1 else one_statement, cell, line)


def _assigned(text: str, cell: int, line: int) -> Iterator[Assignment]:
    for pattern in (_ASSIGNMENT, _FOR, _MAKING, _IMPORT):
        if not (found := pattern.match(text)):
            continue
        names = found[2].split(",")
        for name in names:
            last = name.strip(" *()").split(" as ")[-1].split(".")[0].strip()
            if last.isidentifier():
                value = found[3] if pattern is _ASSIGNMENT else ""
                yield Assignment(last, cell, line, len(found[1]), value.rstrip(), len(names) == 1)
        return


def made(stopped: Stopped, name: str) -> Assignment | None:
    """The last line above the failing one that assigns a value to a name."""
    here = (stopped.place, stopped.span.line if stopped.span else 0)
    found = [one for one in assignments(stopped.trace) if one.name == name and (one.cell, one.line) < here]
    return found[-1] if found else None


def made_once(stopped: Stopped, name: str) -> Assignment | None:
    """The only line that assigns a value to a name, when it has that name alone on its left and no comment."""
    found = [one for one in assignments(stopped.trace) if one.name == name]
    sole = len(found) == 1 and found[0].alone and found[0].value and "#" not in found[0].value
    return found[0] if sole else None


def with_value(trace: Trace, at: Assignment, value: str) -> str:
    """The text of the cell of an assignment with another value in it."""
    lines = trace.cells[at.cell].source.split("\n")
    old = lines[at.line - 1].rstrip()
    lines[at.line - 1] = old[: len(old) - len(at.value)] + value
    return "\n".join(lines)


def renamed(source: str, old: str, new: str) -> str:
    """The text with a name replaced wherever it stands by itself, "" where it may mean something else as well.

    >>> renamed("x = true  # true", "true", "True")
    'x = True  # true'
    """
    if any(_formats(line, old) for line in source.split("\n")):
        return ""
    pattern = rf"({_QUOTED})|(?<![\w.]){re.escape(old)}(?!\w)"
    return re.sub(pattern, lambda found: found[1] or new, source)


def _formats(line: str, name: str) -> bool:
    """Whether a name may stand in the braces of an f-string; in one pass over a line of any length."""
    begin = re.search(r"\bf[\"']", line)
    brace = line.find("{", begin.end()) if begin else -1
    return brace >= 0 and re.search(rf"\b{re.escape(name)}\b", line[brace:]) is not None


def closing(text: str, opening: int) -> int:
    """Where the bracket that opens at a position closes, -1 where it does not.

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

"""Restore indentation that a web page dropped: put back if only one way is valid Python, otherwise proposed."""

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.program.scanner import Line, scan
from explorer.safe_regex import plain

STEP = "    "
_BUDGET = 10_000  # steps of search per text
_LONGEST = 150  # statements in a run; longer runs are left unchanged
_HEADER = plain(r"(?:async\s+)?(def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b.*:\s*$")
_FIRST_WORD = plain(r"\w*")
_TAKES_SELF, _SELF = plain(r"\(\s*self\b"), plain(r"\bself\b")
_AFTER = {
    "elif": {"if", "elif"},
    "else": {"if", "elif", "for", "while", "except"},
    "except": {"try", "except"},
    "finally": {"try", "except", "else"},
}
_LOOPS = {"for", "while"}


@dataclass(frozen=True)
class Block:
    """Lines that belong together and lost their indentation.

    Attributes:
        first, last: their numbers, from 1.
        text: the lines with indentation.
        certain: whether this is the only way to indent them.
    """

    first: int
    last: int
    text: str
    certain: bool


@dataclass(frozen=True)
class _Statement:
    """One statement.

    Attributes:
        first, last: its lines, from 0.
        word: what it begins with.
        header: the same word if a block belongs to it, otherwise "".
        spaced: whether an empty line precedes it.
        takes_self, uses_self: whether it is a method's header, and whether it needs one around it.
    """

    first: int
    last: int
    word: str
    header: str
    spaced: bool
    takes_self: bool
    uses_self: bool


def lost_blocks(text: str) -> list[Block]:
    """The blocks of a text whose first line is not indented below its header.

    >>> [block.text for block in lost_blocks("def f(x):\\nreturn x\\n")]
    ['def f(x):\\n    return x']
    """
    lines = scan(text)
    statements = list(_statements(lines))
    blocks: list[Block] = []
    budget = [_BUDGET]
    at = 0
    while at + 1 < len(statements):
        here, following = statements[at], statements[at + 1]
        indent = lines[here.first].indent
        if not here.header or lines[following.first].indent > indent:
            at += 1
            continue
        end = at + 1
        while end < len(statements) and lines[statements[end].first].indent == indent:
            end += 1
        blocks += _blocks(lines, statements[at:end], budget)
        at = end
    return blocks


def restored(text: str) -> tuple[str, int]:
    """The text with the indentation that is certain, and how many lines got it."""
    lines = text.split("\n")
    changed = 0
    for block in lost_blocks(text):
        if block.certain:
            new = block.text.split("\n")
            changed += sum(a != b for a, b in zip(lines[block.first - 1 : block.last], new, strict=True))
            lines[block.first - 1 : block.last] = new
    return "\n".join(lines), changed


def _statements(lines: list[Line]) -> Iterator[_Statement]:
    spaced = False
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.empty:
            spaced |= not line.text.strip()
            number += 1
            continue
        first = number
        while number + 1 < len(lines) and lines[number + 1].continues:
            number += 1
        code = " ".join(line.code.strip() for line in lines[first : number + 1])
        header = _HEADER.match(code)
        first_word = _FIRST_WORD.match(code)
        word = first_word[0] if first_word else ""
        takes_self = bool(header and header[1] == "def" and _TAKES_SELF.search(code))
        uses_self = not takes_self and bool(_SELF.search(code))
        yield _Statement(first, number, word, header[1] if header else "", spaced, takes_self, uses_self)
        spaced = False
        number += 1


def _blocks(lines: list[Line], run: list[_Statement], budget: list[int]) -> list[Block]:
    """The blocks of statements that all begin in the same column; each ends where the column is certain again."""
    levels = _levels(run, budget) if len(run) <= _LONGEST else None
    if levels is None:
        return []
    sure = [_levels(run, budget, {place: level}) is None and budget[0] > 0 for place, level in enumerate(levels)]
    starts = [i for i, level in enumerate(levels) if level == 0 and sure[i] and run[i].word not in _AFTER]
    blocks = []
    for begin, end in zip(starts, [*starts[1:], len(run)], strict=True):
        if any(levels[begin:end]) or not all(sure[begin:end]):
            part, part_levels = run[begin:end], levels[begin:end]
            text = _indented(lines, part, part_levels)
            blocks.append(Block(part[0].first + 1, part[-1].last + 1, text, all(sure[begin:end])))
    return blocks


def _indented(lines: list[Line], run: list[_Statement], levels: list[int]) -> str:
    shown = []
    for number in range(run[0].first, run[-1].last + 1):
        # A comment goes with the statement after it.
        level = next(level for statement, level in zip(run, levels, strict=True) if number <= statement.last)
        line = lines[number]
        shown.append(STEP * level + line.text if line.text.strip() and not line.inside else line.text)
    return "\n".join(shown)


def _levels(run: list[_Statement], budget: list[int], other: dict[int, int] | None = None) -> list[int] | None:
    """Levels of the statements that are valid Python, the likeliest first; `other`: levels a statement must not have.

    None when there are none, or when the search has no steps left.
    """
    other = other or {}
    # States to try: the kinds of the blocks open after statement i - 1, and the levels chosen so far.
    waiting: list[tuple[tuple[str, ...], tuple[int, ...]]] = [((), ())]
    while waiting and budget[0] > 0:
        budget[0] -= 1
        stack, chosen = waiting.pop()
        place = len(chosen)
        if place == len(run):
            if not run[-1].header and "try" not in stack:
                return list(chosen)
            continue
        fitting = [
            level
            for level in _choices(run, place, stack)
            if other.get(place) != level and _fits(run, place, stack, chosen, level)
        ]
        for level in reversed(fitting):
            statement = run[place]
            opened = stack[:level] + (
                (("method" if statement.takes_self else statement.header),) if statement.header else ()
            )
            waiting.append((opened, (*chosen, level)))
    return None


def _choices(run: list[_Statement], place: int, stack: tuple[str, ...]) -> list[int]:
    """The levels that a statement may have, the likeliest first."""
    if not place:
        return [0]
    statement, before = run[place], run[place - 1]
    if before.header:
        return [len(stack)]
    levels = list(range(len(stack), -1, -1))
    inner = max((i + 1 for i, kind in enumerate(stack) if kind in ("def", "method")), default=0)
    if statement.word in ("return", "yield"):
        levels.sort(key=lambda level: level != inner)
    elif statement.spaced:
        levels.sort(key=lambda level: (level != inner or statement.word in ("def", "class"), level))
    return levels


def _fits(run: list[_Statement], place: int, stack: tuple[str, ...], chosen: tuple[int, ...], level: int) -> bool:
    statement = run[place]
    closed = stack[level:]  # blocks that end before this statement
    if statement.header in _AFTER:
        if not closed or closed[0] not in _AFTER[statement.header]:
            return False
        closed = closed[1:]
    if "try" in closed:
        return False
    if place and run[place - 1].word in ("return", "raise", "break", "continue") and level >= chosen[-1]:
        return False  # nothing follows these in their block
    around = stack[:level]
    functions = [i for i, kind in enumerate(around) if kind in ("def", "method")]
    if statement.word in ("return", "yield") and not functions:
        return False
    if statement.word in ("break", "continue") and not _LOOPS & set(around[(functions or [-1])[-1] + 1 :]):
        return False
    if (statement.header == "case") != (around[-1:] == ("match",)):
        return False
    if statement.takes_self and around[-1:] != ("class",):
        return False
    return not statement.uses_self or "method" in around

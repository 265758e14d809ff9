"""Problems told of the field in which something was typed, where the program around it is nobody's."""

from dataclasses import replace

from explorer.patterns import plain
from explorer.text import say
from explorer.ui.panels.problems import Problem

_OF_A_PROGRAM = plain(
    r"(?i)\blines? \d|line of the program|第 ?\d+ ?行|程序"
)  # what a sentence says of the program's lines


def where(field: str, lang: str, line: int = 0, column: int = 0) -> str:
    """A place in a field: line and column from 1, 0 where there is none to tell."""
    kind = "-line" * (line > 0) + "-column" * (column > 0)
    numbers = {name: number for name, number in (("line", line), ("column", column)) if number}
    return say(lang, f"problem-in-field{kind}", field=field, **numbers)


def told_of_field(one: Problem, place: str, text: str, lang: str) -> Problem:
    """The problem as one of a field: with its place there and the field's text, without sentences on other lines."""
    title = place if one.message else say(lang, "problem-in-field-words", where=place, words=one.words)
    cause, repair = ("" if _OF_A_PROGRAM.search(words) else words for words in (one.cause, one.repair))
    return replace(one, title=title, code=text, line=0, cause=cause, repair=repair, changes=(), mended="")

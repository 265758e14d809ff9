"""Problems in a field, if the program around it was generated."""

from dataclasses import replace

from explorer.safe_regex import plain
from explorer.text import say
from explorer.ui.panels.problems import Problem

_OF_A_PROGRAM = plain(
    r"(?i)\blines? \d|line of the program|第 ?\d+ ?行|程序"
)  # a sentence that mentions lines of the program


def where(field: str, lang: str, line: int = 0, column: int = 0) -> str:
    """A place in a field: line and column from 1, 0 if unknown."""
    kind = "-line" * (line > 0) + "-column" * (column > 0)
    numbers = {name: number for name, number in (("line", line), ("column", column)) if number}
    return say(lang, f"problem-in-field{kind}", field=field, **numbers)


def told_of_field(problem: Problem, place: str, text: str, lang: str) -> Problem:
    """The problem as one of a field: with its place there and the field's text, without sentences on other lines."""
    title = place if problem.message else say(lang, "problem-in-field-words", where=place, words=problem.words)
    cause, repair = ("" if _OF_A_PROGRAM.search(words) else words for words in (problem.cause, problem.repair))
    return replace(problem, title=title, code=text, line=0, cause=cause, repair=repair, changes=(), mended="")

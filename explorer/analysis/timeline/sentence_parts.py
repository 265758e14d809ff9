"""The pieces of the time line's sentences: values, names and texts of the program."""

from collections.abc import Sequence

from explorer.analysis.autograd.entry_texts import range_text
from explorer.text import code, say
from explorer.text.numbers import DIGITS, cells_of, number, shape_text, shorten
from explorer.trace import Value

CELLS = 48  # of a text of the program
SHORT = 24  # of a name
LISTED = 6  # entries that are listed
NAMED = 3  # things that are listed


def amount(value: Value | None, digits: int = DIGITS) -> str:
    """A value in a sentence: its number, its entries where they are few, otherwise range and shape; "" unknown."""
    if value is None:
        return ""
    if value.data is not None and 0 < len(value.data) <= LISTED:
        entries = [str(entry) if isinstance(entry, bool) else number(entry, digits=digits) for entry in value.data]
        return _nested(entries, value.shape)
    ends = range_text(value, False)
    if value.dtype == "bool":
        ends = " … ".join({"0": "False", "1": "True"}.get(end, end) for end in ends.split(" … "))
    return f"{ends} {shape_text(value.shape)}".strip()


def _nested(entries: list[str], shape: tuple[int, ...]) -> str:
    """Entries in the brackets of their shape.

    >>> _nested(["1", "2"], (1, 2))
    '[[1, 2]]'
    """
    if not shape:
        return entries[0]
    size = len(entries) // shape[0]
    return f"[{', '.join(_nested(entries[i : i + size], shape[1:]) for i in range(0, len(entries), size))}]"


def shortened(text: str) -> str:
    """A Python value; of a long list or dict the first entries and the last, or how many where its text says so.

    >>> shortened(str([1.25] * 12)), shortened("[1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, … 20 in all]")
    ('[1.25, 1.25, 1.25, 1.25, 1.25, 1.25, … 1.25]', '[1.25, 1.25, 1.25, 1.25, 1.25, … 20 in all]')
    """
    if text[:1] not in ("[", "{", "(") or cells_of(text) <= CELLS:
        return shorten(text, CELLS)
    last = text.rpartition(", ")[2].removeprefix("… ") if text[-1] in "]})" else ""
    begin = ", ".join(text[: CELLS - len(last) - 2].split(", ")[:-1])
    return f"{begin}, … {last}".rstrip() if begin and len(last) <= CELLS // 2 else shorten(text, CELLS)


def listed(parts: Sequence[str], lang: str, most: int = NAMED) -> str:
    """Several things in a sentence: `a`, `b` and `c`; of many the first, and how many more."""
    some = say(lang, "timeline-separator").replace("_", " ").join(parts[: most if len(parts) > most else -1])
    if len(parts) > most:
        return say(lang, "timeline-more", some=some, count=len(parts) - most)
    return say(lang, "timeline-and", some=some, last=parts[-1]) if some else parts[-1]


def clauses(parts: Sequence[str], lang: str) -> str:
    """Several clauses in a sentence; of many the first, and how many more."""
    words = say(lang, "timeline-clauses").replace("_", " ").join(parts[:NAMED])
    return words if len(parts) <= NAMED else say(lang, "timeline-more", some=words, count=len(parts) - NAMED)


def short(text: str, cells: int = CELLS) -> str:
    """A text of the program on one line, as code."""
    line = " ".join(part.strip() for part in text.split("\n"))
    return code(shorten(line.replace("( ", "(").replace(", )", ")"), cells))

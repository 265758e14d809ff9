"""Parse torch's printed tensors into parts tied to axes and properties."""

from dataclasses import dataclass
from typing import Literal

from explorer.safe_regex import plain

Kind = Literal["open", "close", "number", "gap", "head", "property", "plain"]

_PARTS = plain(
    r"(?P<head>Parameter containing:\s*|\b(?:tensor|Parameter)\()"
    r"|(?P<property>\b(?:dtype|grad_fn|requires_grad|device|size|layout|nnz|indices|values|crow_indices|col_indices"
    r"|zero_point|scale|quantization_scheme)=)"
    r"|(?P<gap>\.\.\.)"
    r"|(?P<open>\[)|(?P<close>\])"
    r"|(?P<number>True|False|[+-]?(?:nan|inf|\d++(?:\.\d*+)?(?:e[+-]?\d++)?)"
    r"(?:\s?[+-]\s*+(?:\d++(?:\.\d*+)?(?:e[+-]?\d++)?|nan|inf)j|j)?)"
)
_PRINT = plain(r"(Parameter containing:\s*)?tensor\(")
_DOTTED, _PART = plain(r"[^\W\d]\w*(?:\.(?:[^\W\d]\w*|\d+))*"), plain(r"\.(\d+)")
_GOES_ON = plain(r"\s++\S|[)\]}]|(?:else|elif|except|finally)\b")
MOST_AXES = 64  # limit of torch


@dataclass(frozen=True)
class PrintPart:
    """A piece of the text.

    Attributes:
        text: text as printed.
        kind: open, close (brackets), number (an entry), gap (omitted entries), head (`tensor(`), property (such
            as `dtype=float64`) or plain (anything else).
        axis: axis that a bracket opens, last axis for an entry, otherwise None.
        index: tensor index of an entry, None if a preceding gap hides it.
        name: name of a property.
    """

    text: str
    kind: Kind
    axis: int | None = None
    index: tuple[int, ...] | None = None
    name: str = ""


def read_print(text: str) -> tuple[PrintPart, ...]:
    """Split a printed tensor into parts whose texts join to `text`.

    >>> [(part.text, part.axis) for part in read_print("tensor([[1, 2]])") if part.kind == "open"]
    [('[', 0), ('[', 1)]
    """
    parts: list[PrintPart] = []
    counts: list[int | None] = []  # how many things each open bracket holds so far, None behind a gap
    at = 0
    for token in _PARTS.finditer(text):
        if token.start() < at:
            continue  # inside a property that was taken whole
        if token.start() > at:
            parts.append(PrintPart(text[at : token.start()], "plain"))
        kind, words = token.lastgroup, token.group()
        at = token.end()
        match kind:
            case "open":
                parts.append(PrintPart(words, "open", len(counts)))
                counts.append(0)
            case "close":
                if counts:
                    counts.pop()
                parts.append(PrintPart(words, "close", len(counts)))
                _count(counts)
            case "number" if counts:
                spots = [count for count in counts[: MOST_AXES + 1] if count is not None]  # brackets may be without end
                index = tuple(spots) if len(spots) == len(counts) <= MOST_AXES else None
                parts.append(PrintPart(words, "number", len(counts) - 1, index))
                _count(counts)
            case "number":
                parts.append(PrintPart(words, "number", None, ()))
            case "gap":
                if counts:
                    counts[-1] = None
                parts.append(PrintPart(words, "gap", len(counts) - 1 if counts else None))
            case "property":
                end = _end_of_property(text, at)
                name = words.removesuffix("=")
                parts.append(PrintPart(text[token.start() : end], "property", name=name))
                at = end
            case "head":
                parts.append(PrintPart(words, "head"))
    if at < len(text):
        parts.append(PrintPart(text[at:], "plain"))
    return tuple(parts)


def is_print(text: str) -> bool:
    """Return whether a text is one printed tensor."""
    return _PRINT.match(text) is not None


def with_print(source: str, line: int, name: str) -> tuple[str, str, str, int] | None:
    r"""Insert `print(name)` after a statement. Return before, print, rest and cut line.

    The cut follows the whole statement or block. None unless a statement at the left margin can print `name`.

    >>> with_print("x = f(\n  1,\n)\ny = 2", 1, "x")
    ('x = f(\n  1,\n)', 'print(x)', 'y = 2', 3)
    """
    if not _DOTTED.fullmatch(name):
        return None
    name = _PART.sub(r"[\1]", name)  # a part of a module by its number
    lines = source.split("\n")
    cut = line
    for number, text in enumerate(lines[line:], line + 1):
        if _GOES_ON.match(text):
            cut = number
        elif text.strip():
            break
    return "\n".join(lines[:cut]), f"print({name})", "\n".join(lines[cut:]), cut


def _count(counts: list[int | None]) -> None:
    if counts and counts[-1] is not None:
        counts[-1] += 1


def _end_of_property(text: str, start: int) -> int:
    """Return where a property's value ends: at the tensor's own comma or closing bracket."""
    depth = 0
    for i in range(start, len(text)):
        character = text[i]
        if character in "([<":
            depth += 1
        elif character in ")]>":
            if not depth:
                return i
            depth -= 1
        elif character == "," and not depth:
            return i
    return len(text)

"""The format of the catalogues: as much of Fluent, https://projectfluent.org, as they use.

A message is `name = text`, with attributes `.cause = text` below it. In a text stand variables, `{ $name }`, texts in
quotes, `{ " " }`, numbers without commas, `{ NUMBER($name, useGrouping: 0) }`, and choices between texts:

    { $count ->
        [0] nothing
        [one] one entry
       *[other] { $count } entries
    }

The library of Fluent reads all of its format, and brings 40 MB of other languages' numbers and dates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

Value = str | int | float

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_NO_TEXT = "[*.}"  # a line that begins so does not continue a text
_THOUSANDTH = Decimal("0.001")


@dataclass(frozen=True)
class Variable:
    """The place of a value. Attributes: grouped: whether a number has commas, 1,000."""

    name: str
    grouped: bool = True


@dataclass(frozen=True)
class Choice:
    """One of several texts. Attributes: name: of the variable that chooses; texts: by key; default: without a match."""

    name: str
    texts: dict[str, "Pattern"]
    default: str


Pattern = tuple["str | Variable | Choice", ...]


def read_message(entry: str) -> dict[str, Pattern]:
    """The texts of an entry of a catalogue: of its attributes by name, its own by "".

    >>> read_message("files = { $count } files")
    {'': (Variable(name='count', grouped=True), ' files')}
    """
    reader = _Reader(entry)
    found = {}
    name = ""
    reader.word()
    while True:
        reader.skip(" ")
        reader.take("=")
        reader.skip(" ")
        if pattern := reader.pattern():
            found[name] = pattern
        reader.skip(" \n")
        if not reader.starts("."):
            return found
        reader.take(".")
        name = reader.word()


def written(pattern: Pattern, values: Mapping[str, Value], lang: str) -> str:
    """The text with its values. Raises KeyError where one is missing."""
    said = []
    for part in pattern:
        if isinstance(part, str):
            said.append(part)
        elif isinstance(part, Variable):
            value = values[part.name]
            said.append(value if isinstance(value, str) else _number(value, part.grouped))
        else:
            said.append(written(part.texts[_chosen(part, values[part.name], lang)], values, lang))
    return "".join(said)


def _chosen(choice: Choice, value: Value, lang: str) -> str:
    """The key of the text for a value: its own, or its plural, of which 中文 has one."""
    if isinstance(value, str):
        return value if value in choice.texts and not value.isdigit() else choice.default
    plural = "one" if value == 1 and lang == "en" else "other"
    fit = (key for key in choice.texts if key == plural or (key.isdigit() and int(key) == value))
    return next(fit, choice.default)


def _number(value: int | float, grouped: bool) -> str:
    """A number with at most three decimals."""
    exact = Decimal(value) if isinstance(value, int) else Decimal(str(value))
    if exact.is_finite() and exact != exact.to_integral_value():
        exact = exact.quantize(_THOUSANDTH, ROUND_HALF_EVEN).normalize()
    elif exact.is_finite():
        exact = Decimal(int(exact))
    return f"{exact:,f}" if grouped else f"{exact:f}"


class _Reader:
    """Reads one entry from its first character to its last."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0

    def starts(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def skip(self, signs: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in signs:
            self.at += 1

    def take(self, sign: str) -> None:
        if not self.starts(sign):
            raise ValueError(f"{sign!r} expected: {self.text[:40]!r} … {self.text[self.at : self.at + 20]!r}")
        self.at += len(sign)

    def word(self) -> str:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in _NAME:
            self.at += 1
        return self.text[start : self.at]

    def pattern(self) -> Pattern:
        """A text until its end. Its lines lose the indentation that all of them have."""
        parts: list[str | Variable | Choice | tuple[int, int]] = []  # a pair: how many line ends, and how many spaces
        while self.at < len(self.text) and not self.starts("}"):
            if self.starts("{"):
                parts.append(self.placeable())
            elif not self.starts("\n"):
                parts.append(self.line())
            elif (gap := self.gap()) is None:
                break
            else:
                parts.append(gap)
        common = min((part[1] for part in parts if isinstance(part, tuple)), default=0)
        if parts and isinstance(parts[0], tuple):
            parts[0] = " " * (parts[0][1] - common)  # a text that begins below its name has no empty line before it
        joined: list[str | Variable | Choice] = []
        for part in parts:
            said = "\n" * part[0] + " " * (part[1] - common) if isinstance(part, tuple) else part
            if isinstance(said, str) and joined and isinstance(joined[-1], str):
                joined[-1] += said
            else:
                joined.append(said)
        return tuple(joined)

    def line(self) -> str:
        """Plain text until a brace or the end of its line; spaces at the end of the whole text do not count."""
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in "{}\n":
            self.at += 1
        said = self.text[start : self.at]
        return said if self.starts("{") or not self.ends() else said.rstrip(" ")

    def ends(self) -> bool:
        """Whether the text ends here."""
        start = self.at
        ended = self.starts("}") or self.gap() is None
        self.at = start
        return ended

    def gap(self) -> tuple[int, int] | None:
        """How many line ends come here, and how far the next line of the text is indented; None at its end."""
        start = self.at
        self.skip(" \n")
        blank = self.text[start : self.at]
        if self.at == len(self.text) or self.text[self.at] in _NO_TEXT:
            return None
        return blank.count("\n"), len(blank) - blank.rindex("\n") - 1

    def placeable(self) -> str | Variable | Choice:
        """What stands in braces."""
        self.take("{")
        self.skip(" \n")
        if self.starts('"'):
            return self.closed(self.quoted())
        if self.starts("$"):
            self.take("$")
            name = self.word()
            self.skip(" ")
            return self.closed(self.choice(name) if self.starts("->") else Variable(name))
        self.take("NUMBER($")
        name = self.word()
        if not (grouped := self.starts(")")):
            self.take(", useGrouping: 0")
        self.take(")")
        self.skip(" ")
        return self.closed(self.choice(name) if self.starts("->") else Variable(name, grouped))

    def closed(self, part: Any) -> Any:
        self.skip(" \n")
        self.take("}")
        return part

    def quoted(self) -> str:
        """A text in quotes, which has no escapes in these catalogues."""
        end = self.text.index('"', self.at + 1)
        said = self.text[self.at + 1 : end]
        self.at = end + 1
        return said

    def choice(self, name: str) -> Choice:
        self.take("->")
        texts: dict[str, Pattern] = {}
        default = ""
        self.skip(" \n")
        while not self.starts("}"):
            if chosen := self.starts("*"):
                self.take("*")
            self.take("[")
            key = self.word()
            self.take("]")
            self.skip(" ")
            texts[key] = self.pattern()
            default = key if chosen else default
            self.skip(" \n")
        return Choice(name, texts, default)

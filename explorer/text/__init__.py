"""The message catalogues: every sentence a user reads, in English and 中文.

Belongs here: the catalogues (`en/*.ftl`, `zh/*.ftl`, one pair of files per subject, in Fluent's format) and their
reader. Does not belong here: sentences assembled in code, the user's texts, torch's messages, and any choice between
messages.
"""

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:  # processes that print nothing, such as a run's, do not load Fluent
    from fluent.runtime import FluentBundle
    from fluent.runtime.resolver import Pattern
    from fluent.syntax.ast import BaseNode


@dataclass(frozen=True)
class Language:
    """A language of the catalogues.

    Attributes:
        name: native name, short enough for the switch.
        tag: BCP 47 tag, by which the browser chooses fonts.
        gap: separator between sentences.
        cell: pattern for a line number in a program of several cells.
        lines: patterns for a line number, and for one with a file or cell, if the order differs.
    """

    name: str
    tag: str
    gap: str
    cell: str
    lines: tuple[str, str] = ("", "")


# Languages by folder name, the default first. A new language is a folder and a line here.
KNOWN = {
    "en": Language("EN", "en", " ", "{1} of cell {0}"),
    "zh": Language("中文", "zh-CN", "", "单元格 {0}", ("第 {} 行", "{} 第 {} 行")),
}
LANGUAGES = tuple(KNOWN)

LONGEST = 1_000  # characters of a value; longer ones are shortened, since Fluent accepts at most 2 500

BEGIN, END = "\ufdd0", "\ufdd1"  # noncharacters, which Unicode reserves for such use
_NO_MARKS = dict.fromkeys(map(ord, (BEGIN, END)))
_HAN = "[\u4e00-\u9fff]"
_SPACE_IN_CHINESE = re.compile(f"(?<={_HAN}) (?={BEGIN}{_HAN})|(?<={_HAN}{END}) (?={_HAN})")

_HERE = Path(__file__).parent

Part = Literal["title", "cause", "repair"]  # parts of a message about an error, bug or warning
Value = Union[str, int, float, "Message"]
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Message:
    """A message without a language. Attributes: id: in the catalogues. values: its variables."""

    id: str
    values: Values = field(default_factory=dict)

    def text(self, lang: str) -> str:
        """Return the message as plain text."""
        return say(lang, self.id, **self.values)

    def part(self, part: Part) -> "Message":
        """Return its title (the message itself), cause or repair."""
        return self if part == "title" else Message(f"{self.id}.{part}", self.values)


class SayableError(Exception):
    """An exception whose reason a user reads: the message id after `prefix` and its values."""

    prefix = ""

    def __init__(self, kind: str, **values: str | int | float) -> None:
        super().__init__(kind, values)
        self.kind, self.values = kind, values

    @property
    def message(self) -> Message:
        """Message that states the reason."""
        return Message(f"{self.prefix}{self.kind}", self.values)

    def __str__(self) -> str:
        return self.message.text("en")


def say(lang: str, message_id: str, **values: Value) -> str:
    """Return a message with its variables replaced, nested messages included.

    "message.attribute" addresses an attribute. An unknown language falls back to English. A value longer than LONGEST
    characters loses its middle.

    Raises:
        KeyError: no such message.
        ValueError: a variable is missing from `values`.

    >>> say("en", "problems")
    'Problems'
    """
    if not values:
        return _format(lang, message_id)
    if not _language(lang).gap:
        return marked(lang, message_id, **values).translate(_NO_MARKS)
    text = _format(lang, message_id, **{name: _bound(lang, value) for name, value in values.items()})
    return _in_order(lang, text, values)


def marked(lang: str, message_id: str, **values: Value) -> str:
    """Return a message with each text value between BEGIN and END.

    Numbers, and texts that select a variant, are not marked. Raises as `say` does.

    >>> marked("en", "error-shape-called.repair", right="n") == f"Write {BEGIN}n{END}."
    True
    """
    choosing = _choosing(lang, message_id)
    texts = {
        name: f"{BEGIN}{str(_bound(lang, value)).translate(_NO_MARKS)}{END}"
        if isinstance(value, str | Message) and name not in choosing
        else _bound(lang, value)
        for name, value in values.items()
    }
    return _SPACE_IN_CHINESE.sub("", _in_order(lang, _format(lang, message_id, **texts), values))


def joined(lang: str, sentences: Iterable[str]) -> str:
    """Join sentences with the gap of the language: 中文 has none.

    >>> joined("en", ["One.", "", "Two."]), joined("zh", ["一。", "二。"])
    ('One. Two.', '一。二。')
    """
    return _language(lang).gap.join(sentence for sentence in sentences if sentence)


def separated(lang: str, parts: Iterable[str]) -> str:
    """Join parts with the language's list separator."""
    return say(lang, "list-separator").replace("_", " ").join(parts)


def as_sentence(lang: str, text: str, parts: str = "") -> str:
    """End a text as a sentence, with its parts after a colon.

    >>> as_sentence("en", "a = b + 1", "2 + 1 = 3")
    'a = b + 1: 2 + 1 = 3.'
    """
    return say(lang, "sentence-parts", text=text, parts=parts) if parts else say(lang, "sentence", text=text)


def clause_as_sentence(lang: str, clause: str) -> str:
    """Begin a clause with a capital letter, and end it as a sentence.

    >>> clause_as_sentence("en", "no fault found; 1 note")
    'No fault found; 1 note.'
    """
    return as_sentence(lang, clause[:1].upper() + clause[1:])


def code(text: str) -> str:
    """Return program text in backticks, with its own backticks replaced."""
    return f"`{text.replace('`', chr(0x2BC))}`"


def line_word(lang: str, line: str | int | float) -> str:
    """Return a line number, with its file or cell if needed.

    >>> line_word("en", 24)
    '24'
    """
    file, cell = getattr(line, "file", ""), getattr(line, "cell", 0)
    return f"{file}:{line}" if file else _language(lang).cell.format(cell, line) if cell else str(line)


def _in_order(lang: str, text: str, values: Values) -> str:
    """Put lines in the language's order: models.py 第 24 行."""
    alone, of_place = _language(lang).lines
    for line in values.values():
        if alone and not isinstance(line, Message) and _has_place(line):
            word, place = line_word(lang, line), getattr(line, "file", "") or line_word(lang, line)
            first, *rest = text.split(alone.format(word))
            gap = " " if place[0] < "\u4e00" else ""  # between a file's name and the words before it
            for part in rest:
                first += (gap if first[-1:].isalnum() else "") + of_place.format(place, line) + part
            text = first
    return text


def _has_place(value: object) -> bool:
    """Return whether it is a line that knows its file or cell."""
    return bool(getattr(value, "file", "") or getattr(value, "cell", 0))


def _language(lang: str) -> Language:
    return KNOWN.get(lang, KNOWN[LANGUAGES[0]])


def _bound(lang: str, value: Value) -> str | int | float:
    if isinstance(value, Message):
        return _bound(lang, value.text(lang))
    if _has_place(value):
        value = line_word(lang, value)
    if not isinstance(value, str) or len(value) <= LONGEST:
        return value
    half = (LONGEST - 1) // 2
    return f"{value[:half]}…{value[-half:]}"


@lru_cache(4096)  # a picture uses two hundred messages, mostly the same as the previous one
def _format(lang: str, message_id: str, **values: str | int | float) -> str:
    pattern = _pattern(lang, message_id)
    text, problems = _bundle(_spoken(lang)).format_pattern(pattern, values)
    if problems:
        raise ValueError(f"{message_id}: {problems[0]}")
    return str(text)


def _spoken(lang: str) -> str:
    return lang if lang in KNOWN else LANGUAGES[0]


def _pattern(lang: str, message_id: str) -> "Pattern":
    """Return the parsed pattern of a message. Raises KeyError if there is none."""
    name, _, attribute = message_id.partition(".")
    with _ADDING:  # also guards the bundle, so that two threads don't both build one
        bundle = _bundle(_spoken(lang))
        _add(_spoken(lang), name)
    if not bundle.has_message(name):
        raise KeyError(message_id)
    message = bundle.get_message(name)
    pattern = message.attributes[attribute] if attribute else message.value
    if pattern is None:
        raise KeyError(message_id)
    return pattern


@cache
def _choosing(lang: str, message_id: str) -> frozenset[str]:
    """Return the variables that select a message's variant."""
    from fluent.runtime.resolver import Pattern
    from fluent.syntax.ast import Placeable, SelectExpression, VariableReference

    todo: list[BaseNode] = [_pattern(lang, message_id)]
    names = set()
    while todo:
        part = todo.pop()
        if isinstance(part, Pattern):
            todo += part.elements
        elif isinstance(part, Placeable):
            todo.append(part.expression)
        elif isinstance(part, SelectExpression):
            todo += [variant.value for variant in part.variants]
            if isinstance(part.selector, VariableReference):
                names.add(part.selector.id.name)
    return frozenset(names)


_ADDING = threading.Lock()


@cache
def _entries(lang: str) -> dict[str, str]:
    """Return messages and terms by name (terms begin with a dash)."""
    entries: dict[str, str] = {}
    name = ""
    for path in sorted((_HERE / lang).glob("*.ftl")):
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line[0].isalpha() or line[0] == "-":  # a new entry; continuation lines are indented
                name = line.partition("=")[0].strip()
                entries[name] = line
            elif name and line[0] != "#":
                entries[name] += line
    return entries


@cache
def _bundle(lang: str) -> "FluentBundle":
    from fluent.runtime import FluentBundle

    # Isolation marks (U+2068) around variables would appear in pictures, files and terminals.
    functions: dict[str, Any] = {"COUNTED": _counted, "ORDINAL": _ordinal}
    return FluentBundle([lang], use_isolating=False, functions=functions)


def _counted(count: Value, one: str, more: str) -> str:
    """Return a number with its noun in English."""
    text = f"{count:,}" if isinstance(count, int) else str(count)
    return f"{text} {one if text.translate(_NO_MARKS) == '1' else more}"


def _ordinal(place: Value) -> str:
    """Return an English ordinal: 1st, 2nd, 11th."""
    text = str(place).translate(_NO_MARKS)
    ends = {"1": "st", "2": "nd", "3": "rd"} if text[-2:-1] != "1" else {}
    return f"{place}{ends.get(text[-1:], 'th')}"


@cache
def _add(lang: str, name: str) -> None:
    """Parse one message on demand, because a whole catalogue takes a second."""
    from fluent.runtime import FluentResource

    if name in _entries(lang):
        _bundle(lang).add_resource(FluentResource(_entries(lang)[name]))

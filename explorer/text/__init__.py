"""The message catalogues: every sentence a user reads, in English and 中文.

Belongs here: the catalogues (`en/*.ftl`, `zh/*.ftl`, one pair of files per subject, in Fluent's format) and their
reader. Does not belong here: sentences assembled in code, texts of the user's program, messages of torch, and anything
that decides what to say.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:  # what says nothing, such as the process of a run, does not load Fluent
    from fluent.runtime import FluentBundle
    from fluent.runtime.resolver import Pattern
    from fluent.syntax.ast import BaseNode


@dataclass(frozen=True)
class Language:
    """A language of the catalogues.

    Attributes:
        name: its own name, short enough for the switch.
        tag: the language tag of the web; the browser chooses fonts by it.
        gap: the text between two sentences.
        cell: a pattern for what stands for a line's number if a program has several cells.
        lines: patterns for a line's number, and for the same with a file or cell, if the order differs.
    """

    name: str
    tag: str
    gap: str
    cell: str
    lines: tuple[str, str] = ("", "")


# Languages by the name of their folder; the first is the default. A new language is a folder and a line here.
KNOWN = {
    "en": Language("EN", "en", " ", "{1} of cell {0}"),
    "zh": Language("中文", "zh-CN", "", "单元格 {0}", ("第 {} 行", "{} 第 {} 行")),
}
LANGUAGES = tuple(KNOWN)

LONGEST = 1_000  # characters of a value in a sentence; longer ones are shortened, and Fluent takes no more than 2 500

BEGIN, END = "\ufdd0", "\ufdd1"  # noncharacters, which Unicode reserves for such use
_NO_MARKS = dict.fromkeys(map(ord, (BEGIN, END)))

_HERE = Path(__file__).parent

Part = Literal["title", "cause", "repair"]  # of what is said of an error, a bug or a warning
Value = Union[str, int, float, "Message"]
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Message:
    """Something to say, in no language yet. Attributes: id: in the catalogues; values: of its variables."""

    id: str
    values: Values = field(default_factory=dict)

    def text(self, lang: str) -> str:
        """As plain text."""
        return say(lang, self.id, **self.values)

    def part(self, part: Part) -> "Message":
        """Its title, which is the message itself, its cause or its repair."""
        return self if part == "title" else Message(f"{self.id}.{part}", self.values)


class SayableError(Exception):
    """An exception whose reason a user reads.

    Attributes:
        kind: the end of the id of its message, after the `prefix` of its class.
        values: of the message's variables.
    """

    prefix = ""

    def __init__(self, kind: str, **values: str | int | float) -> None:
        super().__init__(kind, values)
        self.kind, self.values = kind, values

    @property
    def message(self) -> Message:
        """What is said of it."""
        return Message(f"{self.prefix}{self.kind}", self.values)

    def __str__(self) -> str:
        return self.message.text("en")


def say(lang: str, message_id: str, **values: Value) -> str:
    """The message with this id in a language, its variables replaced; a message among them is said too.

    Attributes of a message are reached by "message.attribute". An unknown language falls back to English. A text of
    more than LONGEST characters loses its middle.

    Raises:
        KeyError: the catalogue has no such message.
        ValueError: a variable of the message is missing from `values`.

    >>> say("en", "problems")
    'Problems'
    """
    text = _format(lang, message_id, **{name: _bound(lang, value) for name, value in values.items()})
    return _in_order(lang, text, values)


def marked(lang: str, message_id: str, **values: Value) -> str:
    """A message as `say` returns it, with every text among its values between BEGIN and END.

    Numbers and texts by which a message selects its variant are not marked. Raises as `say` does.

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
    return _in_order(lang, _format(lang, message_id, **texts), values)


def joined(lang: str, said: Iterable[str]) -> str:
    """Join sentences with the gap of the language: 中文 has none.

    >>> joined("en", ["One.", "", "Two."]), joined("zh", ["一。", "二。"])
    ('One. Two.', '一。二。')
    """
    return _language(lang).gap.join(sentence for sentence in said if sentence)


def separated(lang: str, parts: Iterable[str]) -> str:
    """Things in a sentence, a comma between them."""
    return say(lang, "list-separator").replace("_", " ").join(parts)


def code(text: str) -> str:
    """The program's text between backticks; its own backticks are replaced."""
    return f"`{text.replace('`', chr(0x2BC))}`"


def line_word(lang: str, line: str | int | float) -> str:
    """A line's number for a sentence; with its file or cell, if there are several.

    >>> line_word("en", 24)
    '24'
    """
    file, cell = getattr(line, "file", ""), getattr(line, "cell", 0)
    return f"{file}:{line}" if file else _language(lang).cell.format(cell, line) if cell else str(line)


def _in_order(lang: str, text: str, values: Values) -> str:
    """A sentence in which lines with a file or cell are written in the language's order: models.py 第 24 行."""
    alone, of_place = _language(lang).lines
    for line in values.values():
        if alone and not isinstance(line, Message) and _has_place(line):
            word, place = line_word(lang, line), getattr(line, "file", "") or line_word(lang, line)
            first, *rest = text.split(alone.format(word))
            for part in rest:  # separates a file's name from the words before it
                first += (" " if first[-1:].isalnum() else "") + of_place.format(place, line) + part
            text = first
    return text


def _has_place(value: object) -> bool:
    """Whether it is a line that knows its file or cell."""
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


@lru_cache(4096)  # a picture uses two hundred messages, most of them as the previous one
def _format(lang: str, message_id: str, **values: str | int | float) -> str:
    pattern = _pattern(lang, message_id)
    text, problems = _bundle(_spoken(lang)).format_pattern(pattern, values)
    if problems:
        raise ValueError(f"{message_id}: {problems[0]}")
    return str(text)


def _spoken(lang: str) -> str:
    return lang if lang in KNOWN else LANGUAGES[0]


def _pattern(lang: str, message_id: str) -> "Pattern":
    """The parsed pattern of a message. Raises KeyError if there is none."""
    name, _, attribute = message_id.partition(".")
    with _ADDING:  # also for the bundle: of two that ask for it at the same time, each would get one of its own
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
    """The variables by which a message selects its variant."""
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
    """The text of each message and term of a language, by name; a term's name begins with a dash."""
    entries: dict[str, str] = {}
    name = ""
    for path in sorted((_HERE / lang).glob("*.ftl")):
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line[0].isalpha() or line[0] == "-":  # a new entry; its other lines begin with a space
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
    """A number and its noun, as an English sentence writes them; a rule may give the number as text."""
    text = f"{count:,}" if isinstance(count, int) else str(count)
    return f"{text} {one if text.translate(_NO_MARKS) == '1' else more}"


def _ordinal(place: Value) -> str:
    """The place of a thing among others in English: 1st, 2nd, 11th."""
    text = str(place).translate(_NO_MARKS)
    ends = {"1": "st", "2": "nd", "3": "rd"} if text[-2:-1] != "1" else {}
    return f"{place}{ends.get(text[-1:], 'th')}"


@cache
def _add(lang: str, name: str) -> None:
    """Parse one message. A whole catalogue takes a second, and few messages are used; none refers to another."""
    from fluent.runtime import FluentResource

    if name in _entries(lang):
        _bundle(lang).add_resource(FluentResource(_entries(lang)[name]))

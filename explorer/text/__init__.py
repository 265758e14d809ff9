"""The message catalogues: every sentence a person reads, in English and 中文.

Here belong the catalogues (`en/*.ftl`, `zh/*.ftl`, one pair of files per room, in Fluent's format) and what reads
them. Here do not belong: sentences put together in code, texts of the user's program, words of torch, or
anything that decides what is said.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.resolver import Pattern
from fluent.syntax.ast import BaseNode, Placeable, SelectExpression, VariableReference


@dataclass(frozen=True)
class Language:
    """A language of the catalogues.

    Attributes:
        name: what it is called in itself, short enough for the switch.
        tag: as the web names it; which fonts a browser takes depends on it.
        gap: what stands between two sentences.
        lines: how its sentences say a line's number, and how they say it of a file, where that is another order.
    """

    name: str
    tag: str
    gap: str
    lines: tuple[str, str] = ("", "")


# By the name of its folder, the first for whoever asks for none of them. A new language is a folder and a line here.
KNOWN = {"en": Language("EN", "en", " "), "zh": Language("中文", "zh-CN", "", ("第 {} 行", "{} 第 {} 行"))}
LANGUAGES = tuple(KNOWN)

LONGEST = 1_000  # characters of a value in a sentence: nobody reads more, and Fluent takes no more than 2 500

BEGIN, END = "\ufdd0", "\ufdd1"  # which Unicode keeps for such use
_NO_MARKS = dict.fromkeys(map(ord, (BEGIN, END)))

_HERE = Path(__file__).parent


def say(lang: str, message_id: str, **values: str | int | float) -> str:
    """The message with this id in a language, its variables replaced.

    Attributes of a message are reached by "message.attribute". An unknown language reads English. Of a text of more
    than LONGEST characters the middle is left out.

    Raises:
        KeyError: the catalogue has no such message.
        ValueError: a variable of the message is missing from `values`.

    >>> say("en", "problems")
    'Problems'
    """
    text = _said(lang, message_id, **{name: _bounded(value) for name, value in values.items()})
    return _in_order(lang, text, values)


def marked(lang: str, message_id: str, **values: str | int | float) -> str:
    """A message as `say` gives it, with every text among its values between BEGIN and END.

    Numbers are not marked: they belong to the words around them; neither are texts by which a message chooses its
    words. Raises as `say` does.

    >>> marked("en", "error-name-near.repair", right="n") == f"Write {BEGIN}n{END}."
    True
    """
    choosing = _choosing(lang, message_id)
    texts = {
        name: f"{BEGIN}{str(_bounded(value)).translate(_NO_MARKS)}{END}"
        if isinstance(value, str) and name not in choosing
        else _bounded(value)
        for name, value in values.items()
    }
    return _in_order(lang, _said(lang, message_id, **texts), values)


def joined(lang: str, said: Iterable[str]) -> str:
    """Sentences one after the other, with the gap of the language: 中文 has none.

    >>> joined("en", ["One.", "", "Two."]), joined("zh", ["一。", "二。"])
    ('One. Two.', '一。二。')
    """
    return _known(lang).gap.join(one for one in said if one)


def line_word(line: str | int | float) -> str:
    """A line's number as it stands in a sentence: with its file, where it knows one of several.

    >>> line_word(24)
    '24'
    """
    file = getattr(line, "file", "")
    return f"{file}:{line}" if file else str(line)


def _in_order(lang: str, text: str, values: Mapping[str, str | int | float]) -> str:
    """A sentence with the lines that know their file said as its language says them: models.py 第 24 行."""
    alone, of_file = _known(lang).lines
    for line in values.values():
        if alone and (file := getattr(line, "file", "")):
            first, *rest = text.split(alone.format(line_word(line)))
            for part in rest:  # a file's name stands apart from the words before it
                first += (" " if first[-1:].isalnum() else "") + of_file.format(file, line) + part
            text = first
    return text


def _known(lang: str) -> Language:
    return KNOWN.get(lang, KNOWN[LANGUAGES[0]])


def _bounded(value: str | int | float) -> str | int | float:
    if getattr(value, "file", ""):
        return line_word(value)
    if not isinstance(value, str) or len(value) <= LONGEST:
        return value
    half = (LONGEST - 1) // 2
    return f"{value[:half]}…{value[-half:]}"


@lru_cache(4096)  # a picture says two hundred things, most of them what the one before it said
def _said(lang: str, message_id: str, **values: str | int | float) -> str:
    text, problems = _bundle(_spoken(lang)).format_pattern(_pattern(lang, message_id), values)
    if problems:
        raise ValueError(f"{message_id}: {problems[0]}")
    return str(text)


def _spoken(lang: str) -> str:
    return lang if lang in KNOWN else LANGUAGES[0]


def _pattern(lang: str, message_id: str) -> Pattern:
    """What a catalogue says for a message. Raises KeyError where it has none."""
    bundle = _bundle(_spoken(lang))
    name, _, attribute = message_id.partition(".")
    if not bundle.has_message(name):
        raise KeyError(message_id)
    message = bundle.get_message(name)
    pattern = message.attributes[attribute] if attribute else message.value
    if pattern is None:
        raise KeyError(message_id)
    return pattern


@cache
def _choosing(lang: str, message_id: str) -> frozenset[str]:
    """The variables by which a message chooses its words."""
    todo: list[BaseNode] = [_pattern(lang, message_id)]
    found = set()
    while todo:
        part = todo.pop()
        if isinstance(part, Pattern):
            todo += part.elements
        elif isinstance(part, Placeable):
            todo.append(part.expression)
        elif isinstance(part, SelectExpression):
            todo += [variant.value for variant in part.variants]
            if isinstance(part.selector, VariableReference):
                found.add(part.selector.id.name)
    return frozenset(found)


@cache
def _bundle(lang: str) -> FluentBundle:
    # Isolation marks (U+2068) around variables would end up in pictures, files and terminals.
    bundle = FluentBundle([lang], use_isolating=False)
    for path in sorted((_HERE / lang).glob("*.ftl")):
        bundle.add_resource(FluentResource(path.read_text(encoding="utf-8")))
    return bundle

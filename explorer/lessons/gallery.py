"""The gallery: questions and terms as small programs.

`lessons/gallery` has files of examples by subject, and `terms.toml` with every term's 中文. An example's facts, which a
test verifies, support its sentence.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from explorer.lessons.asks import Fact, Id, Name, Source
from explorer.paths import site

HERE = site() / "lessons" / "gallery"
TERMS = "terms.toml"


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """Further words to search by, in both languages."""

    en: tuple[Name, ...] = ()
    zh: tuple[Name, ...] = ()


class InBoth(Struct, frozen=True, forbid_unknown_fields=True):
    """A title or a sentence in both languages."""

    en: Annotated[str, Meta(min_length=1, max_length=400)]
    zh: Annotated[str, Meta(min_length=1, max_length=400)]


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A small program that shows one thing.

    Attributes:
        asks: question on its card. says: answer in one sentence.
        check: facts that support the sentence.
        page: page that opens. state: the page's address if it takes no program (a function, two shapes).
        terms: English glossary terms that it shows. words: further search words.
    """

    id: Id
    title: InBoth
    asks: InBoth
    says: InBoth
    program: Source
    check: Annotated[tuple[Fact, ...], Meta(min_length=1, max_length=10)]
    terms: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=10)]
    page: Literal["autograd", "training", "operations", "broadcasting", "derivatives"] = "autograd"
    state: dict[str, str] = {}
    words: Words = Words()


class _Subject(Struct, frozen=True, forbid_unknown_fields=True):
    example: tuple[Example, ...]


@dataclass(frozen=True)
class Gallery:
    """All examples by id, in order, and every English term with its 中文.

    Attributes: subjects: ids of examples by file name.
    """

    examples: Mapping[str, Example]
    terms: Mapping[str, str]
    subjects: Mapping[str, tuple[str, ...]]


def read_gallery(folder: Path) -> Gallery:
    """Read the gallery of a folder.

    Raises:
        OSError: no such folder. ValueError: invalid TOML or form, or a duplicate id.
    """
    terms = msgspec.convert(tomllib.loads((folder / TERMS).read_text("utf-8")), dict[str, str])
    examples: dict[str, Example] = {}
    subjects: dict[str, tuple[str, ...]] = {}
    for path in sorted(folder.glob("*.toml"), key=lambda path: path.stem):
        if path.name == TERMS:
            continue
        of_file = msgspec.convert(tomllib.loads(path.read_text("utf-8")), _Subject).example
        subjects[path.stem] = tuple(example.id for example in of_file)
        for example in of_file:
            if example.id in examples:
                raise ValueError(f"{path.name}: the example {example.id} stands there twice")
            examples[example.id] = example
    return Gallery(examples, terms, subjects)


@cache
def gallery() -> Gallery:
    """Return the app's gallery, empty if its folder is missing."""
    return read_gallery(HERE) if HERE.is_dir() else Gallery({}, {}, {})

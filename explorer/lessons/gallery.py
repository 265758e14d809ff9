"""The gallery: common questions and the field's terms as small example programs, read from files.

It lies in `lessons/gallery`: files of examples by subject, and `terms.toml`, every term with its 中文. Whatever an
example says is held by its facts, which a test tries.
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
PICTURES = HERE / "pictures"  # an SVG for each example, drawn from its run


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
        asks: the question of its card; says: the answer, what it shows, in one sentence.
        check: the facts of its Trace that the sentence rests on.
        page: where it opens; state: what that page's address says in place of the program (a function, two shapes).
        terms: the terms of the glossary that it shows, in English; words: further words to search by.
    """

    id: Id
    title: InBoth
    asks: InBoth
    says: InBoth
    program: Source
    check: Annotated[tuple[Fact, ...], Meta(min_length=1, max_length=10)]
    terms: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=10)]
    page: Literal["autograd", "training", "tensors", "operations", "broadcasting", "derivatives"] = "autograd"
    state: dict[str, str] = {}
    words: Words = Words()


class _Subject(Struct, frozen=True, forbid_unknown_fields=True):
    example: tuple[Example, ...]


@dataclass(frozen=True)
class Gallery:
    """All examples by their ids, in order, and every term in English with its 中文.

    Attributes:
        subjects: by the name of each file the ids of its examples.
    """

    examples: Mapping[str, Example]
    terms: Mapping[str, str]
    subjects: Mapping[str, tuple[str, ...]]


def read_gallery(folder: Path) -> Gallery:
    """The gallery of a folder.

    Raises:
        OSError: there is none; ValueError: a file is no TOML, or does not have the form; an id stands there twice.
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
    """The gallery that comes with the app; empty where its folder is not there."""
    return read_gallery(HERE) if HERE.is_dir() else Gallery({}, {}, {})


@cache
def picture_of(id: str) -> str:
    """The small picture of an example as SVG; "" if it has none."""
    path = PICTURES / f"{id}.svg"
    return path.read_text("utf-8").strip() if id in gallery().examples and path.is_file() else ""

"""Search the gallery's examples and the lessons, in both languages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from explorer.lessons.course import Course
from explorer.lessons.gallery import Gallery

LONGEST = 200  # characters of a query that are looked at
_WEIGHTS = (8, 4, 2, 1)  # of a word in a title, among names, in the sentence or the text, in the program
_TERM = 1_000  # of a query that is a term


@dataclass(frozen=True)
class Hit:
    """One result of a search.

    Attributes:
        kind: an example of the gallery or a lesson, and its id there.
        title, says: in the language asked for; of a lesson its chapter.
    """

    kind: Literal["example", "lesson"]
    id: str
    title: str
    says: str


@dataclass(frozen=True)
class _Sought:
    """The texts of one entry that are searched. Attributes: texts: one for each weight; terms: what it is about, lower case."""

    hit: Hit
    texts: tuple[str, str, str, str]
    terms: frozenset[str]


def search(query: str, lang: str, gallery: Gallery, course: Course) -> list[Hit]:
    """The examples and lessons that contain every word of a query, the best first; all for an empty query.

    A query's word also matches inside a word, in both languages. Matches of a term's name come first, then those in
    the title, the names, the text and the program.
    """
    words = query[:LONGEST].casefold().split()
    all_of_it = [*_examples(lang, gallery), *_lessons(lang, gallery, course)]
    ranked = [(_worth(entry, words), entry.hit) for entry in all_of_it]
    return [hit for worth, hit in sorted(ranked, key=lambda pair: -pair[0]) if worth or not words]


def _worth(sought: _Sought, words: list[str]) -> int:
    """How well a place fits: 0 when one of the words is nowhere."""
    weighed = [*zip(_WEIGHTS, sought.texts, strict=True)]
    worths = [max((weight for weight, text in weighed if word in text), default=0) for word in words]
    return sum(worths) + _TERM * (" ".join(words) in sought.terms) if all(worths) else 0


def _examples(lang: str, gallery: Gallery) -> Iterator[_Sought]:
    for example in gallery.examples.values():
        title, says = (str(getattr(both, lang, both.en)) for both in (example.title, example.says))
        names = [example.title.en, example.title.zh, *example.words.en, *example.words.zh, example.id.replace("-", " ")]
        terms = _both(example.terms, gallery)
        texts = (title, _joined([*names, *terms]), says, example.program)
        yield _sought(Hit("example", example.id, title, says), texts, terms)


def _lessons(lang: str, gallery: Gallery, course: Course) -> Iterator[_Sought]:
    for id, lesson in course.lessons.items():
        said, chapter = lesson.text(lang), course.chapter_of(id)
        title = said.title.replace("`", "")
        names = [text.title for text in lesson.texts.values()] + [id.replace("-", " ").replace("/", " ")]
        terms = _both(lesson.data.concepts, gallery)
        told = _joined([said.intro, *(text for kind, text in said.parts if kind == "text")])
        texts = (title, _joined([*names, *terms]), told, lesson.program)
        yield _sought(Hit("lesson", id, title, getattr(chapter.title, lang) if chapter else ""), texts, terms)


def _sought(hit: Hit, texts: tuple[str, str, str, str], terms: list[str]) -> _Sought:
    title, names, text, program = (text.casefold() for text in texts)
    return _Sought(hit, (title, names, text, program), frozenset(part for term in terms for part in _parts(term)))


def _both(terms: tuple[str, ...], gallery: Gallery) -> list[str]:
    """Terms in English and in 中文."""
    return [name for term in terms for name in (term, gallery.terms.get(term, "")) if name]


def _parts(term: str) -> tuple[str, ...]:
    """A term, and of one that has several names each: `index/slice`, `不可导点（尖点）`."""
    said = term.casefold()
    return (said, *said.replace("（", "/").rstrip("）").split("/"))


def _joined(parts: list[str]) -> str:
    return "\n".join(parts)

"""Search the gallery's examples and the lessons by words in both languages.

SQLite's full-text index ranks them: words in any order, by stem, rarer words higher, the last word possibly incomplete.
`lessons/questions.toml` lists people's own questions.
"""

import math
import sqlite3
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import msgspec
from msgspec import Struct

from explorer.lessons.asks import in_language
from explorer.lessons.course import HERE, Course
from explorer.lessons.gallery import Gallery

QUESTIONS = "questions.toml"
LONGEST = 200  # characters examined per query
_COLUMNS = {"title": 8, "names": 4, "prose": 2, "program": 1}  # columns and the weight of a word in each
_SHARE = {"questions": 0.5, "places": 0.6}  # share of a long query's words that a row must contain
_COMMON = frozenset(
    """a about actually after all always an and any anything are at be before but by can could did do does doesn
    doing don every explained for from had happen happens has have help how i if in into is isn it its just keep
    me mean meaning means my of on or our please point problem pytorch really s same should so some than that the
    their them then there these thing this those to too torch t use using versus very vs was we were what when
    where which why will with would you your difference between""".split()
)
_COMMON_IN_CHINESE = """为什么 什么时候 怎么办 什么 怎样 怎么 如何 区别 不同 意思 之后 可以 应该 有用
    变成 的 吗 是 有 和 与 用 了 会 要 呢""".split()


@dataclass(frozen=True)
class Hit:
    """One result of a search.

    Attributes:
        kind: an example or lesson, and its id.
        title, says: in the requested language. A lesson's `says` is its chapter.
    """

    kind: Literal["example", "lesson"]
    id: str
    title: str
    says: str


class Phrasings(Struct, frozen=True, forbid_unknown_fields=True):
    """Phrasings of one question. Attributes: to: ids of lessons and examples, best first. en, zh: phrasings."""

    to: tuple[str, ...]
    en: tuple[str, ...]
    zh: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    """A searchable place. Attributes: texts: one for each column. terms: its subjects in lower case."""

    hit: Hit
    texts: tuple[str, str, str, str]
    terms: frozenset[str]


def search(query: str, lang: str, gallery: Gallery, course: Course) -> list[Hit]:
    """Find examples and lessons, best first, all without a query.

    The order is: places that teach the named term, answers to the nearest question, places with most of its words.
    Words common to all questions count only if there are no others.
    """
    return _index(lang, gallery, course).find(query[:LONGEST].casefold().strip())


def questions() -> tuple[Phrasings, ...]:
    """Load people's questions."""
    path = HERE / QUESTIONS
    data = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {"question": []}
    return msgspec.convert(data, dict[str, tuple[Phrasings, ...]])["question"]


class _Index:
    """In-memory index of all places in one language, usable from several threads."""

    def __init__(self, lang: str, gallery: Gallery, course: Course) -> None:
        self.of = gallery, course
        self._places = {place.hit.id: place for place in (*_examples(lang, gallery), *_lessons(lang, gallery, course))}
        ways = [(way, one.to) for one in questions() for way in (*one.en, *one.zh)]
        self._answers = [to for _, to in ways]
        self._ids = [*self._places]
        self._lock = threading.Lock()
        self._tables = sqlite3.connect(":memory:", check_same_thread=False)
        self._fill("places", tuple(_COLUMNS), [place.texts for place in self._places.values()])
        self._fill("questions", ("way",), [(_without_common(way.casefold()),) for way, _ in ways])

    def _fill(self, table: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        tokens = "porter unicode61 tokenchars '_'"
        self._tables.execute(f'CREATE VIRTUAL TABLE {table} USING fts5({", ".join(columns)}, tokenize="{tokens}")')
        holes = ", ".join("?" * len(columns))
        self._tables.executemany(
            f"INSERT INTO {table} VALUES ({holes})", [[_with_parts(text) for text in row] for row in rows]
        )

    def find(self, query: str) -> list[Hit]:
        """Find the places for a lower-case query."""
        words = _words(query)
        if not words:
            return [place.hit for place in self._places.values()] if not query else []
        taught = [id for id, place in self._places.items() if query in place.terms]
        asked = self._best("questions", words, (1,))
        answers = [id for row in asked[:1] for id in self._answers[row] if id in self._places]
        ids = [self._ids[row] for row in self._best("places", words, tuple(_COLUMNS.values()))]
        taught.sort(key=lambda id: ids.index(id) if id in ids else len(ids))
        return [self._places[id].hit for id in dict.fromkeys((*taught, *answers, *ids))]

    def _best(self, table: str, words: list[str], weights: tuple[int, ...]) -> list[int]:
        """Return a table's rows, from 0, with most of the words, rarer words first."""
        ask = f"SELECT rowid - 1 FROM {table} WHERE {table} MATCH ?"
        ranked = f"{ask} ORDER BY bm25({table}, {', '.join(map(str, weights))})"
        with self._lock:
            has = Counter(row for word in words for (row,) in self._tables.execute(ask, (word,)))
            rows = [row for (row,) in self._tables.execute(ranked, (" OR ".join(words),))]
        least = min(math.ceil(_SHARE[table] * len(words)), max(has.values(), default=0))
        return sorted((row for row in rows if has[row] >= least), key=lambda row: -has[row])


_kept: dict[str, _Index] = {}


def _index(lang: str, gallery: Gallery, course: Course) -> _Index:
    index = _kept.get(lang)
    if index is None or index.of[0] is not gallery or index.of[1] is not course:
        index = _kept[lang] = _Index(lang, gallery, course)
    return index


def _words(query: str) -> list[str]:
    """Return the index query's words. The last may be incomplete."""
    text = _without_common(query) or query
    words = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text)
    latin = "".join(" " if _is_chinese(letter) else letter for letter in words).split()
    terms = [f'"{word}"' for word in dict.fromkeys(latin)]
    if latin and len(latin[-1]) > 1 and query.rstrip().endswith(latin[-1]):
        terms[-1] = f'"{latin[-1]}"*'
    return terms + [f'"{pair}"' for run in _chinese_runs(words) for pair in (_pairs(run) or [run])]


def _without_common(text: str) -> str:
    """Remove words common to all questions, "" if no others remain."""
    for common in _COMMON_IN_CHINESE:
        text = text.replace(common, " ")
    words = "".join(letter if letter.isalnum() or letter in "_." else " " for letter in text).split()
    return " ".join(word for word in words if word.strip(".") not in _COMMON)


def _with_parts(text: str) -> str:
    """Add the parts of names such as zero_grad, and pairs of Chinese characters."""
    pairs = [part for run in _chinese_runs(text) for part in (*run, *_pairs(run))]
    return "\n".join((text, text.replace("_", " "), " ".join(pairs)))


def _pairs(run: str) -> list[str]:
    return [first + second for first, second in pairwise(run)]


def _chinese_runs(text: str) -> list[str]:
    return "".join(letter if _is_chinese(letter) else " " for letter in text).split()


def _is_chinese(text: str) -> bool:
    return "\u3400" <= text[:1] <= "\u9fff"


def _examples(lang: str, gallery: Gallery) -> Iterator[_Place]:
    for example in gallery.examples.values():
        title, says = (str(getattr(both, lang, both.en)) for both in (example.title, example.says))
        names = [example.title.en, example.title.zh, *example.words.en, *example.words.zh, example.id.replace("-", " ")]
        terms = _both(example.terms, gallery)
        texts = (title, _join_lines([*names, *terms]), says, example.program)
        yield _place(Hit("example", example.id, title, says), texts, terms)


def _lessons(lang: str, gallery: Gallery, course: Course) -> Iterator[_Place]:
    for id, lesson in course.lessons.items():
        lesson_text, chapter = lesson.text(lang), course.chapter_of(id)
        title = lesson_text.title.replace("`", "")
        names = [text.title for text in lesson.texts.values()] + [id.replace("-", " ").replace("/", " ")]
        terms = _both(lesson.data.concepts, gallery)
        prose = _join_lines([lesson_text.intro, *(text for kind, text in lesson_text.parts if kind == "text")])
        texts = (title, _join_lines([*names, *terms]), prose, lesson.program)
        yield _place(Hit("lesson", id, title, in_language(chapter.title, lang) if chapter else ""), texts, terms)


def _place(hit: Hit, texts: tuple[str, str, str, str], terms: list[str]) -> _Place:
    title, names, text, program = (text.casefold() for text in texts)
    return _Place(hit, (title, names, text, program), frozenset(part for term in terms for part in _parts(term)))


def _both(terms: tuple[str, ...], gallery: Gallery) -> list[str]:
    """Return terms in English and 中文."""
    return [name for term in terms for name in (term, gallery.terms.get(term, "")) if name]


def _parts(term: str) -> tuple[str, ...]:
    """Return a term and its alternative names: `index/slice`, `不可导点（尖点）`."""
    text = term.casefold()
    return (text, *text.replace("（", "/").rstrip("）").split("/"))


def _join_lines(parts: list[str]) -> str:
    return "\n".join(parts)

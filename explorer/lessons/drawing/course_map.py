"""Course map: chapters from top to bottom, lessons as cards, lines from their requirements.

The texts of a lesson become HTML here: Markdown with formulas, choices and lines of code as buttons.

Examples of the gallery are cards too: the picture of the run, the title, and a question that opening it answers.
`tools/generate_pictures.py` writes the pictures into `lessons/gallery/pictures`, so that a server draws none of them. A
test compares the files with new runs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from explorer.drawing.marks import quoted
from explorer.drawing.notebook.markdown import markdown_html, with_formulas
from explorer.lessons.asks import in_language
from explorer.lessons.course import Course
from explorer.lessons.gallery import Example, picture_of
from explorer.text import say
from explorer.text.numbers import cells_of

CARD, GAP, LEFT = 178, 22, 2  # px: card width, gap, left margin
TALL, BETWEEN, HEAD = 70, 22, 44  # px: height of a card, between two rows, of a chapter's title
GOAL = 22  # px: height of the line below the title that states the skill
FEW = 2  # cards side by side, on a phone
CELLS = 21  # characters of a line of a card's title
LINES = 3  # lines of a card, minutes included


@dataclass(frozen=True)
class _Place:
    """Position of a card. Attributes: x, y: of its upper left corner. row: from 0."""

    x: int
    y: int
    row: int


def course_map(course: Course, done: Mapping[str, float], now: str, lang: str, columns: int) -> str:
    """Draw the map as SVG with cards as buttons (`data-choose`).

    Args:
        done: answered share of each lesson's questions, from 0 to 1.
        now: lesson to continue with.
        columns: cards per row.
    """
    places: dict[str, _Place] = {}
    titles: list[str] = []
    y, row = 0, 0
    for number, chapter in enumerate(course.chapters, 1):
        ids = [id for name in chapter.lessons if (id := f"{chapter.id}/{name}") in course.lessons]
        finished = sum(done.get(id, 0) >= 1 for id in ids)
        title = in_language(chapter.title, lang)
        count = say(lang, "lessons-chapter", done=finished, all=len(ids))
        minutes = [course.lessons[id].data.minutes for id in ids]
        if minutes and all(minutes):
            count += f" · {say(lang, 'lessons-minutes', minutes=sum(minutes))}"
        needs = [needed for needed in course.chapters if needed.id in chapter.needs]
        after = ", ".join(in_language(chapter.title, lang) for chapter in needs)
        words = say(lang, "lessons-after", names=after) if after else ""
        titles.append(
            f'<g class="chapter"><text class="chapter-name" x="{LEFT}" y="{y + 22}">{number}. {quoted(title)}'
            f'<tspan class="chapter-count" dx="10">{quoted(count)}</tspan></text>'
            f'<text class="chapter-after" x="{_width(columns) - LEFT}" y="{y + 22}">{quoted(words)}</text></g>'
        )
        if chapter.can and columns > FEW:
            words = say(
                lang, "lessons-can" if finished == len(ids) else "lessons-will-can", can=in_language(chapter.can, lang)
            )
            titles.append(f'<text class="chapter-can" x="{LEFT}" y="{y + 44}">{quoted(words)}</text>')
            y += GOAL
        y += HEAD
        for at, id in enumerate(ids):
            column = at % columns
            places[id] = _Place(
                LEFT + column * (CARD + GAP), y + (at // columns) * (TALL + BETWEEN), row + at // columns
            )
        rows = -(-len(ids) // columns)
        y += rows * (TALL + BETWEEN) + 10
        row += rows
    edges = "".join(
        _edge(places[need], place, id)
        for id, place in places.items()
        for need in course.lessons[id].data.needs
        if need in places
    )
    cards = "".join(_card(course, id, place, done.get(id, 0), id == now, lang) for id, place in places.items())
    label = quoted(say(lang, "lessons-map"))
    drawn = f'{"".join(titles)}<g class="needs">{edges}</g>{cards}'
    return (
        f'<svg class="course-map columns-{columns}" viewBox="0 0 {_width(columns)} {y}" width="{_width(columns)}" '
        f'role="group" aria-label="{label}">{drawn}</svg>'
    )


def _width(columns: int) -> int:
    return 2 * LEFT + columns * CARD + (columns - 1) * GAP


def _edge(begin: _Place, end: _Place, to: str) -> str:
    """Draw a line from a required lesson: straight to a neighbour, otherwise curved."""
    if begin.row == end.row and end.x - begin.x == CARD + GAP:
        y = begin.y + TALL // 2
        path, near = f"M{begin.x + CARD + 2} {y}H{end.x - 3}m-5 -4l5 4l-5 4", " near"
    else:
        near = ""
        x1, y1, x2, y2 = begin.x + CARD // 2, begin.y + TALL, end.x + CARD // 2, end.y
        if begin.row == end.row:
            y1 = y2 = begin.y + TALL
            path = f"M{x1} {y1}C{x1} {y1 + BETWEEN} {x2} {y2 + BETWEEN} {x2} {y2}"
        else:
            bend = max(BETWEEN, (y2 - y1) // 2)
            path = f"M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"
    return f'<path class="need{near}" d="{path}" data-lit="{quoted(to)}"/>'


def _card(course: Course, id: str, place: _Place, share: float, is_now: bool, lang: str) -> str:
    lesson = course.lessons[id]
    title = lesson.text(lang).title.replace("`", "")
    states = ["lesson-card"] + ["is-done"] * (share >= 1) + ["is-begun"] * (0 < share < 1) + ["is-next"] * is_now
    state = "done" if share >= 1 else "begun" if share else "open"
    minutes = say(lang, "lessons-minutes", minutes=lesson.data.minutes) if lesson.data.minutes else ""
    label = quoted(", ".join([title, *[minutes] * bool(minutes), say(lang, f"lessons-is.{state}")]))
    lines = _wrap(title, LINES - bool(minutes))
    top = place.y + TALL // 2 + 5 - 9 * (len(lines) - 1 + bool(minutes))
    text = "".join(
        f'<tspan x="{place.x + 34}" y="{top + 18 * k}">{quoted(line)}</tspan>' for k, line in enumerate(lines)
    )
    if minutes:
        text += f'<tspan class="minutes" x="{place.x + 34}" y="{top + 18 * len(lines)}">{quoted(minutes)}</tspan>'
    cx, cy = place.x + 18, place.y + TALL // 2
    mark = f'<circle class="mark" cx="{cx}" cy="{cy}" r="6"/>'
    if share >= 1:
        mark += f'<path class="tick" d="M{cx - 3} {cy}l2.2 2.4 4-5"/>'
    return (
        f'<g class="{" ".join(states)}" role="button" tabindex="0" aria-label="{label}" data-choose="{quoted(id)}" '
        f'data-lit="{quoted(id)}"><rect x="{place.x}" y="{place.y}" width="{CARD}" height="{TALL}" rx="9"/>{mark}'
        f"<text>{text}</text></g>"
    )


def _wrap(title: str, most: int) -> list[str]:
    """Wrap a title to at most `most` lines, at blanks or, in 中文, anywhere."""
    lines = [""]
    for word in _words(title):
        if cells_of(lines[-1] + word.rstrip()) <= CELLS or not lines[-1]:
            lines[-1] += word
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] = lines[-1].rstrip() + "…"
            break
    return [line.strip() for line in lines]


def _words(title: str) -> list[str]:
    """Split a title at possible line breaks."""
    words: list[str] = []
    for character in title:
        if (words and not words[-1].endswith(" ") and character.isascii() and words[-1][-1].isascii()) or (
            words and character == " "
        ):
            words[-1] += character
        else:
            words.append(character)
    return words


def cards_html(name: str, examples: Iterable[Example], lang: str) -> str:
    """Render a subject's examples below its name, as buttons (`data-choose`)."""
    cards = "".join(_example_card(example, lang) for example in examples)
    return f'<section class="subject"><h3>{quoted(name)}</h3><div class="example-cards">{cards}</div></section>'


def _example_card(example: Example, lang: str) -> str:
    title, asks = (str(getattr(both, lang, both.en)) for both in (example.title, example.asks))
    picture = (
        picture_of(example.id) or f"<pre>{escape(example.program.strip())}</pre>"
    )  # a run without tensors has none
    return (
        f'<div class="example-card" role="button" tabindex="0" data-choose="{escape(example.id, quote=True)}" '
        f'aria-label="{escape(f"{title}. {asks}", quote=True)}">'
        f'<div class="example-picture" aria-hidden="true">{picture}</div>'
        f'<p class="example-title">{quoted(title)}<span>{quoted(say(lang, f"nav-{example.page}"))}</span></p>'
        f'<p class="example-asks">{quoted(asks)}</p></div>'
    )


def prose_html(markdown: str) -> str:
    """Render Markdown with formulas. Links and pictures become text."""
    return with_formulas(markdown_html(markdown))


def line_html(markdown: str) -> str:
    """Render one line without a surrounding paragraph."""
    return prose_html(markdown.strip()).removeprefix("<p>").removesuffix("</p>\n")


def choices_html(choices: Sequence[tuple[str, str]], gone: Sequence[str], chosen: str, right: str) -> str:
    """Render the choices as buttons.

    Args:
        gone: letters answered wrong. chosen: the last answer.
        right: letter to mark once the question is over, "" before.
    """
    rows = []
    for letter, words in choices:
        states = ["is-right"] * (letter == right) + ["is-wrong"] * (letter in gone)
        off = " disabled" if letter in gone or right else ""
        rows.append(
            f'<button type="button" class="choice {" ".join(states)}" data-choose="{letter}" '
            f'aria-pressed="{str(letter == chosen).lower()}"{off}><b>{letter}</b>'
            f"<span>{line_html(words)}</span></button>"
        )
    return f'<div class="choices" role="group">{"".join(rows)}</div>'

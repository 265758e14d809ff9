"""Course map: a section for each chapter, with its lessons as cards.

The texts of a lesson become HTML here: Markdown with formulas, choices and lines of code as buttons.

Examples of the gallery are cards too: the picture of the run, the title, and a question that opening it answers.
`tools/generate_pictures.py` writes the pictures into `lessons/gallery/pictures`, so that a server draws none of them. A
test compares the files with new runs.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from explorer.drawing.marks import quoted
from explorer.drawing.notebook.markdown import markdown_html, with_formulas
from explorer.lessons.asks import Chapter, in_language
from explorer.lessons.course import Course
from explorer.lessons.gallery import Example
from explorer.lessons.pictures import lesson_picture, picture_of
from explorer.text import say


def course_map(course: Course, done: Mapping[str, float], now: str, lang: str) -> str:
    """Render the chapters, the next one open, with their lessons as buttons (`data-choose`).

    Args:
        done: answered share of each lesson's questions, from 0 to 1.
        now: lesson to continue with.
    """
    chapters = "".join(_chapter(course, at, one, done, now, lang) for at, one in enumerate(course.chapters, 1))
    return f'<div class="course-map" role="group" aria-label="{quoted(say(lang, "lessons-map"))}">{chapters}</div>'


def _chapter(course: Course, number: int, chapter: Chapter, done: Mapping[str, float], now: str, lang: str) -> str:
    ids = [id for name in chapter.lessons if (id := f"{chapter.id}/{name}") in course.lessons]
    finished = sum(done.get(id, 0) >= 1 for id in ids)
    count = say(lang, "lessons-chapter", done=finished, all=len(ids))
    minutes = [course.lessons[id].data.minutes for id in ids]
    if minutes and all(minutes):
        count += f" · {say(lang, 'lessons-minutes', minutes=sum(minutes))}"
    title = quoted(f"{number}. {in_language(chapter.title, lang)}")
    after = _after([in_language(one.title, lang) for one in course.chapters if one.id in chapter.needs], lang)
    can = ""
    if chapter.can:
        words = "lessons-can" if finished == len(ids) else "lessons-will-can"
        can = f'<p class="chapter-can">{quoted(say(lang, words, can=in_language(chapter.can, lang)))}</p>'
    cards = "".join(_lesson_card(course, id, done.get(id, 0), id == now, lang) for id in ids)
    is_open = now in ids if now else number == 1
    return (
        f'<details class="course-chapter"{" open" * is_open}><summary><h3>{title} '
        f'<small class="chapter-count">{quoted(count)}</small><small class="chapter-after">{quoted(after)}</small></h3>'
        f'{can}</summary><div class="lesson-cards">{cards}</div></details>'
    )


def _after(names: list[str], lang: str) -> str:
    """Name what comes first, "" for nothing."""
    return say(lang, "lessons-after", names=", ".join(names)) if names else ""


def _lesson_card(course: Course, id: str, share: float, is_now: bool, lang: str) -> str:
    """Render a lesson. Pointing at it names the lessons it builds on."""
    lesson, title = course.lessons[id], _title(course, id, lang)
    states = ["lesson-card"] + ["is-done"] * (share >= 1) + ["is-begun"] * (0 < share < 1) + ["is-next"] * is_now
    state = "done" if share >= 1 else "begun" if share else "open"
    minutes = [say(lang, "lessons-minutes", minutes=lesson.data.minutes)] if lesson.data.minutes else []
    label = quoted(", ".join([title, *minutes, say(lang, f"lessons-is.{state}")]))
    after = _after([_title(course, need, lang) for need in lesson.data.needs if need in course.lessons], lang)
    return (
        f'<div class="{" ".join(states)}" role="button" tabindex="0" aria-label="{label}" data-choose="{quoted(id)}" '
        f'title="{quoted(after)}"><div class="lesson-picture" aria-hidden="true">{lesson_picture(lesson)}</div>'
        f"<i></i><p>{quoted(title)}"
        f"{''.join(f'<small>{quoted(words)}</small>' for words in minutes)}</p></div>"
    )


def _title(course: Course, id: str, lang: str) -> str:
    return course.lessons[id].text(lang).title.replace("`", "")


def cards_html(name: str, examples: Iterable[Example], lang: str) -> str:
    """Render a subject's examples below its name, as buttons (`data-choose`)."""
    cards = "".join(_example_card(example, lang) for example in examples)
    return f'<section class="subject"><h3>{quoted(name)}</h3><div class="example-cards">{cards}</div></section>'


def _example_card(example: Example, lang: str) -> str:
    title, asks, says = (str(getattr(both, lang, both.en)) for both in (example.title, example.asks, example.says))
    picture = (
        picture_of(example.id) or f"<pre>{escape(example.program.strip())}</pre>"
    )  # a run without tensors has none
    return (
        f'<div class="example"><div class="example-card" role="button" tabindex="0" '
        f'data-choose="{escape(example.id, quote=True)}">'
        f'<div class="example-picture" aria-hidden="true">{picture}</div>'
        f'<p class="example-title">{quoted(title)}<span>{quoted(say(lang, f"nav-{example.page}"))}</span></p></div>'
        f'<details class="example-asks"><summary>{quoted(asks)}</summary><p>{quoted(says)}</p></details></div>'
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

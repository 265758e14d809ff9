"""A lesson: text on the left, live program right."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.asks import Ask, MakeAsk, in_language
from explorer.lessons.course import Course
from explorer.lessons.drawing.course_map import line_html, prose_html
from explorer.lessons.lesson import Lesson
from explorer.lessons.runs import lesson_run
from explorer.program import Unusable, write_program
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.pages.lessons.learner import (
    STATE,
    answered,
    document_of,
    finished_share,
    first_open,
    first_texts,
    forget_answers,
    key_of,
    open_lesson,
    remember,
    to_map,
)
from explorer.ui.pages.lessons.question import feedback, field, judged
from explorer.ui.pages.lessons.workroom import FULL, hidden, restore, workroom
from explorer.ui.session.given_files import unmarked
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import computed, ready
from explorer.ui.session.run_wait import draw_anew
from explorer.ui.session.startup import starting


def study(course: Course, lesson: Lesson, lang: str) -> None:
    """Draw the lesson. Text and question appear before programs can run."""
    last = len(lesson.data.ask)
    if not 1 <= STATE["at"] <= last:  # an answered question stays open
        STATE.put(at=min(first_open(lesson) + 1, last))
    at = STATE["at"] - 1
    ask = lesson.data.ask[at]
    memory = st.container(key="lesson_memory_place", gap=None)
    _head(course, lesson, at, lang)
    left, right = st.columns([44, 56], gap=None)
    with left, st.container(key="lesson_text"):
        _draw_lesson(lesson, at, lang)
        with st.container(key="lesson_ask"):
            question = prose_html(lesson.text(lang).asks[ask.id].question)
            linked(f'<div class="lesson-question">{question}</div>', "lesson_question")
            field(lesson, ask, lang)
            if not isinstance(ask, MakeAsk):
                with memory:  # drawn after the field that gets the keyboard focus
                    remember(f"{lesson.id}#{at}#{answered(lesson, ask).state}")
            answer_box = st.container(key="lesson_said", gap=None)
            ways = st.container(key="lesson_on", gap=None)
    with right, st.container(key="lesson_room", gap=None):
        if not (runs := ready()):
            starting(lang)
        half = workroom(lesson, ask, hidden(lesson, at), runs, lang)
        if isinstance(ask, MakeAsk):  # after its program is drawn, so that a successful check does not interrupt typing
            with memory:
                remember(f"{lesson.id}#{at}", "lesson_program")
        own = lesson_run(half.result) if isinstance(half.result, Trace) else None
        shown_run = _shown_run(lesson, ask, runs, lang)
        changed = document_of(lesson, ask).texts != first_texts(lesson, ask)
        if judged(lesson, ask, shown_run, own, half.card):
            draw_anew()
        _below(lesson, ask, changed, lang)
    with answer_box:
        feedback(lesson, ask, shown_run, own, changed, lang)
    with ways:
        if answered(lesson, ask).state != "open":
            _on(course, lesson, at, lang)


def _shown_run(lesson: Lesson, ask: Ask, runs: bool, lang: str):
    """Return the run of a question's program, or None."""
    if not runs or isinstance(ask, MakeAsk):
        return None
    result = computed(lesson.program_of(ask), lang, FULL)
    return None if isinstance(result, Unusable) else lesson_run(result)


def _text(lesson: Lesson, ask: Ask) -> str:
    try:
        return write_program(document_of(lesson, ask).program(), "py").strip()
    except Unusable:
        return ""


def _head(course: Course, lesson: Lesson, at: int, lang: str) -> None:
    """Draw the head: course, chapter, previous and next lesson."""
    before, after = course.beside(lesson.id)
    chapter = course.chapter_of(lesson.id)
    with st.container(key="lesson_head", horizontal=True, vertical_alignment="center"):
        st.button(f"← {say(lang, 'lessons-course')}", key="lesson_to_map", type="tertiary", on_click=to_map)
        name = in_language(chapter.title, lang) if chapter else ""
        if lesson.data.minutes:
            name += f" · {say(lang, 'lessons-minutes', minutes=lesson.data.minutes)}"
        dots = "".join(
            f'<i class="{answered(lesson, ask).state}{" here" * (number == at)}"></i>'
            for number, ask in enumerate(lesson.data.ask)
        )
        label = quoted(say(lang, "lessons-at", at=at + 1, all=len(lesson.data.ask)))
        st.html(
            f'<p class="lesson-place"><span>{quoted(name)}</span>'
            f'<span class="dots" role="img" aria-label="{label}">{dots}</span></p>'
        )
        with st.container(key="lesson_beside", horizontal=True, width="content", gap="small"):
            for word, id in (("previous", before), ("next", after)):
                st.button(
                    say(lang, f"lessons-{word}"),
                    key=f"lesson_{word}",
                    disabled=not id,
                    on_click=open_lesson,
                    args=(id,),
                    type="tertiary",
                )


def _draw_lesson(lesson: Lesson, at: int, lang: str) -> None:
    """Draw title, text, and the earlier questions folded."""
    text = lesson.text(lang)
    parts = [f'<article class="lesson-prose"><h2>{line_html(text.title)}</h2>{prose_html(text.intro)}</article>']
    asks = {ask.id: number for number, ask in enumerate(lesson.data.ask)}
    for kind, name in text.parts:
        if kind == "text":
            parts.append(f'<article class="lesson-prose">{prose_html(name)}</article>')
        elif asks.get(name, 0) >= at:
            break
        else:
            past = lesson.data.ask[asks[name]]
            state = "is-right" if answered(lesson, past).state == "right" else "is-shown"
            question, shown = prose_html(text.asks[name].question), prose_html(text.asks[name].right)
            parts.append(
                f'<details class="lesson-past {state}"><summary><div>{question}</div></summary>{shown}</details>'
            )
    linked("".join(parts), "lesson_prose")


def _below(lesson: Lesson, ask: Ask, changed: bool, lang: str) -> None:
    """Draw links to the workbench and the original program."""
    with st.container(key="lesson_tools", horizontal=True, gap="small"):
        name = f"{lesson.id.replace('/', '-')}.py"
        open_as_program(_text(lesson, ask) + "\n", lang, "lesson_open", name)
        if changed:
            st.button(say(lang, "lessons-restore"), key="lesson_restore", on_click=restore, args=(lesson, ask))


def _on(course: Course, lesson: Lesson, at: int, lang: str) -> None:
    """Go to the next question, or after the last to the next lesson."""
    last = at + 1 >= len(lesson.data.ask)
    if last and (text := _last_text(lesson, lang)):
        linked(f'<article class="lesson-prose">{prose_html(text)}</article>', "lesson_last")
    if last and (words := can_now(course, lesson, lang)):
        st.html(f'<p class="lesson-can">{quoted(words)}</p>')
    with st.container(key="lesson_next_ways", horizontal=True, gap="small"):
        if not last:
            words, key = say(lang, "lessons-go-on"), f"lesson_go_on_{key_of(lesson, lesson.data.ask[at])}"
            st.button(words, key=key, type="primary", on_click=STATE.put, kwargs={"at": at + 2})
            return
        _, after = course.beside(lesson.id)
        if after:
            title = course.lessons[after].text(lang).title.replace("`", "")
            words = say(lang, "lessons-on-to", title=title)
            st.button(unmarked(words), key="lesson_on_to", type="primary", on_click=open_lesson, args=(after,))
        else:
            st.button(say(lang, "lessons-to-map"), key="lesson_on_to_map", type="primary", on_click=to_map)
        st.button(say(lang, "lessons-anew"), key="lesson_anew", on_click=_start_over, args=(lesson,))


def can_now(course: Course, lesson: Lesson, lang: str) -> str:
    """Return the learning goals after a finished chapter, otherwise ""."""
    chapter = course.chapter_of(lesson.id)
    if chapter is None or not chapter.can or lesson.id != f"{chapter.id}/{chapter.lessons[-1]}":
        return ""
    lessons = [course.lessons.get(f"{chapter.id}/{name}") for name in chapter.lessons]
    if not all(one is not None and finished_share(one) >= 1 for one in lessons):
        return ""
    return say(lang, "lessons-can", can=in_language(chapter.can, lang))


def _start_over(lesson: Lesson) -> None:
    forget_answers(lesson)
    STATE.put(at=0)


def _last_text(lesson: Lesson, lang: str) -> str:
    """Draw the text after the last question."""
    parts = lesson.text(lang).parts
    last = max((number for number, (kind, _) in enumerate(parts) if kind == "ask"), default=-1)
    return "\n\n".join(text for kind, text in parts[last + 1 :] if kind == "text")

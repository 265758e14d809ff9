"""The Lessons page: the course's map, or one lesson."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.asks import in_language
from explorer.lessons.course import Course, course
from explorer.lessons.drawing.course_map import course_map
from explorer.text import say
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.lessons.learner import STATE, finished_share, listen, open_lesson, remember
from explorer.ui.pages.lessons.study import study
from explorer.ui.panels.found import filtered
from explorer.ui.session.given_files import unmarked
from explorer.ui.session.run_wait import draw_anew


def page(lang: str) -> None:
    """Draw the page."""
    STATE.read_address()
    listen()
    whole = course()
    lesson = whole.lessons.get(STATE["lesson"])
    with st.container(key="lesson_page" if lesson else "page"):
        if lesson is None:
            _map(whole, lang)
        else:
            study(whole.along(STATE["path"]), lesson, lang)
    STATE.write_address(lang)


def _map(whole: Course, lang: str) -> None:
    title, lede = quoted(say(lang, "nav-lessons")), quoted(say(lang, "lessons-lede"))
    st.html(f'<h2 class="page-title">{title}</h2><p class="lede">{lede}</p>')
    if STATE["lesson"]:
        words = say(lang, "lessons-unknown", name=STATE["lesson"])
        st.html(f'<p class="notice" role="alert">{quoted(words)}</p>')
    if filtered("lessons", lang):
        return
    _paths(whole, lang)
    whole = whole.along(STATE["path"])
    shares = {id: finished_share(lesson) for id, lesson in whole.lessons.items()}
    now = next((id for id, share in shares.items() if share < 1), "")
    with st.container(key="lesson_begin", horizontal=True, gap="small", vertical_alignment="center"):
        if now:
            title = whole.lessons[now].text(lang).title.replace("`", "")
            words = say(lang, "lessons-go-on-with" if any(shares.values()) else "lessons-begin-with", title=title)
            st.button(unmarked(words), key="lesson_begin_with", type="primary", on_click=open_lesson, args=(now,))
    linked(course_map(whole, shares, now, lang), "lesson_map", "map")
    if (id := pressed("lesson_map", "map")) is not None and id in whole.lessons:
        open_lesson(id)
        draw_anew()
    remember("")


def _paths(whole: Course, lang: str) -> None:
    """Draw the choice of a path through the course."""
    titles = {path.id: in_language(path.title, lang) for path in whole.paths}
    if not titles:
        return
    if STATE["path"] not in ("", *titles):  # an address named it
        STATE.put(path="")
    st.segmented_control(
        say(lang, "lessons-path"),
        ("", *titles),
        format_func=lambda id: unmarked(titles.get(id) or say(lang, "lessons-path-all")),
        key=STATE.field("path"),
        required=True,
        label_visibility="collapsed",
    )

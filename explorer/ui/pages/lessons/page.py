"""The Lessons page: the map of the course, what comes back, and one lesson when it is chosen."""

import time
from datetime import date

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.asks import in_language
from explorer.lessons.course import Course, course, of_the_day
from explorer.lessons.drawing.course_map import course_map
from explorer.lessons.lesson import MOST_TEXTS, TOML, Lesson, bundled, read_lesson, unbundled
from explorer.lessons.runs import flaw_texts
from explorer.text import KNOWN, say
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.lessons.learner import OWN, due_questions, finished_share, forget_answers
from explorer.ui.pages.lessons.memory import listen, remember
from explorer.ui.pages.lessons.progress import ALLOWED, STATE, open_ask, open_lesson
from explorer.ui.pages.lessons.study import study
from explorer.ui.panels.found import filtered
from explorer.ui.session.given_files import unmarked
from explorer.ui.session.links import from_address
from explorer.ui.session.program_run import may_autorun
from explorer.ui.session.run_wait import draw_anew

MAPS = {6: "wide", 2: "narrow"}  # cards side by side
MOST_AGAIN = 6  # questions that come back, at a time


def page(lang: str) -> None:
    """Draw the page."""
    if STATE.read_address() and STATE["own"]:
        st.session_state[ALLOWED] = not from_address() or may_autorun()
    listen()
    whole = course()
    lesson = _own() if STATE["own"] else whole.lessons.get(STATE["lesson"])
    if chosen := STATE["text"]:
        whole, lesson = whole.told_in(chosen), lesson and lesson.told_in(chosen)
    with st.container(key="lesson_page" if lesson else "page"):
        if lesson is None:
            _map(whole, lang)
        else:
            asked = not STATE["own"] or st.session_state.get(ALLOWED, False)
            study(whole.along(STATE["path"]), lesson, asked, lang)
    STATE.write_address(lang)


def _own() -> Lesson | None:
    """The lesson that an address or a file brought; None where its text is no lesson."""
    lesson, _ = read_lesson(unbundled(STATE["own"]))
    return lesson


def _map(whole: Course, lang: str) -> None:
    title, lede = quoted(say(lang, "lessons-title")), quoted(say(lang, "lessons-lede"))
    st.html(f'<h2 class="page-title">{title}</h2><p class="lede">{lede}</p>')
    if STATE["own"]:
        st.html(f'<p class="notice" role="alert">{quoted(say(lang, "lessons-own-broken"))}</p>')
    elif STATE["lesson"]:
        words = say(lang, "lessons-unknown", name=STATE["lesson"])
        st.html(f'<p class="notice" role="alert">{quoted(words)}</p>')
    if filtered("lessons", lang):
        return
    _paths(whole, lang)
    _languages(course(), lang)
    everything, whole = whole, whole.along(STATE["path"])
    shares = {id: finished_share(lesson) for id, lesson in whole.lessons.items()}
    now = next((id for id, share in shares.items() if share < 1), "")
    begun = [lesson for id, lesson in whole.lessons.items() if shares[id]]
    with st.container(key="lesson_begin", horizontal=True, gap="small", vertical_alignment="center"):
        if now:
            words = say(lang, "lessons-go-on-with" if begun else "lessons-begin-with", title=_title(whole, now, lang))
            st.button(unmarked(words), key="lesson_begin_with", type="primary", on_click=open_lesson, args=(now,))
        if begun and (broken := of_the_day(everything, date.today().toordinal())):
            words = say(lang, "lessons-of-the-day", title=_title(everything, broken, lang))
            st.button(unmarked(words), key="lesson_of_the_day", on_click=open_lesson, args=(broken,))
    _again(everything, lang)
    for columns, size in MAPS.items():
        with st.container(key=f"lesson_map_{size}"):
            linked(course_map(whole, shares, now, lang, columns), f"lesson_map_{columns}", "map")
            if (id := pressed(f"lesson_map_{columns}", "map")) is not None and id in whole.lessons:
                open_lesson(id)
                draw_anew()
    open_own(lang)
    remember("")


def _paths(whole: Course, lang: str) -> None:
    """The choice of a way through the course: all of it, or what those need who know something already."""
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


def _languages(whole: Course, lang: str) -> None:
    """The choice of the lessons' language, where a pack has one that the app does not speak."""
    others = tuple(one for one in whole.languages if one not in KNOWN)
    if STATE["text"] not in ("", *others):  # an address named it
        STATE.put(text="")
    if others:
        st.segmented_control(
            say(lang, "lessons-text-language"),
            ("", *others),
            format_func=lambda one: one.upper() or KNOWN[lang].name,
            key=STATE.field("text"),
            required=True,
            label_visibility="collapsed",
        )


def _title(whole: Course, id: str, lang: str) -> str:
    return whole.lessons[id].text(lang).title.replace("`", "")


def _again(whole: Course, lang: str) -> None:
    """The questions that were answered wrong and come back today, and how many come later."""
    now = time.time()
    places = {
        f"{id}#{ask.id}": (id, number)
        for id, lesson in whole.lessons.items()
        for number, ask in enumerate(lesson.data.ask)
    }
    waiting = {key: due for key, due in due_questions().items() if key in places and not key.startswith(f"{OWN}#")}
    due = [key for key, due in waiting.items() if due.at <= now][:MOST_AGAIN]
    if not waiting:
        return
    words = say(lang, "lessons-again", now=len(due), later=len(waiting) - len(due))
    with st.container(key="lesson_again", gap="small"):
        st.html(f'<p class="quiet">{quoted(words)}</p>')
        with st.container(key="lesson_again_list", horizontal=True, gap="small"):
            for key in due:
                id, at = places[key]
                words = f"{_title(whole, id, lang)} · {at + 1}"
                st.button(unmarked(words), key=f"lesson_again_{key}", on_click=open_ask, args=(key, at))


MOST_TOLD = 12  # flaws


def open_own(lang: str) -> None:
    """Draw the place where one is opened; what is wrong with it is said with file and line."""
    opened = st.expander(say(lang, "lessons-own"), key="lesson_own", on_change="rerun")
    if not opened.open:
        return
    with opened:
        st.html(f'<p class="quiet">{quoted(say(lang, "lessons-own-hint"))}</p>')
        given = st.file_uploader(
            say(lang, "lessons-own-files"), type=["toml", "md", "py"], accept_multiple_files=True, key="lesson_files"
        )
        if not given:
            return
        files = {file.name: file.getvalue() for file in given[: MOST_TEXTS + 2]}
        if TOML not in files and len(files) == 1:
            files = {TOML: next(iter(files.values()))}
        lesson, flaws = read_lesson(files)
        if flaws:
            rows = "".join(
                f"<li><code>{quoted(flaw_text)}</code></li>" for flaw_text in flaw_texts(lang, flaws[:MOST_TOLD])
            )
            st.html(f'<ul class="lesson-flaws" role="alert">{rows}</ul>')
        if lesson is not None:
            words = unmarked(say(lang, "lessons-own-open", title=lesson.text(lang).title))
            st.button(words, key="lesson_own_open", type="primary", on_click=_open, args=(bundled(lesson),))


def _open(text: str) -> None:
    st.session_state[ALLOWED] = True
    lesson, _ = read_lesson({TOML: text.encode("utf-8", "surrogatepass")})
    if lesson is not None:
        forget_answers(lesson)
    STATE.put(own=text, lesson="", at=0)

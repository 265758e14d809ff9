"""Open a user's own lesson: a single file, or the files of its folder."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.lesson import MOST_TEXTS, TOML, bundled, read_lesson
from explorer.lessons.runs import flaw_texts
from explorer.text import say
from explorer.ui.pages.lessons.learner import anew
from explorer.ui.pages.lessons.progress import ALLOWED, STATE
from explorer.ui.session.given_files import unmarked

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
        anew(lesson)
    STATE.put(own=text, lesson="", at=0)

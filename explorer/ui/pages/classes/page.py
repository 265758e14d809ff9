"""The page: the list of a class with its links, or the fields that make one and the link that opens it."""

from urllib.parse import urlsplit

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons import course
from explorer.program.permalink import MAX_FRAGMENT, to_fragment
from explorer.text import say
from explorer.ui.components.script import component
from explorer.ui.session.class_list import ClassLink, read_list
from explorer.ui.session.links import properties
from explorer.ui.session.page_state import PageState

STATE = PageState("classes", {"title": "class_title", "list": "class_list"})
LESSONS = "class_lessons"  # session state: lessons that are to be added

_made = component("explorer_class", '<div class="class-made"></div>', "pages/classes/made.js")


def page(lang: str) -> None:
    """Draw the page."""
    STATE.arrive()
    with st.container(key="page"):
        if STATE["open"]:
            _opened(lang)
        else:
            _writing(lang)
    STATE.tell(lang)


def _opened(lang: str) -> None:
    links, _ = _read(lang)
    _list(STATE["title"] or say(lang, "class-untitled"), links, lang)
    st.button(say(lang, "class-change"), key="class_change", type="tertiary", on_click=_change)


def _change() -> None:
    STATE.put(open=False)


def _writing(lang: str) -> None:
    st.html(
        f'<h2 class="page-title">{quoted(say(lang, "class-heading"))}</h2>'
        f'<p class="lede">{quoted(say(lang, "class-lede"))}</p>'
    )
    table = properties("classes")
    st.text_input(say(lang, "class-title"), key=STATE.field("title"), max_chars=int(table["title"].most))
    whole = course()
    titles = {id: lesson.text(lang).title.replace("`", "") for id, lesson in whole.lessons.items()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="class_add"):
        st.multiselect(
            say(lang, "class-lessons"),
            list(titles),
            format_func=titles.get,
            key=LESSONS,
            placeholder=say(lang, "class-choose"),
        )
        st.button(say(lang, "class-add"), key="class_add_lessons", on_click=_add)
    st.text_area(
        say(lang, "class-list"),
        key=STATE.field("list"),
        height=180,
        max_chars=int(table["list"].most),
        placeholder=say(lang, "class-example"),
        help=say(lang, "class-help"),
    )
    links, wrong = _read(lang)
    if wrong:
        rows = "".join(
            f"<li>{quoted(say(lang, f'class-wrong-{mistake.kind}', line=mistake.line, text=mistake.text))}</li>"
            for mistake in wrong
        )
        st.html(f'<ul class="class-wrong" role="alert">{rows}</ul>')
    if not links:
        return
    fragment = to_fragment({"title": STATE["title"], "list": STATE["list"]})
    if len(fragment) > MAX_FRAGMENT:
        words = say(lang, "class-large", size=len(fragment), most=MAX_FRAGMENT)
        st.html(f'<p class="notice" role="alert">{quoted(words)}</p>')
    else:
        labels = {name: say(lang, f"class-{name}") for name in ("link", "copy", "copied")}
        _made(data={"fragment": fragment, "words": labels}, key="class_made")
    st.html(f'<p class="class-seen">{quoted(say(lang, "class-seen"))}</p>')
    _list(STATE["title"] or say(lang, "class-untitled"), links, lang)


def _add() -> None:
    chosen = st.session_state.get(LESSONS, [])
    before = STATE["list"].rstrip("\n")
    STATE.put(list="\n".join([*([before] if before else []), *chosen]) + "\n")
    st.session_state[LESSONS] = []


def _read(lang: str) -> tuple[list[ClassLink], list]:
    return read_list(STATE["list"], urlsplit(st.context.url or "").netloc, course(), lang)


def _list(title: str, links: list[ClassLink], lang: str) -> None:
    rows = "".join(f'<li><a href="{quoted(link.address)}">{quoted(link.label)}</a></li>' for link in links)
    nothing = "" if links else f'<p class="quiet">{quoted(say(lang, "class-empty"))}</p>'
    st.html(f'<section class="class-list"><h2>{quoted(title)}</h2><ol>{rows}</ol>{nothing}</section>')

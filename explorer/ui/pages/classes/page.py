"""The page: the list of a class with its links, or the fields that make one and the link that opens it."""

from urllib.parse import urlsplit

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.asks import in_language
from explorer.lessons.course import course
from explorer.program.permalink import MAX_FRAGMENT, to_fragment
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox
from explorer.ui.session.class_list import MOST, ClassLink, WrongLine, added, lines_of, moved, read_list
from explorer.ui.session.given_files import unmarked
from explorer.ui.session.links import properties
from explorer.ui.session.page_state import PageState

STATE = PageState("classes", {"title": "class_title", "list": "class_list"})
LESSONS, NAME, LINK = "class_lessons", "class_name", "class_address"  # session state: what is to be added
ORDER = "class_order"  # of the component
_moves = Inbox("_class_moves")

_made = component("explorer_class", '<div class="class-made"></div>', "pages/classes/made.js")
_order = component("explorer_class_order", '<ol class="class-order"></ol>', "pages/classes/order.js")


def page(lang: str) -> None:
    """Draw the page."""
    STATE.read_address()
    with st.container(key="page"):
        if STATE["open"]:
            _opened(lang)
        else:
            _writing(lang)
    STATE.write_address(lang)


def _opened(lang: str) -> None:
    links, _ = _read(lang)
    st.html(_list(STATE["title"] or say(lang, "class-untitled"), links, lang))


def _writing(lang: str) -> None:
    st.html(
        f'<h2 class="page-title">{quoted(say(lang, "class-heading"))}</h2>'
        f'<p class="lede">{quoted(say(lang, "class-lede"))}</p>'
    )
    _take_move()
    links, wrong = _read(lang)
    with st.container(key="class_halves"):
        with st.container(key="class_writes"):
            st.text_input(
                say(lang, "class-title"),
                key=STATE.field("title"),
                max_chars=int(properties("classes")["title"].most),
                placeholder=say(lang, "class-title-example"),
            )
            if links or wrong:
                _ordered(links, wrong, lang)
            else:
                _beginning(lang)
            _adding(lang)
            _as_text(lang)
        with st.container(key="class_sees"):
            if links:
                _link(lang)
            _preview(links, lang)


def _take_move() -> None:
    """Move or remove the line that the browser names, once."""
    match component_state(ORDER, "moved"):
        case {"count": int(count), "from": int(begin), "to": int(end)} if _moves.accept(count):
            STATE.put(list=moved(STATE["list"], begin, end))


def _ordered(links: list[ClassLink], wrong: list[WrongLine], lang: str) -> None:
    """The lines of the list, which can be moved, and what is wrong with some."""
    mistakes, rest = {mistake.line for mistake in wrong}, iter(links)
    rows = []
    for number, line in lines_of(STATE["list"])[:MOST]:
        link = None if number in mistakes else next(rest, None)
        kind = "" if link is None else say(lang, f"nav-{link.page}")
        rows.append({"label": shorten(line, 60) if link is None else link.label, "kind": kind, "wrong": link is None})
    st.html(f'<p class="class-label">{quoted(say(lang, "class-order"))}</p>')
    words = {name: say(lang, f"class-{name}") for name in ("up", "down", "drop")}
    _order(data={"rows": rows, "words": words}, key=ORDER, default={"moved": None}, on_moved_change=lambda: None)
    if wrong:
        items = "".join(
            f"<li>{quoted(say(lang, f'class-wrong-{mistake.kind}', line=mistake.line, text=mistake.text))}</li>"
            for mistake in wrong
        )
        st.html(f'<ul class="class-wrong" role="alert">{items}</ul>')


def _beginning(lang: str) -> None:
    """What an empty list is for, and the first step: the first chapter of the course."""
    whole = course()
    steps = "".join(f"<li>{quoted(say(lang, f'class-step-{step}'))}</li>" for step in (1, 2, 3))
    with st.container(key="class_beginning"):
        st.html(f'<p class="class-label">{quoted(say(lang, "class-begin"))}</p><ol class="class-steps">{steps}</ol>')
        if whole.chapters:
            chapter = whole.chapters[0]
            title = in_language(chapter.title, lang)
            ids = [f"{chapter.id}/{name}" for name in chapter.lessons]
            words = say(lang, "class-begin-with", title=title, count=len(ids))
            st.button(unmarked(words), key="class_begin", type="primary", on_click=_append, args=ids)


def _adding(lang: str) -> None:
    """The fields that add lessons, and a link from Share."""
    titles = {id: lesson.text(lang).title.replace("`", "") for id, lesson in course().lessons.items()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="class_add"):
        words, hint = say(lang, "class-lessons"), say(lang, "class-choose")
        st.multiselect(words, list(titles), format_func=lambda id: titles.get(id, id), key=LESSONS, placeholder=hint)
        st.button(say(lang, "class-add-lessons"), key="class_add_lessons", on_click=_add_lessons)
    with st.container(horizontal=True, vertical_alignment="bottom", key="class_add_a_link"):
        st.text_input(say(lang, "class-address"), key=LINK, placeholder="https://…", max_chars=MAX_FRAGMENT + 4_000)
        st.text_input(say(lang, "class-name"), key=NAME, placeholder=say(lang, "class-name-example"), max_chars=200)
        st.button(say(lang, "class-add-link"), key="class_add_link", on_click=_add_link)


def _add_lessons() -> None:
    _append(*st.session_state.get(LESSONS, []))
    st.session_state[LESSONS] = []


def _add_link() -> None:
    address, name = (" ".join(st.session_state.get(key, "").split()) for key in (LINK, NAME))
    if address:
        _append(f"{name} | {address}" if name else address)
        st.session_state[LINK] = st.session_state[NAME] = ""


def _append(*lines: str) -> None:
    STATE.put(list=added(STATE["list"], *lines))


def _as_text(lang: str) -> None:
    with st.expander(say(lang, "class-as-text"), key="class_as_text"):
        st.text_area(
            say(lang, "class-list"),
            key=STATE.field("list"),
            height=180,
            max_chars=int(properties("classes")["list"].most),
            placeholder=say(lang, "class-example"),
            help=say(lang, "class-help"),
        )


def _link(lang: str) -> None:
    fragment = to_fragment({"title": STATE["title"], "list": STATE["list"]})
    if len(fragment) > MAX_FRAGMENT:
        words = say(lang, "class-large", size=len(fragment), most=MAX_FRAGMENT)
        st.html(f'<p class="notice" role="alert">{quoted(words)}</p>')
        return
    labels = {name: say(lang, f"class-{name}") for name in ("link", "copy", "copied")}
    _made(data={"fragment": fragment, "words": labels}, key="class_made")


def _preview(links: list[ClassLink], lang: str) -> None:
    """The page of the class as it will be; of an empty list where its links will be."""
    rows = _list(STATE["title"] or say(lang, "class-untitled"), links, lang, preview=True)
    st.html(f'<p class="class-label">{quoted(say(lang, "class-seen"))}</p><div class="class-preview">{rows}</div>')


def _read(lang: str) -> tuple[list[ClassLink], list[WrongLine]]:
    return read_list(STATE["list"], urlsplit(st.context.url or "").netloc, course(), lang)


def _list(title: str, links: list[ClassLink], lang: str, preview: bool = False) -> str:
    """The list as HTML; in a preview its links open beside the page."""
    beside = ' target="_blank"' if preview else ""
    rows = "".join(
        f'<li><a href="{quoted(link.address)}"{beside}><span>{quoted(link.label)}{_kind(link, lang)}</span></a></li>'
        for link in links
    )
    nothing = "" if links else f'<p class="quiet">{quoted(say(lang, "class-empty"))}</p>'
    return f'<section class="class-list"><h2>{quoted(title)}</h2><ol>{rows}</ol>{nothing}</section>'


def _kind(link: ClassLink, lang: str) -> str:
    """The page that a link opens; most are lessons, which need no word."""
    return "" if link.page == "lessons" else f"<small>{quoted(say(lang, f'nav-{link.page}'))}</small>"

"""The frame of every page: navigation, style, product name, language switch.

With `?embed=true` in another page, the app has no navigation but a link to the full page. `view` in the address chooses
the part.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from urllib.parse import quote

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from explorer.drawing.marks import quoted
from explorer.drawing.style import FOLDER, themes
from explorer.hosting.inbound_messages import report_left_out
from explorer.hosting.seats import full
from explorer.sandbox import BadLimit, CannotOpen, hosting
from explorer.sandbox import limits as environment_limits
from explorer.sandbox.access import environment_access
from explorer.text import KNOWN, LANGUAGES, say
from explorer.ui.components.script import component, scripts
from explorer.ui.components.watch import drawing as watched
from explorer.ui.editor.component import call_help
from explorer.ui.frame.navigation import chosen_page, file_of, is_second_row, navigation
from explorer.ui.session import limits
from explorer.ui.session.addresses import EMBED_VIEWS, MOVED, MOVED_VIEWS, OWN_LANGUAGE, PAGES
from explorer.ui.session.drawn_parts import forget_drawn, mark_drawn
from explorer.ui.session.links import awaits, place
from explorer.ui.session.program_run import cancel_runs, forget_runs
from explorer.ui.session.watched_file import is_first_sight

HERE = Path(__file__).parent
UI = HERE.parent
DAY = 86_400  # seconds
# Session state: whether the page is inside the navigation, its name, its language, whether the user chose that.
NAVIGATED, HERE_NOW, LANG, CHOSEN = "_navigated", "_here", "_lang", "_lang_chosen"

_theme = component("explorer_theme", "", "frame/theme.js")
_moved = component("explorer_moved", "", "frame/moved.js")
_embed = component("explorer_embed", '<p class="embed-head"></p>', "frame/embed.js")


def navigate() -> None:
    """Run the page that the address names."""
    st.session_state[NAVIGATED] = True
    try:
        st.set_page_config(page_title="Autograd Explorer", page_icon=str(HERE / "logo.svg"), layout="wide")
        if _is_refused(preferred_language()):
            return
        titles = {page.name: page.name for page in PAGES} | {name: now for name, (now, _) in MOVED.items()}
        pages = {
            name: st.Page(file_of(name), title=say("en", f"nav-{now}"), url_path=name, default=name == PAGES[0].name)
            for name, now in titles.items()
        }
        here = st.navigation([*pages.values()], position="hidden")
        now = here.url_path or PAGES[0].name
        if now in MOVED:
            here.run()
            return
        if (page := embedded_page(now)) is not None:
            st.switch_page(pages[page], query_params=dict(st.query_params))
        if is_first_sight() and now == PAGES[0].name:
            st.switch_page(pages["training"])
        if (page := chosen_page()) is not None:
            st.switch_page(pages[page])
        if st.session_state.get(HERE_NOW) != now:
            forget_drawn()
        st.session_state[HERE_NOW] = now
        here.run()
    finally:
        st.session_state[NAVIGATED] = False


def _is_refused(lang: str) -> bool:
    """Return whether the session must wait or the app can't run, and report why."""
    try:
        if (problem := hosting.check()) is None:
            environment_limits()
            environment_access()
            return full(lang)
        why = problem.message
    except (BadLimit, CannotOpen) as bad:
        why = bad.message
    sys.stderr.write(why.text("en") + "\n")
    st.error(why.text(lang))
    return True


def preferred_language() -> str:
    """Return the initial language, from the browser's preference."""
    asked = (st.context.locale or "").lower().split("-")[0]
    return asked if asked in LANGUAGES else LANGUAGES[0]


def guard() -> None:
    """Run the navigation first: call it at the top of every page's file.

    Until a session has run the navigation, Streamlit runs only the page's file.
    """
    if not st.session_state.get(NAVIGATED):
        navigate()
        st.stop()


def redirect_moved_page(name: str) -> None:
    """Redirect the address of a page that is now part of another."""
    scripts()
    page, query = MOVED_VIEWS.get((name, st.query_params.get("view", "")), MOVED[name])
    _moved(data={"page": "" if page == PAGES[0].name else page, "query": dict(query)}, key="moved")


def body(page: Callable[[str], None]) -> None:
    """Draw the page in a fragment, without the head."""
    _keep_requesting()
    lang = header()
    call_help()
    _body(page, lang)


@st.fragment(run_every=DAY)
def _keep_requesting() -> None:
    """Do nothing, repeatedly, so that reconnecting browsers request the page.

    Without one, it would wait for an action of its user, whose session may have ended with its server.
    """


@st.fragment
def _body(page: Callable[[str], None], lang: str) -> None:
    place(st.container(key="link_place"))
    report_left_out(lang)
    if awaits(st.session_state[HERE_NOW], lang):
        return
    try:
        with watched(st.session_state[HERE_NOW], lang):
            page(lang)
            mark_drawn()
    except StopException:  # the browser is gone
        cancel_runs()
        raise


def header() -> str:
    """Draw style, title, navigation and language switch. Return the chosen language."""
    lang, now = _draw_header(), st.session_state[HERE_NOW]
    if now != PAGES[0].name:
        st.set_page_config(page_title=f"{say(lang, f'nav-{now}')} · Autograd Explorer")
    return lang


def _draw_header() -> str:
    st.html(f"<style>{_style(st.session_state[HERE_NOW])}</style>")
    scripts()
    if embedded():
        return _embedded_head()
    with st.container(key="header", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html('<h1 class="product">Autograd Explorer</h1>', width="content")
        pages = st.container(key="nav", width="stretch", gap=None)
        lang = _language()
        limits.settings(lang, forget_runs)
    _theme(data=_spoken(lang), key="script_theme")
    with pages:
        navigation(st.session_state[HERE_NOW], lang)
    return lang


def _embedded_head() -> str:
    lang = st.session_state[LANG] = language() or st.session_state.get(LANG) or preferred_language()
    with st.container(key="header"):
        head(lang, st.session_state[HERE_NOW])
    _theme(data=_spoken(lang), key="script_theme")
    return lang


def _spoken(lang: str) -> dict[str, str | dict[str, str]]:
    """Set the document's language, and replace Streamlit's own words."""
    words = {name: say(lang, f"upload.{name}") for name in ("choose", "drop", "open", "add", "over")}
    own = {"name": OWN_LANGUAGE, "lang": lang if st.session_state.get(CHOSEN) else ""}
    now = st.session_state[HERE_NOW]
    return {"lang": KNOWN[lang].tag, "page": now, "skip": say(lang, "skip"), "words": words, "own": own}


@cache
def _style(page: str) -> str:
    """Return the style sheets of one page. Every further rule slows each change down."""
    logo = quote((HERE / "logo.svg").read_text(encoding="utf-8"))
    drawn = "".join(_sheets(FOLDER.glob("*.css"), "tokens.css", page))
    own = "".join(_sheets(UI.rglob("*.css"), "page.css", page))
    rows = 1 + is_second_row(page)  # rows of the navigation on a phone
    of_all = f":root{{--logo:url('data:image/svg+xml,{logo}');--languages:{len(LANGUAGES)};--rows:{rows}}}"
    early = f"@media (prefers-color-scheme: dark){{:root:not([data-theme]){{{themes()[1]}}}}}"  # until theme.js has run
    return drawn + early + of_all + own


def _sheets(paths: Iterable[Path], first: str, page: str) -> list[str]:
    wanted = [path for path in paths if page in (_pages_of(path) or (page,))]
    ordered = sorted(wanted, key=lambda path: (path.name != first, path.name))
    return [path.read_text(encoding="utf-8") for path in ordered]


def _pages_of(path: Path) -> tuple[str, ...]:
    """Return the pages of a style sheet, () for all."""
    return tuple(page.name for page in PAGES if page.name in (path.parent.name, path.stem) or path.stem in page.sheets)


def _language() -> str:
    """Draw the language switch and return the language: from ?lang=, else from the browser."""
    asked = st.query_params.get("lang")
    start = st.session_state.get(LANG) or (asked if asked in LANGUAGES else preferred_language())
    chosen = st.segmented_control(
        say(start, "language"),
        LANGUAGES,
        default=start,
        format_func=lambda lang: KNOWN[lang].name,
        required=True,
        key="language",
        on_change=lambda: st.session_state.update({CHOSEN: True}),
        label_visibility="collapsed",
        width="content",
    )
    st.session_state[LANG] = chosen
    return chosen


def embedded() -> bool:
    """Return whether the address embeds the app in another page."""
    return bool(st.context.is_embedded)


def view() -> str:
    """Return what the first page shows: its graph, its code, or both."""
    asked = st.query_params.get("view", "")
    return asked if asked in EMBED_VIEWS else "both"


def embedded_page(now: str) -> str | None:
    """Return the page that an embedded address' `view` names."""
    to = {"lesson": "lessons"}.get(asked := st.query_params.get("view", ""), asked)
    first = PAGES[0].name
    return to if embedded() and now == first != to and to in {page.name for page in PAGES} else None


def head(lang: str, page: str) -> None:
    """Draw the embedded head: the site's name and a link to the full page."""
    shown = view() if page == PAGES[0].name else page
    words = {"full": quoted(say(lang, "embed-full")), "name": quoted(say(lang, f"nav-{page}"))}
    _embed(data={"view": shown, "first": page == PAGES[0].name, "words": words}, key="embed_head")


def language() -> str | None:
    """Return the language that the address of an embedded page names."""
    asked = st.query_params.get("lang")
    return asked if asked in LANGUAGES else None

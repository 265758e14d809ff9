"""The navigation: a menu for each thing that one may want, and beside them the pages of the present one's group.

It is one component: Streamlit's own links, 19 of them, were a seventh of what a browser did to open a page.
"""

from functools import cache
from itertools import groupby
from pathlib import Path

from explorer.drawing.marks import quoted
from explorer.paths import site
from explorer.text import say
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox
from explorer.ui.session.links import PAGES

KEY = "navigation"
_choices = Inbox("_navigation_handled")
_menus = component("explorer_navigation", "<nav></nav>", "frame/navigation.js")


def file_of(name: str) -> Path:
    """A page's file, named as its address ends: by that Streamlit finds it before a session's first drawing."""
    return site() / "pages" / f"{name}.py"


def chosen_page() -> str | None:
    """The page that the user has just chosen in the navigation, or None."""
    match component_state(KEY, "chosen"):
        case {"page": str(page), "at": int(at)} if page in {one.name for one in PAGES} and _choices.accept(at):
            return page
    return None


def navigation(here: str, lang: str) -> None:
    """Draw the menus into the current container. `here`: the name of the present page."""
    _menus(data={"html": _html(here, lang)}, key=KEY, default={"chosen": None}, on_chosen_change=lambda: None)


@cache
def _html(here: str, lang: str) -> str:
    own = next(page.group for page in PAGES if page.name == here)
    menus = ""
    for group, pages in groupby(PAGES, lambda page: page.group):
        present = ' class="is-here"' if group == own else ""
        name = quoted(say(lang, f"nav-group-{group}"))
        links = "".join(
            _link(page.name, here, lang, f"<small>{quoted(say(lang, f'nav-says-{page.name}'))}</small>")
            for page in pages
        )
        menus += (
            f'<div class="st-key-nav_{group}">'
            f'<button type="button" aria-haspopup="true" aria-expanded="false"{present}>{name}</button>'
            f'<div class="nav-pages">{links}</div></div>'
        )
    beside = "".join(_link(page.name, here, lang) for page in PAGES if page.group == own)
    return f'{menus}<div class="st-key-nav_here">{beside}</div>'


def _link(name: str, here: str, lang: str, says: str = "") -> str:
    label, path = quoted(say(lang, f"nav-{name}")), "" if name == PAGES[0].name else name
    present, tag = (' aria-current="page"', "strong") if name == here else ("", "span")
    return f'<a href="./{path}" data-page="{name}"{present}><{tag}>{label}</{tag}>{says}</a>'

"""The navigation: four places in a row, and the pages of the current place.

It is a single component, because Streamlit's own links took a seventh of a page's opening time.
"""

from functools import cache
from itertools import groupby
from pathlib import Path

from explorer.drawing.marks import quoted
from explorer.paths import site
from explorer.text import say
from explorer.ui.components.script import component, component_state
from explorer.ui.components.session_values import Inbox
from explorer.ui.session.addresses import PAGES, Page

KEY = "navigation"
_choices = Inbox("_navigation_handled")
_row = component("explorer_navigation", "<nav></nav>", "frame/navigation.js")


def file_of(name: str) -> Path:
    """Return a page's file, named like its address."""
    return site() / "pages" / f"{name}.py"


def chosen_page() -> str | None:
    """Return the page just chosen in the navigation, or None."""
    match component_state(KEY, "chosen"):
        case {"page": str(page), "at": int(at)} if page in {one.name for one in PAGES} and _choices.accept(at):
            return page
    return None


def navigation(here: str, lang: str) -> None:
    """Draw the row into the current container. `here`: name of the current page."""
    _row(data={"html": _html(here, lang)}, key=KEY, default={"chosen": None})


def listed(here: str) -> list[Page]:
    """Return the pages next to the places: the current page, or all listed ones of its place."""
    own = next(page for page in PAGES if page.name == here)
    return [page for page in PAGES if page.place == own.place and page.listed] if own.listed else [own]


def is_second_row(here: str) -> bool:
    """Return whether the current place has pages next to it."""
    return len(listed(here)) > 1 or not listed(here)[0].listed


@cache
def _html(here: str, lang: str) -> str:
    """Render links to the places and the current place's pages."""
    beside = listed(here)
    places = {place: list(pages) for place, pages in groupby(PAGES, lambda page: page.place)}
    row = "".join(
        _link(pages[0], "nav-learn" if place == "learn" else f"nav-{pages[0].name}", lang, place == beside[0].place)
        for place, pages in places.items()
    )
    pages = "".join(_link(page, f"nav-{page.name}", lang, page.name == here) for page in beside) * is_second_row(here)
    more = (
        f'<button type="button" class="head-more" aria-expanded="false" aria-label="{quoted(say(lang, "nav-more"))}">'
    )
    return f'<div class="st-key-nav_places">{row}</div>{more}⋯</button><div class="st-key-nav_here">{pages}</div>'


def _link(page: Page, message: str, lang: str, present: bool) -> str:
    label, path = quoted(say(lang, message)), "" if page is PAGES[0] else page.name
    current, tag = (' aria-current="page"', "strong") if present else ("", "span")
    return f'<a href="./{path}" data-page="{page.name}"{current}><{tag}>{label}</{tag}></a>'

"""An example of the gallery or a lesson, opened from any page."""

import streamlit as st

from explorer.lessons.gallery import Example, gallery
from explorer.ui.session.addresses import PROPERTIES
from explorer.ui.session.lessons import begin, begun
from explorer.ui.session.links import send
from explorer.ui.session.state import PAGE, document, open_text

SHOWN = "gallery"  # session state: the place of the opened example


def open_example(id: str) -> None:
    """Go to an example's page. Unknown ids are ignored."""
    example = gallery().examples.get(id)
    if example is None:
        return
    begin(SHOWN, id)
    begin(PAGE, "")
    table = PROPERTIES[example.page]
    state = {name: table[name].read(text) for name, text in example.state.items()}
    send(example.page, **state)
    if not state:
        open_text(f"{id}.py", example.program, ours=True)
    st.switch_page(f"pages/{example.page}.py")


def open_lesson(id: str) -> None:
    """Go to a lesson's first open question, or to the course map for ""."""
    send("lessons", lesson=id)
    st.switch_page("pages/lessons.py")


def shown_example(page: str) -> Example | None:
    """Return a page's last opened example until its line is closed."""
    example = gallery().examples.get(begun(SHOWN))
    return example if example is not None and example.page == page else None


def is_unchanged() -> bool:
    """Return whether the session's program is the opened example, unchanged."""
    example = gallery().examples.get(begun(SHOWN))
    return example is not None and document().texts == (example.program,)

"""The Gallery page: a subject's examples as cards."""

import streamlit as st

from explorer.drawing.marks import quoted
from explorer.lessons.drawing.course_map import cards_html
from explorer.lessons.gallery import Gallery, gallery
from explorer.text import say
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.panels.found import filtered
from explorer.ui.session.gallery import open_example
from explorer.ui.session.page_state import PageState

SUBJECTS = ("autograd", "calculus", "training", "training-steps", "techniques", "tensors", "algebra")
FIRST = "surprising"  # subject that collects examples which surprise newcomers
SURPRISING = (
    *("fan-out", "spirals", "where-nan", "silent-broadcast", "silently-wrong", "rate-too-large"),
    *("gradient-reversal", "attention", "vanishing", "saved-result-overwritten", "momentum", "straight-through"),
)
STATE = PageState("gallery", {"subject": "gallery_subject"})


def page(lang: str) -> None:
    """Draw the page."""
    STATE.read_address()
    for name in (FIRST, *SUBJECTS):
        if (id := pressed(f"gallery_{name}", "")) is not None:
            open_example(id)
    whole = gallery()
    with st.container(key="page"):
        words = say(lang, "gallery-lede", count=len(whole.examples))
        st.html(f'<h2 class="page-title">{quoted(say(lang, "nav-gallery"))}</h2><p class="lede">{quoted(words)}</p>')
        if not filtered("gallery", lang):
            chosen = st.segmented_control(
                say(lang, "gallery-subject"),
                ("", FIRST, *SUBJECTS),
                format_func=lambda name: say(lang, f"gallery-subject.{name or 'all'}"),
                key=STATE.field("subject"),
                required=True,
                label_visibility="collapsed",
            )
            with st.container(key="gallery_cards"):
                for name, ids in _shown(chosen or "", whole).items():
                    examples = [whole.examples[id] for id in ids]
                    linked(cards_html(say(lang, f"gallery-subject.{name}"), examples, lang), f"gallery_{name}")
    STATE.write_address(lang)


def _shown(chosen: str, whole: Gallery) -> dict[str, list[str]]:
    """Map the chosen subject, or all, to example ids without repeats."""
    first = [id for id in SURPRISING if id in whole.examples]
    subjects = {FIRST: first} | {name: list(whole.subjects.get(name, ())) for name in SUBJECTS}
    if chosen:
        return {chosen: subjects[chosen]}
    return {name: [id for id in ids if name == FIRST or id not in first] for name, ids in subjects.items()}

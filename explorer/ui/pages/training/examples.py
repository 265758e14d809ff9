"""Trainings to begin with: one where nobody has written a program yet, and the gallery's in a menu."""

import streamlit as st

from explorer.lessons.gallery import Example, gallery
from explorer.text import say
from explorer.ui.components.choice import choice
from explorer.ui.pages.training.state import PAGE, STATE, forget_choices
from explorer.ui.session.document import opened
from explorer.ui.session.earlier_program import keep_earlier
from explorer.ui.session.examples import FIRST_SIGHT, FIRST_TRAINING
from explorer.ui.session.lessons import begin
from explorer.ui.session.state import document, open_program


def begin_with_example() -> None:
    """Replace the program that every session begins with by a training."""
    if document().texts == (FIRST_SIGHT,):
        open_program(opened(document(), "training.py", FIRST_TRAINING.encode(), may_run=True))


def trainings() -> tuple[Example, ...]:
    """The examples of the gallery that open on this page."""
    return tuple(example for example in gallery().examples.values() if example.page == PAGE)


def take(example: Example) -> None:
    """Put an example in the place of the session's program, which is kept."""
    keep_earlier(document())
    open_program(opened(document(), f"{example.id}.py", example.program.encode(), may_run=True))
    begin("gallery", example.id)
    forget_choices()


def example_menu(lang: str) -> None:
    """The menu, where there are examples."""
    if found := trainings():
        things = {
            f"tr_example_{example.id}": (example, getattr(example.title, lang, example.title.en)) for example in found
        }
        choice(say(lang, "examples"), "examples", things, take)


def example_words(lang: str) -> None:
    """The examples as buttons, for a page that has nothing else to show."""
    found = trainings()
    with st.container(key="tr_try", horizontal=True, gap="small"):
        first = say(lang, "training-first")
        st.button(first, key="tr_try_first", on_click=_take_first)
        for example in found[:8]:
            label = getattr(example.title, lang, example.title.en)
            st.button(label, key=f"tr_try_{example.id}", on_click=take, args=(example,))


def _take_first() -> None:
    keep_earlier(document())
    open_program(opened(document(), "training.py", FIRST_TRAINING.encode(), may_run=True))
    STATE.put(measure="gradient")
    forget_choices()

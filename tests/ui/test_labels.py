"""Streamlit reads labels and hints as Markdown: names of a program are plain words there."""

from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

from tests.patience import PATIENT

NAME = "out['![a](https://elsewhere.example/n.png) [b](https://elsewhere.example) `c` *d* <b>']"


def page(name: str):
    import streamlit as st

    from explorer.ui.session.given_files import unmarked

    st.button(unmarked(name))


def test_names_cannot_be_images_or_links():
    app = AppTest.from_function(page, default_timeout=PATIENT, args=(NAME,)).run()
    (button,) = app.button
    (read,) = MarkdownIt().parseInline(button.label)
    assert {one.type for one in read.children} == {"text"}
    assert NAME in "".join(one.content for one in read.children)

"""Streamlit reads labels and hints as Markdown: names of a program are plain words there."""

from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

from tests.patience import PATIENT

NAME = "out['![a](https://elsewhere.example/n.png) [b](https://elsewhere.example) `c` *d* <b>']"


def page(name: str):
    from explorer.ui.pages.autograd.leaf_plot import plot_button

    plot_button(name, name, "en")


def test_the_name_of_a_leaf_is_neither_a_picture_nor_a_link():
    app = AppTest.from_function(page, default_timeout=PATIENT, args=(NAME,)).run()
    (button,) = app.button
    (read,) = MarkdownIt().parseInline(button.label)
    assert {one.type for one in read.children} == {"text"}
    assert NAME in "".join(one.content for one in read.children)

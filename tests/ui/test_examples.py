"""The examples' texts: a sentence and a question each, in both languages, true of their programs."""

import pytest

from explorer.analysis.views.calculus.examples import CURVES, SURFACES
from explorer.text import LANGUAGES, say
from explorer.ui.pages.broadcasting import page as broadcasting
from explorer.ui.session.examples import EXAMPLES
from tests.traces import trace_of
from tests.ui.pages import editor, html, type_program, words

TOLD = [
    *(("example", name) for name in EXAMPLES),
    *(("bc-example", one.name) for one in broadcasting.EXAMPLES),
    *(("derivatives-try", one.name) for one in (*CURVES, *SURFACES)),
]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_example_has_a_sentence_and_a_question(lang):
    for page, name in TOLD:
        assert say(lang, f"{page}-{name}.see") and say(lang, f"{page}-{name}.ask")


@pytest.mark.parametrize(
    ("name", "leaf", "gradient"),
    [
        ("two-paths", "w", [5]),
        ("chain-rule", "a", [6]),
        ("vector", "x", [0, 0.2, 0.04, 0.006]),
        ("accumulate", "x", [1, 5, 9, 13]),
        ("detach", "x", [0, 1, 4, 9]),
        ("control-flow", "a", [4096]),
        ("broadcast-trap", "prediction", [0, 0, 0]),
        ("silently-wrong", "x", [40]),
        ("backward-twice", "x", [4]),
    ],
)
def test_the_sentences_gradients_are_correct(name, leaf, gradient):
    trace = trace_of(f"import torch\n{EXAMPLES[name]}")
    held = trace.value(trace.tensors.grad[trace.bound(leaf)])
    assert held.data == pytest.approx(gradient)


@pytest.mark.thorough
def test_an_examples_hint_is_shown_until_it_is_edited(app):
    assert 'class="message-line lesson"' not in html(app)  # nothing was opened yet
    app.menu_button(key="menu_examples").click("broadcast-trap").run()
    assert "each prediction is compared with all three targets" in words(app)
    assert "must target have" in words(app)
    told = editor(app)["cells"][0]["text"]
    type_program(app, told.replace("zeros", "ones"))
    assert "all three targets" not in words(app)
    type_program(app, told, count=2)
    assert "all three targets" in words(app)
    app.button(key="lesson_close_autograd").click().run()
    assert "all three targets" not in words(app)

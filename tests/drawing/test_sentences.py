"""Sentences as HTML: what is code in them is set as code, and nothing of the program is markup."""

import pytest

from explorer.drawing.marks import said_html
from explorer.text import marked, say


@pytest.mark.parametrize(
    "message, values, html",
    [
        ("error-shape-called.repair", {"right": "n"}, "Write <code>n</code>."),
        ("error-shape-called.repair", {"right": "<b>&"}, "Write <code>&lt;b&gt;&amp;</code>."),
        (
            "error-leaf-written-through-a-view.repair",
            {"name": "w[0]"},
            "Write under <code>torch.no_grad()</code>, or work on a copy: <code>w[0].clone()</code>.",
        ),
        (
            "error-graph-carried-over.repair",
            {"second": "loss.backward()", "cut": "h = h.detach()"},
            "Cut the history at the end of each round, after <code>loss.backward()</code>: "
            "<code>h = h.detach()</code>.",
        ),
        ("error-mask-brackets.repair", {}, "Put each comparison in brackets."),
        ("error-matmul-scalar.repair", {}, "Multiply by a scalar with *."),
    ],
)
def test_code_in_a_sentence(message, values, html):
    assert said_html("en", message, **values) == html


def test_numbers_are_part_of_the_sentence():
    told = said_html("zh", "error-size-was-divided.cause", line=3, name="nn", code="2", made="n")
    assert "<code>nn</code>" in told and "<code>3</code>" not in told


def test_the_marks_of_values_are_never_shown():
    sizes = {"left": "a", "left_shape": "(2, 3)", "columns": "3", "right": "b", "right_shape": "(4, 5)", "rows": "4"}
    for lang in ("en", "zh"):  # words of torch that are numbers stand between others that are code
        assert not {"\ufdd0", "\ufdd1"} & set(said_html(lang, "error-matmul-sizes.cause", **sizes))
    lengths = {"columns": "4", "entries": "3", "left_shape": "(3, 4)", "right_shape": "(3,)"}
    told = said_html("en", "error-matmul-vector.cause", left="W", right="v", **lengths)
    assert "has length 4, but" in told and "length 3." in told
    value = "a\ufdd0b\ufdd1c"
    assert said_html("en", "error-shape-called.repair", right=value) == "Write <code>abc</code>."
    assert marked("en", "error-shape-called.repair", right="n").translate({0xFDD0: None, 0xFDD1: None}) == say(
        "en", "error-shape-called.repair", right="n"
    )

"""Answers in notebooks keep their columns, whatever the style of the page."""

import pytest
import torch

import explorer


@pytest.mark.parametrize("ask", [lambda t: t.report(), lambda t: t.summary(), lambda t: t.why("model.weight.grad")])
def test_an_answer_has_letters_of_equal_widths(ask):
    with explorer.record() as trace:
        model = torch.nn.Linear(2, 1)
        model(torch.ones(3, 2)).sum().backward()
    style = ask(trace)._repr_html_().partition('style="')[2].partition('"')[0]
    assert "monospace" in style.partition("font-family:")[2] and "white-space:pre" in style

"""Markdown as HTML that can do nothing."""

import re

import pytest

from explorer.drawing.notebook.markdown import LONGEST, markdown_html


@pytest.mark.parametrize("formula", ["$x_1*y*z_2$", "$$a_1 + b_1$$", r"\(x_1 \* y_2\)", r"\[a_1\]"])
def test_an_inline_formula_is_kept_verbatim(formula):
    assert markdown_html(f"Let {formula}, so.") == f'<p>Let <span class="math">{formula}</span>, so.</p>\n'


@pytest.mark.parametrize("formula", ["$$\na_1\n\n_b_\n$$", "\\begin{align}\na_1 \\\\\n# b\n\\end{align}"])
def test_a_display_formula_is_its_own_block(formula):
    assert markdown_html(f"Text\n{formula}\nmore") == (f'<p>Text</p>\n<div class="math">{formula}</div>\n<p>more</p>\n')


def test_formulas_in_quotations_and_lists_are_found():
    assert markdown_html("> Norm:\n>\n> $$x_2$$\n").count('<div class="math">$$x_2$$</div>') == 1
    assert markdown_html("- $$\n  x_2\n  $$\n").count('<div class="math">$$\nx_2\n$$</div>') == 1


@pytest.mark.parametrize("text", ["It costs $5 and $6.", "`$x$`", r"\$x$", "$ alone"])
def test_a_dollar_is_not_always_a_formula(text):
    assert "math" not in markdown_html(text)


def test_html_is_escaped():
    shown = markdown_html(
        "<img src=x onerror=alert(1)> <b>b</b>\n\n<script>alert(1)</script>\n\n$<i>$ \\(<i>\\)\n\n$$<i>$$"
    )
    assert set(re.findall(r"<[^>]*>", shown)) == {
        "<p>",
        "</p>",
        '<span class="math">',
        "</span>",
        '<div class="math">',
        "</div>",
    }


@pytest.mark.parametrize(
    "text",
    [
        "[a](javascript:alert(1))",
        "[a](https://example.org 'title')",
        "![a](https://example.org/a.png)",
        '![a" onerror="x](a.png)',
        "<https://example.org>",
        "[a][b]\n\n[b]: https://example.org",
        '```a" onclick="x\nb\n```',
    ],
)
def test_links_images_and_language_names_are_inert(text):
    tags = re.findall(r"<[^>]*>", markdown_html(text))
    assert all(re.fullmatch(r'</?\w+( class="[^"<>]*")?>', tag) for tag in tags)
    assert not {"<a", "<img"} & {tag.split()[0] for tag in tags}


def test_a_very_long_text_is_shown_verbatim():
    assert markdown_html("*<" * LONGEST) == f"<pre>{'*&lt;' * LONGEST}</pre>\n"

"""The texts of a lesson as HTML: Markdown with formulas, choices and lines of code as buttons."""

from collections.abc import Sequence

from explorer.drawing.notebook.markdown import markdown_html, with_formulas


def prose_html(markdown: str) -> str:
    """Markdown with formulas; links and pictures are their text."""
    return with_formulas(markdown_html(markdown))


def line_html(markdown: str) -> str:
    """The same of one line, without a paragraph around it."""
    return prose_html(markdown.strip()).removeprefix("<p>").removesuffix("</p>\n")


def choices_html(choices: Sequence[tuple[str, str]], gone: Sequence[str], chosen: str, right: str) -> str:
    """The choices as buttons.

    Args:
        gone: letters that were answered wrong; chosen: the letter that was answered last.
        right: the letter to mark once the question is over, "" before.
    """
    rows = []
    for letter, words in choices:
        states = ["is-right"] * (letter == right) + ["is-wrong"] * (letter in gone)
        off = " disabled" if letter in gone or right else ""
        rows.append(
            f'<button type="button" class="choice {" ".join(states)}" data-choose="{letter}" '
            f'aria-pressed="{str(letter == chosen).lower()}"{off}><b>{letter}</b>'
            f"<span>{line_html(words)}</span></button>"
        )
    return f'<div class="choices" role="group">{"".join(rows)}</div>'

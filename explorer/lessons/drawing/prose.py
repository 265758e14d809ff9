"""The texts of a lesson as HTML: Markdown with formulas, choices and lines of code as buttons, a sheet of paper."""

from collections.abc import Mapping, Sequence
from html import escape

from explorer.drawing.notebook.markdown import markdown_html, with_formulas
from explorer.lessons.asks import Ask, ChoiceAsk, LineAsk, MakeAsk
from explorer.lessons.lesson import Lesson
from explorer.text import say


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


def lines_html(lines: Sequence[str], label: str, gone: Sequence[int], right: int) -> str:
    """The lines of a program as buttons, numbered from 1. `label` is said before a line's number; right: 0 before."""
    rows = []
    for number, line in enumerate(lines, 1):
        states = ["is-right"] * (number == right) + ["is-wrong"] * (number in gone)
        off = " disabled" if not line.strip() or number in gone or right else ""
        name = escape(f"{label} {number}: {line}", quote=True)
        rows.append(
            f'<button type="button" class="code-choice {" ".join(states)}" data-choose="{number}" aria-pressed="false" '
            f'aria-label="{name}"{off}><i>{number}</i><code>{escape(line) or " "}</code></button>'
        )
    return f'<div class="code-choices" role="group">{"".join(rows)}</div>'


def sheet_html(lesson: Lesson, lang: str, answers: Mapping[str, str]) -> str:
    """The sheet; `answers`: by the id of a question what is computed of it, where that says more than its text."""
    text = lesson.text(lang)
    asks = {ask.id: (number, ask) for number, ask in enumerate(lesson.data.ask, 1)}
    lines = "".join(
        f"<p><b>{escape(say(lang, f'lessons-sheet-{name}'))}</b><span></span></p>" for name in ("name", "date")
    )
    parts = [f'<div class="sheet-who">{lines}</div>']
    parts.append(f"<h2>{line_html(text.title)}</h2>{prose_html(text.intro)}{_program(lesson.program)}")
    shown = lesson.program
    for kind, name in text.parts:
        if kind == "text":
            parts.append(prose_html(name))
        elif name in asks:
            number, ask = asks[name]
            if (program := lesson.program_of(ask)) != shown:
                parts.append(_program(program))
                shown = program
            parts.append(_question(lesson, number, ask, lang))
    items = "".join(_answer(lesson, ask, answers.get(ask.id, ""), lang) for _, ask in asks.values())
    title = escape(say(lang, "lessons-sheet-answers"))
    return (
        f'<article class="lesson-sheet lesson-prose">{"".join(parts)}'
        f'<section class="sheet-answers"><h3>{title}</h3><ol>{items}</ol></section></article>'
    )


def _program(text: str) -> str:
    lines = "".join(f"<span>{escape(line)}\n</span>" for line in text.rstrip("\n").split("\n"))
    return f'<pre class="sheet-program">{lines}</pre>' if text.strip() else ""


def _question(lesson: Lesson, number: int, ask: Ask, lang: str) -> str:
    text = lesson.text(lang).asks[ask.id]
    choices = "".join(f"<li><b>{escape(letter)}</b> {line_html(words)}</li>" for letter, words in text.choices)
    room = f'<ul class="sheet-choices">{choices}</ul>' if choices else '<p class="sheet-room"></p>'
    return (
        f'<div class="sheet-ask"><b class="sheet-number">{number}</b><div>{prose_html(text.question)}{room}</div></div>'
    )


def _answer(lesson: Lesson, ask: Ask, computed: str, lang: str) -> str:
    right = ""
    match ask:
        case ChoiceAsk():
            right = f"<b>{escape(ask.right)}</b> "
        case LineAsk():
            right = f"<code>{escape(ask.right)}</code>"
        case MakeAsk():
            right = f"<pre>{escape(ask.solution.strip())}</pre>"
        case _ if computed:
            right = f"<b><code>{escape(computed)}</code></b>"
    return f"<li>{right}{prose_html(lesson.text(lang).asks[ask.id].right)}</li>"

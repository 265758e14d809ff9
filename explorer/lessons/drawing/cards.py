"""The examples of the gallery as cards: the title, what it shows, and the program."""

from collections.abc import Mapping, Sequence
from html import escape

from explorer.drawing.marks import quoted
from explorer.lessons.gallery import Example
from explorer.text import say


def cards_html(subjects: Mapping[str, Sequence[Example]], lang: str) -> str:
    """The examples below the names of their subjects, as buttons (`data-choose`)."""
    return "".join(
        f'<section class="subject"><h3>{quoted(name)}</h3><div class="example-cards">'
        f"{''.join(_card(example, lang) for example in examples)}</div></section>"
        for name, examples in subjects.items()
    )


def _card(example: Example, lang: str) -> str:
    title, says = (str(getattr(both, lang, both.en)) for both in (example.title, example.says))
    return (
        f'<div class="example-card" role="button" tabindex="0" data-choose="{escape(example.id, quote=True)}" '
        f'aria-label="{escape(f"{title}. {says}", quote=True)}">'
        f'<p class="example-title">{quoted(title)}<span>{quoted(say(lang, f"nav-{example.page}"))}</span></p>'
        f'<p class="example-says">{quoted(says)}</p><pre>{escape(example.program.strip())}</pre></div>'
    )

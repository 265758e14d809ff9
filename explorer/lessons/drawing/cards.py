"""The examples of the gallery as cards: the picture of the run, the title, and a question that opening it answers.

`tools/generate_pictures.py` writes the pictures into `lessons/gallery/pictures`, so that a server draws none of them; a
test compares the files with new runs.
"""

from collections.abc import Iterable
from html import escape

from explorer.drawing.marks import quoted
from explorer.lessons.gallery import Example, picture_of
from explorer.text import say


def cards_html(name: str, examples: Iterable[Example], lang: str) -> str:
    """The examples of a subject below its name, as buttons (`data-choose`)."""
    cards = "".join(_card(example, lang) for example in examples)
    return f'<section class="subject"><h3>{quoted(name)}</h3><div class="example-cards">{cards}</div></section>'


def _card(example: Example, lang: str) -> str:
    title, asks = (str(getattr(both, lang, both.en)) for both in (example.title, example.asks))
    picture = (
        picture_of(example.id) or f"<pre>{escape(example.program.strip())}</pre>"
    )  # a run without tensors has none
    return (
        f'<div class="example-card" role="button" tabindex="0" data-choose="{escape(example.id, quote=True)}" '
        f'aria-label="{escape(f"{title}. {asks}", quote=True)}">'
        f'<div class="example-picture" aria-hidden="true">{picture}</div>'
        f'<p class="example-title">{quoted(title)}<span>{quoted(say(lang, f"nav-{example.page}"))}</span></p>'
        f'<p class="example-asks">{quoted(asks)}</p></div>'
    )

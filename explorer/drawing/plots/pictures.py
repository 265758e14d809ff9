"""A program's figure as an image of the page: an image cannot run or load anything. Pure."""

from base64 import b64encode

from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.trace import Figure

_TYPES = {"svg": "image/svg+xml", "png": "image/png", "gif": "image/gif"}


def picture_html(figure: Figure, lang: str) -> str:
    """The image, described by its titles and labels; "" if it is no image."""
    if figure.format == "":
        return f'<p class="skipped">{quoted(say(lang, "figure-of-old-run"))}</p>'
    if figure.format not in _TYPES:
        return ""
    source = f"data:{_TYPES[figure.format]};base64,{b64encode(figure.data).decode()}"
    size = f'width="{figure.width}" height="{figure.height}"'
    return f'<img class="picture" src="{source}" {size} alt="{quoted(described(figure, lang))}">'


def described(figure: Figure, lang: str) -> str:
    """The description of a figure for a screen reader."""
    return say(lang, "figure-alt", words=figure.alt) if figure.alt else say(lang, "figure-alt-none")

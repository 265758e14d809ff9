"""Terms of the field with a short explanation, shown on hover or focus."""

from explorer.drawing.marks import quoted
from explorer.text import say


def term(lang: str, name: str, words: str) -> str:
    """HTML: a term, escaped here, that is explained by the message term-<name>."""
    tip = quoted(say(lang, f"term-{name}"))
    return f'<span class="term" tabindex="0" data-tip="{tip}" aria-description="{tip}">{quoted(words)}</span>'

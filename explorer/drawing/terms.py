"""Words of the field with their explanation in two lines, shown when they are pointed at or focused."""

from explorer.drawing.marks import quoted
from explorer.text import say


def term(lang: str, name: str, words: str) -> str:
    """HTML: plain words, escaped here, that explain themselves by the message term-<name>."""
    tip = quoted(say(lang, f"term-{name}"))
    return f'<span class="term" tabindex="0" data-tip="{tip}" aria-description="{tip}">{quoted(words)}</span>'

"""Describe the events of a watched step."""

from collections.abc import Sequence

from explorer.text import say


def event_text(parts: Sequence[Sequence[str]], lang: str) -> str:
    """Describe a step's events from the kinds and numbers in its row."""
    texts = []
    for kind, *numbers in parts:
        first, second = [*numbers, "", ""][:2]
        texts.append(say(lang, "watch-happened", kind=kind, first=first, second=second))
    return say(lang, "watch-happened-and").join(texts)

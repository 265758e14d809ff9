"""What happened in a step of a watched training, in words."""

from collections.abc import Sequence

from explorer.text import say


def event_text(parts: Sequence[Sequence[str]], lang: str) -> str:
    """Return what happened in a step, from the kinds and numbers of its row."""
    texts = []
    for kind, *numbers in parts:
        first, second = [*numbers, "", ""][:2]
        texts.append(say(lang, "watch-happened", kind=kind, first=first, second=second))
    return say(lang, "watch-happened-and").join(texts)

"""What every command needs: exit statuses, and text without control characters."""

from explorer.text import say
from explorer.trace import Trace

STATUS = {"ok": 0, "error": 1, "unusable": 2, "refused": 3, "limited": 4}


def visible(text: str) -> str:
    """Escape control characters except newline and tab, so that a program cannot control the terminal.

    >>> visible("\\x1b[31mred\\n")
    '\\\\x1b[31mred\\n'
    """
    return "".join(c if c in "\n\t" or c.isprintable() or c == "\u3000" else ascii(c)[1:-1] for c in text)


def no_such_backward(trace: Trace, number: int, lang: str) -> str:
    """The sentence that says that a program has no `number`th backward."""
    return say(lang, "no-such-backward", number=number, count=len(trace.backwards))

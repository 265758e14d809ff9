"""Basic marks: SVG texts and rectangles, explained terms in HTML, all escaped.

Also converts sentences to HTML, with code set as code.
"""

from collections.abc import Iterable
from html import escape

from explorer.safe_regex import plain
from explorer.text import BEGIN, END, Message, Value, joined, marked, say
from explorer.text.numbers import visible

# Code in catalogue sentences: every text value, torch.no_grad(), .float(), a * b, retain_graph=True, and combinations
# such as `{ $name }.detach()`.
_VALUE = f"{BEGIN}[^{BEGIN}{END}]*+{END}"
_SHORT = r"[A-Za-z_][A-Za-z0-9_]?+(?![A-Za-z0-9_(])"
_NAME = rf"(?:{_VALUE}|[A-Za-z_][A-Za-z0-9_]*+)"
_CALL = rf"\((?:[^(){BEGIN}]++|{_VALUE})*+\)"
_CHAIN = rf"\.?+{_NAME}(?:{_CALL})?+(?:\.{_NAME}(?:{_CALL})?+)*+"
_OPERAND = rf"(?:{_SHORT}|{_VALUE}(?![.(])|(?=\.|{_NAME}[.(]){_CHAIN})"
_GIVEN = r"=(?:[A-Za-z0-9_]++(?:\.[A-Za-z0-9_]++)*+)?+"
_CODE = plain(rf"(?<![A-Za-z0-9_.])(?:{_OPERAND}(?: [+*@=] {_OPERAND})++|{_CHAIN}(?:{_GIVEN})?+)")
_SIGNS = frozenset(f"._(=+*@{BEGIN}")
_MARKS = dict.fromkeys(map(ord, (BEGIN, END)))


def term(lang: str, name: str, words: str) -> str:
    """Render an escaped term explained by the message term-<name>."""
    tip = quoted(say(lang, f"term-{name}"))
    return f'<span class="term" tabindex="0" data-tip="{tip}" aria-description="{tip}">{quoted(words)}</span>'


def text(x: float, y: float, words: str, name: str, anchor: str = "start", size: float | None = None) -> str:
    """Return a text element (`anchor`: SVG's text-anchor, `size`: px)."""
    more = f' style="font-size:{size}px"' if size else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{name}" text-anchor="{anchor}"{more}>{quoted(words)}</text>'


def rect(x: float, y: float, width: float, height: float, attributes: str, radius: float = 0) -> str:
    """Return a rectangle. `attributes` are trusted, never from the program."""
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}" {attributes}/>'


def quoted(words: str) -> str:
    """Escape text for XML elements and attributes."""
    return escape(visible(words), quote=True)


def messages_html(lang: str, messages: Iterable[Message]) -> str:
    """Render several messages in sequence."""
    return joined(lang, (message_html(lang, message.id, **message.values) for message in messages))


def message_html(lang: str, message_id: str, **values: Value) -> str:
    """Render a message with program and torch words as code. Every text is escaped."""
    text = marked(lang, message_id, **values)
    parts, at = [], 0
    for match in _CODE.finditer(text):
        code = match[0].translate(_MARKS)
        if code and not _SIGNS.isdisjoint(match[0]) and not code.lstrip("-−").isdigit():
            parts += [escape(text[at : match.start()].translate(_MARKS)), f"<code>{escape(code)}</code>"]
            at = match.end()
    return "".join([*parts, escape(text[at:].translate(_MARKS))])

"""The entries of a leaf that were checked: the gradient beside the slope that was measured."""

from explorer.analysis.autograd.entry_texts import index_text
from explorer.analysis.gradcheck.verdicts import Check
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import index_at

ROWS = 6  # entries that are listed


def checked_entries(check: Check, name: str, shape: tuple[int, ...], lang: str) -> str:
    """A row for each of the first entries, those of the verdict before the others; "" for a single one."""
    if len(check.entries) < 2:
        return ""
    entries = sorted(check.entries, key=lambda entry: entry.verdict != check.verdict)[:ROWS]
    head = "".join(f"<th>{quoted(say(lang, message))}</th>" for message in ("check-gradient", "check-slope"))
    rows = "".join(
        f"<tr><td>{quoted(name + index_text(index_at(entry.entry, shape)))}</td>"
        f"<td>{'–' if entry.gradient is None else quoted(number(entry.gradient, True))}</td>"
        f"<td>{quoted(number(entry.slope, True))}</td></tr>"
        for entry in entries
    )
    more = len(check.entries) - len(entries)
    rest = f'<p class="quiet">{quoted(say(lang, "check-more", count=more))}</p>' if more else ""
    return f'<table class="sum slopes"><tr><td></td>{head}</tr>{rows}</table>{rest}'

"""A small sign on a card, of a numeric check or of comparing two runs; and the entries of a leaf that were checked."""

from dataclasses import dataclass

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


PARTING = "parting"  # of the card at which two runs part
_UNEQUAL = "M-3.4,-1.5H3.4M-3.4,1.5H3.4M2,-4L-2,4"

SIGNS: dict[str, str] = {
    "agrees": "M-3.6,0.2L-1,2.8L3.8,-2.8",
    "kink": "M-4,2.6L0,-2.6L4,2.6",
    "differs": _UNEQUAL,
    "depends": _UNEQUAL,
    "unequal": _UNEQUAL,
    "alone": "M-3.6,0H3.6M0,-3.6V3.6",
    PARTING: _UNEQUAL,
}
_FROM_CORNER = 16


@dataclass(frozen=True)
class Badge:
    """A sign. Attributes: verdict: its kind; words: for a screen reader."""

    verdict: str
    words: str


def badge_svg(badge: Badge, width: float, height: float) -> str:
    """The sign on a card of this size."""
    at = f'transform="translate({width - _FROM_CORNER:.1f},{height + 5:.1f})"'
    return f'<g class="badge {badge.verdict}" {at}><circle r="8"/><path d="{SIGNS[badge.verdict]}"/></g>'

"""A small sign on a card: the result of a numeric check, or of comparing two runs."""

from dataclasses import dataclass

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

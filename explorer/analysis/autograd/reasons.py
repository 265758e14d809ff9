"""Why a gradient is none, 0 or NaN, in words. Pictures, reports, derivations and errors share these sentences."""

from typing import Literal

from explorer.analysis.autograd.view import Cut
from explorer.text import Message, say

Phase = Literal["forward", "backward", "given", "gradient", "hook", "unsure"]


def reason_text(reason: str, cut: Cut | None, lang: str) -> str:
    """Return a short reason for a missing gradient, for a card or a table."""
    return say(lang, "reason", kind=reason, why=reason_message(reason, cut))


def reason_message(reason: str, cut: Cut | None, root: str = "") -> Message:
    """Return the reason for a missing gradient, with its cut and the root's name."""
    values: dict[str, str | int] = {"root": root, "to": "root" if root else "output"}
    if cut is not None:
        values |= {"line": cut.line, "code": cut.code}
    if cut is None or reason not in ("no_grad", "cut", "left") or (not cut.line and cut.by != "backward"):
        return Message(f"reason-{reason.replace('_', '-')}", values)
    if reason == "left":
        return Message("reason-gradient-taken" if cut.by == "gradient" else "reason-left-at", values)
    by = "detach" if cut.by == "other" else cut.by.replace("_", "-")
    return Message(f"reason-{by}-at" if cut.line else "reason-passed-none", values)


def start_text(
    lang: str,
    phase: Phase,
    what: str,
    word: str,
    *,
    line: int = 0,
    module: str = "",
    place: str = "",
    hook: str = "",
    why: str = "",
) -> str:
    """Describe where NaN or infinity starts, without a final period.

    Args:
        what: NaN, ∞ or the like. word: program text or name.
        place: entry. hook: program text of the hook, "" if unknown.
        why: product (0 · ∞), undefined (the derivative is NaN), backward or forward (inputs were finite), gradient
            (of an earlier backward), or "".
    """
    said = say(lang, f"start-{phase}", what=what, code=word or say(lang, "start-unnamed"), hook=hook or "none")
    said += say(lang, "start-place", place=place) if place else ""
    said += say(lang, "report-at-line", line=line) if line else ""
    said += say(lang, "report-in-module", module=module) if module else ""
    return said + (say(lang, "start-why", kind=why, what=what) if why else "")

"""Sentences about a function at its point and in its window."""

import math

from explorer.analysis.calculus.curve import Curve
from explorer.text import say
from explorer.text.numbers import number


def notes(curve: Curve, lang: str) -> list[str]:
    """A paragraph about the point, and sentences about the window."""
    here = _at_the_point(curve, lang)
    return [*([" ".join(here)] if here else []), *_in_the_window(curve, lang)]


def _at_the_point(curve: Curve, lang: str) -> list[str]:
    at, value, slope = number(curve.at, digits=6), number(curve.value, digits=6), number(curve.slope, True, 6)
    if curve.sweep.constant and curve.beside.differentiable:
        return [say(lang, "derivatives-note-constant")]
    found = [] if (told := _beside(curve, at, value, slope, lang)) is None else [told]
    if not math.isfinite(curve.value):
        if not found:
            kind = "infinite" if math.isinf(curve.value) else "domain"
            found.append(say(lang, f"derivatives-note-{kind}", at=at, value=value))
    elif math.isnan(curve.slope):
        found.append(say(lang, "derivatives-note-nan", at=at, value=value))
    elif curve.beside.verdict in ("kink", "vertical", "jump", "pole", "restless"):
        found.append(say(lang, "derivatives-note-answer", slope=slope))
    return found


def _beside(curve: Curve, at: str, value: str, slope: str, lang: str) -> str | None:
    """What f does left and right of the point, None when that is nothing special or not known."""
    left, right, verdict = curve.beside.left, curve.beside.right, curve.beside.verdict
    slopes = {"left": number(left.slope, True, 6), "right": number(right.slope, True, 6)}
    values = {"left": number(left.value, digits=6), "right": number(right.value, digits=6)}
    if verdict in ("kink", "vertical"):
        return say(lang, f"derivatives-note-{verdict}", at=at, **slopes)
    if verdict == "differs":
        return say(lang, "derivatives-note-differs", limit=slopes["left"], slope=slope)
    if verdict == "restless":
        return say(lang, "derivatives-note-restless", at=at)
    if verdict == "hole":
        return say(lang, "derivatives-note-hole", at=at, value=value, limit=values["left"])
    if verdict == "end":
        name, side = ("left", left) if right.kind == "none" else ("right", right)
        return (
            say(lang, f"derivatives-note-end-{name}", at=at, slope=slopes[name]) if not math.isnan(side.slope) else None
        )
    sided = [name for name, side in (("left", left), ("right", right)) if side.kind == "pole"]
    if verdict == "pole":
        kind = "pole" if len(sided) == 2 else f"pole-{sided[0]}"
        return say(lang, f"derivatives-note-{kind}", at=at, **values)
    if verdict == "jump":
        known = not (math.isnan(left.value) or math.isnan(right.value))
        return say(lang, "derivatives-note-jump" if known else "derivatives-note-jumps", at=at, value=value, **values)
    return None


def _in_the_window(curve: Curve, lang: str) -> list[str]:
    found = []
    if not curve.sweep.elementwise and not curve.sweep.constant:
        found.append(say(lang, "derivatives-note-pointwise", count=str(len(curve.sweep.x))))
    if curve.sweep.trouble:
        where, why = curve.sweep.trouble[0]
        values = {"where": number(float(where), digits=5), "why": why[:300]}
        if len(curve.sweep.trouble) > 1:
            found.append(say(lang, "derivatives-note-trouble-more", count=str(len(curve.sweep.trouble)), **values))
        else:
            found.append(say(lang, "derivatives-note-trouble", **values))
    return found

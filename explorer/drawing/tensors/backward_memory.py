"""The curve of the memory that is kept for backward: SVG, and below it what keeps it at the peak."""

import numpy as np

from explorer.analysis.tensors.backward_memory import MemoryCurve
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import bytes_text, visible

_WIDE, _HIGH, _FOOT = 1000, 160, 150  # of the picture's own units
_MOST = 1_000  # points that are drawn


def memory_html(curve: MemoryCurve, lang: str) -> str:
    """The curve as a figure with its peak, and a table of the places that keep memory there."""
    lines = curve.lines[curve.peak]
    where = say(lang, "memory-peak", size=bytes_text(curve.most), line=int(lines))
    place, about = quoted(where), quoted(f"{where} · {say(lang, 'memory-axis')}")
    notes = [say(lang, "memory-what")]
    if curve.open:
        notes.append(say(lang, "memory-open", count=curve.open))
    if curve.hooked:
        notes.append(say(lang, "memory-hooked", count=curve.hooked))
    heads = ("size", "line", "code", "module")
    head = "".join(f'<th scope="col">{quoted(say(lang, f"memory-column-{name}"))}</th>' for name in heads)
    rows = "".join(
        f"<tr><td>{quoted(bytes_text(row.bytes))}</td><td>{int(row.line) or '–'}</td>"
        f"<td><code>{quoted(visible(row.code))}</code></td><td>{quoted(visible(row.module)) or '–'}</td></tr>"
        for row in curve.held
    )
    if curve.left:
        rows += (
            f"<tr><td>{quoted(bytes_text(curve.left))}</td><td colspan=3>{quoted(say(lang, 'memory-others'))}</td></tr>"
        )
    said = "".join(f'<p class="quiet">{quoted(note)}</p>' for note in notes)
    title, held = quoted(say(lang, "memory-title")), quoted(say(lang, "memory-held"))
    phases = "".join(
        f'<span class="{phase}">{quoted(say(lang, f"memory-{phase}"))}</span>' for phase in ("forward", "backward")
    )
    return (
        f'<figure class="kept-memory"><figcaption><h3 class="tn-section">{title}</h3><p>{about}</p></figcaption>'
        f'{memory_svg(curve, place)}<p class="kept-phases">{phases}</p><div class="rows">'
        f"<table><caption>{held}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{said}</figure>"
    )


def memory_svg(curve: MemoryCurve, label: str) -> str:
    """The curve alone; `label` is HTML."""
    count, most = len(curve.bytes), max(1, curve.most)
    picked = np.unique(np.append(np.linspace(0, count - 1, min(_MOST, count)).round().astype(int), curve.peak))
    across = _WIDE * (picked + 1) / count
    up = _FOOT - (_FOOT - 12) * curve.bytes[picked] / most
    paths: dict[bool, list[str]] = {False: [], True: []}
    before_x, before_y = 0.0, float(_FOOT)
    for at, x, y in zip(picked.tolist(), across.tolist(), up.tolist(), strict=True):
        part = f"M{before_x:.1f} {_FOOT}V{before_y:.1f}L{x:.1f} {y:.1f}V{_FOOT}z"
        paths[bool(curve.backward[at])].append(part)
        before_x, before_y = x, y
    drawn = "".join(
        f'<path class="{name}" d="{"".join(paths[back])}"/>' for back, name in ((False, "forward"), (True, "backward"))
    )
    x = _WIDE * (curve.peak + 1) / count
    return (
        f'<svg class="kept-curve" viewBox="0 0 {_WIDE} {_HIGH}" preserveAspectRatio="none" role="img"'
        f' aria-label="{label}">'
        f'{drawn}<path class="foot" d="M0 {_FOOT}H{_WIDE}"/><path class="peak" d="M{x:.1f} 4V{_FOOT}"/></svg>'
    )

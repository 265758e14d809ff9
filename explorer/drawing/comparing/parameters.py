"""The gradients of the parameters of two runs, a row each."""

from collections.abc import Sequence

from explorer.comparing.gradients import GradientPair
from explorer.drawing.marks import quoted
from explorer.health.rows import GradientRow
from explorer.text import say
from explorer.text.numbers import number, shape_text, shorten, visible

MOST = 400  # rows that are drawn
_NAME = 60
ROUNDING = 1e-13  # of a cosine of gradients in float32: half the square of an angle of 1e-7, and some more


def parameters_html(pairs: Sequence[GradientPair], lang: str) -> str:
    """Norms of both gradients, the cosine between them, and the largest difference of an entry; "" without rows."""
    if not pairs:
        return ""
    names = ("name", "shape", "norm-a", "norm-b", "cosine", "apart")
    head = "".join(f'<th scope="col">{quoted(say(lang, f"comparing-column-{name}"))}</th>' for name in names)
    body = "".join(_row(one, lang) for one in pairs[:MOST])
    about = []
    if len(pairs) > MOST:
        about.append(say(lang, "comparing-more-parameters", count=len(pairs) - MOST))
    if any(one.sampled for one in pairs):
        about.append(say(lang, "comparing-parameters-sampled"))
    told = "".join(f'<p class="cp-about">{quoted(one)}</p>' for one in about)
    return (
        f'<div class="rows cp-parameters" role="region" tabindex="0" '
        f'aria-label="{quoted(say(lang, "comparing-parameters"))}"><table><tr>{head}</tr>{body}</table></div>{told}'
    )


def _row(one: GradientPair, lang: str) -> str:
    rows = [row for row in (one.left, one.right) if row is not None]
    shapes = " / ".join(dict.fromkeys(shape_text(row.shape) or "()" for row in rows))
    approx = "≈ " if one.sampled else ""
    cosine = "–" if one.cosine is None else f"{approx}{_cosine(one.cosine)}"
    apart = "–" if one.apart is None else f"{approx}{number(one.apart)}" if one.apart else "0"
    sign = f'<i role="img" aria-label="{quoted(say(lang, "comparing-unequal"))}">≠</i>' if one.differs else "<i></i>"
    cells = (shapes, _norm(one.left, lang), _norm(one.right, lang), cosine, apart)
    name = quoted(shorten(visible(one.name), _NAME))
    kind = ' class="is-unequal"' if one.differs else ""
    return (
        f'<tr{kind}><th scope="row">{sign}<code>{name}</code></th>'
        + "".join(f"<td>{quoted(cell)}</td>" for cell in cells)
        + "</tr>"
    )


def _cosine(cosine: float) -> str:
    """With as many digits as tell it from 1.

    >>> _cosine(0.99999999), _cosine(0.5), _cosine(1.0)
    ('1 − 1e−8', '0.5', '1')
    """
    less = 1 - cosine
    if 0 < less < 5e-4:
        return f"1 − {number(less, digits=1)}" if less > ROUNDING else "1"
    return number(cosine)


def _norm(row: GradientRow | None, lang: str) -> str:
    if row is None:
        return say(lang, "comparing-no-such")
    found = row.gradient
    if found is None:
        return row.why(lang) or "–"
    if found.nonfinite:
        return say(lang, "comparing-nonfinite", count=found.nonfinite)
    return "–" if found.norm is None else number(found.norm)

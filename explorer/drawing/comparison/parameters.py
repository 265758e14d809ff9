"""The gradients of the parameters of two runs, a row each."""

from collections.abc import Sequence

from explorer.analysis.comparison.gradients import GradientPair
from explorer.analysis.health.rows import GradientRow
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shorten, sizes, visible
from explorer.trace import Value

MOST = 400  # rows that are drawn
_NAME = 60
ROUNDING = 1e-13  # of a cosine of gradients in float32: half the square of an angle of 1e-7, and some more


def parameters_html(pairs: Sequence[GradientPair], lang: str) -> str:
    """Norms of both gradients, the cosine between them, and the largest difference of an entry; "" without rows.

    Where `.grad` at the end differs though the last gradients agree, two further columns have its norms.
    """
    if not pairs:
        return ""
    stored = any(pair.only_stored_differs for pair in pairs)
    names = ("name", "shape", "norm-a", "norm-b", "cosine", "apart", *(("stored-a", "stored-b") if stored else ()))
    head = "".join(f'<th scope="col">{quoted(say(lang, f"comparing-column-{name}"))}</th>' for name in names)
    body = "".join(_row(pair, stored, lang) for pair in pairs[:MOST])
    about = []
    if len(pairs) > MOST:
        about.append(say(lang, "comparing-more-parameters", count=len(pairs) - MOST))
    if any(pair.sampled for pair in pairs):
        about.append(say(lang, "comparing-parameters-sampled"))
    notes = "".join(f'<p class="cp-about">{quoted(sentence)}</p>' for sentence in about)
    return (
        f'<div class="rows cp-parameters" role="region" tabindex="0" '
        f'aria-label="{quoted(say(lang, "comparing-parameters"))}"><table><tr>{head}</tr>{body}</table></div>{notes}'
    )


def _row(pair: GradientPair, stored: bool, lang: str) -> str:
    rows = [row for row in (pair.left, pair.right) if row is not None]
    shapes = " / ".join(dict.fromkeys(sizes(row.shape) for row in rows))
    approx = "≈ " if pair.sampled else ""
    cosine = "–" if pair.cosine is None else f"{approx}{_cosine(pair.cosine)}"
    apart = "–" if pair.apart is None else f"{approx}{number(pair.apart)}" if pair.apart else "0"
    differs = pair.differs or pair.stored_differs
    sign = f'<i role="img" aria-label="{quoted(say(lang, "comparing-unequal"))}">≠</i>' if differs else "<i></i>"
    cells = [shapes, _norm(pair.left, lang), _norm(pair.right, lang), cosine, apart]
    if stored:
        cells += ["None" if value is None else _size(value, lang) for value in pair.stored]
    name = quoted(shorten(visible(pair.name), _NAME))
    kind = ' class="is-unequal"' if differs else ""
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
    if row.is_exact_zero:
        return "≈ 0"
    gradient = row.gradient
    if gradient is None:
        return row.why(lang) or "–"
    return _size(gradient, lang)


def _size(gradient: Value, lang: str) -> str:
    if gradient.nonfinite:
        return say(lang, "comparing-nonfinite", count=gradient.nonfinite)
    return "–" if gradient.norm is None else number(gradient.norm)

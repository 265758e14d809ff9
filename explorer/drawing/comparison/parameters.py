"""Show whether two runs agree, their first difference, and a row for each parameter's gradients."""

from collections.abc import Sequence

from explorer.analysis.explain.gradient_rows import GradientRow
from explorer.analysis.views.comparison.comparison import (
    Comparison,
    beyond_the_picture,
    first_text,
    name_text,
    origin_text,
)
from explorer.analysis.views.comparison.gradient_differences import GradientPair
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shorten, sizes, visible
from explorer.trace import Value

MOST = 400  # drawn rows
_NAME = 60
ROUNDING = 1e-13  # rounding of a float32 cosine: slightly over half the square of an angle of 1e-7
_PLACE = "{name}"  # holds the place of a name in a sentence until it becomes code


def parameters_html(pairs: Sequence[GradientPair], lang: str) -> str:
    """Tabulate both gradients' norms, cosine and largest difference. Returns "" without rows.

    If the final `.grad` differs though the last gradients agree, two more columns show its norms.
    """
    if not pairs:
        return ""
    stored = any(pair.only_stored_differs for pair in pairs)
    names = ("norm-a", "norm-b", "cosine", "apart", *(("stored-a", "stored-b") if stored else ()))
    heads = "column-name", "column-shape", *(f"comparing-column.{name}" for name in names)
    head = "".join(f'<th scope="col">{quoted(say(lang, name))}</th>' for name in heads)
    body = "".join(_row(pair, stored, lang) for pair in pairs[:MOST])
    about = []
    if len(pairs) > MOST:
        about.append(say(lang, "tensors-more", count=len(pairs) - MOST))
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
    """Write a cosine with enough digits to distinguish it from 1.

    >>> _cosine(0.99999999), _cosine(0.5), _cosine(1.0)
    ('1 − 1e−8', '0.5', '1')
    """
    less = 1 - cosine
    if 0 < less < 5e-4:
        return f"1 − {number(less, digits=1)}" if less > ROUNDING else "1"
    return number(cosine)


def _norm(row: GradientRow | None, lang: str) -> str:
    if row is None:
        return say(lang, "missing")
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


def verdict_html(comparison: Comparison, rounding: bool, counted: bool, lang: str) -> str:
    """Render the verdict: the first difference, its cause, and what no card shows.

    Args:
        rounding: whether they agree up to rounding and `comparison` lists bit differences.
        counted: whether parts of a run were only counted, so that their numbers are unknown.
    """
    if comparison.same:
        title, *about = map(quoted, _same(comparison, counted, lang))
    else:
        first = comparison.first
        cause = [origin_text(first.origin, lang)] if first is not None and first.origin is not None else []
        title, about = _first(comparison), [*map(quoted, (*cause, *beyond_the_picture(comparison)))]
        if rounding:
            equal, bits = (quoted(say(lang, name)) for name in ("comparing-rounding", "comparing-rounding-all"))
            title, about = equal, [bits, title, *about]
    lines = "".join(f'<p class="cp-about">{line}</p>' for line in about)
    return f'<section class="cp-verdict"><div role="status"><h3>{title}</h3></div>{lines}</section>'


def _same(comparison: Comparison, counted: bool, lang: str) -> list[str]:
    """Describe agreeing runs and the extent of the comparison."""
    if not comparison.operations:
        return [say(lang, "comparing-nothing")]
    whole = not (comparison.sampled or counted)
    count = {"operations": comparison.operations, "gradients": comparison.arrived}
    names = ["comparing-same" if whole else "comparing-same-recorded", "comparing-same-all"]
    names += ["comparing-sampled"] if comparison.sampled else []
    return [say(lang, name, **count) for name in names]


def _first(comparison: Comparison) -> str:
    """Describe the first difference, its name set as code."""
    words = quoted(first_text(comparison, _PLACE))
    first = comparison.first
    return words if first is None else words.replace(_PLACE, f"<code>{quoted(name_text(first))}</code>")

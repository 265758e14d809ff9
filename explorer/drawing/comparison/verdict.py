"""Whether two runs agree, and the numbers of both where they first differ."""

from explorer.analysis.comparison.comparison import Comparison, first_notes, first_text, in_one_alone, name_text
from explorer.drawing.marks import quoted
from explorer.text import say

_NAME = "{name}"  # holds the place of a name in a sentence until it becomes code


def verdict_html(comparison: Comparison, rounding: bool, counted: bool, lang: str) -> str:
    """The verdict, the first difference with the numbers of both runs, and what one run alone has.

    Args:
        rounding: whether they agree as far as their dtypes go, and `comparison` says what differs of the bits.
        counted: whether parts of a run were only counted, so that nothing is known of their numbers.
    """
    if comparison.same:
        title, *about = map(quoted, _same(comparison, counted, lang))
    else:
        title, *about = _first(comparison), *map(quoted, (*first_notes(comparison), *in_one_alone(comparison)))
        if rounding:
            equal, bits = (quoted(say(lang, name)) for name in ("comparing-rounding", "comparing-rounding-all"))
            title, about = equal, [bits, title, *about]
    lines = "".join(f'<p class="cp-about">{line}</p>' for line in about)
    return f'<section class="cp-verdict"><div role="status"><h3>{title}</h3></div>{lines}</section>'


def _same(comparison: Comparison, counted: bool, lang: str) -> list[str]:
    """The verdict on runs that agree, and how much was compared."""
    if not comparison.operations:
        return [say(lang, "comparing-nothing")]
    whole = not (comparison.sampled or counted)
    count = {"operations": comparison.operations, "gradients": comparison.arrived}
    names = ["comparing-same" if whole else "comparing-same-recorded", "comparing-same-all"]
    names += ["comparing-sampled"] if comparison.sampled else []
    return [say(lang, name, **count) for name in names]


def _first(comparison: Comparison) -> str:
    """The first difference, its name set as code."""
    words = quoted(first_text(comparison, _NAME))
    first = comparison.first
    return words if first is None else words.replace(_NAME, f"<code>{quoted(name_text(first))}</code>")

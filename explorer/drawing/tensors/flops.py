"""The floating-point operations of a run as a table: by line and module, the most first."""

from explorer.analysis.tensors.flops import Flops, flops_left_out, flops_total
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import flops_text, visible

MOST_PLACES = 8


def flops_html(flops: Flops, lang: str) -> str:
    """The totals, a table of the places, and what is not counted."""
    heads = ("flops-column-forward", "flops-column-backward", "memory-column-line", "memory-column-code")
    head = "".join(f'<th scope="col">{quoted(say(lang, name))}</th>' for name in (*heads, "memory-column-module"))
    rows = "".join(
        f"<tr>{_counts(row.forward, row.backward)}<td>{row.line or '–'}</td>"
        f"<td><code>{quoted(visible(row.code))}</code></td><td>{quoted(visible(row.module)) or '–'}</td></tr>"
        for row in flops.rows[:MOST_PLACES]
    )
    if rest := flops.rows[MOST_PLACES:]:
        counts = _counts(sum(row.forward for row in rest), sum(row.backward for row in rest))
        rows += f"<tr>{counts}<td colspan=3>{quoted(say(lang, 'memory-others'))}</td></tr>"
    table = f'<div class="rows"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    notes = [*flops_left_out(flops, lang), say(lang, "flops-what")]
    said = "".join(f'<p class="quiet">{quoted(note)}</p>' for note in notes)
    title, total = quoted(say(lang, "flops-title")), quoted(flops_total(flops, lang))
    return (
        f'<figure class="flops"><figcaption><h3 class="tn-section">{title}</h3><p>{total}</p></figcaption>'
        f"{table if rows else ''}{said}</figure>"
    )


def _counts(forward: int, backward: int) -> str:
    return "".join(f"<td>{quoted(flops_text(count)) if count else '–'}</td>" for count in (forward, backward))

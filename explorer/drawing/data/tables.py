"""A table's window under headers that are buttons: name, histogram, range and missing cells of each column.

A header's data-do holds the actions of its menu, data-makes how many columns a one-hot of it has.
"""

from collections.abc import Sequence

from explorer.analysis.views.data.data_steps import actions
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Table, TableColumn

WIDE, HIGH = 96, 22  # px of a histogram
LEAST = 1.5  # px of its lowest bar


def table_html(table: Table, of_all: Sequence[str], lang: str) -> str:
    """Render the window. `of_all`: actions on the whole table, in the menu of its corner."""
    size = f"{table.rows} × {table.width}"
    caption = quoted(say(lang, "data-caption", name=table.name, rows=table.rows, columns=table.width))
    corner = (
        f'<th class="dt-corner"><button type="button" class="dt-pick" aria-haspopup="dialog" aria-label="{caption}" '
        f'data-column="-1" data-do="{" ".join(of_all)}" data-facts="{caption}">'
        f'<b>{quoted(table.name)}</b><span class="dt-facts">{size}</span></button></th>'
    )
    heads = "".join(_head(column, place, table.rows, lang) for place, column in enumerate(table.columns))
    rows = "".join(_row(table, at, lang) for at in range(len(table.cells)))
    return (
        f'<div class="dt-table dt-scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f'<caption class="unseen" role="status">{caption}</caption><thead><tr>{corner}{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _head(column: TableColumn, place: int, rows: int, lang: str) -> str:
    spread = f"{column.low} … {column.high}" if column.low else ""
    count = say(lang, "data-distinct", count=column.distinct) if column.distinct >= 0 else ""
    lacking = say(lang, "data-missing", count=column.missing) if column.missing else ""
    mean = "" if column.mean is None else say(lang, "data-mean", mean=number(column.mean))
    facts = " · ".join(filter(None, (column.dtype, count, spread, mean, lacking)))
    warns = f'<b class="dt-lack">{quoted(lacking)}</b>' if lacking else ""
    return (
        f'<th scope="col" class="{_kind(column)}"><button type="button" class="dt-pick" aria-haspopup="dialog" '
        f'tabindex="-1" data-column="{place}" data-do="{" ".join(actions(column))}" '
        f'data-makes="{column.distinct + (column.missing > 0)}" data-facts="{quoted(facts)}">'
        f"<b>{quoted(column.name) or '&nbsp;'}</b>{_histogram(column, rows)}"
        f'<span class="dt-facts">{quoted(spread or count) or "&nbsp;"}</span>{warns}</button></th>'
    )


def _histogram(column: TableColumn, rows: int) -> str:
    """Draw the counts of a column's values, above a line whose dashed part are the missing cells."""
    tallest, count = max(column.bars, default=0), len(column.bars)
    path, wide = "", WIDE / max(count, 1)
    for place, bar in enumerate(column.bars):
        high = max(LEAST, bar / tallest * HIGH) if bar else 0
        path += f"M{place * wide + 0.5:.1f},{HIGH}v-{high:.1f}h{wide - 1:.1f}v{high:.1f}z" if bar else ""
    there = WIDE * (1 - column.missing / max(rows, 1))
    return (
        f'<svg class="dt-bars" viewBox="0 0 {WIDE} {HIGH + 4}" width="{WIDE}" height="{HIGH + 4}" aria-hidden="true">'
        f'<path d="{path}"/><path class="there" d="M0,{HIGH + 2.5}H{there:.1f}"/>'
        f'<path class="missing" d="M{there:.1f},{HIGH + 2.5}H{WIDE}"/></svg>'
    )


def _row(table: Table, at: int, lang: str) -> str:
    cells = "".join(
        f'<td class="{_kind(column)}{" none" * (text is None)}">{_words(text, lang)}</td>'
        for text, column in zip(table.cells[at], table.columns, strict=True)
    )
    return f'<tr><th scope="row">{quoted(table.labels[at])}</th>{cells}</tr>'


def _words(text: str | None, lang: str) -> str:
    return quoted(text) if text is not None else f'<span class="dt-none">{quoted(say(lang, "missing"))}</span>'


def _kind(column: TableColumn) -> str:
    """Return a column's cell class: numbers are right-aligned."""
    return "num" if column.kind == "number" else "txt"

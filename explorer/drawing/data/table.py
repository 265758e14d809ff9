"""A window of a table: heads with type, missing cells and range; cells.

A button says by data-choose what was pressed: `column N`, N from 0 within the window.
"""

from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.trace import Table, TableColumn


def table_html(table: Table, chosen: str, lang: str) -> str:
    """The window; `chosen`: the name of a column that is marked."""
    heads = "".join(_head(column, place, column.name == chosen, lang) for place, column in enumerate(table.columns))
    rows = "".join(_row(table, at, lang) for at in range(len(table.cells)))
    corner = f'<th class="dt-corner"><span class="unseen">{quoted(say(lang, "data-row"))}</span></th>'
    caption = quoted(say(lang, "data-caption", name=table.name, rows=table.rows, columns=table.width))
    return (
        f'<div class="dt-table dt-scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f'<caption class="unseen">{caption}</caption><thead><tr>{corner}{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _head(column: TableColumn, place: int, chosen: bool, lang: str) -> str:
    facts = [f"<code>{quoted(column.dtype)}</code>"]
    if column.missing:
        facts.append(f'<b class="dt-lack">{quoted(say(lang, "data-missing", count=column.missing))}</b>')
    if column.distinct >= 0:
        facts.append(quoted(say(lang, "data-distinct", count=column.distinct)))
    if column.low:
        facts.append(quoted(f"{column.low} … {column.high}"))
    return (
        f'<th scope="col" class="{_kind(column)}{" is-chosen" * chosen}" data-lit="column{place}">'
        f'<button type="button" class="dt-pick" data-choose="column {place}" aria-pressed="{str(chosen).lower()}">'
        f"{quoted(column.name) or '&nbsp;'}</button>"
        f'<div class="dt-told">{" · ".join(facts)}</div></th>'
    )


def _row(table: Table, at: int, lang: str) -> str:
    cells = "".join(
        f'<td class="{_kind(column)}{" none" * (text is None)}">{_words(text, lang)}</td>'
        for text, column in zip(table.cells[at], table.columns, strict=True)
    )
    return f'<tr data-lit="row{at}"><th scope="row">{quoted(table.labels[at])}</th>{cells}</tr>'


def _words(text: str | None, lang: str) -> str:
    return quoted(text) if text is not None else f'<span class="dt-none">{quoted(say(lang, "data-none"))}</span>'


def _kind(column: TableColumn) -> str:
    """The class of a column's cells and of its head: numbers end at the right."""
    return "num" if column.kind == "number" else "txt"

"""A window of a table: heads with type, missing cells and distribution, cells, and two of them side by side.

A button says by data-choose what was pressed: `column N` or `sort N`, N from 0 within the window. Rows and columns that
belong together share a word of data-lit.
"""

from collections.abc import Sequence

from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Table, TableColumn, TablePart, TableWindow

MANY = 5  # columns beyond which, of two tables side by side, those that changed stand first
WIDE, DATED, TALL = 96, 130, 26  # px of a distribution, wider where dates stand at its ends
DAY = len("2024-12-31")  # characters of a moment without its time
MOST_TITLE = 200


def table_html(table: Table, window: TableWindow, chosen: str, lang: str) -> str:
    """The window; beside it the table before the step, if it was kept."""
    after = _part(table.part, table, window, chosen, "after", lang)
    if table.before is None:
        return f'<div class="dt-table">{after}</div>'
    before = _part(table.before, table, window, "", "before", lang)
    heads = [say(lang, f"data-{which}") for which in ("before", "after")]
    return (
        '<div class="dt-table dt-pair">'
        f"<section><h3>{quoted(heads[0])}</h3>{before}</section><section><h3>{quoted(heads[1])}</h3>{after}</section></div>"
    )


def _part(part: TablePart, table: Table, window: TableWindow, chosen: str, which: str, lang: str) -> str:
    names = [column.name for column in table.part.columns]
    marks = set(table.part.marks)
    if which == "before":  # the same cells, where their column stood
        width = len(names)
        places = {name: place for place, name in enumerate(column.name for column in part.columns)}
        marks = {
            (mark // width) * len(part.columns) + places[names[mark % width]]
            for mark in marks
            if names[mark % width] in places
        }
    states = any(column.state != "same" for column in table.part.columns)  # one line more in every head
    order = list(range(len(part.columns)))
    if table.before is not None and len(names) > MANY:
        same = {column.name for column in table.part.columns if column.state == "same"}
        order.sort(key=lambda place: part.columns[place].name in same)
    heads = "".join(
        _head(part.columns[place], place, window, part.columns[place].name == chosen, which, states, lang)
        for place in order
    )
    rows = "".join(_row(part, at, marks, which, lang) for at in range(len(part.cells)))
    corner = f'<th class="dt-corner"><span class="unseen">{quoted(say(lang, "data-row"))}</span></th>'
    caption = quoted(say(lang, "data-caption", name=part.name, rows=part.rows, columns=part.width))
    return (
        f'<div class="dt-scroll" tabindex="0" role="region" aria-label="{caption}"><table>'
        f'<caption class="unseen">{caption}</caption><thead><tr>{corner}{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _head(
    column: TableColumn, place: int, window: TableWindow, chosen: bool, which: str, states: bool, lang: str
) -> str:
    sorted_by = window.sort == column.name and which == "after"
    order = {"up": "ascending", "down": "descending"}.get(window.order, "other") if sorted_by else "none"
    name = f'<span class="dt-name">{quoted(column.name) or "&nbsp;"}</span>'
    if which == "after":
        arrow = {"ascending": "↑", "descending": "↓"}.get(order, "↕")
        pressed = ' aria-pressed="true"' if chosen else ' aria-pressed="false"'
        words = quoted(say(lang, "data-sort", name=column.name))
        name = (
            f'<button type="button" class="dt-pick" data-choose="column {place}"{pressed}>{name}</button>'
            f'<button type="button" class="dt-sort" data-choose="sort {place}" '
            f'aria-label="{words}" title="{words}">{arrow}</button>'
        )
    facts = [f"<code>{quoted(column.dtype)}</code>"]
    if column.missing:
        facts.append(f'<b class="dt-lack">{quoted(say(lang, "data-missing", count=column.missing))}</b>')
    if column.distinct >= 0:
        facts.append(quoted(say(lang, "data-distinct", count=column.distinct)))
    state = '<em class="dt-state">&nbsp;</em>' if states else ""
    if column.state != "same" and which == "after":
        state = f'<em class="dt-state">{quoted(say(lang, f"data-state-{column.state}", count=column.changed))}</em>'
    names = f"{_kind(column)}{' is-chosen' if chosen else ''}"
    return (
        f'<th scope="col" aria-sort="{order}" class="{names}" data-lit="column{place}">'
        f'<div class="dt-title">{name}</div><div class="dt-told">{" · ".join(facts)}</div>'
        f"{_bars(column, lang)}{state}</th>"
    )


def _bars(column: TableColumn, lang: str) -> str:
    """The distribution: bars from low to high, or one for each frequent value."""
    if not column.bars or not max(column.bars):
        return f'<div class="dt-bars"><span class="dt-ends">{quoted(column.low)}</span></div>'
    span = DATED if column.kind == "date" else WIDE
    most, wide = max(column.bars), min(16, span / len(column.bars))
    drawn = "".join(
        f'<rect x="{at * wide + 0.5:.1f}" y="{TALL - max(1, TALL * count / most):.1f}" width="{wide - 1:.1f}" '
        f'height="{max(1, TALL * count / most):.1f}"><title>{quoted(_bar_words(column, at))}</title></rect>'
        for at, count in enumerate(column.bars)
        if count
    )
    low, high = (column.low[:DAY], column.high[:DAY]) if column.kind == "date" else (column.low, column.high)
    ends = f"{quoted(low)}</span><span>{quoted(high)}" if not column.common else _frequent(column)
    return (
        f'<div class="dt-bars{" is-date" if column.kind == "date" else ""}">'
        f'<svg viewBox="0 0 {span} {TALL}" width="{span}" height="{TALL}" role="img" '
        f'aria-label="{quoted(summary(column, lang))}">{drawn}</svg>'
        f'<span class="dt-ends"><span>{ends}</span></span></div>'
    )


def _frequent(column: TableColumn) -> str:
    return quoted(", ".join(column.common[:3]))


def _bar_words(column: TableColumn, at: int) -> str:
    return f"{column.common[at]}: {column.bars[at]}" if at < len(column.common) else str(column.bars[at])


def summary(column: TableColumn, lang: str) -> str:
    """A column's distribution in words, for screen readers."""
    if column.common:
        said = ", ".join(f"{text} ({count})" for text, count in zip(column.common, column.bars, strict=False))
        return say(lang, "data-frequent", values=said)[:MOST_TITLE]
    mean = "" if column.mean is None else number(column.mean)
    return say(lang, "data-range", low=column.low, high=column.high, mean=mean or "none")


def _row(part: TablePart, at: int, marks: set[int], which: str, lang: str) -> str:
    named = part.labels[at]
    if named is None:
        words = quoted(say(lang, "data-gone" if which == "after" else "data-not-yet"))
        wide = max(1, len(part.columns))
        cell = f'<td colspan="{wide}">{words}</td>'
        return f'<tr class="dt-gone" data-lit="row{at}"><th scope="row">—</th>{cell}</tr>'
    width = len(part.columns)
    cells = "".join(
        _cell(text, part.columns[place], at * width + place in marks, which, lang)
        for place, text in enumerate(part.cells[at])
    )
    return f'<tr data-lit="row{at}"><th scope="row">{quoted(named)}</th>{cells}</tr>'


def _cell(text: str | None, column: TableColumn, marked: bool, which: str, lang: str) -> str:
    new = which == "after" and column.state == "new"
    words = quoted(text) if text is not None else f'<span class="dt-none">{quoted(say(lang, "data-none"))}</span>'
    if marked:
        words = f"<ins>{words}</ins>" if which == "after" else f"<del>{words}</del>"
    names = f"{_kind(column)}{' none' if text is None else ''}{' dt-new' if new else ''}"
    names += f" dt-{which}-mark" if marked else ""
    return f'<td class="{names}">{words}</td>'


def _kind(column: TableColumn) -> str:
    """The class of a column's cells and of its head: numbers end at the right."""
    return "num" if column.kind == "number" else "txt"


def steps_html(steps: Sequence[tuple[int, str, str, bool]], lang: str) -> str:
    """The statements that changed a table, one button each: index, text, size of its table, whether it is shown."""
    items = "".join(
        f'<li><button type="button" data-choose="step {index}" aria-pressed="{str(shown).lower()}">'
        f'<code>{quoted(text)}</code> <span class="dt-size">{quoted(size)}</span></button></li>'
        for index, text, size, shown in steps
    )
    title = quoted(say(lang, "data-steps"))
    return f'<div class="dt-steps"><h3>{title}</h3><ol class="tensor-list">{items}</ol></div>'

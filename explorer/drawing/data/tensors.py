"""Table columns next to their tensor columns, and weight gradients by column name.

Above them is the table's window with type, missing cells and range of each column. A button's data-choose is `column
N`, with N from 0 within the window.
"""

import math

from explorer.analysis.data.gradients import Weighted
from explorer.analysis.data.steps import BESIDE
from explorer.drawing.color import Scale, top_of
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shape_text
from explorer.trace import Table, TableColumn, TableTensor

MOST_ROWS = 8  # rows drawn per tensor
MOST_COLUMNS = 40


def tensor_html(linked: TableTensor, shape: tuple[int, ...], dtype: str, lang: str) -> str:
    """Render a tensor's first rows under their columns' names. Hovering highlights both."""
    columns = linked.columns[:MOST_COLUMNS]
    names = "".join(
        f'<th scope="col" data-lit="{_word(linked, at)}" tabindex="0">{quoted(name)}</th>'
        for at, name in enumerate(columns)
    )
    single = len(shape) == 1
    places = "".join(
        f'<th scope="col" data-lit="{_word(linked, at)}"><code>'
        f"{quoted(linked.name if single else f'{linked.name}[:, {at}]')}</code></th>"
        for at in range(len(columns))
    )
    rows = "".join(
        f'<tr><th scope="row">{at}</th>'
        + "".join(
            f'<td class="num" data-lit="{_word(linked, k)}">{quoted(number(entry, digits=6))}</td>'
            for k, entry in enumerate(row[:MOST_COLUMNS])
        )
        + "</tr>"
        for at, row in enumerate(linked.entries[:MOST_ROWS])
    )
    facts = quoted(say(lang, "data-tensor", name=linked.name, shape=shape_text(shape), dtype=dtype, table=linked.table))
    left = shape[0] - MOST_ROWS if shape else 0
    more = f'<p class="quiet">{quoted(say(lang, "data-more-rows", count=left))}</p>' if left > 0 else ""
    return (
        f'<figure class="dt-tensor"><figcaption>{facts}</figcaption>'
        f'<div class="dt-scroll" tabindex="0" role="region" aria-label="{facts}"><table><thead>'
        f'<tr class="dt-from"><th scope="row"><code>{quoted(linked.table)}</code></th>{names}</tr>'
        f'<tr class="dt-to"><th scope="row"><code>{quoted(linked.name)}</code></th>{places}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{more}</figure>"
    )


def _word(linked: TableTensor, at: int) -> str:
    return f"{quoted(linked.table).replace(' ', '-')}.{at}"


def reasons_html(reasons: list[tuple[str, str]]) -> str:
    """List the columns that cannot become a tensor, with reasons."""
    items = "".join(f"<li><code>{quoted(name)}</code> {quoted(why)}</li>" for name, why in reasons)
    return f'<ul class="dt-reasons">{items}</ul>' if reasons else ""


def weights_html(sum_of: Weighted, chosen: int, lang: str) -> str:
    """Render each weight's gradient with its column's name, as buttons."""
    gradients = sum_of.gradients or ()
    scale = Scale(top_of(gradients) or 1.0)
    rows = "".join(
        f'<tr class="{"is-chosen" if at == chosen else ""}"><th scope="row">'
        f'<button type="button" data-choose="weight {at}" '
        f'aria-pressed="{str(at == chosen).lower()}">{quoted(name)}</button></th>'
        f"<td><code>{quoted(sum_of.weights)}[{at}]</code></td>"
        f"<td>{_bar(gradient, scale)}</td></tr>"
        for at, (name, gradient) in enumerate(zip(sum_of.columns, gradients, strict=False))
    )
    heads = "".join(
        f'<th scope="col">{quoted(say(lang, f"data-{column}"))}</th>' for column in ("column", "weight", "gradient")
    )
    return f'<table class="dt-weights"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def pulls_html(pulls: Table, name: str, lang: str) -> str:
    """Render the rows that contribute most to a weight's gradient, as signed bars."""
    places = [at for at, column in enumerate(pulls.columns) if column.name == name]
    if not places:
        return ""
    beside = [at for at, column in enumerate(pulls.columns) if column.name in BESIDE]
    rows = [
        (pulls.labels[at], [row[place] or "" for place in beside], _read(row[places[0]]))
        for at, row in enumerate(pulls.cells)
    ]
    scale = Scale(top_of(pull for *_, pull in rows) or 1.0)
    items = "".join(
        f'<tr><th scope="row">{quoted(label)}</th>'
        + "".join(f'<td class="num">{quoted(_shorter(text))}</td>' for text in texts)
        + f"<td>{_bar(pull, scale)}</td></tr>"
        for label, texts, pull in rows
    )
    names = dict(zip(BESIDE, ("predicted", "given"), strict=True))
    asked = ["row", *(names[pulls.columns[at].name] for at in beside), "pull"]
    heads = "".join(f'<th scope="col">{quoted(say(lang, f"data-{heading}"))}</th>' for heading in asked)
    return f'<table class="dt-weights dt-pulls"><thead><tr>{heads}</tr></thead><tbody>{items}</tbody></table>'


def _shorter(text: str) -> str:
    """Shorten a number."""
    entry = _read(text)
    return number(entry, digits=4) if math.isfinite(entry) else text


def _read(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


def _bar(gradient: float, scale: Scale) -> str:
    """Render a signed number with a bar from the middle."""
    share = min(1.0, abs(gradient) / scale.largest) if math.isfinite(gradient) else 0.0
    side = "neg" if gradient < 0 else "pos"
    name = side if math.isfinite(gradient) else "bad"
    return (
        f'<span class="dt-bar {name}"><i style="--share:{share * 50:.1f}%"></i></span>'
        f'<span class="dt-number {name}">{quoted(number(gradient, signed=True))}</span>'
    )


def table_html(table: Table, chosen: str, lang: str) -> str:
    """Render the window. `chosen`: name of the marked column."""
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
        f'<div class="dt-facts">{" · ".join(facts)}</div></th>'
    )


def _row(table: Table, at: int, lang: str) -> str:
    cells = "".join(
        f'<td class="{_kind(column)}{" none" * (text is None)}">{_words(text, lang)}</td>'
        for text, column in zip(table.cells[at], table.columns, strict=True)
    )
    return f'<tr data-lit="row{at}"><th scope="row">{quoted(table.labels[at])}</th>{cells}</tr>'


def _words(text: str | None, lang: str) -> str:
    return quoted(text) if text is not None else f'<span class="dt-none">{quoted(say(lang, "missing"))}</span>'


def _kind(column: TableColumn) -> str:
    """Return a column's cell class: numbers are right-aligned."""
    return "num" if column.kind == "number" else "txt"

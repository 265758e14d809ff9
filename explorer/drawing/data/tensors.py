"""Table columns next to their tensor columns, and weight gradients by column name."""

import math

from explorer.analysis.views.data.data_gradients import Weighted
from explorer.analysis.views.data.data_steps import BESIDE
from explorer.drawing.color import Scale, top_of
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, shape_text
from explorer.trace import Table, TableTensor

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

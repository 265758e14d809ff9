"""One training step in numbers, and all steps as a table."""

import math

import numpy as np

from explorer.analysis.views.training.strips import MEASURES, Measure, Numbers
from explorer.analysis.views.training.training_view import TrainingView
from explorer.drawing.marks import quoted
from explorer.drawing.training.film import FAULTS, rate_name, remark_text
from explorer.text import say
from explorer.text.numbers import number, shape_text

MOST_LINES = 100  # steps of the table that a page shows


def step_html(view: TrainingView, at: int, lang: str) -> str:
    """Render a kept step: loss, learning rate, loops, and a row for every parameter."""
    facts = [(say(lang, "training-loss"), number(float(view.loss[at]), digits=6))]
    for name, rates in view.rates.items():
        if not math.isnan(rates[at]):
            facts.append((rate_name(view, name, lang), number(float(rates[at]), digits=6)))
    if view.loops[at]:
        facts.append((say(lang, "training-loops"), view.loops[at]))
    items = "".join(f"<div><dt>{quoted(word)}</dt><dd>{quoted(text)}</dd></div>" for word, text in facts)
    heads = ("column-name", "column-shape", *(f"training-measure-{measure}.column" for measure in MEASURES))
    head = "".join(f'<th scope="col">{quoted(say(lang, head))}</th>' for head in heads)
    rows = []
    for parameter in view.parameters:
        cells = "".join(_cell(parameter.measures[measure], at) for measure in MEASURES)
        kind = (
            ' class="is-fault"'
            if parameter.remark and parameter.remark.kind in FAULTS and parameter.remark.step <= at
            else ""
        )
        title = f' title="{quoted(remark_text(parameter.remark, view, lang))}"' if kind and parameter.remark else ""
        name = f'<th scope="row"{title}><code>{quoted(parameter.name)}</code></th>'
        rows.append(f"<tr{kind}>{name}<td>{quoted(shape_text(parameter.shape) or '()')}</td>{cells}</tr>")
    caption = quoted(say(lang, "training-parameters"))
    return (
        f'<dl class="step-facts">{items}</dl><div class="rows"><table class="step-rows"><caption>{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(numbers: Numbers, at: int) -> str:
    if not numbers.there[at]:
        return '<td class="none">–</td>'
    entry = float(numbers.of[at])
    return f"<td{'' if math.isfinite(entry) else ' class=bad'}>{'≈ ' * numbers.sampled}{number(entry)}</td>"


def table_html(view: TrainingView, measure: Measure, lang: str) -> str:
    """Tabulate loss and every parameter's measure over at most MOST_LINES evenly spread steps."""
    picked = np.unique(np.linspace(0, len(view.steps) - 1, min(MOST_LINES, len(view.steps))).round().astype(int))
    names = [parameter.name for parameter in view.parameters]
    first = (say(lang, "training-step"), say(lang, "training-loss"))
    head = "".join(f'<th scope="col">{quoted(heading)}</th>' for heading in first)
    head += "".join(f'<th scope="col"><code>{quoted(name)}</code></th>' for name in names)
    lines = []
    for at in picked.tolist():
        cells = "".join(_cell(parameter.measures[measure], at) for parameter in view.parameters)
        loss = float(view.loss[at])
        bad = "" if math.isfinite(loss) else " class=bad"
        step = int(view.steps[at])
        lines.append(f'<tr><th scope="row">{step}</th><td{bad}>{number(loss, digits=5)}</td>{cells}</tr>')
    words = say(lang, "training-table-caption", measure=say(lang, f"training-measure-{measure}"))
    return (
        f'<div class="rows table-of-steps"><table><caption>{quoted(words)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )

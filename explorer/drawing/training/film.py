"""Draw a training as HTML: loss curve and strips.

The strips share one width, so that a cursor marks one step in all of them (`film.js`). A strip is one path for each
colour, so a thousand steps take a few kilobytes. Notebooks and files get a self-contained page.
"""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from explorer.analysis.views.training.strips import (
    BAD,
    LEVELS,
    MISSING,
    ZERO,
    Measure,
    Numbers,
    RowRemark,
    StripScale,
    scale_of,
    sizes_of,
)
from explorer.analysis.views.training.training_view import ParameterSteps, TrainingView, step_marks
from explorer.drawing.graph.svg import style
from explorer.drawing.marks import quoted
from explorer.drawing.plots.chart import runs, ticks
from explorer.drawing.scripts import page_frame, saved_page
from explorer.drawing.style import sheet
from explorer.drawing.training.loss import Earlier, begins_html, loss_html, loss_name, mark_text
from explorer.text import say
from explorer.text.numbers import number, numbers, visible

HERE = Path(__file__).parent
ROW, AROUND = 29, 330  # px of a strip with its gap, and of everything else
_PAGE = "body{margin:0;padding:16px 20px;background:var(--bg);color:var(--ink)}"


def training_page(film: str, film_numbers: Mapping[str, object], lang: str, title: str, sentence: str = "") -> str:
    """Build an HTML page that follows the system's theme.

    Args:
        film, film_numbers: output of `film_html` and `film_data`, inserted unchanged.
        title, sentence: plain text, escaped here. `sentence` is above the curves.
    """
    words = f'<p class="message-line">{quoted(sentence)}</p>' if sentence else ""
    body, css = f'<body>{words}<div class="film-root">{film}</div>', f"{style()}{sheet('training')}{_PAGE}"
    return saved_page(HERE / "page.js", title, lang, css, body, {"film": film_numbers})


def training_frame(page: str, title: str, rows: int) -> str:
    """Embed the page as an iframe, as high as its strips need."""
    return page_frame(page, title, AROUND + ROW * rows)


COLUMNS = 300  # columns of a strip
MOST_ROWS = 60  # strips drawn
TICKS = 7  # numbers on the axis of steps, at most
SPEEDS = (0.5, 1, 2, 4)  # playback speeds
FAULTS = ("nan", "infinite", "exploding", "vanishing", "dead")  # remarks that mark a fault


def film_html(view: TrainingView, measure: Measure, lang: str, row: int = -1, earlier: Earlier | None = None) -> str:
    """Render loss and strips."""
    shown = view.parameters[:MOST_ROWS]
    views = (view, *(earlier.views if earlier else ()))  # one colour scale for all
    compared = [steps for one in views for steps in one.parameters[:MOST_ROWS]]
    scale = scale_of([steps.measures[measure] for steps in compared], measure)
    rows = "".join(
        _row(view, number_, steps, measure, scale, row == number_, lang) for number_, steps in enumerate(shown)
    )
    left = len(view.parameters) - len(shown) + view.left
    first, last = map(int, view.steps[[0, -1]] if len(view.steps) else (0, 0))
    more = f'<p class="quiet">{quoted(say(lang, "training-more-rows", count=left))}</p>' if left else ""
    return (
        f'<figure class="film of-{measure}">'
        f"{_bar(lang)}"
        f'<div class="film-grid">{loss_name(view, lang, earlier)}'
        f'<span class="film-remark"></span>{loss_html(view, lang, earlier)}'
        f'<span class="film-value" data-row="loss"></span>{_heads(measure, lang) if shown else ""}'
        f"{rows}{_axis(view, lang)}"
        f'<div class="film-over" role="slider" tabindex="0" aria-label="{quoted(say(lang, "training-step"))}"'
        f' aria-valuemin="{first}" aria-valuemax="{last}" aria-valuenow="{last}">'
        f'<i class="film-line"></i></div></div>{more}{_legend(scale, shown, compared, measure, lang)}</figure>'
    )


def film_data(
    view: TrainingView, measure: Measure, lang: str, earlier: Earlier | None = None, opens: bool = False
) -> dict[str, object]:
    """Return each step's numbers as base64 of little-endian float32, −1 if missing."""
    shown, beside = (
        [parameter.measures[of] for parameter in view.parameters[:MOST_ROWS]] for of in (measure, _beside(measure))
    )
    marks = [(mark.at, mark_text(mark, lang) if mark.kind != "bad" else "") for mark in step_marks(view)]
    words = ("play", "pause")
    return {
        "at": -1,
        "steps": view.steps.tolist(),
        "loops": [visible(loop) for loop in view.loops],
        "loss": _packed(view.loss),
        "rows": [_packed(np.where(numbers.there, numbers.of, -1.0)) for numbers in shown],
        "sampled": [numbers.sampled for numbers in shown],
        "beside": [_packed(np.where(numbers.there, numbers.of, -1.0)) for numbers in beside],
        "besideSampled": [numbers.sampled for numbers in beside],
        "rates": [[rate_name(view, name, lang), _packed(rates)] for name, rates in view.rates.items()],
        "marks": marks,  # the loss itself shows that it is not a number
        "before": _before(view, earlier),
        "opens": opens and bool((view.backwards >= 0).any()),
        "words": {word: say(lang, f"player-{word}") for word in words}
        | {"step": say(lang, "training-at-step", step="{step}"), "loss": say(lang, "training-loss")}
        | {"before": earlier.names[0] if earlier else ""},
    }


def _beside(measure: Measure) -> Measure:
    """Return the measure shown next to the strips', since gradients and updates belong together."""
    return "gradient" if measure == "update" else "update"


def rate_name(view: TrainingView, name: str, lang: str) -> str:
    """Name a learning rate, with its optimizer if there are several."""
    return say(lang, "training-rate-of", name=name) if len(view.rates) > 1 else say(lang, "training-rate")


def _before(view: TrainingView, earlier: Earlier | None) -> str:
    """Return an earlier run's loss at the same steps, −inf if missing."""
    if earlier is None or not earlier.names[0] or not len(earlier.view.steps):
        return ""
    at = np.minimum(np.searchsorted(earlier.view.steps, view.steps), len(earlier.view.steps) - 1)
    return _packed(np.where(earlier.view.steps[at] == view.steps, earlier.view.loss[at], -np.inf))


def _bar(lang: str) -> str:
    """Render the play controls and the current step's text."""
    first, play, speed, graph = (
        quoted(say(lang, words)) for words in ("player-first", "player-play", "player-speed", "training-open-step")
    )
    speeds = "".join(f'<option value="{times}"{" selected" * (times == 1)}>{times}×</option>' for times in SPEEDS)
    return (
        f'<div class="film-bar"><button type="button" class="film-first" aria-label="{first}" title="{first}"></button>'
        f'<button type="button" class="film-play" aria-label="{play}" title="{play}"></button>'
        f'<select class="film-speed" aria-label="{speed}" title="{speed}">{speeds}</select>'
        f'<p class="film-now" role="status"></p>'
        f'<button type="button" class="film-graph" hidden>{graph}</button></div>'
    )


def _heads(measure: Measure, lang: str) -> str:
    """Render the heads of the two number columns."""
    return "".join(
        f'<span class="film-head is-{place}">{quoted(say(lang, f"training-measure-{of}.short"))}</span>'
        for place, of in (("strip", measure), ("beside", _beside(measure)))
    )


def remark_text(remark: RowRemark, view: TrainingView, lang: str) -> str:
    """Describe a row's remark in two or three words."""
    return say(
        lang,
        f"training-remark.{remark.kind}",
        step=int(view.steps[remark.step]),
        amount=number(remark.amount, digits=2),
    )


def _packed(numbers: np.ndarray) -> str:
    with np.errstate(over="ignore"):
        return base64.b64encode(numbers.astype("<f4").tobytes()).decode("ascii")


def _row(
    view: TrainingView, place: int, steps: ParameterSteps, measure: Measure, scale: StripScale, chosen: bool, lang: str
) -> str:
    numbers = steps.measures[measure]
    remark = steps.remark
    words = remark_text(remark, view, lang) if remark else ""
    converged = remark is not None and remark.kind == "vanishing" and remark.step > 0
    kind = "" if remark is None else " is-fault" if remark.kind in FAULTS and not converged else " is-note"
    about = say(lang, f"training-measure-{measure}")
    values, sign = numbers.of[numbers.there], "≈ " * numbers.sampled
    ends = [sign + number(float(part)) for part in values[[0, -1]]] if len(values) else ["–", "–"]
    label = say(lang, "training-strip", name=steps.name, measure=about, first=ends[0], last=ends[1], remark=words)
    name = quoted(steps.name)
    return (
        f'<button type="button" class="film-name{kind}" data-parameter="{place}" aria-pressed="{str(chosen).lower()}"'
        f' title="{name}"><code>{name}</code></button>'
        f'<span class="film-remark{kind}">{quoted(words)}</span>'
        f'<span class="film-strip" role="img" aria-label="{quoted(label)}">{_strip(numbers, scale)}'
        f"{_mark(view, remark)}</span>"
        f'<span class="film-value" data-row="{place}"></span><span class="film-beside" data-row="{place}"></span>'
    )


def _strip(numbers: Numbers, scale: StripScale) -> str:
    """Draw colours as one path each. Exact zeros stay hatched."""
    columns = min(COLUMNS, max(1, len(numbers.of)))
    levels = scale.levels(numbers, columns).tolist()
    paths: dict[int, list[str]] = {}
    for level, start, end in runs(levels):
        paths.setdefault(level, []).append(f"M{start} 0h{end - start}v1h-{end - start}z")
    drawn = "".join(f'<path {_paint(level)} d="{"".join(parts)}"/>' for level, parts in paths.items() if level != ZERO)
    return f'<svg viewBox="0 0 {columns} 1" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>'


def _paint(level: int) -> str:
    if level == BAD:
        return 'class="bad"'
    if level == MISSING:
        return 'class="missing"'
    return f'class="heat" style="--t:{100 * level / (LEVELS - 1):.0f}"'


def _mark(view: TrainingView, remark: RowRemark | None) -> str:
    """Mark where NaN or infinity begins."""
    if remark is None or remark.kind not in ("nan", "infinite"):
        return ""
    return begins_html(remark.step, view, "NaN" if remark.kind == "nan" else "∞")


def _axis(view: TrainingView, lang: str) -> str:
    """Render the step numbers under the strips."""
    steps = view.steps
    if not len(steps):
        return ""
    wanted = [int(tick) for tick in ticks(float(steps[0]), float(steps[-1]), TICKS - 1) if tick == int(tick)]
    places = sorted({0, *(int(np.abs(steps - tick).argmin()) for tick in wanted)})
    shares = [(place + 0.5) / len(steps) for place in places]
    shown = [0] + [k for k in range(1, len(places)) if shares[k] - shares[0] > 0.06]
    names = "".join(f'<span style="left:{100 * shares[k]:.2f}%">{int(steps[places[k]])}</span>' for k in shown)
    word = quoted(say(lang, "training-step"))
    return f'<span class="film-name is-axis">{word}</span><span class="film-axis" aria-hidden="true">{names}</span>'


def _legend(
    scale: StripScale, shown: Sequence[ParameterSteps], compared: Sequence[ParameterSteps], measure: Measure, lang: str
) -> str:
    """Render the colour legend with its end numbers."""
    rows = [parameter.measures[measure] for parameter in shown]
    seen = {
        "zero": any((row.of[row.there] == 0).any() for row in rows),
        "missing": any(not row.there.all() for row in rows),
        "bad": any(row.bad.any() for row in rows),
    }
    sizes = sizes_of([parameter.measures[measure] for parameter in compared])
    low, high = scale.seen(sizes)
    below, above = bool((sizes < 0.99 * low).any()), bool((sizes > 1.01 * high).any())
    least, largest = numbers([low, high])
    ends = "≤ " * below + least, "≥ " * above + largest
    shades = "".join(f"--{end}:{100 * scale.share(size):.0f}%;" for end, size in (("low", low), ("high", high)))
    upper = f"<span>{ends[1]}</span>" * (ends[0] != ends[1])
    ramp = f'<span class="film-ramp"><span>{ends[0]}</span><i style="{shades}"></i>{upper}</span>' * bool(len(sizes))
    log = f" ({say(lang, 'training-log')})" if scale.logarithmic else ""
    about = quoted(say(lang, f"training-measure-{measure}") + log)
    words = {mark: quoted(say(lang, f"training-legend.{mark}")) for mark, there in seen.items() if there}
    marks = "".join(f'<span><i class="{mark}"></i>{text}</span>' for mark, text in words.items())
    return f'<figcaption class="film-legend of-{measure}"><span>{about}</span>{ramp}{marks}</figcaption>'

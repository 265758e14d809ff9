"""The loss over the steps, and below it a strip for each parameter whose colour is the size of its numbers: HTML.

The strips share one width, so that a cursor stands at one step in all of them (`film.js`). A strip is one path per
colour: a thousand steps are a few kilobytes.
"""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.analysis.training.strips import (
    BAD,
    LEVELS,
    MISSING,
    ZERO,
    Measure,
    Numbers,
    RowRemark,
    StripScale,
    scale_of,
)
from explorer.analysis.training.view import ParameterSteps, TrainingView
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number, visible

COLUMNS = 300  # of a strip
MOST_ROWS = 60  # strips that are drawn
TICKS = 7  # numbers on the axis of steps, at most
LOGARITHMIC = 1e3  # from such a ratio of the largest loss to the least on, its axis is logarithmic
FAULTS = ("nan", "infinite", "exploding", "vanishing", "dead")  # remarks that are more than a note


@dataclass(frozen=True, eq=False)
class Earlier:
    """The curves of a run before this one, drawn in grey.

    Attributes:
        view: of that run.
        changed: what is different now, as short texts: "lr 0.03 → 0.1".
    """

    view: TrainingView
    changed: tuple[str, ...]


def film_html(view: TrainingView, measure: Measure, lang: str, row: int = -1, earlier: Earlier | None = None) -> str:
    """Loss and strips.

    Args:
        measure: what the strips show.
        row: index of the parameter that is chosen, −1 for none.
    """
    shown = view.parameters[:MOST_ROWS]
    scale = scale_of([steps.measures[measure] for steps in shown], measure)
    label = quoted(say(lang, "training-loss"))
    rows = "".join(
        _row(view, number_, steps, measure, scale, row == number_, lang) for number_, steps in enumerate(shown)
    )
    left = len(view.parameters) - len(shown) + view.left
    more = f'<p class="quiet">{quoted(say(lang, "training-more-rows", count=left))}</p>' if left else ""
    return (
        f'<figure class="film of-{measure}">'
        f'<p class="film-now" role="status"></p>'
        f'<div class="film-grid"><span class="film-name is-loss"><b>{label}</b>{_loss_name(view)}</span>'
        f'<span class="film-remark"></span>{_loss(view, lang, earlier)}'
        f'<span class="film-value" data-row="loss"></span>'
        f"{rows}{_axis(view, lang)}"
        f'<div class="film-over" role="slider" tabindex="0" aria-label="{quoted(say(lang, "training-step"))}"'
        f' aria-valuemin="{_first(view)}" aria-valuemax="{_last(view)}" aria-valuenow="{_last(view)}">'
        f'<i class="film-line"></i></div></div>{more}{_legend(scale, shown, measure, lang)}</figure>'
    )


def film_data(view: TrainingView, measure: Measure, lang: str) -> dict[str, object]:
    """The cursor's numbers for each step, as base64 of little-endian float32; −1 where a strip has none."""
    shown = [parameter.measures[measure] for parameter in view.parameters[:MOST_ROWS]]
    return {
        "at": -1,
        "steps": view.steps.tolist(),
        "loops": [visible(loop) for loop in view.loops],
        "loss": _packed(view.loss),
        "rows": [_packed(np.where(numbers.there, numbers.of, -1.0)) for numbers in shown],
        "sampled": [numbers.sampled for numbers in shown],
        "words": {"step": say(lang, "training-at-step", step="{step}"), "loss": say(lang, "training-loss")},
    }


def remark_text(remark: RowRemark, view: TrainingView, lang: str) -> str:
    """What is remarkable in a row, in two or three words."""
    return say(
        lang, f"training-{remark.kind}", step=int(view.steps[remark.step]), amount=number(remark.amount, digits=2)
    )


def _packed(numbers: np.ndarray) -> str:
    with np.errstate(over="ignore"):
        return base64.b64encode(numbers.astype("<f4").tobytes()).decode("ascii")


def _first(view: TrainingView) -> int:
    return int(view.steps[0]) if len(view.steps) else 0


def _last(view: TrainingView) -> int:
    return int(view.steps[-1]) if len(view.steps) else 0


def _loss_name(view: TrainingView) -> str:
    return f"<code>{quoted(view.loss_name)}</code>" if view.loss_name and view.loss_name != "loss" else ""


def _row(
    view: TrainingView, place: int, steps: ParameterSteps, measure: Measure, scale: StripScale, chosen: bool, lang: str
) -> str:
    numbers = steps.measures[measure]
    found = steps.remark
    told = remark_text(found, view, lang) if found else ""
    kind = "" if found is None else " is-fault" if found.kind in FAULTS else " is-note"
    about = say(lang, f"training-measure-{measure}")
    known, sign = numbers.of[numbers.there], "≈ " * numbers.sampled
    ends = [sign + number(float(part)) for part in known[[0, -1]]] if len(known) else ["–", "–"]
    label = say(lang, "training-strip", name=steps.name, measure=about, first=ends[0], last=ends[1], remark=told)
    name = quoted(steps.name)
    return (
        f'<button type="button" class="film-name{kind}" data-parameter="{place}" aria-pressed="{_flag(chosen)}"'
        f' title="{name}"><code>{name}</code></button>'
        f'<span class="film-remark{kind}">{quoted(told)}</span>'
        f'<span class="film-strip" role="img" aria-label="{quoted(label)}">{_strip(numbers, scale)}'
        f"{_mark(view, found)}</span>"
        f'<span class="film-value" data-row="{place}"></span>'
    )


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _strip(numbers: Numbers, scale: StripScale) -> str:
    """The colours as one path each; where a number is exactly zero nothing is drawn, and the hatched ground is seen."""
    columns = min(COLUMNS, max(1, len(numbers.of)))
    levels = scale.levels(numbers, columns).tolist()
    paths: dict[int, list[str]] = {}
    start = 0
    for column in range(1, len(levels) + 1):
        if column == len(levels) or levels[column] != levels[start]:
            paths.setdefault(levels[start], []).append(f"M{start} 0h{column - start}v1h-{column - start}z")
            start = column
    drawn = "".join(f'<path {_paint(level)} d="{"".join(parts)}"/>' for level, parts in paths.items() if level != ZERO)
    return f'<svg viewBox="0 0 {columns} 1" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>'


def _paint(level: int) -> str:
    if level == BAD:
        return 'class="bad"'
    if level == MISSING:
        return 'class="missing"'
    return f'class="heat" style="--t:{100 * level / (LEVELS - 1):.0f}"'


def _mark(view: TrainingView, found: RowRemark | None) -> str:
    """Where NaN or infinity begins."""
    if found is None or found.kind not in ("nan", "infinite"):
        return ""
    return _begins(found.step, view, "NaN" if found.kind == "nan" else "∞")


def _begins(at: int, view: TrainingView, words: str) -> str:
    return f'<b class="film-nan" style="left:{100 * at / max(1, len(view.steps)):.2f}%">{words}</b>'


def _loss(view: TrainingView, lang: str, earlier: Earlier | None) -> str:
    """The loss as a line, steps that are not finite as a hatched band, an earlier run in grey behind it."""
    every = [view.loss] + ([earlier.view.loss] if earlier else [])
    axis = _LossAxis.of(np.concatenate(every))
    count = max(1, len(view.steps))
    centres = (np.arange(len(view.steps)) + 0.5) / count
    behind = ""
    if earlier is not None and len(view.steps) and len(earlier.view.steps):
        seen = (earlier.view.steps >= view.steps[0]) & (earlier.view.steps <= view.steps[-1])
        across = np.interp(earlier.view.steps[seen], view.steps, centres)
        behind = f'<path class="before" d="{_line(across, axis.up(earlier.view.loss[seen]))}"/>'
    bad = ~np.isfinite(view.loss)
    bands = "".join(
        f'<i class="film-bad" style="left:{100 * start / count:.2f}%;width:{100 * (end - start) / count:.2f}%"></i>'
        for start, end in _runs(bad)
    )
    begins = int(bad.argmax())
    first = _begins(begins, view, number(float(view.loss[begins]))) if bad.any() else ""
    lines = "".join(f'<path class="rule" d="M0 {up:.2f}H1000"/>' for up, _ in axis.ticks)
    names = "".join(f'<span style="top:{up:.2f}%">{words}</span>' for up, words in axis.ticks)
    finite = view.loss[~bad]
    ends = (number(float(finite[0])), number(float(finite[-1]))) if len(finite) else ("–", "–")
    told = quoted(say(lang, "training-loss-told", first=ends[0], last=ends[1], count=len(view.steps)))
    log = f"<em>{quoted(say(lang, 'training-log'))}</em>" if axis.logarithmic else ""
    return (
        f'<span class="film-loss" role="img" aria-label="{told}">{bands}'
        f'<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">{lines}{behind}'
        f'<path class="now" d="{_line(centres, axis.up(view.loss))}"/></svg>{first}'
        f'<span class="film-ticks" aria-hidden="true">{names}</span>{log}</span>'
    )


@dataclass(frozen=True)
class _LossAxis:
    """The loss axis. Attributes: low, high: at the foot and the top; logarithms if it is logarithmic."""

    low: float
    high: float
    logarithmic: bool

    @staticmethod
    def of(losses: np.ndarray) -> "_LossAxis":
        finite = losses[np.isfinite(losses)]
        if not len(finite):
            return _LossAxis(0.0, 1.0, False)
        least, most = float(finite.min()), float(finite.max())
        if least > 0 and most / least >= LOGARITHMIC:
            return _LossAxis(math.log10(least), math.log10(most), True)
        if least > 0 and least < 0.5 * most:
            least = 0.0
        if most <= least:
            return _LossAxis(least - 0.5 * (abs(least) or 1), least + 0.5 * (abs(least) or 1), False)
        return _LossAxis(least, most, False)

    def up(self, losses: np.ndarray) -> np.ndarray:
        """In hundredths from the top, NaN where the loss is not finite."""
        with np.errstate(divide="ignore", invalid="ignore"):
            heights = np.log10(losses) if self.logarithmic else losses
            share = (heights - self.low) / (self.high - self.low)
        return np.where(np.isfinite(share), 94 - 88 * np.clip(share, 0, 1), np.nan)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The position of each grid line, and its number."""
        if self.logarithmic:
            every = max(1, round((self.high - self.low) / 3))
            powers = range(math.ceil(self.low), math.floor(self.high) + 1, every)
            found = [10.0**power for power in powers]
        else:
            found = nice(self.low, self.high, 4)
        return [(float(self.up(np.array([tick]))[0]), number(tick)) for tick in found]


def nice(low: float, high: float, most: int) -> list[float]:
    """At most so many round numbers from low to high.

    >>> nice(0.0, 41.0, 3)
    [0.0, 20.0, 40.0]
    """
    if not high > low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(times * power for times in (1, 2, 5, 10, 20) if (high - low) / (times * power) < most)
    first = math.ceil(low / step - 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, math.floor(high / step + 1e-9) + 1)]


def _line(across: np.ndarray, up: np.ndarray) -> str:
    """The points as the data of a path, with a gap if there is none; a single one as a short line."""
    parts, pen = [], "M"
    for x, y in zip((1000 * across).tolist(), up.tolist(), strict=True):
        if math.isnan(y):
            pen = "M"
            continue
        parts.append(f"{pen}{x:.1f} {y:.2f}" + ("h.1" if pen == "M" else ""))
        pen = "L"
    return "".join(parts)


def _runs(holds: np.ndarray) -> list[tuple[int, int]]:
    """Beginning and end of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _axis(view: TrainingView, lang: str) -> str:
    """Numbers of steps under the strips."""
    steps = view.steps
    if not len(steps):
        return ""
    wanted = [int(tick) for tick in nice(float(steps[0]), float(steps[-1]), TICKS - 1) if tick == int(tick)]
    places = sorted({0, *(int(np.abs(steps - tick).argmin()) for tick in wanted)})
    shares = [(place + 0.5) / len(steps) for place in places]
    kept = [0] + [k for k in range(1, len(places)) if shares[k] - shares[0] > 0.06]
    names = "".join(f'<span style="left:{100 * shares[k]:.2f}%">{int(steps[places[k]])}</span>' for k in kept)
    word = quoted(say(lang, "training-step"))
    return f'<span class="film-name is-axis">{word}</span><span class="film-axis" aria-hidden="true">{names}</span>'


def _legend(scale: StripScale, shown: Sequence[ParameterSteps], measure: Measure, lang: str) -> str:
    """The colours with the numbers at their ends, and what else the strips show."""
    rows = [parameter.measures[measure] for parameter in shown]
    seen = {
        "zero": any((row.of[row.there] == 0).any() for row in rows),
        "missing": any(not row.there.all() for row in rows),
        "bad": any(row.bad.any() for row in rows),
    }
    found = [np.abs(row.of[row.there & np.isfinite(row.of) & (row.of != 0)]) for row in rows]
    sizes = np.concatenate([np.zeros(0), *found])
    below, above = bool((sizes < 0.99 * scale.low).any()), bool((sizes > 1.01 * scale.high).any())
    ends = (number(scale.low, digits=2), number(scale.high, digits=2)) if scale.logarithmic else ("0", "1")
    ends = ("≤ " * below + ends[0], "≥ " * above + ends[1])
    about = quoted(say(lang, f"training-measure-{measure}"))
    words = {mark: quoted(say(lang, f"training-legend-{mark}")) for mark, there in seen.items() if there}
    marks = "".join(f'<span><i class="{mark}"></i>{said}</span>' for mark, said in words.items())
    return (
        f'<figcaption class="film-legend of-{measure}"><span>{about}</span>'
        f'<span class="film-ramp"><span>{ends[0]}</span><i></i><span>{ends[1]}</span></span>{marks}</figcaption>'
    )

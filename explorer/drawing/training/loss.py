"""The loss of a training as a line over its steps: marks of what happened on it, an earlier run behind it, in HTML."""

import math
from dataclasses import dataclass

import numpy as np

from explorer.analysis.training.view import StepMark, TrainingView, step_marks
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number

LOGARITHMIC = 1e3  # from such a ratio of the largest loss to the least on, its axis is logarithmic
NEAR = 0.12  # of the width: of two changes of the rate that lie nearer one has words; left of a line, 4 × that
APART = 11  # hundredths of the height between the names of two lines


@dataclass(frozen=True, eq=False)
class Earlier:
    """The curves of a run before this one, drawn as thin lines.

    Attributes:
        view: of that run.
        changed: what is different now, as short texts: "lr 0.03 → 0.1".
        names: of the two lines, "" for none: "lr 0.03" and "lr 0.1".
    """

    view: TrainingView
    changed: tuple[str, ...]
    names: tuple[str, str] = ("", "")


def mark_text(mark: StepMark, lang: str) -> str:
    """What happened: "lowest loss", "learning rate 0.1 → 0.05", NaN."""
    if mark.kind == "bad":
        return number(mark.after)
    if mark.kind == "lowest":
        return say(lang, "training-mark-lowest")
    return say(lang, "training-mark-rate", before=number(mark.before), after=number(mark.after))


def loss_html(view: TrainingView, lang: str, earlier: Earlier | None) -> str:
    """The loss as a line, steps that are not finite as a hatched band, an earlier run as a thin line behind it."""
    axis = _LossAxis.of(np.concatenate([view.loss] + ([earlier.view.loss] if earlier else [])))
    count = max(1, len(view.steps))
    centres = (np.arange(len(view.steps)) + 0.5) / count
    behind, ends = "", [axis.up(view.loss)]
    if earlier is not None and len(view.steps) and len(earlier.view.steps):
        seen = (earlier.view.steps >= view.steps[0]) & (earlier.view.steps <= view.steps[-1])
        across = np.interp(earlier.view.steps[seen], view.steps, centres)
        behind = f'<path class="before" d="{_line(across, axis.up(earlier.view.loss[seen]))}"/>'
        ends.insert(0, axis.up(earlier.view.loss[seen]))
    bad = ~np.isfinite(view.loss)
    bands = "".join(
        f'<i class="film-bad" style="left:{100 * start / count:.2f}%;width:{100 * (end - start) / count:.2f}%"></i>'
        for start, end in _runs(bad)
    )
    rules = "".join(f'<path class="rule" d="M0 {up:.2f}H1000"/>' for up, _ in axis.ticks)
    ticks = "".join(f'<span style="top:{up:.2f}%">{words}</span>' for up, words in axis.ticks)
    finite = view.loss[~bad]
    first, last = (number(float(finite[0])), number(float(finite[-1]))) if len(finite) else ("–", "–")
    told = quoted(say(lang, "training-loss-told", first=first, last=last, count=len(view.steps)))
    log = f"<em>{quoted(say(lang, 'training-log'))}</em>" if axis.logarithmic else ""
    line = _line(centres, axis.up(view.loss))
    size = 'viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"'
    return (
        f'<span class="film-loss" role="img" aria-label="{told}"><span class="film-run">{bands}</span>'
        f'<svg {size}>{rules}{behind}<path class="later" d="{line}"/></svg>'
        f'<svg class="film-run" {size}><path class="now" d="{line}"/></svg>{_marks(view, axis, lang)}'
        f"{_names(earlier.names, ends) if behind and earlier else ''}"
        f'<span class="film-ticks" aria-hidden="true">{ticks}</span>{log}</span>'
    )


def begins_html(at: int, view: TrainingView, words: str) -> str:
    """The mark of the first step that is no number."""
    return (
        f'<b class="film-nan" data-at="{at}" style="left:{100 * at / max(1, len(view.steps)):.2f}%">{quoted(words)}</b>'
    )


def _marks(view: TrainingView, axis: "_LossAxis", lang: str) -> str:
    """What happened, at its step; of changes that lie close together only the first says what changed."""
    drawn, said = [], -1.0
    for mark in step_marks(view):
        words = mark_text(mark, lang)
        across = (mark.at + 0.5) / len(view.steps)
        side = " is-left" if across > 0.7 else ""
        if mark.kind == "bad":
            drawn.append(begins_html(mark.at, view, words))
        elif mark.kind == "lowest":
            up = float(axis.up(view.loss[[mark.at]])[0])
            place = f"left:{100 * across:.2f}%;top:{up:.2f}%"
            drawn.append(
                f'<b class="film-mark is-lowest{side}" data-at="{mark.at}" style="{place}">{quoted(words)}</b>'
            )
        else:
            shown = quoted(words) if said < 0 or across - said > (4 * NEAR if side else NEAR) else ""
            said = across if shown else said
            place = f"left:{100 * across:.2f}%"
            drawn.append(f'<b class="film-mark is-rate{side}" data-at="{mark.at}" style="{place}">{shown}</b>')
    return "".join(drawn)


def _names(names: tuple[str, str], ends: list[np.ndarray]) -> str:
    """The name of each line at its end, apart from each other."""
    tops = [float(up[np.isfinite(up)][-1]) if np.isfinite(up).any() else 50.0 for up in ends]
    if abs(tops[0] - tops[1]) < APART:
        upper = 0 if tops[0] <= tops[1] else 1
        middle = min(94 - APART / 2, max(6 + APART / 2, (tops[0] + tops[1]) / 2))
        tops[upper], tops[1 - upper] = middle - APART / 2, middle + APART / 2
    return "".join(
        f'<span class="film-of is-{kind}" style="top:{top:.1f}%">{quoted(name)}</span>'
        for kind, name, top in zip(("before", "now"), names, tops, strict=True)
        if name
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
    """The data of an SVG path through the points. NaN interrupts the line; a single point is drawn as a short line."""
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

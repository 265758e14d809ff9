"""Draw a training's loss as an HTML line."""

import math
from dataclasses import dataclass

import numpy as np

from explorer.analysis.views.training.training_view import StepMark, TrainingView, step_marks
from explorer.drawing.marks import quoted
from explorer.drawing.plots.chart import Frame, Place, line, runs, ticks
from explorer.text import say
from explorer.text.numbers import number

LOGARITHMIC = 1e3  # minimum ratio of largest to smallest loss for a logarithmic axis
WORDS = 0.32  # share of the width for a rate change's text; otherwise only a line
APART = 11  # hundredths of the height between the names of two lines
HIGHEST, LOWEST = 22, 84  # percent of the height for names: below the loss, above the heads


@dataclass(frozen=True, eq=False)
class Earlier:
    """The curves of a run before this one, drawn as thin lines.

    Attributes:
        view: view of that run.
        changed: changes since then, as short texts: "lr 0.03 → 0.1".
        names: names of the two lines, such as "lr 0.03" and "lr 0.1", or "".
        beside: further shown runs, with the same scales.
    """

    view: TrainingView
    changed: tuple[str, ...]
    names: tuple[str, str] = ("", "")
    beside: tuple[TrainingView, ...] = ()

    @property
    def views(self) -> tuple[TrainingView, ...]:
        """Runs whose scales are shared."""
        return self.view, *self.beside


def mark_text(mark: StepMark, lang: str) -> str:
    """Describe an event: "lowest loss", "learning rate 0.1 → 0.05", NaN."""
    if mark.kind == "bad":
        return number(mark.after)
    if mark.kind == "lowest":
        return say(lang, "training-mark-lowest")
    return say(lang, "training-mark-rate", before=number(mark.before), after=number(mark.after))


def loss_name(view: TrainingView, lang: str, earlier: Earlier | None) -> str:
    """Render the loss heading: its name, and whether its axis is logarithmic."""
    name = f"<code>{quoted(view.loss_name)}</code>" if view.loss_name and view.loss_name != "loss" else ""
    logarithmic = _frame(_losses(view, earlier), 1)[1]
    log = f"<em>{quoted(say(lang, 'training-log'))}</em>" if logarithmic else ""
    return f'<span class="film-name is-loss"><b>{quoted(say(lang, "training-loss"))}</b>{name}{log}</span>'


def _losses(view: TrainingView, earlier: Earlier | None) -> np.ndarray:
    """Return all losses that share an axis."""
    return np.concatenate([view.loss, *(other.loss for other in (earlier.views if earlier else ()))])


def loss_html(view: TrainingView, lang: str, earlier: Earlier | None) -> str:
    """Render the loss as a line, an earlier run behind it."""
    count = max(1, len(view.steps))
    frame, logarithmic = _frame(_losses(view, earlier), count)
    places = frame.places(np.arange(len(view.steps)), _heights(view.loss, logarithmic))
    behind, ends = "", [places]
    if earlier is not None and len(view.steps) and len(earlier.view.steps):
        seen = (earlier.view.steps >= view.steps[0]) & (earlier.view.steps <= view.steps[-1])
        across = np.interp(earlier.view.steps[seen], view.steps, np.arange(len(view.steps)))
        ends.insert(0, frame.places(across, _heights(earlier.view.loss[seen], logarithmic)))
        behind = line(ends[0], "before")
    bad = ~np.isfinite(view.loss)
    bands = "".join(
        f'<i class="film-bad" style="left:{100 * start / count:.2f}%;width:{100 * (end - start) / count:.2f}%"></i>'
        for level, start, end in runs(bad.tolist())
        if level
    )
    marked = _ticks(frame, logarithmic)
    rules = "".join(f'<path class="rule" d="M0 {up:.2f}H1000"/>' for up, _ in marked)
    ticks = "".join(f'<span style="top:{up:.2f}%">{words}</span>' for up, words in marked)
    finite = view.loss[~bad]
    first, last = (number(float(finite[0])), number(float(finite[-1]))) if len(finite) else ("–", "–")
    sentence = quoted(say(lang, "training-loss-text", first=first, last=last, count=len(view.steps)))
    size = 'viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true"'
    return (
        f'<span class="film-loss" role="img" aria-label="{sentence}"><span class="film-run">{bands}</span>'
        f"<svg {size}>{rules}{behind}{line(places, 'later')}</svg>"
        f'<svg class="film-run" {size}>{line(places, "now")}</svg>{_marks(view, places, lang)}'
        f"{_names(earlier.names, ends) if behind and earlier else ''}"
        f'<span class="film-ticks" aria-hidden="true">{ticks}</span></span>'
    )


def begins_html(at: int, view: TrainingView, words: str) -> str:
    """Mark the first non-finite step."""
    return (
        f'<b class="film-nan" data-at="{at}" style="left:{100 * at / max(1, len(view.steps)):.2f}%">{quoted(words)}</b>'
    )


def _marks(view: TrainingView, places: list[Place], lang: str) -> str:
    """Mark events at their steps. Rate changes are labelled if there is room."""
    drawn, free = [], 0.0
    for mark in step_marks(view):
        words = mark_text(mark, lang)
        across = (mark.at + 0.5) / len(view.steps)
        side = " is-left" if across > 0.7 else ""
        if mark.kind == "bad":
            drawn.append(begins_html(mark.at, view, words))
        elif mark.kind == "lowest":
            place = f"left:{100 * across:.2f}%;top:{places[mark.at][1]:.2f}%"
            drawn.append(
                f'<b class="film-mark is-lowest{side}" data-at="{mark.at}" style="{place}">{quoted(words)}</b>'
            )
        else:
            begin = across - WORDS if side else across
            shown = f"lr → {number(mark.after)}" if begin >= free else ""
            free = begin + WORDS if shown else free
            place = f"left:{100 * across:.2f}%"
            drawn.append(f'<b class="film-mark is-rate{side}" data-at="{mark.at}" style="{place}">{shown}</b>')
    return "".join(drawn)


def _names(names: tuple[str, str], ends: list[list[Place]]) -> str:
    """Render the name of each line at its end, without overlap."""
    tops = [next((y for _, y in reversed(places) if not math.isnan(y)), 50.0) for places in ends]
    tops = [min(LOWEST, max(HIGHEST, top)) for top in tops]
    if abs(tops[0] - tops[1]) < APART:
        upper = 0 if tops[0] <= tops[1] else 1
        middle = min(LOWEST - APART / 2, max(HIGHEST + APART / 2, sum(tops) / 2))
        tops[upper], tops[1 - upper] = middle - APART / 2, middle + APART / 2
    return "".join(
        f'<span class="film-of is-{kind}" style="top:{top:.1f}%" title="{quoted(name)}">{quoted(name)}</span>'
        for kind, name, top in zip(("before", "now"), names, tops, strict=True)
        if name
    )


def _heights(losses: np.ndarray, logarithmic: bool) -> np.ndarray:
    """Return losses as heights on their axis, NaN if not shown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = np.log10(losses) if logarithmic else losses
    return np.where(np.isfinite(heights), heights, np.nan)


def is_logarithmic(losses: np.ndarray) -> bool:
    """Return whether losses differ enough for a logarithmic axis."""
    finite = losses[np.isfinite(losses)]
    return len(finite) > 0 and bool(0 < finite.min() <= finite.max() / LOGARITHMIC)


def _frame(losses: np.ndarray, count: int) -> tuple[Frame, bool]:
    """Return the losses' frame, 1000 wide and 100 high, and whether it is logarithmic."""
    finite = losses[np.isfinite(losses)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    logarithmic = is_logarithmic(losses)
    if logarithmic:
        low, high = math.log10(low), math.log10(high)
    elif 0 < low < 0.5 * high:
        low = 0.0
    elif high <= low:
        low, high = low - 0.5 * (abs(low) or 1), low + 0.5 * (abs(low) or 1)
    return Frame(1000, 100, -0.5, count - 0.5, low, high, left=0, right=0, top=6, bottom=14), logarithmic


def _ticks(frame: Frame, logarithmic: bool) -> list[tuple[float, str]]:
    """Return each grid line's position and number."""
    if not logarithmic:
        return [(frame.y(tick), number(tick)) for tick in ticks(frame.floor, frame.roof, 4)]
    every = max(1, round((frame.roof - frame.floor) / 3))
    powers = range(math.ceil(frame.floor), math.floor(frame.roof) + 1, every)
    return [(frame.y(power), number(10.0**power)) for power in powers]

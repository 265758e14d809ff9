"""The data of a training and what its model predicts beside them, one picture for every kept step: SVG.

All steps are drawn, and one shows: `film.js` chooses it by the cursor's step.
"""

import numpy as np

from explorer.analysis.training.fit import SIDE, Fit
from explorer.drawing.marks import quoted, text
from explorer.drawing.plots.chart import Frame, axes, line, runs
from explorer.text import say
from explorer.text.numbers import number

WIDE, HIGH = 640, 210  # of the picture
LEFT, RIGHT, TOP, FOOT = 42, 8, 8, 22  # its margins
SHADES = 7  # of a predicted number over two inputs
MOST_CLASSES = 6  # that have a look of their own


def fit_html(fit: Fit, at: int, lang: str) -> str:
    """The picture with its sentence. `at`: index of the step that shows."""
    drawn = _Curve(fit) if fit.data.shape[1] == 1 else _Plane(fit)
    steps = "".join(
        f'<g class="fit-step{" is-now" if k == at else ""}" data-step="{int(step)}">{drawn.step(fit.found[k])}</g>'
        for k, step in enumerate(fit.steps)
    )
    step = f'<b class="fit-at">{int(fit.steps[at])}</b>'
    sentence = quoted(say(lang, drawn.told, step="{step}")).replace("{step}", step)
    window = f"{LEFT} {TOP} {WIDE - LEFT - RIGHT} {HIGH - TOP - FOOT}"
    label = quoted(say(lang, drawn.told, step=int(fit.steps[at])))
    return (
        f'<figure class="fit"><svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{label}">'
        f"{''.join(axes(drawn.frame, rows=4))}"
        f'<svg {drawn.frame.inside} viewBox="{window}" overflow="hidden">{drawn.below(steps)}</svg>'
        f"{text(WIDE - RIGHT - 5, HIGH - FOOT - 6, say(lang, drawn.across), 'name', 'end')}"
        f"{text(LEFT + 6, TOP + 13, say(lang, drawn.up), 'name')}</svg>"
        f"<figcaption>{sentence}{drawn.key(lang)}</figcaption></figure>"
    )


def _frame(low: np.ndarray, high: np.ndarray) -> Frame:
    """The frame of the picture between two corners."""
    same = ~(high > low)
    (left, floor), (right, roof) = np.where(same, low - 1, low).tolist(), np.where(same, high + 1, high).tolist()
    return Frame(WIDE, HIGH, left, right, floor, roof, left=LEFT, right=RIGHT, top=TOP, bottom=FOOT)


class _Curve:
    """One input: the data as dots, the prediction as a line."""

    told, across, up = "training-fit-line", "training-fit-input", "training-fit-target"

    def __init__(self, fit: Fit) -> None:
        self.fit = fit
        if fit.kind == "logits":
            self.told = "training-fit-probability"
        finite = fit.targets[np.isfinite(fit.targets)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        room = 0.2 * (high - low) or 0.5
        edges = fit.grid[[0, -1], 0]
        self.frame = _frame(np.array([edges[0], low - room]), np.array([edges[1], high + room]))

    def key(self, lang: str) -> str:
        return ""  # the sentence names both

    def below(self, steps: str) -> str:
        places = self.frame.places(self.fit.data[:, 0], self.fit.targets)
        dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places if x == x and y == y)
        return f'<g class="fit-data">{dots}</g>{steps}'

    def step(self, outputs: np.ndarray) -> str:
        with np.errstate(over="ignore"):
            numbers = 1 / (1 + np.exp(-outputs)) if self.fit.kind == "logits" else outputs
        return line(self.frame.places(self.fit.grid[:, 0], numbers), "fit-line")


class _Plane:
    """Two inputs: the data as dots, the prediction as the colour of the ground."""

    across, up = "training-fit-first", "training-fit-second"

    def __init__(self, fit: Fit) -> None:
        self.fit = fit
        self.frame = _frame(fit.grid.min(0), fit.grid.max(0))
        self.border = _border(fit)
        self.classes = fit.kind == "classes" or self.border is not None
        self.told = "training-fit-classes" if self.classes else "training-fit-ground"
        both = np.concatenate([fit.targets, fit.found[-1]])
        both = both[np.isfinite(both)]
        self.low, self.high = (float(both.min()), float(both.max())) if len(both) else (0.0, 1.0)

    def key(self, lang: str) -> str:
        """What the colours mean: each class, or the ends of the shades."""
        ends = np.unique(self.fit.targets[np.isfinite(self.fit.targets)]) if self.classes else [self.low, self.high]
        names: dict[str, list[str]] = {}
        for end, look in zip(ends, self.looks(np.asarray(ends)).tolist(), strict=True):
            names.setdefault(self.name(look), []).append(number(float(end)))
        said = {look: "≥ " * (len(of) > 1) + of[0] for look, of in names.items()}
        if self.classes:
            said = {look: say(lang, "training-fit-class", name=name) for look, name in said.items()}
        return "".join(f'<span><i class="{look}"></i>{quoted(name)}</span>' for look, name in said.items())

    def below(self, steps: str) -> str:
        places = self.frame.places(self.fit.data[:, 0], self.fit.data[:, 1])
        looks = self.looks(self.fit.targets).tolist()
        dots = "".join(
            f'<circle class="{self.name(look)}" cx="{x:.1f}" cy="{y:.1f}" r="3.4"/>'
            for (x, y), look in zip(places, looks, strict=True)
            if x == x and y == y
        )
        return f'{steps}<g class="fit-dots">{dots}</g>'

    def looks(self, numbers: np.ndarray) -> np.ndarray:
        """The look of each number: its class, or its shade; −1 for none."""
        finite = np.isfinite(numbers)
        clean = np.where(finite, numbers, 0.0)
        if self.border is not None:
            classes = clean > self.border
        elif self.classes:
            classes = np.clip(clean, 0, MOST_CLASSES - 1)
        else:
            share = (clean - self.low) / ((self.high - self.low) or 1.0)
            classes = np.clip(np.floor(share * SHADES), 0, SHADES - 1)
        return np.where(finite, classes.astype(int), -1)

    def name(self, look: int) -> str:
        return f"fit-{'class' if self.classes else 'shade'} k{look}"

    def step(self, outputs: np.ndarray) -> str:
        """Runs of one look, column by column, as a path for each look."""
        frame = self.frame
        wide, high = (frame.edge - frame.left) / SIDE, (frame.foot - frame.top) / SIDE
        paths: dict[int, list[str]] = {}
        for column, looks in enumerate(self.looks(outputs).reshape(SIDE, SIDE).tolist()):
            for look, start, end in runs(looks):
                x, y = frame.left + column * wide, frame.foot - end * high
                box = f"M{x:.1f} {y:.1f}h{wide + 0.3:.1f}v{(end - start) * high + 0.3:.1f}h-{wide + 0.3:.1f}z"
                paths.setdefault(look, []).append(box)
        return "".join(
            f'<path class="fit-ground {self.name(k)}" d="{"".join(d)}"/>' for k, d in paths.items() if k >= 0
        )


def _border(fit: Fit) -> float | None:
    """The prediction at which one of two classes becomes the other, None for numbers and for more classes."""
    said = set(np.unique(fit.targets).tolist())
    if fit.kind == "logits":
        return 0.0 if said <= {0.0, 1.0} else None
    if fit.kind in ("probabilities", "plain") and said == {0.0, 1.0}:
        return 0.5
    return 0.0 if fit.kind == "plain" and said == {-1.0, 1.0} else None

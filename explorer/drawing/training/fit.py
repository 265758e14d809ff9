"""Training data and model predictions, a plotly frame for every kept step.

`film.js` chooses the frame by the cursor's step.
"""

import json
from dataclasses import dataclass

import numpy as np

from explorer.analysis.training.fit import SIDE, Fit
from explorer.drawing.marks import quoted
from explorer.drawing.plots.motion import Trace, sent
from explorer.drawing.plots.plotly_look import Paints, corner, layout, paints, plot_html
from explorer.text import say
from explorer.text.numbers import number

HIGH = 240  # px of the plot
CLASSES = ("c-key", "c-num", "line-2", "accent", "ink", "warn")  # tokens, not of the gradient's hues


@dataclass(frozen=True)
class _Drawn:
    """A picture.

    Attributes:
        sentence_kind, across, up: messages for its sentence and the axes.
        x, y: ends of the axes.
        below, above: layers. `steps` change the `model`'s.
        key: meaning of each colour.
    """

    sentence_kind: str
    across: str
    up: str
    x: list[float]
    y: list[float]
    below: Trace
    above: Trace
    model: int
    steps: list[Trace]
    key: dict[str, str]


def fit_html(fit: Fit, at: int, dark: bool, lang: str) -> str:
    """Render the picture with its sentence. `at`: index of the shown step."""
    tokens, names = paints(dark), [str(int(step)) for step in fit.steps]
    drawn = (_curve if fit.data.shape[1] == 1 else _plane)(fit, tokens, lang)
    traces = [drawn.below, drawn.above]
    traces[drawn.model] |= drawn.steps[at]
    figure = {
        "data": traces,
        "frames": [
            {"name": name, "traces": [drawn.model], "data": [step]}
            for name, step in zip(names, drawn.steps, strict=True)
        ],
        "layout": layout(
            tokens, HIGH, margin={"l": 46, "r": 8, "t": 26, "b": 40}, hovermode="closest",
            annotations=[corner(say(lang, drawn.up), 4)],
            xaxis={"range": drawn.x, "title": {"text": say(lang, drawn.across), "standoff": 2, "font": {"size": 13}}},
            yaxis={"range": drawn.y, "nticks": 5},
        ),
    }  # fmt: skip
    step = f'<b class="fit-at">{names[at]}</b>'
    sentence = quoted(say(lang, "training-fit", kind=drawn.sentence_kind, step="{step}")).replace("{step}", step)
    key = "".join(f'<span><i style="background:{hue}"></i>{quoted(name)}</span>' for hue, name in drawn.key.items())
    plot = plot_html(figure, say(lang, "training-fit", kind=drawn.sentence_kind, step=int(fit.steps[at])))
    return (
        f'<figure class="fit" data-steps="{json.dumps(fit.steps.tolist())}">{plot}'
        f"<figcaption>{sentence}{key}</figcaption></figure>"
    )


def _curve(fit: Fit, tokens: Paints, lang: str) -> _Drawn:
    """Draw one input: data as dots, the prediction as a line."""
    low, high = _ends(fit.targets)
    room = 0.2 * (high - low) or 0.5
    with np.errstate(over="ignore"):
        found = 1 / (1 + np.exp(-fit.found)) if fit.kind == "logits" else fit.found
    line = {"type": "scatter", "mode": "lines", "x": sent(fit.grid[:, 0]), "line": {"color": tokens.ink, "width": 2.4}}
    return _Drawn(
        "probability" if fit.kind == "logits" else "line",
        "training-fit-input", "training-fit-target", _axis_ends(*fit.grid[[0, -1], 0]), [low - room, high + room],
        _dots(fit.data[:, 0], fit.targets, {"color": tokens.ground, "line": {"color": tokens.line, "width": 1.4}}),
        line | {"hovertemplate": HOVER}, 1, [{"y": sent(one)} for one in found], {},
    )  # fmt: skip


def _plane(fit: Fit, tokens: Paints, lang: str) -> _Drawn:
    """Draw two inputs: data as dots, the prediction as the background colour."""
    border = _border(fit)
    targets, found = fit.targets, fit.found
    if fit.kind == "classes" or border is not None:
        ends = np.unique(targets[np.isfinite(targets)])
        if border is None:
            ends = np.arange(min(len(CLASSES), int(ends.max(initial=0)) + 1))
        least, most = float(ends[0]), float(ends[-1])
        if border is not None:
            found = np.where(np.isfinite(found), np.where(found > border, most, least), np.nan)
        half = (most - least) / max(1, len(ends) - 1) / 2 or 0.5
        hues = [tokens.of[name] for name in CLASSES[: len(ends)]]
        scale = [[(k + end) / len(hues), hue] for k, hue in enumerate(hues) for end in (0, 1)]
        names = [number(float(end)) for end in ends]
        names[-1] = "≥ " * bool((targets > most).any()) + names[-1]
        key = {hue: say(lang, "training-fit-class", name=name) for hue, name in zip(hues, names, strict=True)}
        sentence, low, high, pale, rim = "classes", least - half, most + half, 0.25, tokens.ground
    else:
        low, high = _ends(np.concatenate([targets, found[-1]]))
        hues = [tokens.of["g-zero"], tokens.of["v-max"]]
        scale, key = [[0, hues[0]], [1, hues[1]]], dict(zip(hues, map(number, (low, high)), strict=True))
        sentence, pale, rim = "ground", 1, tokens.ink
    across, up = (_axis_ends(*fit.grid[[0, -1], axis]) for axis in (0, 1))
    ground = {
        "type": "heatmap", "x": sent(np.linspace(across[0], across[1], SIDE)),
        "y": sent(np.linspace(up[0], up[1], SIDE)),
        "zmin": low, "zmax": high, "colorscale": scale,
        "showscale": False, "opacity": pale, "hovertemplate": HOVER.replace("<extra>", ": %{z:.4~g}<extra>"),
    }  # fmt: skip
    dots = {"color": sent(targets), "cmin": low, "cmax": high, "colorscale": scale}
    dots["line"] = {"color": rim, "width": 1.2}
    return _Drawn(
        sentence, "training-fit-first", "training-fit-second", across, up, ground,
        _dots(fit.data[:, 0], fit.data[:, 1], dots) | {"text": [number(float(one)) for one in targets]}
        | {"hovertemplate": HOVER.replace("<extra>", ": %{text}<extra>")}, 0,
        [{"z": [sent(row) for row in one.reshape(SIDE, SIDE).T]} for one in found], key,
    )  # fmt: skip


HOVER = "%{x:.4~g}, %{y:.4~g}<extra></extra>"


def _dots(x: np.ndarray, y: np.ndarray, marker: Trace) -> Trace:
    look = {"type": "scatter", "mode": "markers", "marker": {"size": 7, **marker}, "hovertemplate": HOVER}
    return look | {"x": sent(x), "y": sent(y)}


def _ends(numbers: np.ndarray) -> tuple[float, float]:
    """Return the smallest and largest finite number."""
    finite = numbers[np.isfinite(numbers)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)


def _axis_ends(low: float, high: float) -> list[float]:
    """Return the ends of an axis."""
    return [float(low), float(high)] if high > low else [float(low) - 1, float(high) + 1]


def _border(fit: Fit) -> float | None:
    """Return the decision boundary between two classes, None for numbers or more classes."""
    labels = set(np.unique(fit.targets).tolist())
    if fit.kind == "logits":
        return 0.0 if labels <= {0.0, 1.0} else None
    if fit.kind in ("probabilities", "plain") and labels == {0.0, 1.0}:
        return 0.5
    return 0.0 if fit.kind == "plain" and labels == {-1.0, 1.0} else None

"""Plot a watched training: its loss, gradient norms by layer as curves and as a heat map, and its events."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.analysis.views.training.watched import WatchedTraining
from explorer.drawing.plots.plotly_look import Paints, dress, label, paints
from explorer.drawing.training.loss import is_logarithmic
from explorer.text import say
from explorer.trace.step_statistics import StepRow

MOST_CURVES = 8
MOST_LAYERS = 60  # rows of the heat map
MOST_CELLS = 24_000  # of the heat map
_LOSS, _CURVES, _ROW = 110, 200, 14  # px
_NAME = 22  # characters of a layer's name at its row


def watched_plot(training: WatchedTraining, events: Sequence[StepRow], dark: bool, lang: str) -> go.Figure:
    """Plot loss, curves and heat map above each other, over the same steps."""
    tokens, rows = paints(dark), _some(len(training.layers), MOST_LAYERS)
    heights = _LOSS, _CURVES, max(_ROW * len(rows), 60)
    drawn = make_subplots(3, 1, shared_xaxes=True, vertical_spacing=0.06, row_heights=heights)
    _loss(drawn, training, tokens)
    _curves(drawn, training, tokens)
    _heat(drawn, training, rows, tokens)
    dress(drawn, tokens, int(sum(heights) / 0.88) + 110)
    for event in events:
        drawn.add_vline(x=event.step, line={"color": tokens.of["bad"], "width": 1.5, "dash": "dot"})
    titles = "training-loss", "watched-norm", "watched-layers"
    for row, title in enumerate(titles, 1):
        drawn.update_yaxes(title={"text": label(say(lang, title))}, row=row, col=1)
    drawn.update_yaxes(type="log" if is_logarithmic(training.loss) else "linear", row=1, col=1)
    drawn.update_yaxes(type="log", row=2, col=1)
    drawn.update_yaxes(autorange="reversed", showgrid=False, row=3, col=1)
    ends = [float(training.steps[0]) - 0.5, float(max(training.steps[-1], *(one.step for one in events), 0)) + 0.5]
    drawn.update_xaxes(range=ends)
    drawn.update_xaxes(title={"text": label(say(lang, "training-step"))}, row=3, col=1)
    legend = {"orientation": "h", "x": 0, "y": -0.12, "yanchor": "top", "font": {"size": 12}}
    return drawn.update_layout(showlegend=True, legend=legend, margin={"l": 64, "b": 96})


def _some(count: int, most: int) -> list[int]:
    """Return evenly spaced places, the first and the last among them."""
    return [*range(count)] if count <= most else [*dict.fromkeys(np.linspace(0, count - 1, most).round().astype(int))]


def _loss(drawn: go.Figure, training: WatchedTraining, tokens: Paints) -> None:
    drawn.add_scatter(
        x=training.steps, y=_finite(training.loss), mode="lines", line={"color": tokens.ink, "width": 1.6},
        showlegend=False, hovertemplate="%{x}: %{y:.4~g}<extra></extra>", row=1, col=1,
    )  # fmt: skip


def _curves(drawn: go.Figure, training: WatchedTraining, tokens: Paints) -> None:
    for place, layer in enumerate(_some(len(training.layers), MOST_CURVES)):
        name, norms = training.layers[layer], training.norms[:, layer]
        dash = "solid" if place < len(tokens.curves) else "5px,3px"
        drawn.add_scatter(
            x=training.steps, y=_finite(np.where(norms > 0, norms, np.nan)), mode="lines", name=label(_short(name)),
            line={"color": tokens.curves[place % len(tokens.curves)], "width": 1.6, "dash": dash}, connectgaps=True,
            hovertemplate=f"{label(name[:80])}, %{{x}}: %{{y:.4~g}}<extra></extra>", row=2, col=1,
        )  # fmt: skip


def _heat(drawn: go.Figure, training: WatchedTraining, rows: list[int], tokens: Paints) -> None:
    """Draw a cell for each layer and step: the stronger its colour, the larger the gradient."""
    measured = np.flatnonzero(~np.isnan(training.norms).all(axis=1))
    columns = measured[_some(len(measured), max(MOST_CELLS // max(len(rows), 1), 2))]
    norms = training.norms[columns][:, rows].T
    with np.errstate(divide="ignore"):
        logs = np.where(norms > 0, np.log10(norms), np.nan)
    names = [label(_short(training.layers[row])) for row in rows]
    common = {"x": training.steps[columns], "y": [*range(len(rows))], "showscale": False, "row": 3, "col": 1}
    words = [[label(training.layers[row][:80])] * len(columns) for row in rows]
    look = {"customdata": words, "hovertemplate": "%{customdata}, %{x}: 10<sup>%{z:.2f}</sup><extra></extra>"}
    scale = [[0, tokens.of["g-zero"]], [1, tokens.of["accent"]]]
    for z, colours, more in (
        (np.where(np.isfinite(logs), logs, np.nan), scale, look),
        (np.where(norms == 0, 0.0, np.nan), [[0, tokens.of["line"]], [1, tokens.of["line"]]], _words("0")),
        (np.where(np.isinf(norms), 0.0, np.nan), [[0, tokens.of["nan"]], [1, tokens.of["nan"]]], _words("NaN, ∞")),
    ):
        drawn.add_heatmap(z=[_finite(line) for line in z], colorscale=colours, **common, **more)
    drawn.update_yaxes(tickvals=[*range(len(rows))], ticktext=names, row=3, col=1, tickfont={"size": 11})


def _words(text: str) -> dict[str, str]:
    return {"hovertemplate": f"%{{x}}: {text}<extra></extra>"}


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"…{name[1 - _NAME :]}"


def _finite(numbers: np.ndarray) -> list[float | None]:
    return [entry if np.isfinite(entry) else None for entry in numbers.tolist()]

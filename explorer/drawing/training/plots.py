"""Plot entries, learning rates, and losses of two runs."""

import json

import numpy as np
import plotly.graph_objects as go

from explorer.analysis.views.training.training_view import ParameterSteps, TrainingView
from explorer.drawing.marks import quoted
from explorer.drawing.plots.plotly_look import Paints, dress, label, paints, plot_html
from explorer.drawing.training.loss import is_logarithmic
from explorer.text import say
from explorer.text.numbers import number

HEIGHT = 320
MOST_LINES = 24  # entries drawn
BANDS = (0.05, 0.25, 0.5, 0.75, 0.95)


def entries_plot(
    view: TrainingView,
    steps: ParameterSteps,
    gradients: bool,
    dark: bool,
    lang: str,
    at: int = -1,
    before: tuple[TrainingView, ParameterSteps] | None = None,
) -> go.Figure:
    """Plot a parameter's first entries or gradients over the steps."""
    tokens = paints(dark)
    drawn = go.Figure()
    if before is not None:
        was, earlier = before
        for column in range(min(MOST_LINES, earlier.entries.shape[1])):
            numbers = (earlier.slopes if gradients else earlier.entries)[:, column]
            grey = {"color": tokens.line, "width": 1.5, "dash": "5px,4px"}
            drawn.add_scatter(x=was.steps, y=_finite(numbers), mode="lines", line=grey, hoverinfo="skip")
    shown = steps.slopes if gradients else steps.entries
    for column in range(min(MOST_LINES, shown.shape[1])):
        drawn.add_scatter(
            x=view.steps,
            y=_finite(shown[:, column]),
            mode="lines",
            name=label(steps.entry_name(column)),
            line={"color": tokens.curves[column % len(tokens.curves)], "width": 1.6},
            hovertemplate=f"{label(steps.entry_name(column))} %{{y:.4~g}}<extra></extra>",
        )
    return _with_layout(drawn, tokens, view, at, lang)


def bands_plot(
    view: TrainingView, parameter: ParameterSteps, gradients: bool, dark: bool, lang: str, at: int = -1
) -> go.Figure:
    """Plot the median of a parameter's entries or gradients with 50 % and 90 % bands."""
    tokens = paints(dark)
    shown = parameter.slopes if gradients else parameter.entries
    usable = np.isfinite(shown).all(axis=1) & (shown.shape[1] > 0)
    levels = np.full((len(BANDS), len(shown)), np.nan)
    if usable.any():
        levels[:, usable] = np.quantile(shown[usable], BANDS, axis=1)
    drawn = go.Figure()
    for low, high, opacity in ((0, 4, 0.18), (1, 3, 0.34)):
        steps, foot, top = view.steps[usable], levels[low][usable], levels[high][usable]
        drawn.add_scatter(
            x=np.concatenate([steps, steps[::-1]]), y=np.concatenate([top, foot[::-1]]), fill="toself", mode="none",
            fillcolor=tokens.quiet, opacity=opacity, hoverinfo="skip",
        )  # fmt: skip
    label = "<br>".join(f"{int(100 * share)} %: %{{customdata[{k}]:.4~g}}" for k, share in enumerate(BANDS))
    drawn.add_scatter(
        x=view.steps, y=_finite(levels[2]), mode="lines", line={"color": tokens.ink, "width": 2},
        customdata=levels.T, hovertemplate=f"{label}<extra></extra>",
    )  # fmt: skip
    return _with_layout(drawn, tokens, view, at, lang)


def rates_plot(view: TrainingView, before: TrainingView | None, dark: bool, lang: str, at: int = -1) -> go.Figure:
    """Plot each optimizer's learning rate over the steps, an earlier run in grey."""
    tokens = paints(dark)
    drawn = go.Figure()
    for rates in () if before is None else before.rates.values():
        grey = {"color": tokens.line, "width": 2, "dash": "5px,4px", "shape": "hv"}
        drawn.add_scatter(x=before.steps if before else (), y=_finite(rates), mode="lines", line=grey, hoverinfo="skip")
    for place, (name, rates) in enumerate(view.rates.items()):
        drawn.add_scatter(
            x=view.steps, y=_finite(rates), mode="lines", name=label(name), showlegend=len(view.rates) > 1,
            line={"color": tokens.curves[place % len(tokens.curves)], "width": 2, "shape": "hv"},
            hovertemplate=f"{label(name)} %{{y:.6~g}}<extra></extra>",
        )  # fmt: skip
    _with_layout(drawn, tokens, view, at, lang)
    drawn.update_yaxes(rangemode="tozero")
    drawn.update_layout(
        showlegend=len(view.rates) > 1, legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    )
    return drawn


def losses_html(views: tuple[TrainingView, TrainingView], names: tuple[str, str], dark: bool, lang: str) -> str:
    """Plot two named losses together, with their non-finite steps."""
    tokens, drawn = paints(dark), go.Figure()
    for view, name, hue, dash in zip(views, names, (tokens.line, tokens.ink), ("5px,4px", "solid"), strict=True):
        drawn.add_scatter(
            x=view.steps, y=_finite(view.loss), mode="lines", name=label(name),
            line={"color": hue, "width": 2, "dash": dash},
            hovertemplate=f"{label(name)} %{{y:.4~g}}<extra></extra>",
        )  # fmt: skip
        if not np.isfinite(view.loss).all():
            first = int(np.argmin(np.isfinite(view.loss)))
            bad, words = tokens.of["nan"], f"{label(name)} {number(float(view.loss[first]))}"
            line = {"color": bad, "width": 2, "dash": "dot"}
            drawn.add_vline(x=int(view.steps[first]), line=line, annotation={"text": words, "font": {"color": bad}})
    longer = max(views, key=lambda view: int(view.steps[-1]))
    _with_layout(drawn, tokens, longer, -1, lang)
    losses = np.concatenate([view.loss for view in views])
    logarithmic = is_logarithmic(losses)
    loss = say(lang, "training-loss") + f" ({say(lang, 'training-log')})" * logarithmic
    drawn.update_xaxes(spikecolor=tokens.line, spikethickness=1, spikedash="solid")
    drawn.update_yaxes(type="log" if logarithmic else "linear", title={"text": label(loss)})
    drawn.update_layout(
        hovermode="x unified", showlegend=True, legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        margin={"t": 34}, hoverlabel={"bgcolor": tokens.ground, "bordercolor": tokens.line, "font_color": tokens.ink},
    )  # fmt: skip
    ends = [
        say(lang, "training-loss-ends", name=name, step=int(view.steps[-1]), loss=number(float(view.loss[-1])))
        for view, name in zip(views, names, strict=True)
    ]
    text = "".join(f"<span>{quoted(words)}</span>" for words in ends)
    plot = plot_html(json.loads(str(drawn.to_json())), " ".join(ends))
    return f'<figure class="film">{plot}<figcaption class="film-legend">{text}</figcaption></figure>'


def _finite(numbers: np.ndarray) -> list[float | None]:
    """Replace non-finite numbers by None, which plotly draws as a gap."""
    return [entry if np.isfinite(entry) else None for entry in numbers.tolist()]


def _with_layout(drawn: go.Figure, tokens: Paints, view: TrainingView, at: int, lang: str) -> go.Figure:
    dress(drawn, tokens, HEIGHT)
    ends = [float(view.steps[0]) - 0.5, float(view.steps[-1]) + 0.5]
    drawn.update_xaxes(range=ends, title={"text": label(say(lang, "training-step"))})
    if at >= 0:
        drawn.add_vline(x=int(view.steps[at]), line={"color": tokens.named["cyan"], "width": 2})
    return drawn

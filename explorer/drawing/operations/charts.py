"""Curve of an elementwise function next to its squares."""

import numpy as np
import plotly.graph_objects as go

from explorer.analysis.explain.entries.entry_arithmetic import place_words
from explorer.analysis.explain.entries.operation_view import OperationView, curve
from explorer.drawing.plots.plotly_look import dress, label, paints
from explorer.text import say
from explorer.text.numbers import number

HEIGHT = 300
TEXT = "%{text}<extra></extra>"  # on hovering


def curve_chart(view: OperationView, dark: bool, lang: str) -> go.Figure | None:
    """Draw an elementwise function as a line with the call's entries as open dots, None for other calls."""
    if not view.outcomes or (shape := curve(view)) is None:
        return None
    colours = paints(dark)
    part = next(part for part in view.operands if part.tensor >= 0)
    places = [place_words(part, place) for place in shape.places]
    labels = [
        f"{where}: {number(x)} → {number(y)}" for where, x, y in zip(places, shape.dots_x, shape.dots_y, strict=True)
    ]
    line = {"color": colours.ink, "width": 2}
    dots = {"size": 9, "color": colours.named["white"], "line": line}
    figure = go.Figure(go.Scatter(x=shape.xs, y=shape.ys, mode="lines", line=line, hoverinfo="skip"))
    words = [label(one) for one in labels]
    figure.add_scatter(x=shape.dots_x, y=shape.dots_y, mode="markers", marker=dots, text=words, hovertemplate=TEXT)
    values = np.array([*shape.dots_y, 0.0])
    around = max(0.25 * float(values.max() - values.min()), 0.5)
    figure = dress(figure, colours, HEIGHT)
    figure.update_xaxes(title={"text": say(lang, "operations-axis-x")})
    top, low = float(values.max()) + around, float(values.min()) - around
    figure.update_yaxes(title={"text": say(lang, "operations-axis-y")}, range=[low, top])
    return figure

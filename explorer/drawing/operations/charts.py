"""Charts next to the squares: function curves, number lines, densities, vectors."""

import math

import numpy as np
import plotly.graph_objects as go

from explorer.analysis.operations import creation
from explorer.analysis.operations.call import NoEntryMap
from explorer.analysis.tensors.operations.entry_arithmetic import place_words
from explorer.analysis.tensors.operations.view import EntryCurve, OperationView, curve
from explorer.drawing.plots.plotly_look import Paints, axis_look, dress, label, paints
from explorer.text import say
from explorer.text.numbers import number

HEIGHT = 300
TEXT = "%{text}<extra></extra>"  # on hovering
SHUFFLED = 24  # numbers of a shuffle that get arrows
MARKS, NUMBERED = 60, 16  # numbers drawn on a line, and the most that are labelled one by one


def charts(view: OperationView, dark: bool, lang: str) -> list[go.Figure]:
    """Return the charts for a call, [] for most."""
    if not view.outcomes:
        return []
    colours = paints(dark)
    try:
        if (steps := creation.steps(view.call)) is not None:
            return [_line(view, steps, colours)]
        if (sample := creation.sample(view.call)) is not None:
            return [_density(sample, colours, lang)]
    except NoEntryMap:
        return []
    if (shape := curve(view)) is not None:
        return [_curve(view, shape, colours, lang)]
    if view.call.name == "randperm":
        return _shuffle(view, colours)
    if view.call.name in ("cross", "linalg_cross"):
        return _arrows(view, colours)
    return _unit_shapes(view, colours)


def _curve(view: OperationView, shape: EntryCurve, colours: Paints, lang: str) -> go.Figure:
    """Draw the function as a line with the call's entries as open dots."""
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


def _line(view: OperationView, steps: creation.NumberSteps, colours: Paints) -> go.Figure:
    """Draw numbers as marks on a line, excluded ends open."""
    numbers = view.outcomes[0].part.numbers
    shown = [] if numbers is None or numbers.dtype.kind == "c" else numbers[:MARKS].astype(float).tolist()
    mode, look = "markers+text" if len(shown) <= NUMBERED else "markers", {"size": 11, "color": colours.ink}
    place = {"textposition": "top center", "hovertemplate": TEXT}
    texts = [number(x) for x in shown]
    figure = go.Figure(go.Scatter(x=shown, y=[0] * len(shown), mode=mode, text=texts, marker=look, **place))
    if not steps.closed:
        look = {"size": 11, "symbol": "circle-open", "color": colours.quiet, "line": {"width": 2}}
        end = {"x": [steps.end], "y": [0], "text": [number(steps.end)], "textfont": {"color": colours.quiet}}
        figure.add_scatter(**end, mode="markers+text", marker=look, **place)
    figure = dress(figure, colours, 110)
    figure.update_xaxes(showticklabels=len(shown) > NUMBERED)
    figure.update_yaxes(visible=False, range=[-1, 1.6])
    return figure


def _density(sample: creation.Sample, colours: Paints, lang: str) -> go.Figure:
    """Draw the sampled numbers as grey bars and the density as a line."""
    middles = [(a + b) / 2 for a, b in zip(sample.edges, sample.edges[1:], strict=False)]
    widths = [b - a for a, b in zip(sample.edges, sample.edges[1:], strict=False)]
    look, words = (
        {"color": colours.grid, "line": {"color": colours.line, "width": 1}},
        "%{x:.4~r}: %{y:.4~r}<extra></extra>",
    )
    figure = go.Figure(go.Bar(x=middles, y=sample.heights, width=widths, marker=look, hovertemplate=words))
    if sample.density:
        line = {"color": colours.ink, "width": 2}
        figure.add_scatter(x=sample.xs, y=sample.density, mode="lines", line=line, hoverinfo="skip")
    figure = dress(figure, colours, HEIGHT, bargap=0)
    figure.update_yaxes(title={"text": say(lang, "operations-axis-density")})
    return figure


def _unit_shapes(view: OperationView, colours: Paints) -> list[go.Figure]:
    """Draw two numbers' norm as an arrow in a diamond or circle."""
    reading = view.outcomes[0].reading
    if reading is None or reading.rule != "norm" or view.operands[0].shape != (2,):
        return []
    numbers = view.operands[0].numbers
    if numbers is None or numbers.dtype.kind != "f" or not np.isfinite(numbers).all():
        return []
    x, y = numbers.tolist()
    l1, two = abs(x) + abs(y), math.hypot(x, y)
    reach = 1.15 * max(l1, two, 1e-6)
    turn = np.linspace(0, 2 * math.pi, 121)
    own = {1.0: "L1", 2.0: "L2"}.get(dict(reading.constants)["p"], "")
    figure = go.Figure()
    for name, xs, ys, size in (
        ("L1", [l1, 0, -l1, 0, l1], [0, l1, 0, -l1, 0], l1),
        ("L2", two * np.cos(turn), two * np.sin(turn), two),
    ):
        hue, quiet, dash = (colours.ink, colours.ink, "solid") if name == own else (colours.line, colours.quiet, "dot")
        line = {"color": hue, "width": 2, "dash": dash}
        figure.add_scatter(x=xs, y=ys, mode="lines", line=line, hoverinfo="skip")
        beside = {"x": -size / 2, "y": size / 2, "xanchor": "right", "yanchor": "bottom"}
        inside = {"x": 0, "y": -0.82 * size, "xanchor": "center", "yanchor": "middle"}
        place = beside if name == "L1" else inside
        figure.add_annotation(text=f"{name} = {number(size)}", showarrow=False, font={"color": quiet}, **place)
    figure.add_annotation(
        x=x, y=y, ax=0, ay=0, axref="x", ayref="y", arrowhead=2, arrowwidth=2.5, arrowcolor=colours.ink, text=""
    )
    figure = dress(figure, colours, 360, width=372)
    figure.update_xaxes(range=[-reach, reach], scaleanchor="y")
    figure.update_yaxes(range=[-reach, reach])
    return [figure]


def _shuffle(view: OperationView, colours: Paints) -> list[go.Figure]:
    """Draw a line from each number to its place in a permutation."""
    order = view.outcomes[0].part.numbers
    if order is None or order.dtype.kind != "i" or len(order) > SHUFFLED:
        return []
    figure = go.Figure()
    look, xs = {"marker": {"size": 7, "color": colours.ink}, "mode": "markers+text"}, list(range(len(order)))
    for words, y, position in ((xs, 1, "top center"), (order.tolist(), 0, "bottom center")):
        texts = [str(word) for word in words]
        figure.add_scatter(x=xs, y=[y] * len(xs), text=texts, textposition=position, hoverinfo="skip", **look)
    for place, taken in enumerate(order.tolist()):
        ends = {"x": place, "y": 0, "ax": taken, "ay": 1, "axref": "x", "ayref": "y", "text": ""}
        figure.add_annotation(**ends, arrowhead=2, arrowwidth=1.3, arrowcolor=colours.line, standoff=6, startstandoff=6)
    figure = dress(figure, colours, 190, width=max(220, min(900, 48 * len(order) + 80)))
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, range=[-0.4, 1.4])
    return [figure]


def _arrows(view: OperationView, colours: Paints) -> list[go.Figure]:
    """Draw two vectors, their parallelogram and their perpendicular cross product."""
    parts = [*view.operands[:2], view.outcomes[0].part]
    vectors = [
        part.numbers.astype(float)
        for part in parts
        if part.numbers is not None and part.shape == (3,) and part.numbers.dtype.kind != "c"
    ]
    if not len(vectors) == len(parts) == 3:
        return []
    a, b, c = vectors
    if not all(np.isfinite(vector).all() for vector in (a, b, c)):
        return []
    corners = np.array([np.zeros(3), a, a + b, b, np.zeros(3)])
    figure = go.Figure()
    outline = {"color": colours.line, "width": 3, "dash": "dot"}
    figure.add_scatter3d(
        x=corners[:, 0], y=corners[:, 1], z=corners[:, 2], mode="lines", line=outline, hoverinfo="skip"
    )
    for part, vector, width in zip(parts, (a, b, c), (5, 5, 9), strict=True):
        x, y, z = ([0.0, float(v)] for v in vector)
        word = label(part.word or "×")
        words = f"{word} ({', '.join(map(number, vector.tolist()))})<extra></extra>"
        look = {"line": {"color": colours.ink, "width": width}, "marker": {"size": [0, 4], "color": colours.ink}}
        look |= {"mode": "lines+text+markers", "textfont": {"color": colours.ink, "size": 14}}
        figure.add_scatter3d(x=x, y=y, z=z, text=["", word], hovertemplate=words, **look)
    axis = axis_look(colours, backgroundcolor="rgba(0,0,0,0)", zeroline=True)
    scene = {"xaxis": axis, "yaxis": axis, "zaxis": axis, "aspectmode": "data"}
    margin = {"l": 0, "r": 0, "t": 0, "b": 0}
    return [dress(figure, colours, 380, scene=scene, dragmode="orbit", margin=margin)]

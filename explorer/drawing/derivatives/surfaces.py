"""A function of two variables: surface with tangent plane, contours with gradient field."""

import math

import numpy as np
import plotly.graph_objects as go

from explorer.analysis.views.calculus.curve import reach
from explorer.analysis.views.calculus.surface import Surface
from explorer.drawing.color import Scale, tint, top_of
from explorer.drawing.marks import quoted
from explorer.drawing.plots.plotly_look import Paints, axis_look, dress, paints
from explorer.text import say
from explorer.text.numbers import number

_HEAD = math.radians(150)  # angle between an arrow and each half of its head


def surface_plot(view: Surface, dark: bool, lang: str) -> go.Figure:
    """Draw the surface, tangent plane, point, gradient and descent."""
    tokens = paints(dark)
    floor, roof = reach(view.z, view.value)
    z = np.where(np.isfinite(view.z), np.clip(view.z, floor, roof), np.nan).astype(np.float32)
    drawn = go.Figure()
    ramp = [[0, tokens.grid], [1, tokens.line]]
    levels = {"show": True, "color": tokens.quiet, "width": 1, "start": floor, "end": roof, "size": (roof - floor) / 10}
    drawn.add_surface(
        x=view.x.astype(np.float32), y=view.y.astype(np.float32), z=z, colorscale=ramp, showscale=False, opacity=0.82,
        lighting={"ambient": 0.75, "diffuse": 0.5, "specular": 0.05}, hovertemplate=_hover(view),
        contours={"z": levels},
    )  # fmt: skip
    if view.differentiable and np.isfinite([*view.gradient, view.value]).all():
        _plane(drawn, view, tokens)
    _draw_descent(drawn, view, tokens, floor, roof)
    mark = {"size": 5, "color": tokens.ink}
    drawn.add_scatter3d(x=[view.at[0]], y=[view.at[1]], z=[view.value], mode="markers", marker=mark, hoverinfo="skip")
    axis = axis_look(tokens, showbackground=False, nticks=5)
    names = dict(zip("xy", view.f.arguments, strict=True)) | {"z": "f"}
    scene = {f"{key}axis": {**axis, "title": {"text": quoted(name)}} for key, name in names.items()}
    scene["xaxis"]["range"], scene["yaxis"]["range"] = _ends(view.x), _ends(view.y)
    scene["zaxis"]["range"] = [floor, roof]
    camera = {"eye": _eye(view), "center": {"x": 0, "y": 0, "z": -0.18}}  # room for the axes' names
    scene |= {"aspectratio": {"x": 1.1, "y": 1.1, "z": 0.75}, "camera": camera}
    margin = {"l": 0, "r": 0, "t": 0, "b": 0}
    return dress(drawn, tokens, 430, scene=scene, margin=margin, uirevision=view.f.text, dragmode="turntable")


def contour_plot(view: Surface, dark: bool, lang: str) -> go.Figure:
    """Draw level lines, the gradient as arrows (longer if steeper), and gradient descent."""
    tokens = paints(dark)
    floor, roof = reach(view.z, view.value)
    z = np.where(np.isfinite(view.z), np.clip(view.z, floor, roof), np.nan).astype(np.float32)
    drawn = go.Figure()
    drawn.add_contour(
        x=view.x[::2], y=view.y[::2], z=z[::2, ::2], ncontours=16, showscale=False, hovertemplate=_hover(view),
        contours={"coloring": "lines", "showlabels": True, "labelfont": {"size": 10, "color": tokens.quiet}},
        colorscale=[[0, tokens.line], [1, tokens.line]], line={"width": 1},
    )  # fmt: skip
    arrows = _arrows(view)
    orange = tokens.named["orange"]
    drawn.add_scatter(
        x=arrows[0], y=arrows[1], mode="lines", line={"width": 1.2, "color": orange}, opacity=0.75, hoverinfo="skip"
    )
    seen = _seen(view)  # the path is cut after the first step outside the window
    last = len(seen) if seen.all() else int(seen.argmin()) + 1
    path, heights = view.path[:last], view.heights[:last]
    way = {"color": tokens.ink, "width": 1.5}
    steps = f"{quoted(say(lang, 'derivatives-step'))} %{{pointNumber}}<br>f %{{customdata:.4~r}}<extra></extra>"
    drawn.add_scatter(
        x=path[:, 0], y=path[:, 1], customdata=heights, mode="lines+markers", line=way,
        marker={"size": 5, "color": tokens.ink}, hovertemplate=steps,
    )  # fmt: skip
    if view.differentiable and np.isfinite(view.gradient).all() and view.gradient.any():
        _arrow(drawn, view, orange)
    ring = {"size": 11, "color": "rgba(0,0,0,0)", "line": {"width": 2, "color": tokens.ink}}
    drawn.add_scatter(x=[view.at[0]], y=[view.at[1]], mode="markers", marker=ring, hoverinfo="skip")
    dress(drawn, tokens, 430)
    names = [{"text": quoted(name)} for name in view.f.arguments]
    drawn.update_xaxes(fixedrange=True, range=_ends(view.x), title=names[0], constrain="domain")
    ratio = np.ptp(view.y) / np.ptp(view.x)
    alike = {"scaleanchor": "x", "constrain": "domain"} if 0.25 < ratio < 4 else {}  # right angles look right
    drawn.update_yaxes(fixedrange=True, range=_ends(view.y), title=names[1], **alike)
    return drawn


def surface_numbers(view: Surface, lang: str) -> str:
    """Render value, gradient and Hessian at the point, in words and squares."""
    names = [quoted(name) for name in view.f.arguments]
    at = ", ".join(number(coordinate, digits=5) for coordinate in view.at)
    scale = Scale(top_of(view.gradient) or 1.0)
    slopes = "".join(
        f'<tr><th scope="row">∂f/∂{name}</th><td>{_square(float(slope), scale, 6)}</td></tr>'
        for name, slope in zip(names, view.gradient, strict=True)
    )
    bad = "" if np.isfinite(view.value) else ' class="bad"'
    rows = f'<tr><th scope="row">f({at})</th><td{bad}>{number(view.value, digits=7)}</td></tr>{slopes}'
    caption, second = (quoted(say(lang, f"derivatives-{word}")) for word in ("at-point", "hessian"))
    return (
        f'<div><table class="numbers"><caption>{caption}</caption>{rows}</table></div>'
        f"<div><h4>{second}</h4>{_hessian(view.hessian, names)}</div>"
    )


def surface_notes(view: Surface, lang: str) -> list[str]:
    """Describe each variable along which f has no derivative, or not autograd's."""
    notes = []
    for name, beside, slope in zip(view.f.arguments, view.beside, view.gradient.tolist(), strict=True):
        if beside.differentiable or beside.verdict == "outside":
            continue
        left, right = beside.left.slope, beside.right.slope
        kind = "differs" if beside.verdict == "differs" else "none" if math.isnan(left) or math.isnan(right) else "kink"
        values = {name: number(one, True, 6) for name, one in (("left", left), ("right", right), ("slope", slope))}
        notes.append(say(lang, "derivatives-two-sides", kind=kind, name=name, **values))
    return notes


def _hessian(entries: np.ndarray, names: list[str]) -> str:
    """Render second derivatives as coloured squares (names: escaped HTML)."""
    scale = Scale(top_of(entries.flat) or 1.0)
    head = "".join(f'<th scope="col">∂{name}</th>' for name in names)
    body = "".join(
        f'<tr><th scope="row">∂²/∂{name}∂·</th>'
        + "".join(f"<td>{_square(float(entry), scale, 4)}</td>" for entry in row)
        + "</tr>"
        for name, row in zip(names, entries, strict=True)
    )
    return f'<div class="wide-table"><table class="matrix"><tr><td></td>{head}</tr>{body}</table></div>'


def _eye(view: Surface) -> dict[str, float]:
    """Return a camera position that shows the tangent plane from above."""
    slopes = view.gradient * [np.ptp(view.x), np.ptp(view.y)]
    angle = math.atan2(-slopes[1], -slopes[0]) + 0.7 if np.isfinite(slopes).all() and slopes.any() else -0.8
    return {"x": 1.9 * math.cos(angle), "y": 1.9 * math.sin(angle), "z": 1.2}


def _square(entry: float, scale: Scale, digits: int) -> str:
    return f"<span {tint(entry, scale, classes='tint ')}>{number(entry, True, digits)}</span>"


def _plane(drawn: go.Figure, view: Surface, tokens: Paints) -> None:
    reach_x, reach_y = (0.22 * (ends[1] - ends[0]) for ends in (_ends(view.x), _ends(view.y)))
    x = np.linspace(view.at[0] - reach_x, view.at[0] + reach_x, 25)
    y = np.linspace(view.at[1] - reach_y, view.at[1] + reach_y, 25)
    z = view.plane(*np.meshgrid(x, y))
    orange = tokens.named["orange"]
    drawn.add_surface(
        x=x, y=y, z=z, colorscale=[[0, orange], [1, orange]], showscale=False, opacity=0.45, hoverinfo="skip"
    )
    length = np.hypot(*view.gradient)
    if length == 0:
        return
    dx, dy = view.gradient / length * min(reach_x, reach_y)
    ends = np.array([[view.at[0], view.at[0] + dx], [view.at[1], view.at[1] + dy]])
    height = view.plane(*ends)
    stroke = {"color": orange, "width": 7}
    drawn.add_scatter3d(x=ends[0], y=ends[1], z=height, mode="lines", line=stroke, hoverinfo="skip")
    tip = {"u": [dx], "v": [dy], "w": [height[1] - height[0]]}
    drawn.add_cone(
        x=ends[0][1:], y=ends[1][1:], z=height[1:], **tip, showscale=False, sizemode="absolute", anchor="center",
        sizeref=0.12 * max(reach_x, reach_y), colorscale=[[0, orange], [1, orange]], hoverinfo="skip",
    )  # fmt: skip


def _draw_descent(drawn: go.Figure, view: Surface, tokens: Paints, floor: float, roof: float) -> None:
    seen = _seen(view) & (view.heights >= floor) & (view.heights <= roof)
    path, heights = view.path[seen], view.heights[seen]
    stroke = {"color": tokens.ink, "width": 3}
    mark = {"size": 2.5, "color": tokens.ink}
    drawn.add_scatter3d(
        x=path[:, 0], y=path[:, 1], z=heights, mode="lines+markers", line=stroke, marker=mark, hoverinfo="skip"
    )


def _seen(view: Surface) -> np.ndarray:
    """Return a mask of the descent positions inside the window."""
    low, high = np.array([_ends(view.x), _ends(view.y)]).T
    return (view.path >= low).all(1) & (view.path <= high).all(1) & np.isfinite(view.heights)


def _arrows(view: Surface) -> tuple[list[float | None], list[float | None]]:
    """Return the gradient field as arrows separated by None."""
    sizes = np.hypot(*view.field)
    usable = np.isfinite(sizes) & (sizes > 0)
    width, height = np.ptp(view.x), np.ptp(view.y)
    if not usable.any():
        return [], []
    longest = 0.07
    share = longest * np.sqrt(sizes / sizes[usable].max())
    x, y = [], []
    for i in np.flatnonzero(usable):
        # drawn in plot units, so that arrowheads keep their shape; the direction is the on-screen one
        angle = math.atan2(view.field[1, i] / height, view.field[0, i] / width)
        tail, tip = (
            view.field_at[:, i],
            view.field_at[:, i] + share[i] * np.array([math.cos(angle) * width, math.sin(angle) * height]),
        )
        x += [tail[0], tip[0]]
        y += [tail[1], tip[1]]
        for side in (_HEAD, -_HEAD):
            x += [tip[0] + 0.35 * share[i] * math.cos(angle + side) * width, tip[0]]
            y += [tip[1] + 0.35 * share[i] * math.sin(angle + side) * height, tip[1]]
        x.append(None)
        y.append(None)
    return x, y


def _arrow(drawn: go.Figure, view: Surface, paint: str) -> None:
    length = 0.16 * min(np.ptp(view.x), np.ptp(view.y))
    dx, dy = view.gradient / np.hypot(*view.gradient) * length
    drawn.add_annotation(
        x=view.at[0] + dx, y=view.at[1] + dy, ax=view.at[0], ay=view.at[1], xref="x", yref="y", axref="x", ayref="y",
        showarrow=True, arrowhead=2, arrowwidth=3, arrowsize=0.9, arrowcolor=paint, text="",
    )  # fmt: skip


def _hover(view: Surface) -> str:
    names = [quoted(name) for name in view.f.arguments]
    return f"{names[0]} %{{x:.4~r}}<br>{names[1]} %{{y:.4~r}}<br>f %{{z:.4~r}}<extra></extra>"


def _ends(axis: np.ndarray) -> list[float]:
    return [float(axis[0]), float(axis[-1])]

"""Three-axis broadcasts as turning boxes of cubes: stored entries solid, repeated reads dashed."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import plotly.graph_objects as go

from explorer.analysis.broadcasting.alignment import Shape, sources
from explorer.analysis.broadcasting.operation import Broadcast
from explorer.drawing.broadcasting.alignment import word
from explorer.drawing.plots.plotly_look import CODE_FONT, label, paints
from explorer.text.numbers import number, sizes

MOST = 6  # cubes along an axis
NUMBERED = 60  # cubes that are stored, up to which each holds its number
SIDE = 0.78  # size of a cube, relative to the grid step
DASHES = 3  # dashes of an unstored cube's edge
HEIGHT = 300  # px
EYE = {"x": 0.75, "y": -1.6, "z": 0.85}  # plotly's camera position

# Corners of a unit cube, the two triangles of each face, and its edges.
_CORNERS = np.array(list(product((0, 1), repeat=3)), dtype=float)
_FACES = ((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
          (1, 5, 7), (1, 7, 3))  # fmt: skip
_EDGES = tuple(
    (a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(_CORNERS[a] - _CORNERS[b]).sum() == 1
)  # fmt: skip


def boxes(broadcast: Broadcast, at: Shape, dark: bool) -> go.Figure:
    """Draw stretched operands and the result as boxes, at most MOST cubes per axis.

    Args:
        broadcast: three axes and at least one entry.
        at: chosen entry. Its source cubes are marked.
    """
    tokens = paints(dark).of
    shape = tuple(min(size, MOST) for size in broadcast.alignment.result)
    drawn = go.Figure()
    shown = [(word(part.name), part.shape, part.values) for part in broadcast.parts]
    shown.append((broadcast.result or "=", broadcast.alignment.result, broadcast.values))
    width = 1 / len(shown)
    for i, (name, own, values) in enumerate(shown):
        scene = f"scene{i + 1 if i else ''}"
        _box(drawn, scene, shape, own, values, at, tokens)
        drawn.update_layout({scene: _scene([i * width, (i + 1) * width])})
        font = {"family": CODE_FONT, "size": 13, "color": tokens["ink"]}
        place = {"x": (i + 0.5) * width, "y": 1, "xref": "paper", "yref": "paper", "yanchor": "bottom"}
        drawn.add_annotation(text=f"<b>{label(name)}</b>  {label(sizes(own))}", font=font, showarrow=False, **place)
    margin, clear = {"l": 0, "r": 0, "t": 30, "b": 0}, "rgba(0,0,0,0)"
    drawn.update_layout(height=HEIGHT, margin=margin, paper_bgcolor=clear, showlegend=False, template="none")
    return drawn.update_layout(uirevision="boxes")  # if another entry is chosen, the boxes keep their rotation


def _box(
    drawn: go.Figure,
    scene: str,
    shape: Shape,
    own: Shape,
    values: np.ndarray | None,
    at: Shape,
    tokens: Mapping[str, str],
) -> None:
    cubes = list(product(*map(range, shape)))
    stored = [cube for cube in cubes if (0,) * (3 - len(own)) + sources(cube, own) == cube]
    ghosts = [cube for cube in cubes if cube not in set(stored)]
    _solid(drawn, scene, stored, tokens["face"], tokens["line-2"])
    _edges(drawn, scene, ghosts, tokens["line-2"], 1.5, DASHES, 0.45)
    lit = [cube for cube in cubes if cube == at]
    source = (0,) * (3 - len(own)) + sources(at, own)
    lit += [source] if source in stored and source not in lit else []
    _edges(drawn, scene, lit, tokens["accent"], 7)
    if values is not None and stored and len(stored) <= NUMBERED:
        x, y, z = np.array([_front(cube) for cube in stored]).T
        texts = [number(values[sources(cube, own)].item()) for cube in stored]
        look = {"textposition": "middle center", "textfont": {"family": CODE_FONT, "size": 12, "color": tokens["ink"]}}
        drawn.add_scatter3d(x=x, y=y, z=z, mode="text", text=texts, hoverinfo="skip", scene=scene, **look)


def _place(cube: Shape) -> np.ndarray:
    """Return a cube's corner: last axis right, middle axis down, first axis back."""
    depth, row, column = cube
    return np.array([column, depth, -row - 1], dtype=float)


def _front(cube: Shape) -> np.ndarray:
    """Return a label position just before a cube's front face."""
    eye = np.array([EYE["x"], EYE["y"], EYE["z"]])
    return _place(cube) + np.array([SIDE / 2, 0, SIDE / 2]) + 0.5 * eye / np.linalg.norm(eye)


def _solid(drawn: go.Figure, scene: str, cubes: list[Shape], face: str, edge: str) -> None:
    if not cubes:
        return
    corners = np.concatenate([_place(cube) + SIDE * _CORNERS for cube in cubes])
    triangles = np.concatenate([np.array(_FACES) + 8 * k for k in range(len(cubes))])
    x, y, z = corners.T
    i, j, k = triangles.T
    flat = {"ambient": 1, "diffuse": 0, "specular": 0, "fresnel": 0}
    drawn.add_mesh3d(x=x, y=y, z=z, i=i, j=j, k=k, color=face, opacity=1, lighting=flat, hoverinfo="skip", scene=scene)
    _edges(drawn, scene, cubes, edge, 3)


def _edges(
    drawn: go.Figure, scene: str, cubes: list[Shape], color: str, width: float, dashes: int = 1, opacity: float = 1
) -> None:
    """Draw cube edges, with manual dashes because plotly dashes fragmented lines unevenly."""
    if not cubes:
        return
    lines: list[np.ndarray] = []
    for cube in cubes:
        corners = _place(cube) + SIDE * _CORNERS
        for a, b in _EDGES:
            along = (corners[b] - corners[a]) / (2 * dashes - 1)
            for dash in range(dashes):
                start = corners[a] + 2 * dash * along
                lines += [start, start + along, np.full(3, np.nan)]
    x, y, z = np.array(lines).T
    line = {"color": color, "width": width}
    drawn.add_scatter3d(x=x, y=y, z=z, mode="lines", opacity=opacity, line=line, hoverinfo="skip", scene=scene)


def _scene(across: list[float]) -> dict:
    axes = {key: {"visible": False, "showbackground": False} for key in ("xaxis", "yaxis", "zaxis")}
    camera = {"projection": {"type": "orthographic"}, "eye": EYE}
    return {**axes, "domain": {"x": across, "y": [0, 1]}, "aspectmode": "data", "camera": camera}

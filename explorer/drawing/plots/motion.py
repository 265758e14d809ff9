"""Plots with marks moved by plotly's sliders, one frame for each place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.drawing.plots.plotly_look import CODE_FONT, Paints

Trace = dict[str, Any]  # a plotly trace, or a frame's changes to it
TALL = 58  # px of a slider with its caption
INSET = 10  # px that plotly keeps free at each end of a slider
_AT_ONCE = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}}


@dataclass(frozen=True)
class Slide:
    """A slider under a plot.

    Attributes:
        prefix: text before its value, such as "x = ". name: label for screen readers.
        labels, values: of its places. frames: changes for each place.
        traces: indices of the changed traces. at: the initial place.
    """

    prefix: str
    name: str
    labels: Sequence[str]
    values: Sequence[float]
    frames: Sequence[list[Trace]]
    traces: Sequence[int]
    at: int


def moving(slides: Sequence[Slide], below: int, tokens: Paints) -> tuple[list[dict], list[dict]]:
    """Return a figure's frames and its layout's sliders."""
    frames, sliders, font = [], [], {"family": CODE_FONT, "size": 14, "color": tokens.ink}
    for number, slide in enumerate(slides):
        names = [f"{number}.{place}" for place in range(len(slide.frames))]
        frames += [
            {"name": name, "traces": list(slide.traces), "data": frame}
            for name, frame in zip(names, slide.frames, strict=True)
        ]
        steps = [
            {"label": label, "value": repr(float(value)), "method": "animate", "args": [[name], _AT_ONCE]}
            for name, label, value in zip(names, slide.labels, slide.values, strict=True)
        ]
        sliders.append(
            {
                "active": slide.at, "name": slide.name, "steps": steps, "x": 0, "len": 1, "y": 0,
                "pad": {"t": below + number * TALL, "l": -INSET, "r": -INSET, "b": 0},
                "currentvalue": {"prefix": slide.prefix, "font": font, "offset": 8},
                "font": {"color": "rgba(0,0,0,0)", "size": 1},  # no words below it
                "ticklen": 0, "minorticklen": 0, "bgcolor": tokens.ground, "activebgcolor": tokens.named["cyan"],
                "bordercolor": tokens.line, "borderwidth": 1.5, "transition": {"duration": 0},
            }
        )  # fmt: skip
    return frames, sliders


def sent(numbers: Sequence[float] | np.ndarray) -> list[float | None]:
    """Convert numbers for JSON. plotly omits null for non-finite ones."""
    return [float(f"{one:.7g}") if math.isfinite(one) else None for one in map(float, numbers)]

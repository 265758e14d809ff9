"""Gradient sizes of layers as an HTML strip of logarithmic bars."""

import math
from collections.abc import Sequence

from explorer.analysis.diagnose.health.module_table import Layer, decades
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import number

LEAST = 6  # % of the height that the smallest bar has


def layers_html(layers: Sequence[Layer], lang: str) -> str:
    """Render a bar button for each layer, its height the gradient's power of ten."""
    shared = len(_shared([layer.path for layer in layers]))
    scale = decades(tuple(layers))
    bars = "".join(_bar(layer, layer.path[shared:], scale, k, lang) for k, layer in enumerate(layers))
    known = [layer for layer in layers if layer.size is not None and not math.isnan(layer.size)]
    words = say(lang, "layers-none")
    if known:
        least, most = (one(known, key=lambda layer: layer.size or 0.0) for one in (min, max))
        ends = {"least": least.path[shared:], "small": number(least.size or 0.0)}
        words = say(lang, "layers-summary", **ends, most=most.path[shared:], large=number(most.size or 0.0))
    title = quoted(say(lang, "layers-title"))
    names = "".join(f"<span>{quoted(layer.path[shared:])}</span>" for layer in (layers[0], layers[-1]))
    ticks = "".join(f"<i>10<sup>{power}</sup></i>" for power in reversed(scale)) if scale else ""
    return (
        f'<details class="layers"><summary><b>{title}</b> {quoted(words)}</summary>'
        f'<div class="layer-bars">{bars}</div><div class="layer-scale" aria-hidden="true">{ticks}</div>'
        f'<div class="layer-ends" aria-hidden="true">{names}</div></details>'
    )


def _bar(layer: Layer, name: str, scale: tuple[int, int] | None, place: int, lang: str) -> str:
    size = layer.size
    if size is None:
        kind, text, height = "none", say(lang, "layers-no-gradient"), LEAST
    elif math.isnan(size):
        kind, text, height = "bad", say(lang, "layers-nonfinite"), 100
    elif not size or scale is None:
        kind, text, height = "zero", "0", LEAST
    else:
        low, high = scale
        kind, text = "flows", number(size)
        height = round(LEAST + (100 - LEAST) * (math.log10(size) - low) / (high - low))
    words = quoted(f"{name}: {text}")
    stop = "" if not place else ' tabindex="-1"'
    return (
        f'<button type="button" class="{kind}" data-choose="{quoted(layer.path)}" aria-pressed="false" '
        f'aria-label="{words}" data-name="{words}"{stop}><i style="height:{height}%"></i></button>'
    )


def _shared(paths: Sequence[str]) -> str:
    """Return the common prefix of all paths, up to a dot."""
    first, last = min(paths), max(paths)
    alike = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    end = first[:alike].rfind(".")
    if first[end + 1 : end + 2].isdigit():  # a bare number is not a name
        end = first.rfind(".", 0, max(end, 0))
    return first[: end + 1]

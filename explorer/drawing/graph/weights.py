"""Attention weights as a heat map: weights in grey, their gradients as bars, the program's tokens at its sides."""

from collections.abc import Sequence

from explorer.analysis.autograd.entry_texts import index_text
from explorer.analysis.autograd.weights import WeightMap, Weights
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import fitted, in_full, shorten

MANY = 12  # columns above which squares are small
NUMBERED = 6  # columns up to which a square holds its weight
TOKEN = 8  # characters of a token at a side


def weights_html(weight_maps: Weights, lang: str) -> str:
    """The maps with a sentence on how to read them."""
    largest = max((abs(each) for one in weight_maps.maps for row in one.gradients for each in row), default=0.0)
    maps = "".join(_map(one, weight_maps, largest, len(weight_maps.maps) > 1) for one in weight_maps.maps)
    rows, columns = weight_maps.block
    exact = weight_maps.block == (1, 1)
    said = [say(lang, "weights-read") if exact else say(lang, "weights-blocks", rows=rows, columns=columns)]
    if weight_maps.again:
        said.append(say(lang, "weights-again"))
    if any(weight == 0 for one in weight_maps.maps for row in one.rows for weight in row):
        said.append(say(lang, "weights-zero"))
    if any(one.gradients for one in weight_maps.maps):
        said.append(say(lang, "weights-gradient"))
    if weight_maps.more:
        said.append(say(lang, "weights-more", count=weight_maps.more))
    return (
        f'<div class="inspection weights"><h4>{quoted(say(lang, "weights"))}</h4>{maps}'
        f'<p class="range">{quoted(" ".join(said))}</p></div>'
    )


def _map(one: WeightMap, weights: Weights, largest: float, several: bool) -> str:
    names = [shorten(token, TOKEN) for token in weights.tokens]
    height, width = len(one.rows), len(one.rows[0])
    across = names or [str(at * weights.block[1]) for at in range(width)]
    down = names if len(names) == height else [str(at * weights.block[0]) for at in range(height)]
    most = 1.0 if width <= MANY else max(map(max, one.rows))  # the darkest of many squares
    head = "".join(f'<th scope="col"><span>{quoted(name)}</span></th>' for name in _thinned(across))
    rows = "".join(
        f'<tr><th scope="row">{quoted(name)}</th>'
        + "".join(
            _cell(
                weight,
                one.gradients[i][j] if one.gradients else None,
                f"{down[i]} → {across[j]}",
                width,
                (most, largest),
            )
            for j, weight in enumerate(one.rows[i])
        )
        + "</tr>"
        for i, name in enumerate(_thinned(down))
    )
    caption = f"<caption>{quoted(index_text(one.index))}</caption>" if several else ""
    many = ' class="many"' if width > MANY else ""
    return f"<table{many}>{caption}<tr><td></td>{head}</tr>{rows}</table>"


def _thinned(names: Sequence[str]) -> list[str]:
    """The names with every fourth one left where there are many: the others have no room."""
    return [name if len(names) <= MANY or at % 4 == 0 else "" for at, name in enumerate(names)]


def _cell(weight: float, gradient: float | None, place: str, columns: int, largest: tuple[float, float]) -> str:
    """One square. Args: largest: weight and gradient of all."""
    about = f"{place}: {in_full(weight)}"
    bar = ""
    if gradient is not None:
        about += f", {in_full(gradient, True)}"
    if gradient:
        bar = f'<i class="{"pos" if gradient > 0 else "neg"}" style="--t:{100 * abs(gradient) / largest[1]:.0f}%"></i>'
    shown = quoted(fitted(weight, 4, False)) if columns <= NUMBERED and weight else ""
    empty = ' class="zero"' if weight == 0 else ""
    return f'<td{empty} style="--t:{100 * weight / largest[0]:.0f}%" title="{quoted(about)}">{shown}{bar}</td>'

"""The pictures of a time line for the browser, compressed: most of a picture equals the one before."""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FilmFrame:
    """The content of one step on a page; all of it is HTML or JSON with escaped texts.

    Attributes:
        position: of the step in its film.
        svg: in parts, as many in every frame.
        legend, sentence: HTML.
        beside: what stands at the ends of the lines, a JSON list for each cell.
    """

    position: int
    svg: Sequence[str]
    legend: str
    sentence: str
    beside: str


def packed_frames(frames: Sequence[FilmFrame]) -> str:
    """Frames as compressed text, "" for none.

    A part of all frames stands together, so that what is the same is near; null is as in the frame before.
    """
    if not frames:
        return ""
    columns = {
        "positions": [frame.position for frame in frames],
        "svg": [_changes(column) for column in zip(*(frame.svg for frame in frames), strict=True)],
        "legend": _changes([frame.legend for frame in frames]),
        "sentence": _changes([frame.sentence for frame in frames]),
        "beside": _changes([frame.beside for frame in frames]),
    }
    return packed(columns)


def packed(data: object) -> str:
    """JSON, compressed, as text."""
    return base64.b64encode(zlib.compress(json.dumps(data).encode("ascii"), 6)).decode("ascii")


def _changes(texts: Sequence[str]) -> list[str | None]:
    return [text if not i or text != texts[i - 1] else None for i, text in enumerate(texts)]

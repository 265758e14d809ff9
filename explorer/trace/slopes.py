"""Local derivatives of recorded calls, computed by torch in repeated calls.

Entry j of the gradient passed on over an edge is Σᵢ arriving[i] · slope[i, j]. Only nonzero slopes are stored.
"""

import math
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from explorer.trace.columns import Along, Columns, Ids

MOST_SLOPES = 40_000  # maximum slopes per recording
SMALL = 255  # largest number of entries that a byte can index

_Column = Annotated[list[int], Meta(max_length=MOST_SLOPES), Along("maps")]
_Bytes = Annotated[bytes, Meta(max_length=16 * MOST_SLOPES)]


class Slopes(Columns, Struct, frozen=True):
    """Columns: node outputs and edges, and all slopes concatenated.

    Attributes:
        node, output, edge: the node, its output whose gradient arrives, and the edge over which it passes a
            gradient on.
        rows, columns: number of entries of the arriving and the passed gradient.
        count: number of its slopes.
        arriving, passed: for each slope, the entries of the two gradients, one byte each.
        slope: derivatives as little-endian complex128. The passed gradient is complex only if `gradient * slope`
            is.
    """

    node: Annotated[_Column, Ids("nodes", 0)] = []
    output: Annotated[_Column, Ids(1 << 32, 0)] = []
    edge: Annotated[_Column, Ids(1 << 32, 0)] = []
    rows: Annotated[_Column, Ids(SMALL + 1, 0)] = []
    columns: Annotated[_Column, Ids(SMALL + 1, 0)] = []
    count: Annotated[_Column, Ids(MOST_SLOPES + 1, 0)] = []
    arriving: _Bytes = b""
    passed: _Bytes = b""
    slope: _Bytes = b""

    def matrices(self) -> dict[tuple[int, int], dict[int, np.ndarray]]:
        """Return the slope matrices (arriving × passed entries) by (node, edge), then output."""
        found: dict[tuple[int, int], dict[int, np.ndarray]] = {}
        at, slopes = 0, np.frombuffer(self.slope, "<c16")
        slopes = slopes if slopes.imag.any() else slopes.real
        places = np.frombuffer(self.arriving, np.uint8), np.frombuffer(self.passed, np.uint8)
        rows = zip(self.node, self.output, self.edge, self.rows, self.columns, self.count, strict=True)
        for node, output, edge, height, width, count in rows:
            matrix, part = np.zeros((height, width), slopes.dtype), slice(at, at + count)
            matrix[places[0][part], places[1][part]] = slopes[part]
            found.setdefault((node, edge), {})[output] = matrix if np.iscomplex(matrix).any() else matrix.real
            at += count
        return found


def faulty_slopes(slopes: Slopes, starts: list[int]) -> str:
    """Return the first fault of the columns, or "". Args: starts: where each node's edges begin."""
    total = sum(slopes.count)
    if (len(slopes.arriving), len(slopes.passed), len(slopes.slope)) != (total, total, 16 * total):
        return "slopes: more or fewer than are counted"
    if sum(map(math.prod, zip(slopes.rows, slopes.columns, strict=True))) > 64 * MOST_SLOPES:
        return "slopes: too large"
    if any(starts[node] + edge >= starts[node + 1] for node, edge in zip(slopes.node, slopes.edge, strict=True)):
        return "slopes: no such edge"
    at = 0
    for rows, columns, count in zip(slopes.rows, slopes.columns, slopes.count, strict=True):
        part = slice(at, at + count)
        if max(slopes.arriving[part], default=-1) >= rows or max(slopes.passed[part], default=-1) >= columns:
            return "slopes: an entry that does not exist"
        at += count
    return ""

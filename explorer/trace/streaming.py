"""Send outputs while a program runs, in case it is killed.

The child sends them in pieces, and again in its Trace if it ends well. They are untrusted, so they are decoded into the
Trace's records and checked with that Trace.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from explorer.trace import Output, Printed, Span

MOST_PIECES, MOST_BYTES = 10_000, 4_000_000  # most pieces and bytes that a run sends and the server reads
MOST_OUTPUTS = 10_000  # most outputs of one cell, as in a Trace
MOST_TEXT = 300_000  # longest output, as in a Trace


class Piece(Struct, frozen=True, array_like=True):
    """A part of the outputs of one cell.

    Attributes:
        cell: index of the cell.
        anew: whether it replaces the earlier pieces of this cell.
        ended: whether the cell has ended.
        outputs: outputs in order. Their spans index the table of all pieces.
        spans: additions to that table.
    """

    cell: int
    anew: bool
    ended: bool
    outputs: Annotated[list[Output], Meta(max_length=MOST_OUTPUTS)]
    spans: Annotated[list[Span], Meta(max_length=100_000)]


class PartialRun(Struct, frozen=True):
    """The outputs of a run that left no Trace.

    Attributes:
        outputs: outputs of each cell.
        spans: table of their spans.
        running: the cell that had not ended.
    """

    outputs: list[list[Output]]
    spans: list[Span]
    running: int


_decoder = msgspec.msgpack.Decoder(Piece)


def encode(piece: Piece) -> bytes:
    """Encode a piece as MessagePack."""
    return msgspec.msgpack.encode(piece)


def read(pieces: Sequence[bytes], cells: int) -> PartialRun:
    """Read a program's pieces up to the first invalid one."""
    outputs: list[list[Output]] = [[] for _ in range(cells)]
    spans: list[Span] = []
    running = 0
    for data in pieces:
        try:
            piece = _decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            break
        earlier = [] if piece.anew or not 0 <= piece.cell < cells else outputs[piece.cell]
        if not running <= piece.cell < cells or len(earlier) + len(piece.outputs) > MOST_OUTPUTS:
            break
        outputs[piece.cell] = earlier
        earlier += piece.outputs
        spans += piece.spans
        running = piece.cell + piece.ended
    return PartialRun([_joined(output) for output in outputs], spans, min(running, max(0, cells - 1)))


def _joined(outputs: list[Output]) -> list[Output]:
    """Join successive texts of one stream."""
    joined: list[Output] = []
    for stream, run in groupby(outputs, key=lambda output: output.joins if isinstance(output, Printed) else None):
        together = list(run)
        if stream is None:
            joined += together
        else:
            text = "".join(output.text for output in together if isinstance(output, Printed))
            joined += [Printed(stream, text[i : i + MOST_TEXT]) for i in range(0, len(text), MOST_TEXT)]
    return joined

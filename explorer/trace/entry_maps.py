"""Where torch took results' entries from: answers of a process with torch, given when a view asks.

A Trace does not contain them. What has torch, or can ask a process that has, answers for one Trace (`Index.ask`) or for
all others (`answer_elsewhere`).
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta, Struct

from explorer.trace.index import Index

MOST_READS = 250_000  # entries of a call's operands and results, and places of one result


class EntrySources(Struct, frozen=True, array_like=True):
    """Where the entries of one result came from.

    Attributes:
        reads: for each operand the places read by each entry, row-major little-endian int32, -1 for none.
        terms: places read by each entry, in each operand.
        sums: whether each entry is a sum of what it read, not a copy.
        sources: operands whose entries were moved. Others, such as an index, only select.
        fill: value of entries without a source.
    """

    reads: Annotated[list[Annotated[bytes, Meta(max_length=4 * MOST_READS)]], Meta(max_length=1_000)]
    terms: Annotated[int, Meta(ge=1, le=MOST_READS)]
    sums: bool
    sources: Annotated[list[int], Meta(max_length=1_000)]
    fill: float

    @staticmethod
    def of(reads: Sequence[np.ndarray], sums: bool, sources: Sequence[int], fill: float = 0.0) -> "EntrySources":
        """Encode the places. Args: reads: for each operand an array (entries, terms)."""
        width = max(1, reads[0].shape[1])
        flat = [(one if one.size else np.full((len(one), width), -1)).astype("<i4").tobytes() for one in reads]
        return EntrySources(flat, width, sums, [*sources], fill)

    def places(self) -> list[np.ndarray]:
        """For each operand an array (entries, terms)."""
        return [np.frombuffer(one, "<i4").astype(int).reshape(-1, self.terms) for one in self.reads]

    def is_valid(self) -> bool:
        """Whether its parts agree and no place is below -1."""
        return (
            len({len(one) for one in self.reads}) == 1
            and len(self.reads[0]) % (4 * self.terms) == 0
            and all(0 <= k < len(self.reads) for k in self.sources)
            and all(np.frombuffer(one, "<i4").min(initial=0) >= -1 for one in self.reads)
        )


Answers = dict[int, list[EntrySources]]  # by call the sources of each result, [] if it moved no entries
Ask = Callable[[Any, Sequence[int]], Answers | None]
_FAILED = 2  # calls without an answer, after which nobody is asked about a Trace
_decoder = msgspec.msgpack.Decoder(Answers)
_elsewhere: list[Ask] = []


def read_answers(data: bytes) -> Answers:
    """Decode an untrusted process's answers. Raises ValueError."""
    found = _decoder.decode(data)
    if not all(one.is_valid() for sources in found.values() for one in sources):
        raise ValueError("places")
    return found


def answer_elsewhere(ask: Ask) -> None:
    """Let `ask` answer about Traces without an own `Index.ask`."""
    _elsewhere[:] = [ask]


def entry_sources(index: Index, operation: int, further: Sequence[int] = ()) -> list[EntrySources] | None:
    """Ask where the entries of a call's results came from; None if nobody answers.

    Args:
        further: calls that may be answered with it, since a view will need them.
    """
    known = index.memoize(("entry sources",), dict[int, list[EntrySources] | None])
    ask = index.ask or next(iter(_elsewhere), None)
    if operation not in known and ask is not None and sum(one is None for one in known.values()) < _FAILED:
        asked = [operation, *(one for one in further if one not in known)]
        known |= {operation: None} | (ask(index.trace, asked) or {})
    return known.get(operation)

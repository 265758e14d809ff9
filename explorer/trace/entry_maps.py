"""Sources of results' entries, answered on demand by a process with torch.

A Trace does not contain them. What has torch, or can ask a process that has, answers for one Trace (`Index.ask`) or for
all others (`answer_elsewhere`).
"""

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from explorer.trace.index import Index

MOST_READS = 250_000  # entries of a call's operands and results, and places of one result
Rule = Literal["copy", "sum", "depends"]
How = Literal["moves", "copies", "depends"]
_Places = Annotated[bytes, Meta(max_length=4 * MOST_READS)]


class EntrySources(Struct, frozen=True, array_like=True):
    """Sources of one result's entries. Places are little-endian int32, -1 if there is none.

    Attributes:
        places: places read by each entry, row-major. They number the entries of all operands consecutively.
        terms: places read by each entry.
        rule: whether each entry is a copy of the entry it read, the sum of those it read, or only depends on them.
        fill: value of entries without a source.
        selectors: operands that only select, such as an index, each with its selecting place for each entry, b"" if
            unknown.
    """

    places: _Places
    terms: Annotated[int, Meta(ge=1, le=MOST_READS)]
    rule: Rule
    fill: float
    selectors: Annotated[dict[int, _Places], Meta(max_length=1_000)]

    @staticmethod
    def of(places: np.ndarray, rule: Rule, fill: float, selectors: dict[int, np.ndarray | None]) -> "EntrySources":
        """Encode arrays. Args: places: an array (entries, terms)."""
        places = places if places.shape[1] else np.full((len(places), 1), -1)
        chosen = {k: b"" if one is None else one.astype("<i4").tobytes() for k, one in selectors.items()}
        return EntrySources(places.astype("<i4").tobytes(), places.shape[1], rule, fill, chosen)

    def reads(self, sizes: Sequence[int]) -> tuple[np.ndarray, ...]:
        """For each operand an array (entries, terms). Args: sizes: entries of each operand."""
        places, found = _places(self.places).reshape(-1, self.terms), []
        for k, (size, end) in enumerate(zip(sizes, accumulate(sizes), strict=True)):
            own = self.selectors.get(k)
            if own is None:
                found.append(np.where((places >= end - size) & (places < end), places - end + size, -1))
            else:
                found.append(_places(own).reshape(places.shape) if own else np.full_like(places, -1))
        return tuple(found)

    @property
    def has_places(self) -> bool:
        """Return whether any entry was read."""
        return _places(self.places).max(initial=-1) >= 0

    def is_valid(self) -> bool:
        """Return whether its parts agree and no place is below -1."""
        arrays = (self.places, *filter(None, self.selectors.values()))
        return (
            len({len(one) for one in arrays}) == 1
            and len(self.places) % (4 * self.terms) == 0
            and all(_places(one).min(initial=0) >= -1 for one in arrays)
        )


def _places(data: bytes) -> np.ndarray:
    return np.frombuffer(data, "<i4").astype(int)


Ask = Callable[[Any, int, How], list[EntrySources] | None]
_FAILED = 2  # unanswered calls before questions about a Trace stop
_decoder = msgspec.msgpack.Decoder(list[EntrySources])
_elsewhere: list[Ask] = []


def read_answer(data: bytes) -> list[EntrySources]:
    """Decode an untrusted process's answer. Raises ValueError."""
    found = _decoder.decode(data)
    if not all(one.is_valid() for one in found):
        raise ValueError("places")
    return found


def answer_elsewhere(ask: Ask) -> None:
    """Use `ask` for Traces without an `Index.ask` of their own."""
    _elsewhere[:] = [ask]


def entry_sources(index: Index, operation: int, how: How) -> list[EntrySources] | None:
    """Ask for entries' sources, [] if unknown, None if unanswered.

    Args:
        how: moves (the call is known to move entries), copies (it may have), depends (any dependence counts).
    """
    known = index.memoize(("entry sources", how), dict[int, list[EntrySources] | None])
    ask = index.ask or next(iter(_elsewhere), None)
    if operation not in known and ask is not None and sum(one is None for one in known.values()) < _FAILED:
        known[operation] = ask(index.trace, operation, how)
    return known.get(operation)

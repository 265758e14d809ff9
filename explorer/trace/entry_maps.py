"""Sources of results' entries, answered on demand by a process with torch.

A Trace does not contain them. What has torch, or can ask a process that has, answers for one Trace (`Index.ask`) or for
all others (`answer_elsewhere`).
"""

import math
import time
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta, Struct

from explorer.trace.index import AGAIN_S, Index
from explorer.trace.name_patterns import writes_in_place

MOST_READS = 250_000  # most entries of a call's operands and results, and most positions per result
MOST_WORK = 2_000_000  # most positions of all results, times operands
_EACH = 600  # an empty array costs as much as this many positions
_KEPT = 8_000_000  # most bytes of answers about one Trace
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
                found.append(np.where((places >= end - size) & (places < end), places - (end - size), -1))
            else:
                found.append(_places(own).reshape(places.shape) if own else np.full_like(places, -1))
        return tuple(found)

    @property
    def has_places(self) -> bool:
        """Return whether any entry was read."""
        return _places(self.places).max(initial=-1) >= 0

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.places) + sum(map(len, self.selectors.values()))

    def fits(self, entries: int, operands: Sequence[int]) -> bool:
        """Return whether it is about a result of so many entries, and reads only entries of these operands."""
        if len(self.places) != 4 * self.terms * entries or not _within(self.places, sum(operands)):
            return False
        if self.terms > (1 if self.rule == "copy" else max(1, sum(operands))):
            return False
        return all(
            0 <= k < len(operands) and len(one) in (0, len(self.places)) and _within(one, operands[k])
            for k, one in self.selectors.items()
        )


def _places(data: bytes) -> np.ndarray:
    return np.frombuffer(data, "<i4")


def _within(data: bytes, size: int) -> bool:
    places = _places(data)
    return places.min(initial=0) >= -1 and places.max(initial=-1) < size


class CallSizes(NamedTuple):
    """How many entries a call's operands and results have."""

    operands: tuple[int, ...]
    results: tuple[int, ...]

    @staticmethod
    def of(index: Index, operation: int) -> "CallSizes":
        """Return the sizes of a recorded call."""
        trace = index.trace
        rows, shapes, tensors = trace.operations, trace.shapes, trace.tensors
        read = [(trace.versions.value[row], index.tensor_of(row)) for row in index.rows_read(operation)]
        operands = (shapes[trace.values.shape[value] if value >= 0 else tensors.shape[at]] for value, at in read)
        writes = writes_in_place(trace.strings[rows.name[operation]])
        made = rows.inputs[operation][:1] if writes else rows.outputs[operation]
        return CallSizes(tuple(map(math.prod, operands)), tuple(math.prod(shapes[tensors.shape[one]]) for one in made))

    def fit(self, found: Sequence[EntrySources]) -> bool:
        """Return whether these are sources of its results, and few enough to read them once for each operand."""
        work = len(self.operands) * sum(len(one.places) // 4 + _EACH for one in found)
        return not found or (
            len(found) == len(self.results)
            and work <= MOST_WORK
            and all(one.fits(entries, self.operands) for one, entries in zip(found, self.results, strict=True))
        )


Ask = Callable[[Any, int, How], list[EntrySources] | None]
_FAILED = 2  # unanswered calls before questions about a Trace pause
_decoder = msgspec.msgpack.Decoder(list[EntrySources])
_elsewhere: list[Ask] = []


def read_answer(data: bytes, index: Index, operation: int) -> list[EntrySources]:
    """Decode an untrusted process's answer about a call. Raises ValueError."""
    found = _decoder.decode(data)
    if not CallSizes.of(index, operation).fit(found):
        raise ValueError("places")
    return found


def answer_elsewhere(ask: Ask) -> None:
    """Use `ask` for Traces without their own `Index.ask`."""
    _elsewhere[:] = [ask]


def entry_sources(index: Index, operation: int, how: How) -> list[EntrySources] | None:
    """Ask for entries' sources, [] if unknown, None if unanswered.

    Args:
        how: moves (the call is known to move entries), copies (it may have), depends (any dependence counts).
    """
    known = index.memoize(("entry sources", how), dict[int, list[EntrySources]])
    late = index.memoize(("entry sources unanswered",), dict[int, float])  # when each question may be asked again
    ask, now = index.ask or next(iter(_elsewhere), None), time.monotonic()
    late_now = [other for other, until in late.items() if until > now]
    if operation not in known and ask is not None and operation not in late_now and len(late_now) < _FAILED:
        found = ask(index.trace, operation, how)
        if found is None:
            late[operation] = time.monotonic() + AGAIN_S
        else:
            known[operation] = found
            _forget_oldest(known)
    return known.get(operation)


def _forget_oldest(known: dict[int, list[EntrySources]]) -> None:
    """Keep at most _KEPT bytes, and the last answer."""
    size = sum(one.size for found in known.values() for one in found)
    while size > _KEPT and len(known) > 1:
        size -= sum(one.size for one in known.pop(next(iter(known))))

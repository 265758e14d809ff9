"""Entry maps of calls that move entries: from strides for views, from torch otherwise."""

from itertools import accumulate

import numpy as np

from explorer.analysis.operations.call import MOST, NoEntryMap, OperationCall, Reading
from explorer.analysis.operations.record import Operation
from explorer.trace import Trace, memoized
from explorer.trace.entry_maps import MOST_MAPS, EntryMap
from explorer.trace.views_of_storage import places_viewed, returns_views


def moved(call: OperationCall, operation: Operation) -> list[Reading]:
    """Return for each result the source entries of its entries. Raises NoEntryMap."""
    found = _asked_maps(call.trace).get(call.operation)
    if found is None and returns_views(call.trace, call.operation):
        if sum(part.size for part in (call.operands[0], *call.results)) > MOST:
            raise NoEntryMap("size")
        viewed = [places.reshape(-1, 1) for places in places_viewed(call.trace, call.operation)]
        others = len(call.operands) - 1 if operation.subject == "pick" else 0  # an index
        return [Reading((places, *[np.full_like(places, -1)] * others), "copy") for places in viewed]
    if found is None:
        unread = any(part.numbers is None for part in call.operands[1:])
        raise NoEntryMap("values" if unread else "asked" if len(call.trace.maps.count) > MOST_MAPS // 2 else "kind")
    if found.sums:
        return [_sum(call, found)]
    ends = [*accumulate(part.size for part in call.results)]
    return [_copies(call, found, slice(end - part.size, end)) for end, part in zip(ends, call.results, strict=True)]


@memoized
def _asked_maps(trace: Trace) -> dict[int, EntryMap]:
    """Map calls to torch's answers when they were repeated."""
    maps = trace.maps.maps()
    return {operation: maps[number] for operation, number in zip(trace.maps.operation, trace.maps.map, strict=True)}


def _sources(call: OperationCall, found: EntryMap) -> tuple[int, ...]:
    return tuple(k for k in range(len(call.operands)) if k not in found.selectors)


def _starts(call: OperationCall) -> list[int]:
    return [0, *accumulate(part.size for part in call.operands)]


def _copies(call: OperationCall, found: EntryMap, part: slice) -> Reading:
    """Read every entry as a copy of one entry, or as the fill value."""
    places, starts, reads = found.places[part].reshape(-1, 1), _starts(call), []
    for k, operand in enumerate(call.operands):
        own = found.selectors.get(k)
        if own is not None:
            reads.append(own[part].reshape(-1, 1))
        elif k in found.selectors:
            reads.append(np.full_like(places, -1))
        else:
            within = (places >= starts[k]) & (places < starts[k] + operand.size)
            reads.append(np.where(within, places - starts[k], -1))
    filled = (places < 0).any() and found.fill != 0
    return Reading(tuple(reads), "copy", _sources(call, found), (("fill", found.fill),) if filled else ())


def _sum(call: OperationCall, found: EntryMap) -> Reading:
    """Read every entry as the sum of its additions."""
    count, starts = call.results[0].size, _starts(call)
    if len(found.places) != starts[-1] or found.places.max(initial=-1) >= count:
        raise NoEntryMap("kind")
    entries = np.flatnonzero(found.places >= 0)
    entries = entries[np.argsort(found.places[entries], kind="stable")]
    targets = found.places[entries]
    before = np.searchsorted(targets, targets)
    width = int(np.bincount(targets, minlength=count).max(initial=0))
    if count * width > MOST:
        raise NoEntryMap("size")
    whole = np.full((count, width), -1)
    whole[targets, np.arange(len(targets)) - before] = entries
    reads = [
        np.where((whole >= start) & (whole < start + part.size), whole - start, -1)
        for start, part in zip(starts, call.operands, strict=False)
    ]
    return Reading(tuple(reads), "sum", _sources(call, found))

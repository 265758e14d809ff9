"""Where the entries of moving calls came from, as torch answers."""

from explorer.analysis.operations.call import NoEntryMap, OperationCall, Reading
from explorer.analysis.operations.record import Operation
from explorer.trace.entry_maps import entry_sources

_FURTHER = 200  # earlier calls that are asked about too, as *Why?* goes back


def moved(call: OperationCall, operation: Operation) -> list[Reading]:
    """Return for each result the source entries of its entries. Raises NoEntryMap."""
    earlier = range(call.operation - 1, max(-1, call.operation - _FURTHER), -1)
    found = entry_sources(call.trace.index, call.operation, earlier)
    if not found:
        unread = any(part.numbers is None for part in call.operands[1:])
        raise NoEntryMap("asked" if found is None else "values" if unread else "kind")
    sizes = [part.size for part in call.operands]
    return [
        Reading(
            one.reads(sizes),
            "sum" if one.sums else "copy",
            tuple(k for k in range(len(sizes)) if k not in one.selectors),
            (("fill", one.fill),) if one.fill else (),
        )
        for one in found
    ]

"""Sources of moved entries, as torch reports them."""

from explorer.analysis.operations.call import NoEntryMap, OperationCall, Reading
from explorer.analysis.operations.record import Operation
from explorer.trace.entry_maps import How, entry_sources


def moved(call: OperationCall, operation: Operation, how: How = "moves") -> list[Reading]:
    """Return for each result the source entries of its entries. Raises NoEntryMap."""
    found = entry_sources(call.trace.index, call.operation, how)
    if not found:
        unread = any(part.numbers is None for part in call.operands[1:])
        raise NoEntryMap("asked" if found is None else "values" if unread else "kind")
    sizes = [part.size for part in call.operands]
    readings = []
    for one in found:
        sources = tuple(k for k in range(len(sizes)) if k not in one.selectors)
        readings.append(Reading(one.reads(sizes), one.rule, sources, (("fill", one.fill),) if one.fill else ()))
    return readings

"""Where the entries of moving calls came from, as torch answers."""

from explorer.analysis.operations.call import NoEntryMap, OperationCall, Reading
from explorer.analysis.operations.record import Operation
from explorer.trace import Trace, memoized
from explorer.trace.entry_maps import How, entry_sources

_FURTHER = 200  # earlier calls whose sources are asked with it, since *Why?* goes back


def moved(call: OperationCall, operation: Operation, how: How = "moves") -> list[Reading]:
    """Return for each result the source entries of its entries. Raises NoEntryMap."""
    further = (one for one in _moving(call.trace) if call.operation - _FURTHER < one < call.operation)
    found = entry_sources(call.trace.index, call.operation, how, further if how == "moves" else ())
    if not found:
        unread = any(part.numbers is None for part in call.operands[1:])
        raise NoEntryMap("asked" if found is None else "values" if unread else "kind")
    sizes = [part.size for part in call.operands]
    return [
        Reading(
            one.reads(sizes),
            one.rule,
            tuple(k for k in range(len(sizes)) if k not in one.selectors),
            (("fill", one.fill),) if one.fill else (),
        )
        for one in found
    ]


@memoized
def _moving(trace: Trace) -> list[int]:
    """Return the calls that move entries, last first."""
    from explorer.analysis.operations import operation_of  # its table has rows with `moved`

    names = trace.operations.name
    known = {name for name in {*names} if operation_of(trace.strings[name]).entries is moved}
    return [one for one in range(len(names) - 1, -1, -1) if names[one] in known]

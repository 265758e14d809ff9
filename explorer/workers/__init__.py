"""Work of confined children for the server: explanations, diagnoses, checks, trials, lessons.

The parent without torch preloads `service.py`. With `diagnoses.ask_child` the server asks one of its children. Traces
are answered with torch (explorer.trace.entry_maps) as soon as this room is imported.
"""

import msgspec

from explorer.trace import Trace
from explorer.trace.entry_maps import EntrySources, How, answer_elsewhere, read_answer


def _ask(trace: Trace, operation: int, how: How) -> list[EntrySources] | None:
    """Ask a process with torch for the sources of a call's entries."""
    from explorer.sandbox.protocol import ENTRIES  # processes in this package don't ask others
    from explorer.workers.diagnoses import ask_child

    def read(reply: bytes, trace: Trace) -> list[EntrySources]:
        return read_answer(reply, trace.index, operation)

    return ask_child(ENTRIES, trace, read, asked=msgspec.msgpack.encode((operation, how)))


answer_elsewhere(_ask)

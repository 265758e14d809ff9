"""Work of confined children for the server: explanations, diagnoses, checks, trials, lessons.

The parent without torch preloads `service.py`; with `requests.py` the server asks one of its children. Traces are
answered with torch (explorer.trace.entry_maps) as soon as this room is imported.
"""

from collections.abc import Mapping

import msgspec

from explorer.trace import Trace
from explorer.trace.entry_maps import Answers, How, answer_elsewhere, read_answers


def _ask(trace: Trace, calls: Mapping[int, How]) -> Answers | None:
    """Ask a process with torch where calls' entries came from."""
    from explorer.sandbox.protocol import ENTRIES  # processes of this room don't ask others
    from explorer.workers.diagnoses import ask_child

    return ask_child(ENTRIES, trace, lambda reply, _: read_answers(reply), asked=msgspec.msgpack.encode(calls))


answer_elsewhere(_ask)

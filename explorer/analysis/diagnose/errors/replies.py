"""Explain errors in a child process, from bytes to bytes."""

import re
import time
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from explorer.analysis.diagnose.errors.failure_context import Explanation, FailureContext
from explorer.trace import Failure, Trace
from explorer.trace import read as read_trace

MOST = 20  # maximum number of explained errors per program
PATIENCE = 0.7  # CPU seconds after which no further error is explained


# Each with the position of its error in the Trace: cell and output index.
_decoder = msgspec.msgpack.Decoder(Annotated[list[tuple[int, int, Explanation]], Meta(max_length=MOST)])


def explain(trace: Trace, cell: int, failure: Failure) -> Explanation | None:
    """Explain an output of a cell (from 0), or return None."""
    # a process that explains nothing imports no rules
    from explorer.analysis.diagnose.errors.rules import RULES

    if failure.span < 0 or re.match(r"raise\b", trace.text(failure.span)):
        return None  # the program's own message, even if it looks like torch's
    at = FailureContext(trace, cell, failure)
    return next((explanation for rule in RULES for explanation in rule(at)), None)


def answer(request: bytes) -> bytes:
    """Explain the first errors of an encoded Trace, as far as rules know them."""
    trace, until = read_trace(request), time.process_time() + PATIENCE
    explanations = []
    for cell, place, failure in trace.shown(Failure)[:MOST]:
        if time.process_time() > until:
            break
        if explanation := explain(trace, cell, failure):
            explanations.append((cell, place, explanation))
    return msgspec.msgpack.encode(explanations)


def read(reply: bytes, trace: Trace) -> dict[tuple[int, int], Explanation]:
    """Decode the unproven explanations in an untrusted reply, by cell and index. Raises ValueError."""
    places = {(cell, place) for cell, place, _ in trace.shown(Failure)[:MOST]}
    return {
        (cell, place): replace(explanation, proof=None, further=0)
        for cell, place, explanation in _decoder.decode(reply)
        if (cell, place) in places and explanation.is_in(trace)
    }

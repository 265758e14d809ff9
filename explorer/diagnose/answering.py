"""All diagnoses of a program, from bytes to bytes: what a child does with a Trace."""

from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from explorer.diagnose.diagnosing import diagnose
from explorer.diagnose.facts import Facts
from explorer.diagnose.finding import Finding
from explorer.diagnose.repairs import repairs
from explorer.explain.expressions import shown
from explorer.trace import Span, Trace, decode

MOST = 40  # kinds there are; each is told once

_decoder = msgspec.msgpack.Decoder(Annotated[list[Finding], Meta(max_length=MOST)])


def answer(request: bytes) -> bytes:
    """The diagnoses of an encoded Trace, each with changes that are worth running."""
    trace = decode(request)
    facts = Facts(trace)
    found = [replace(one, repairs=repairs(facts, one)) for one in diagnose(trace)]
    return msgspec.msgpack.encode([_short(one) for one in found])


def _short(one: Finding) -> Finding:
    """With values that fit into a sentence."""
    values = {name: shown(value) if isinstance(value, str) else value for name, value in one.values.items()}
    return replace(one, values=values)


def read(reply: bytes, trace: Trace) -> list[Finding]:
    """The diagnoses in a reply that nobody vouches for. Raises ValueError."""
    try:
        told = _decoder.decode(reply)
    except UnicodeDecodeError as problem:
        raise ValueError(str(problem)) from None
    return [one for one in told if _is_possible(one, trace)]


def _is_possible(one: Finding, trace: Trace) -> bool:
    """Whether all that a diagnosis names is there."""
    cells = range(len(trace.cells))
    ids = -1 <= one.tensor < len(trace.tensors) and -1 <= one.node < len(trace.nodes)
    return ids and _is_place(one.place, trace) and all(repair.cell in cells for repair in one.repairs)


def _is_place(place: Span, trace: Trace) -> bool:
    if not 0 <= place.cell < len(trace.cells):
        return False
    lines = trace.cells[place.cell].lines
    return 1 <= place.line <= place.end_line <= len(lines) and min(place.column, place.end_column) >= 0

"""Limit a result, so that no view takes too long.

`count` checks the bytes before decoding, `beyond` the decoded Trace. The limits are several times those of usual runs.
A run that would exceed them drops detail in steps.
"""

from collections.abc import Sequence

from explorer.safe_regex import plain
from explorer.trace import steps
from explorer.trace.outputs import Figure
from explorer.trace.records import Records
from explorer.trace.tables import Table

CONTAINERS = 400_000  # total lists and dictionaries: each takes about 100 bytes in memory, even if few encoded
OPERATIONS = 10_000
ROWS = 100_000  # limit for each of tensors, versions, bindings, nodes, edges and the like
ALL_ROWS = 300_000  # limit for their sum
BACKWARDS = 10_000
TEXTS = 50_000  # strings, and spans, and shapes
OUTPUTS = 20_000  # total outputs of all cells
SHOWN = 2_000_000  # total characters in all outputs
FIGURES = 500
PICTURES = 6_000_000  # total bytes of all figures
DEEP = 100  # nested loops around an operation

_SHORT = rb"|".join(b"[\\x%02x].{%d}" % (0xA0 + size, size) for size in range(32))
_SCALARS = plain(
    rb"(?s:[\x00-\x7f\xe0-\xff\xc0\xc2\xc3]|[\xcc\xd0].|[\xcd\xd1]..|[\xca\xce\xd2].{4}|[\xcb\xcf\xd3].{8}|"
    + _SHORT
    + rb")++"
)
_OPEN = plain(rb"(?s:[\x80-\x9f]|[\xdc\xde]..|[\xdd\xdf].{4})")
_SIZED = {0xD9: 1, 0xDA: 2, 0xDB: 4, 0xC4: 1, 0xC5: 2, 0xC6: 4}  # texts and bytes → size of their length field

_BINARY = (0xC4, 0xC5, 0xC6)


def count(data: bytes, most: int = CONTAINERS) -> int:
    """Count lists and dictionaries in MessagePack, stopping beyond `most`.

    >>> count(bytes([0x93, 1, 0x90, 0x80]))
    3
    """
    return measure(data, most)[0]


def measure(data: bytes, most: int) -> tuple[int, int]:
    """Count lists and dictionaries as `count` does, and bytes of binary data.

    >>> measure(bytes([0x92, 0xC4, 2, 7, 7, 0x90]), 10)
    (3, 2)
    """
    at, parts, binary, size = 0, 0, 0, len(data)
    while at < size and parts <= most:
        if (run := _SCALARS.match(data, at)) is not None:
            at = run.end()
        if at >= size:
            break
        if (opened := _OPEN.match(data, at)) is not None:
            parts, at = parts + 1, opened.end()
        elif (width := _SIZED.get(data[at])) is not None:
            length = int.from_bytes(data[at + 1 : at + 1 + width])
            binary += length if data[at] in _BINARY else 0
            at += 1 + width + length
            parts += 1
        else:
            return most + 1, binary  # not a Trace, or truncated
    return parts, binary


def beyond(trace: Records) -> str:
    """Return the first limit that a Trace exceeds, in words, or ""."""
    o, n, b = trace.operations, trace.nodes, trace.backwards
    rows = {
        "tensors": len(trace.tensors),
        "versions": len(trace.versions.version),
        "bindings": len(trace.bindings),
        "values": len(trace.values.dtype),
        "inputs": len(o.inputs.items),
        "outputs": len(o.outputs.items),
        "nodes": len(n),
        "edges": len(n.edges.items),
        "node values": len(n.values.items),
        "saved": len(trace.saved.node),
        "steps": sum(len(call.order) for call in b),
        "arrived": sum(len(call.arrived.items) for call in b),
        "contributions": sum(len(call.contribution_from) for call in b),
        "roots": sum(len(call.roots) + len(call.root_tensors) + len(call.seeds) + len(call.inputs) for call in b),
        "leaves": sum(len(call.accumulated) + len(call.freed) for call in b),
    }
    outputs = [output for cell in trace.cells for output in cell.outputs]
    figures = [output for output in outputs if isinstance(output, Figure)]
    shown_tables = sum(map(_in_table, trace.tables))
    shown = shown_tables + sum(map(_shown, outputs)) + sum(len(figure.alt) for figure in figures)
    bounded = (
        ("operations", len(o), OPERATIONS),
        *((what, number, ROWS) for what, number in rows.items()),
        ("rows", sum(rows.values()), ALL_ROWS),
        ("backwards", len(b), BACKWARDS),
        ("strings", len(trace.strings), TEXTS),
        ("spans", len(trace.spans), TEXTS),
        ("shapes", len(trace.shapes), TEXTS),
        ("rounds", len(o.iteration.items), DEEP * OPERATIONS),
        ("steps of training", len(trace.steps), steps.KEPT),
        ("rows of leaves", sum(map(len, trace.steps.leaves)), steps.ROWS),
        ("rounds of steps", sum(map(len, trace.steps.rounds)), steps.ROWS),
        ("outputs of cells", len(outputs), OUTPUTS),
        ("characters shown", shown, SHOWN),
        ("figures", len(figures), FIGURES),
        ("bytes of figures", sum(len(figure.data) for figure in figures), PICTURES),
    )
    return next((f"{number} {what}, at most {most}" for what, number, most in bounded if number > most), "")


def _in_table(table: Table) -> int:
    """Count the characters in a window of a table."""
    heads = [
        table.name,
        *(text for column in table.columns for text in (column.name, column.dtype, column.low, column.high)),
    ]
    rows: list[Sequence[str | None]] = [heads, table.labels, *table.cells]
    return sum(len(text or "") + 1 for row in rows for text in row)


def _shown(output: object) -> int:
    """Count the characters of an output."""
    table = getattr(output, "table", None)
    rows = [table.columns, *table.rows] if table else []
    return len(getattr(output, "text", "")) + sum(len(word) + 1 for row in rows for word in row) + len(rows)

"""The Trace of a run whose child left none."""

import functools
from collections.abc import Sequence
from importlib import metadata
from typing import Literal

import msgspec

from explorer.program import CellSource, Program
from explorer.told import PartialRun, read
from explorer.trace import (
    SCHEMA,
    Cell,
    InvalidTrace,
    Limit,
    Lists,
    Nodes,
    Operations,
    Options,
    Saved,
    Span,
    Tensors,
    Trace,
    Values,
    Versions,
)

EndingLimit = Literal["time", "memory", "result", "crash"]


def limited_trace(
    program: Program,
    options: Options,
    limit: EndingLimit,
    bound: float,
    cell: int | None = None,
    line: int | None = None,
    detail: str = "",
    pieces: Sequence[bytes] = (),
) -> Trace:
    """The program's cells with what they have told, and in one of them the limit that struck.

    `bound` is its size in s or MB (0 for a crash), `detail` a signal or exit status. `cell` (from 0) and `line` (from
    1) say where, as far as they are known and exist; the span is then the whole line. Otherwise the limit stands in
    the cell that had not ended, without a span. `pieces` are as explorer.told reads them.
    """
    told = read(pieces, len(program.cells))
    trace = _trace(program, options, Limit(limit, bound, -1, detail), cell, line, told)
    if pieces:
        try:
            trace.check()
        except InvalidTrace:
            return _trace(program, options, Limit(limit, bound, -1, detail), cell, line, read((), len(program.cells)))
    return trace


def _trace(
    program: Program, options: Options, limit: Limit, cell: int | None, line: int | None, told: PartialRun
) -> Trace:
    sources = program.cells or [CellSource("")]
    known = cell is not None and cell < len(sources)
    place = cell if known else told.running
    lines = sources[place].text.split("\n")
    spans = told.spans
    if known and line is not None and 1 <= line <= len(lines):
        spans = [*spans, Span(place, line, 0, line, len(lines[line - 1]))]
        limit = msgspec.structs.replace(limit, span=len(spans) - 1)
    outputs = told.outputs or [[]]
    outputs[place] = [*outputs[place], limit]
    cells = [Cell(one.text, shown, one.first_line) for one, shown in zip(sources, outputs, strict=True)]
    none = Lists([0], [])
    return Trace(
        schema=SCHEMA,
        torch=_torch_version(),
        options=options,
        cells=cells,
        notes=program.notes,
        strings=[],
        spans=spans,
        shapes=[],
        values=Values([], [], [], [], [], b""),
        operations=Operations([], [], [], none, [], [], [], none, none, none, [], [], []),
        tensors=Tensors([], [], [], [], [], [], [], [], [], [], [0]),
        versions=Versions([], [], [], [], [], []),
        bindings=[],
        nodes=Nodes([], [], [], none, none, none, [], []),
        saved=Saved([], [], [], [], [], []),
        backwards=[],
        diagnoses=[],
        limits=[],
    )


@functools.cache
def _torch_version() -> str:
    """The version of the installed torch, without importing it; "" if there is none."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""

"""The Trace of a run whose child left none."""

import functools
from importlib import metadata
from typing import Literal

from explorer.program import CellSource, Program
from explorer.trace import (
    SCHEMA,
    Cell,
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


def limited_trace(
    program: Program,
    options: Options,
    limit: Literal["time", "memory", "result", "crash"],
    bound: float,
    cell: int | None = None,
    line: int | None = None,
    detail: str = "",
) -> Trace:
    """The program's cells, and in one of them the limit that struck.

    `bound` is its size in s or MB (0 for a crash), `detail` a signal or exit status. `cell` (from 0) and `line` (from
    1) say where, as far as they are known and exist; the span is then the whole line. Otherwise the limit stands in
    the first cell, without a span.
    """
    sources = program.cells or [CellSource("")]
    known = cell is not None and cell < len(sources)
    place = cell if known else 0
    lines = sources[place].text.split("\n")
    spans = []
    if known and line is not None and 1 <= line <= len(lines):
        spans = [Span(place, line, 0, line, len(lines[line - 1]))]
    struck = Limit(limit, bound, len(spans) - 1, detail)
    cells = [Cell(source.text, [struck] if i == place else [], source.first_line) for i, source in enumerate(sources)]
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
        versions=Versions([], [], [], [], []),
        bindings=[],
        nodes=Nodes([], [], [], none, none, none, [], []),
        saved=Saved([], [], [], [], [], []),
        backwards=[],
        diagnoses=[],
        limits=[],
    )


@functools.cache
def _torch_version() -> str:
    """Of the installed torch, without importing it; "" if there is none."""
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""

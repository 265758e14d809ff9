"""Build a Trace if a child left none; bound texts."""

import functools
from collections.abc import Sequence
from typing import Literal

import msgspec

from explorer.program import CellSource, Program
from explorer.trace import (
    SCHEMA,
    Cell,
    Echo,
    InvalidTrace,
    Limit,
    Lists,
    Nodes,
    Operations,
    Options,
    Output,
    Printed,
    Result,
    Saved,
    Skipped,
    Span,
    Tensors,
    Trace,
    Values,
    Versions,
)
from explorer.trace.streaming import PartialRun, read

EVERY_CELL = 1_000  # characters that each cell may show, regardless of other cells
RESULTS = 64_000  # characters of all results of bare expressions, in addition to printed text
_ENDS = ("time", "crash", "memory")  # limits that end a program


def bounded(trace: Trace, options: Options) -> Trace:
    """Cut a Trace's printed text, echoes and results beyond a sound process's limits."""
    most = int(options.output_limit * 1024) + EVERY_CELL * len(trace.cells)
    texts = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Printed | Echo | Result)]
    if sum(len(text.text) for text in texts) <= most:
        return trace
    left = {False: most, True: most + RESULTS}
    cells = []
    for cell in trace.cells:
        outputs: list[Output] = []
        cut = 0
        for output in cell.outputs:
            if isinstance(output, Printed | Echo | Result):
                is_result = isinstance(output, Result)
                text = output.text[: left[is_result]]
                left[is_result] -= len(text)
                cut += len(output.text) - len(text)
                if len(text) < len(output.text):
                    output = msgspec.structs.replace(output, text=text)
            outputs.append(output)
        if cut:
            outputs.append(Limit("output", options.output_limit, -1, "", cut))
        cells.append(Cell(cell.source, outputs, cell.first_line, cell.name))
    return msgspec.structs.replace(trace, cells=cells)


EndingLimit = Literal["time", "memory", "files", "result", "crash", "stopped"]


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
    """Build a Trace of the sent outputs, with the reached limit in one cell.

    `bound` is its size in s or MB (0 for a crash), `detail` a signal or exit status. If `cell` (from 0) and `line`
    (from 1) exist, the span is that line. The limit belongs to the unfinished cell, even if the line is in an earlier
    cell's function. `pieces` are those of explorer.trace.streaming.
    """
    partial = read(pieces, len(program.cells))
    trace = _trace(program, options, Limit(limit, bound, -1, detail), cell, line, partial)
    if pieces:
        try:
            trace.check()
        except InvalidTrace:
            return _trace(program, options, Limit(limit, bound, -1, detail), cell, line, read((), len(program.cells)))
    return trace


def _trace(
    program: Program, options: Options, limit: Limit, cell: int | None, line: int | None, partial: PartialRun
) -> Trace:
    sources = program.cells or [CellSource("")]
    place, spans, exists = partial.running, partial.spans, cell is not None and cell < len(sources)
    if cell is not None and exists:
        place = max(place, cell)  # the function may belong to an earlier cell; messages of a later cell were lost
        lines = sources[cell].text.split("\n")
        if line is not None and 1 <= line <= len(lines):
            spans = [*spans, Span(cell, line, 0, line, len(lines[line - 1]))]
            limit = msgspec.structs.replace(limit, span=len(spans) - 1)
    outputs = partial.outputs or [[]]
    timed_out = any(isinstance(output, Limit) and output.limit == "time" for shown in outputs for output in shown)
    if not timed_out or limit.limit not in _ENDS:  # a program ended by a limit does not end a second time
        outputs[place] = [*outputs[place], limit]
    if exists and limit.limit != "result":  # a run with a too large result did reach its end
        for number in range(place + 1, len(sources)):
            if not outputs[number] and sources[number].text.strip():
                outputs[number] = [Skipped("", -1, "cell", str(place + 1))]
    cells = [Cell(cell.text, shown, cell.first_line) for cell, shown in zip(sources, outputs, strict=True)]
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
    """Return the installed torch's version without importing it, or ""."""
    from importlib import metadata

    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""

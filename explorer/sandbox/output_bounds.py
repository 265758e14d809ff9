"""Bound the text of a run on the server: the run's own process shortens it too, but is not trusted."""

import msgspec

from explorer.trace import Cell, Echo, Limit, Options, Output, Printed, Result, Trace

EVERY_CELL = 1_000  # characters that each cell may show, however much others have shown
RESULTS = 64_000  # characters of all results of bare expressions, in addition to printed text


def bounded(trace: Trace, options: Options) -> Trace:
    """The Trace, its printed text, echoes and results cut where they are more than a sound process sends."""
    most = int(options.output_limit * 1024) + EVERY_CELL * len(trace.cells)
    texts = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Printed | Echo | Result)]
    if sum(len(text.text) for text in texts) <= most:
        return trace
    left = {False: most, True: most + RESULTS}
    cells = []
    for cell in trace.cells:
        kept: list[Output] = []
        cut = 0
        for output in cell.outputs:
            if isinstance(output, Printed | Echo | Result):
                is_result = isinstance(output, Result)
                text = output.text[: left[is_result]]
                left[is_result] -= len(text)
                cut += len(output.text) - len(text)
                if len(text) < len(output.text):
                    output = msgspec.structs.replace(output, text=text)
            kept.append(output)
        if cut:
            kept.append(Limit("output", options.output_limit, -1, "", cut))
        cells.append(Cell(cell.source, kept, cell.first_line, cell.name))
    return msgspec.structs.replace(trace, cells=cells)

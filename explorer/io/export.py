"""Export a Trace as JSON for people and other programs.

Fields follow docs/command-line.md, "The JSON". Ids are indices from 0. Only the command line's `--backward` counts from
1. Unsupported fields are null or empty.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from explorer.analysis.diagnose.errors.warning_causes import warned
from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.messages import (
    finding_plain,
    finding_text,
    limit_text,
    proof_text,
    refusal_text,
    skipped_text,
)
from explorer.analysis.explain.autograd import graph_view, sentence
from explorer.analysis.explain.autograd.gradients import numbered_backward, selected_backward
from explorer.analysis.views.training import steps_plain
from explorer.io.graph_json import backward_json, nodes_json, operations_json, tensors_json, training_json
from explorer.io.json_values import Json, JsonContext, optional_index
from explorer.program import CellSource, Program, write_program
from explorer.text.numbers import json_number
from explorer.trace import SCHEMA, Cell, Echo, Failure, Figure, Limit, Output, Printed, Refusal, Result, Skipped, Trace
from explorer.workers.explanations import Explanations, explanations_of

_PARTS: tuple[Literal["cause", "repair"], ...] = ("cause", "repair")
MOST_OPERATIONS = 500  # longer runs are shortened unless `full`; about 3 MB
MOST_MENDED = 4_000_000  # characters of fixed files; later errors have no repaired_source


def to_json(
    trace: Trace,
    path: str = "",
    lang: str = "en",
    backward: int | None = None,
    file: Callable[[int, str], str] | None = None,
    diagnoses: Sequence[Finding] = (),
    explanations: Explanations | None = None,
    full: bool = True,
) -> dict[str, Json]:
    """Convert a Trace to plain data.

    Args:
        backward: backward whose gradients nodes and tensors show, from 1. None: the selected one.
        file: returns the program's file with one cell's text replaced (cells count from 0). None: the cells
            become a .py.
        diagnoses: bugs that raised no exception.
        explanations: of its errors, with verified fixes. None: without fixes.
        full: whether runs of more than MOST_OPERATIONS are complete too. Otherwise they omit the graph, its
            passes, and all tensors except leaves that require grad and tensors named at the end.

    Raises:
        IndexError: the program has no such backward.
    """
    shown = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
    context = JsonContext(trace, lang, shown)
    writer = CellWriter(context, file or partial(_as_file, trace), explanations or explanations_of(trace))
    whole = full or len(trace.operations) <= MOST_OPERATIONS
    tensors = range(len(trace.tensors)) if whole else _important_tensors(trace)
    return {
        "path": path,
        "schema": trace.schema,
        "torch": trace.torch,
        "seed": trace.options.seed,
        "detail": trace.options.detail,
        "status": trace.status,
        "message": None,
        "sentence": sentence(graph_view(trace, shown), lang),
        "limits": [{"kind": bound.kind, "count": bound.count} for bound in trace.limits],
        "cells": [writer.cell(i, cell) for i, cell in enumerate(trace.cells)],
        "texts": [{"before": note.before, "markdown": note.markdown} for note in trace.notes],
        "left_out": None if whole else _left_out(trace, len(tensors)),
        "operations": operations_json(context) if whole else [],
        "tensors": tensors_json(context, tensors, whole),
        "nodes": nodes_json(context) if whole else [],
        "backwards": [backward_json(context, i, call, whole) for i, call in enumerate(trace.backwards)],
        "training": training_json(context),
        "steps": [step | context.place(step["span"]) for step in steps_plain(trace, json_number, whole)],
        "diagnoses": [writer.diagnosis(diagnosis) for diagnosis in diagnoses],
        "checks": [],
    }


def _important_tensors(trace: Trace) -> list[int]:
    """Return the tensors that matter to a reader of a long run."""
    named = {bound.tensor for bound in trace.bindings if bound.until < 0}
    rows = zip(trace.tensors.is_leaf, trace.tensors.requires_grad, strict=True)
    return [i for i, (is_leaf, requires) in enumerate(rows) if i in named or (is_leaf and requires)]


def _left_out(trace: Trace, tensors: int) -> dict[str, Json]:
    """Count the omitted rows of each kind."""
    passed = sum(len(call.order) for call in trace.backwards)
    rows = {"operations": len(trace.operations), "nodes": len(trace.nodes), "steps_of_backwards": passed}
    return {**rows, "tensors": len(trace.tensors) - tensors}


def unusable_json(path: str, message: str, seed: int, detail: str) -> dict[str, Json]:
    """Return the JSON for a file that could not run, with the reason."""
    empty: dict[str, Json] = {
        name: [] for name in ("limits", "cells", "texts", "operations", "tensors", "nodes", "backwards", "steps")
    }
    head = {"path": path, "schema": SCHEMA, "torch": None, "seed": seed, "detail": detail, "status": "unusable"}
    return {**head, "message": message, "sentence": None, "left_out": None, **empty, "diagnoses": [], "checks": []}


def _as_file(trace: Trace, cell: int, text: str) -> str:
    """Return a fileless program with one cell replaced, as a .py."""
    cells = [CellSource(text if i == cell else cell_run.source) for i, cell_run in enumerate(trace.own_cells)]
    return write_program(Program(cells, trace.notes), "py")


class CellWriter:
    """Writes cells and diagnoses.

    Args:
        file: returns the program's file with the text of one cell replaced.
        explanations: explanations of the program's errors.
    """

    def __init__(self, context: JsonContext, file: Callable[[int, str], str], explanations: Explanations) -> None:
        self._context, self._file, self._explanations = context, file, explanations
        self._written = 0  # characters of repaired files

    def cell(self, i: int, cell: Cell) -> dict[str, Json]:
        """Return one cell with its outputs."""
        named = {"name": cell.name} if cell.name else {}
        return {**named, "source": cell.source, "outputs": [self._output(i, output) for output in cell.outputs]}

    def _output(self, cell: int, output: Output) -> dict[str, Json]:
        lang, span_of = self._context.lang, self._context.span
        match output:
            case Printed(stream="warning", text=text, span=span):
                explained = [warning for warning in warned(text) if warning.kind]
                parts = [(part, [finding_text(lang, warning, part) for warning in explained]) for part in _PARTS]
                explanations: dict[str, Json] = {part: "\n".join(texts) or None for part, texts in parts}
                return {"kind": "warning", "text": text, **explanations, "span": span_of(span)}
            case Printed(stream=stream, text=text):
                return {"kind": stream, "text": text}
            case Echo(text=text, table=table):
                shown = table and {"columns": table.columns, "rows": table.rows, "total": table.total}
                return {"kind": "echo", "text": text, "table": shown}
            case Result(span=span, text=text, displayed=displayed):
                return {"kind": "result", "span": span_of(span), "text": text, "displayed": displayed}
            case Failure():
                return self._error(cell, output)
            case Figure():
                return _figure(output)
            case Refusal(span=span):
                return {"kind": "refusal", "text": refusal_text(lang, output), "span": span_of(span)}
            case Skipped(span=span):
                return {"kind": "warning", "text": skipped_text(lang, output) + "\n", "span": span_of(span)}
            case Limit(span=span):
                return {"kind": "limit", "text": limit_text(lang, output, self._context.trace), "span": span_of(span)}

    def _error(self, cell: int, failure: Failure) -> dict[str, Json]:
        """Return one error with its cause and fix, if known."""
        context = self._context
        explanation = self._explanations.of(context.trace, cell, failure)
        return {
            "kind": "error",
            "type": failure.type,
            "text": failure.text,
            "cell": cell if failure.span < 0 else context.trace.spans[failure.span].cell,
            "span": context.span(failure.span),
            "frames": [context.place(frame) for frame in failure.frames],
            "cause": explanation and finding_text(context.lang, explanation, "cause"),
            "repair": explanation and finding_text(context.lang, explanation, "repair"),
            **self._repaired(explanation),
        }

    def _repaired(self, finding: Finding | None) -> dict[str, Json]:
        """Return the fixed file and its effect, within a total of MOST_MENDED characters."""
        repair, text = finding and finding.offered, None
        if repair and self._written <= MOST_MENDED:
            is_own = repair.cell < len(self._context.trace.own_cells)
            text = self._file(repair.cell, repair.source) if is_own else repair.source
            self._written += len(text)
        return {"repaired_source": text, "proof": (finding and proof_text(self._context.lang, finding)) or None}

    def diagnosis(self, finding: Finding) -> dict[str, Json]:
        """Return one silent bug with its fix."""
        return {
            **finding_plain(finding, self._context.lang),
            "node": optional_index(finding.node),
            "tensor": optional_index(finding.tensor),
            **self._repaired(finding),
        }


def _figure(figure: Figure) -> dict[str, Json]:
    """Return a figure: text, or base64 for PNG."""
    text = figure.format in ("svg", "dot", "plotly")
    data = figure.data.decode() if text else b64encode(figure.data).decode()
    size: dict[str, Json] = {"width": figure.width or None, "height": figure.height or None}
    return {"kind": "figure", "format": figure.format or None, **size, "alt": figure.alt, "data": data}

"""Export a Trace as the JSON that people and other programs read.

The fields are those of docs/command-line.md, "The JSON". Ids are indices from 0; only the command line's `--backward`
counts from 1. Fields whose capability does not exist yet are null or empty.
"""

from collections.abc import Callable, Sequence
from functools import partial

from explorer.analysis.autograd import graph_view, sentence
from explorer.analysis.autograd.gradients import numbered_backward, selected_backward
from explorer.analysis.findings import Finding
from explorer.analysis.training import steps_plain
from explorer.io.cell_json import CellWriter
from explorer.io.graph_json import backward_json, nodes_json, operations_json, tensors_json, training_json
from explorer.io.json_values import Json, JsonContext
from explorer.program import CellSource, Program, write_program
from explorer.text.numbers import json_number
from explorer.trace import SCHEMA, Trace
from explorer.workers.explanations import Explanations, explanations_of


def to_json(
    trace: Trace,
    path: str = "",
    lang: str = "en",
    backward: int | None = None,
    file: Callable[[int, str], str] | None = None,
    diagnoses: Sequence[Finding] = (),
    explanations: Explanations | None = None,
) -> dict[str, Json]:
    """The whole Trace as plain data.

    Args:
        path: the program's path, as given.
        lang: language of the sentences.
        backward: which backward's gradients the nodes and tensors show, from 1; None: the selected one.
        file: returns the program's file with the text of one cell (from 0) replaced; None: the cells become a .py.
        diagnoses: bugs that raised nothing.
        explanations: of its errors, with repairs that were run; None: without repairs.

    Raises:
        IndexError: the program has no such backward.
    """
    shown = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
    context = JsonContext(trace, lang, shown)
    writer = CellWriter(context, file or partial(_as_file, trace), explanations or explanations_of(trace))
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
        "operations": operations_json(context),
        "tensors": tensors_json(context),
        "nodes": nodes_json(context),
        "backwards": [backward_json(context, i, call) for i, call in enumerate(trace.backwards)],
        "training": training_json(context),
        "steps": [step | context.place(step["span"]) for step in steps_plain(trace, json_number)],
        "diagnoses": [writer.diagnosis(diagnosis) for diagnosis in diagnoses],
        "checks": [],
    }


def unusable_json(path: str, message: str, seed: int, detail: str) -> dict[str, Json]:
    """The JSON object for a file that could not be run; `message` says why."""
    empty: dict[str, Json] = {
        name: [] for name in ("limits", "cells", "texts", "operations", "tensors", "nodes", "backwards", "steps")
    }
    head = {"path": path, "schema": SCHEMA, "torch": None, "seed": seed, "detail": detail, "status": "unusable"}
    return {**head, "message": message, "sentence": None, **empty, "diagnoses": [], "checks": []}


def _as_file(trace: Trace, cell: int, text: str) -> str:
    """A program without a file, with one cell replaced, as a .py."""
    cells = [CellSource(text if i == cell else cell_run.source) for i, cell_run in enumerate(trace.own_cells)]
    return write_program(Program(cells, trace.notes), "py")

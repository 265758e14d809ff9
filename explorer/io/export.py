"""Export a Trace as the JSON that people and other programs read.

The fields are those of docs/command-line.md, "The JSON". Ids are indices from 0; only the command line's `--backward`
counts from 1. Fields whose capability does not exist yet are null or empty.
"""

import json
import math
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from explorer.analysis.autograd import graph_view, sentence
from explorer.analysis.autograd.formulas import formula_texts
from explorer.analysis.autograd.gradients import (
    contributions,
    node_gradients,
    numbered_backward,
    selected_backward,
    tensor_gradients,
)
from explorer.analysis.autograd.reasons import cut_of
from explorer.analysis.errors.warning_causes import warned
from explorer.analysis.faults.optimizer_audit import audit
from explorer.analysis.messages import (
    diagnosis_text,
    error_text,
    limit_text,
    proof_text,
    refusal_text,
    skipped_text,
    warning_text,
)
from explorer.analysis.training import steps_plain
from explorer.analysis.why import TapeEvent, tapes_plain
from explorer.program import CellSource, Program, write_program
from explorer.safe_regex import plain
from explorer.trace import (
    SCHEMA,
    Backward,
    Cell,
    Echo,
    Failure,
    Figure,
    Limit,
    Output,
    ParameterGroup,
    Printed,
    Refusal,
    Result,
    Skipped,
    Span,
    Trace,
    Value,
)
from explorer.workers.diagnoses import Diagnosis
from explorer.workers.explanations import Explanations, explanations_of

Json = Any  # what json.dumps accepts

_BEYOND_ASCII = plain("[^\x00-\x7f]+")
MOST_TEXT = 8_000_000  # characters of expressions and names longer than SHORT in one object
_MEANT: tuple[Literal["cause", "repair"], ...] = ("cause", "repair")
SHORT = 120
MOST_MENDED = 4_000_000  # characters of repaired files; later errors have no repaired_source
MAX_EMPTY_LISTS = 1000  # for a value without entries: (1000000, 0) must not print a million brackets


def to_json(
    trace: Trace,
    path: str = "",
    lang: str = "en",
    backward: int | None = None,
    file: Callable[[int, str], str] | None = None,
    diagnoses: Sequence[Diagnosis] = (),
    explanations: Explanations | None = None,
) -> dict[str, Json]:
    """The whole Trace as plain data.

    Args:
        path: the program's path, as given.
        lang: language of the sentences.
        backward: which backward's gradients the nodes and tensors show, from 1; None: the last that succeeded.
        file: returns the program's file with the text of one cell (from 0) replaced; None: the cells become a .py.
        diagnoses: bugs that raised nothing.
        explanations: of its errors, with repairs that were run; None: without repairs.

    Raises:
        IndexError: the program has no such backward.
    """
    shown = selected_backward(trace) if backward is None else numbered_backward(trace, backward)
    export = _Export(trace, lang, shown, file or partial(_as_file, trace), explanations or explanations_of(trace))
    return export.object(path) | {"diagnoses": [export.diagnosis(diagnose) for diagnose in diagnoses], "checks": []}


def unusable_json(path: str, message: str, seed: int, detail: str) -> dict[str, Json]:
    """The JSON object for a file that could not be run; `message` says why."""
    empty: dict[str, Json] = {
        name: [] for name in ("limits", "cells", "texts", "operations", "tensors", "nodes", "backwards", "steps")
    }
    head = {"path": path, "schema": SCHEMA, "torch": None, "seed": seed, "detail": detail, "status": "unusable"}
    return {**head, "message": message, "sentence": None, **empty, "diagnoses": [], "checks": []}


def dumps(obj: Json) -> str:
    """Write one line of ASCII: lone surrogates become U+FFFD. Non-finite numbers must be texts already (`number`)."""
    text = json.dumps(obj, ensure_ascii=False, allow_nan=False)
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _BEYOND_ASCII.sub(lambda match: json.dumps(match[0])[1:-1], text)


def number(value: int | float | complex | bool | None) -> Json:
    """A number for JSON: non-finite ones become "nan", "inf", "-inf", complex ones "1+2j".

    >>> [number(1.5), number(math.inf), number(1 + 2j)]
    [1.5, 'inf', '1+2j']
    """
    if isinstance(value, complex):
        return str(value).strip("()")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def value_json(value: Value | None) -> dict[str, Json] | None:
    """One value, its entries nested by its shape."""
    if value is None:
        return None
    return {
        "shape": list(value.shape),
        "dtype": value.dtype,
        "data": None if value.data is None else _nested(value.data, value.shape),
        "sample": [number(entry) for entry in value.sample],
        "min": number(value.minimum),
        "max": number(value.maximum),
        "mean": number(value.mean),
        "norm": number(value.norm),
        "nonfinite": value.nonfinite,
    }


def _nested(entries: tuple, shape: tuple[int, ...]) -> Json:
    if not entries:
        before_zero = shape[: shape.index(0)]
        return np.empty((*before_zero, 0)).tolist() if math.prod(before_zero) <= MAX_EMPTY_LISTS else None
    array = np.empty(len(entries), dtype=object)
    array[:] = [number(entry) for entry in entries]
    return array.reshape(shape).tolist()


def _id(i: int) -> int | None:
    return None if i < 0 else i


def _as_file(trace: Trace, cell: int, text: str) -> str:
    """A program without a file, with one cell replaced, as a .py."""
    cells = [CellSource(text if i == cell else cell_run.source) for i, cell_run in enumerate(trace.own_cells)]
    return write_program(Program(cells, trace.notes), "py")


def group_plain(group: ParameterGroup) -> dict[str, Json]:
    """One parameter group of an optimizer."""
    options = {"rate": number(group.rate), "weight_decay": number(group.weight_decay)}
    return {**options, "count": group.count, "tensors": list(group.tensors)}


class _Export:
    """The parts of the JSON that need the Trace, its language and the selected backward."""

    def __init__(
        self,
        trace: Trace,
        lang: str,
        backward: int | None,
        file: Callable[[int, str], str],
        explanations: Explanations,
    ) -> None:
        self.trace, self.lang, self.backward, self.file = trace, lang, backward, file
        self.explanations = explanations
        self.known: dict[int, dict[str, Json] | None] = {}
        self.left = MOST_TEXT
        self.repaired = 0

    def text(self, words: str | None) -> str | None:
        """A text that may occur many times; beyond MOST_TEXT in all only its beginning."""
        if words is None or len(words) <= SHORT:
            return words
        self.left -= len(words)
        return words if self.left >= 0 else words[:SHORT]

    def value(self, i: int) -> dict[str, Json] | None:
        if i not in self.known:
            self.known[i] = value_json(self.trace.value(i))
        return self.known[i]

    def object(self, path: str) -> dict[str, Json]:
        trace = self.trace
        return {
            "path": path,
            "schema": trace.schema,
            "torch": trace.torch,
            "seed": trace.options.seed,
            "detail": trace.options.detail,
            "status": trace.status,
            "message": None,
            "sentence": sentence(graph_view(trace, self.backward), self.lang),
            "limits": [{"kind": bound.kind, "count": bound.count} for bound in trace.limits],
            "cells": [self.cell(i, cell) for i, cell in enumerate(trace.cells)],
            "texts": [{"before": note.before, "markdown": note.markdown} for note in trace.notes],
            "operations": self.operations(),
            "tensors": self.tensors(),
            "nodes": self.nodes(),
            "backwards": [self.backward_call(i, call) for i, call in enumerate(trace.backwards)],
            "training": self.training(),
            "steps": [step | self.place(step["span"]) for step in steps_plain(trace, number)],
        }

    def training(self) -> dict[str, Json]:
        log = self.trace.log
        made = [
            {
                "name": told.name,
                "kind": row.kind,
                **self.place(row.span),
                "operations": row.operations,
                "groups": [group_plain(group) for group in row.groups],
            }
            for row, told in zip(log.optimizers, audit(self.trace).optimizers, strict=True)
        ]
        calls = [
            {
                "kind": call.kind,
                "operations": call.operations,
                "iteration": call.iteration,
                "subject": _id(call.subject),
            }
            | {"name": call.name or None, "value": number(call.value), "before": number(call.before)}
            | self.place(call.span)
            for call in log.calls
        ]
        return {"optimizers": made, "sets": log.sets, "calls": calls}

    def diagnosis(self, diagnosis: Diagnosis) -> dict[str, Json]:
        found, place = diagnosis.found, diagnosis.found.place
        return {
            "kind": found.kind,
            "level": found.level,
            "cell": place.cell,
            "span": [place.line, place.column, place.end_line, place.end_column],
            "node": _id(found.node),
            "tensor": _id(found.tensor),
            "title": diagnosis_text(self.lang, found, "title"),
            "text": diagnosis_text(self.lang, found, "cause"),
            "evidence": found.values,
            "repair": diagnosis_text(self.lang, found, "repair"),
            "repaired_source": self.mended(diagnosis.repair.cell, diagnosis.repair.text) if diagnosis.repair else None,
            "proof": diagnosis.proof or None,
        }

    def span(self, i: int) -> list[int] | None:
        if i < 0:
            return None
        span: Span = self.trace.spans[i]
        return [span.line, span.column, span.end_line, span.end_column]

    def place(self, i: int) -> dict[str, Json]:
        return {"cell": None if i < 0 else self.trace.spans[i].cell, "span": self.span(i)}

    def cell(self, i: int, cell: Cell) -> dict[str, Json]:
        named = {"name": cell.name} if cell.name else {}
        return {**named, "source": cell.source, "outputs": [self.output(i, output) for output in cell.outputs]}

    def output(self, cell: int, output: Output) -> dict[str, Json]:
        match output:
            case Printed(stream="warning", text=text):
                known = [warning for warning in warned(text) if warning.kind]
                meant = [(part, [warning_text(self.lang, warning, part) for warning in known]) for part in _MEANT]
                return {"kind": "warning", "text": text, **{part: "\n".join(said) or None for part, said in meant}}
            case Printed(stream=stream, text=text):
                return {"kind": stream, "text": text}
            case Echo(text=text, table=table):
                shown = table and {"columns": table.columns, "rows": table.rows, "total": table.total}
                return {"kind": "echo", "text": text, "table": shown}
            case Result(span=span, text=text, displayed=displayed):
                return {"kind": "result", "span": self.span(span), "text": text, "displayed": displayed}
            case Failure():
                told = self.explanations.of(self.trace, cell, output)
                return {
                    "kind": "error",
                    "type": output.type,
                    "text": output.text,
                    "cell": cell if output.span < 0 else self.trace.spans[output.span].cell,
                    "span": self.span(output.span),
                    "frames": [self.place(frame) for frame in output.frames],
                    "cause": told and error_text(self.lang, told, "cause"),
                    "repair": told and error_text(self.lang, told, "repair"),
                    "repaired_source": self.mended(told.cell, told.offered) if told and told.offered else None,
                    "proof": proof_text(self.lang, told) if told and told.offered else None,
                }
            case Figure():
                return _figure(output)
            case Refusal(span=span):
                return {"kind": "refusal", "text": refusal_text(self.lang, output), "span": self.span(span)}
            case Skipped(span=span):
                return {"kind": "warning", "text": skipped_text(self.lang, output) + "\n", "span": self.span(span)}
            case Limit(span=span):
                return {"kind": "limit", "text": limit_text(self.lang, output), "span": self.span(span)}

    def mended(self, cell: int, mended: str) -> str | None:
        """The whole file with its repaired cell; None once such files have MOST_MENDED characters together."""
        if self.repaired > MOST_MENDED:
            return None
        text = self.file(cell, mended) if cell < len(self.trace.own_cells) else mended
        self.repaired += len(text)
        return text

    def operations(self) -> list[dict[str, Json]]:
        trace, o = self.trace, self.trace.operations
        made: dict[int, list[int]] = {}
        for node, operation in enumerate(trace.nodes.operation):
            made.setdefault(operation, []).append(node)
        return [
            {
                "id": i,
                "name": self.text(trace.string(o.name[i])),
                **self.place(o.span[i]),
                "text": self.text(trace.text(o.span[i])),
                "function": self.text(trace.string(o.function[i])),
                "iteration": o.iteration[i],
                "module": self.text(trace.string(o.module[i])),
                "grad_enabled": o.grad_enabled[i],
                "in_backward": _id(o.in_backward[i]),
                "inputs": o.inputs[i],
                "outputs": o.outputs[i],
                "nodes": made.get(i, []),
                "error": self.text(trace.string(o.error[i])),
            }
            for i in range(len(o))
        ]

    def tensors(self) -> list[dict[str, Json]]:
        trace, t, v = self.trace, self.trace.tensors, self.trace.versions
        names: list[list[dict[str, Json]]] = [[] for _ in range(len(t))]
        for binding in trace.bindings:
            scope = {"from": binding.start, "until": _id(binding.until)}
            names[binding.tensor].append({"name": binding.name, **self.place(binding.span), **scope})
        gradients = tensor_gradients(trace, self.backward)
        tapes = {leaf: [self.event(event) for event in events] for leaf, events in tapes_plain(trace)}
        exported = []
        for i in range(len(t)):
            versions = [
                {"version": _id(v.version[row]), "operation": _id(v.operation[row]), "value": self.value(v.value[row])}
                for row in trace.versions_of(i)
            ]
            gradient, reason = gradients[i]
            exported.append(
                {
                    "id": i,
                    "names": names[i],
                    "shape": trace.shapes[t.shape[i]],
                    "dtype": trace.string(t.dtype[i]),
                    "device": trace.string(t.device[i]),
                    "requires_grad": t.requires_grad[i],
                    "is_leaf": t.is_leaf[i],
                    "storage": _id(t.storage[i]),
                    "offset": t.offset[i],
                    "stride": None if t.stride[i] < 0 else trace.shapes[t.stride[i]],
                    "versions": versions,
                    "value": versions[-1]["value"],
                    "grad": self.value(t.grad[i]),
                    "gradient": self.value(gradient),
                    "reason": reason,
                    "cut": self.cut(i),
                    "tape": tapes.get(i),
                }
            )
        return exported

    def cut(self, tensor: int) -> dict[str, Json] | None:
        """Where a tensor without a gradient lost it."""
        found = cut_of(self.trace, tensor, self.backward)
        if found is None:
            return None
        return {"by": found.by, "sure": found.sure, "text": self.text(found.code), **self.place(found.span)}

    def event(self, event: TapeEvent) -> dict[str, Json]:
        """One event in the history of a leaf; values that do not belong to its kind are null."""
        return {
            "kind": event.kind,
            "operation": _id(event.operation),
            "backward": _id(event.backward),
            **self.place(event.span),
            "version": _id(event.version),
            "before": self.value(event.before) if event.before >= 0 else None,
            "added": self.value(event.added) if event.added >= 0 else None,
            "after": self.value(event.after) if event.after >= 0 else None,
            "count": event.count,
        }

    def nodes(self) -> list[dict[str, Json]]:
        trace, n = self.trace, self.trace.nodes
        saved = self.saved()
        gradients = node_gradients(trace, self.backward)
        exported = []
        for i in range(len(n)):
            values, arrived = n.values[i], gradients[i]
            outputs = [
                {"value": self.value(_entry(values, k)), "gradient": self.value(_entry(arrived, k))}
                for k in range(max(len(values), len(arrived)))
            ]
            operation = n.operation[i]
            span = -1 if operation < 0 else trace.operations.span[operation]
            exported.append(
                {
                    "id": i,
                    "name": self.text(trace.string(n.name[i])),
                    "operation": _id(operation),
                    **self.place(span),
                    "text": self.text(trace.text(span)),
                    "variable": _id(n.variable[i]),
                    "outputs": outputs,
                    "value": outputs[0]["value"] if outputs else None,
                    "gradient": outputs[0]["gradient"] if outputs else None,
                    "edges": [
                        {"node": target, "input": output}
                        for target, output in zip(n.edges[i], n.edge_inputs[i], strict=True)
                        if target >= 0
                    ],
                    "saved": saved.get(i, []),
                    "formulas": formula_texts(trace, i, self.lang),
                    "made_by": _id(n.made_by[i]),
                }
            )
        return exported

    def saved(self) -> dict[int, list[dict[str, Json]]]:
        trace, s = self.trace, self.trace.saved
        found: dict[int, list[dict[str, Json]]] = {}
        for i, node in enumerate(s.node):
            value = s.value[i]
            if value < 0 and s.tensor[i] >= 0:
                known = trace.index.counted(s.tensor[i], s.version[i])
                value = trace.versions.value[known[0]] if known else value
            found.setdefault(node, []).append(
                {
                    "name": trace.string(s.name[i]),
                    "tensor": _id(s.tensor[i]),
                    "version": _id(s.version[i]),
                    "value": self.value(value),
                    "constant": self.text(trace.string(s.constant[i])),
                }
            )
        return found

    def backward_call(self, i: int, call: Backward) -> dict[str, Json]:
        return {
            "id": i,
            "kind": call.kind,
            **self.place(call.span),
            "roots": [_id(root) for root in call.roots],
            "seeds": [self.value(seed) for seed in call.seeds],
            "inputs": call.inputs,
            "retain_graph": call.retain_graph,
            "create_graph": call.create_graph,
            "steps": self.steps(i, call),
            "accumulations": [
                {"tensor": _id(tensor), "before": self.value(before), "after": self.value(after)}
                for tensor, before, after in zip(call.accumulated, call.before, call.after, strict=True)
            ],
            "freed": call.freed,
            "status": call.status,
            "failed_node": _id(call.failed_node),
        }

    def steps(self, i: int, call: Backward) -> list[dict[str, Json]]:
        """Per step what arrived at the node, over which edge, their sum, and what left over each of its edges."""
        edges = self.trace.nodes.edges
        passed = contributions(self.trace, i)
        arriving: dict[int, list[dict[str, Json]]] = {node: [] for node in call.order}
        for root, seed in zip(call.roots, call.seeds, strict=False):
            if root in arriving:
                arriving[root].append({"from": None, "value": self.value(seed)})
        leaving: dict[int, list[dict[str, Json]]] = {node: [] for node in call.order}
        for node in call.order:
            for position, target in enumerate(edges[node]):
                if target in arriving and (node, position) in passed:
                    value = self.value(passed[node, position])
                    arriving[target].append({"from": node, "value": value})
                    leaving[node].append({"to": target, "value": value})
        return [
            {
                "node": node,
                "arriving": arriving[node],
                "sum": self.value(_entry(call.arrived[step], 0)),
                "leaving": leaving[node],
            }
            for step, node in enumerate(call.order)
        ]


def _entry(values: list[int] | tuple[int, ...], k: int) -> int:
    return values[k] if k < len(values) else -1


def _figure(figure: Figure) -> dict[str, Json]:
    """A figure: its text, or of a PNG or GIF the bytes in base64."""
    text = figure.format in ("svg", "dot", "plotly")
    data = figure.data.decode() if text else b64encode(figure.data).decode()
    size: dict[str, Json] = {"width": figure.width or None, "height": figure.height or None}
    return {"kind": "figure", "format": figure.format or None, **size, "alt": figure.alt, "data": data}

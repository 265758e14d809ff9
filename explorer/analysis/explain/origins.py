"""Find where NaN and infinity start."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

import numpy as np

from explorer.analysis.explain.autograd.altered_gradients import hook_of
from explorer.analysis.explain.autograd.gradients import contributions
from explorer.analysis.explain.autograd.nonfinite_starts import (
    Start,
    backward_origins,
    first_nonfinite,
    forward_origin,
    forward_starts,
    hooked_origins,
    nonfinite,
    nonfinite_rows,
    relevant_rows,
    roots_read,
)
from explorer.analysis.explain.autograd.reasons import start_text
from explorer.analysis.run.levels import Level
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of
from explorer.analysis.run.operations import spellings
from explorer.text import say
from explorer.text.numbers import shorten, visible
from explorer.trace import Trace, Value

MOST = 20  # reported origins, earliest first
MOST_BACKWARDS = 200  # most calls examined; the first failure matters most
CODE = 60  # widest text of an operation
_KINDS = {"nan": "NaN", "inf": "∞", "-inf": "−∞", "±inf": "±∞"}
_ROOTS = spellings("sqrt", "norm", "linalg_norm", "linalg_vector_norm", "frobenius_norm")


@dataclass(frozen=True)
class Origin:
    """A place where finite entries became non-finite, or where the input already was.

    Attributes:
        phase: forward (an operation made it), backward (from a finite gradient), hook (a program's hook did so)
            or given (present before any recorded write).
        kind: nan before infinities, "±inf" if the sign is unknown or both occur.
        name: name of the tensor, or of the one whose gradient a hook changed, or "".
        code, line, span: text, line from 1 and span of the operation, or "", 0 and -1.
        place: calls in libraries or other files, innermost first, "" in the program itself.
        module: path of the module whose forward ran, or "".
        node: torch's name of the backward node, or "".
        index, count, entries: first such entry (None: unknown), their number, and the total.
        backward: number of the backward, from 1, or None.
        operation: id of the operation, or -1. tensor: id of the tensor with that name, or -1.
        reaches: whether it made a backward's root or a gradient non-finite.
        sure: whether all inputs are known to be finite.
        recovered: whether the last backward is finite again.
        hook: program text of the hook, "" if unknown.
        divisor: program text of the result that is 0 and divides a derivative of a derivative, or "".
    """

    phase: Literal["forward", "backward", "hook", "given"]
    kind: Literal["nan", "inf", "-inf", "±inf"]
    name: str
    code: str
    line: int
    span: int
    place: str
    module: str
    node: str
    index: tuple[int, ...] | None
    count: int
    entries: int
    backward: int | None
    operation: int
    tensor: int
    reaches: bool
    sure: bool = True
    recovered: bool = False
    hook: str = ""
    divisor: str = ""

    def __repr__(self) -> str:
        return f"<Origin: {self.kind} in the {self.phase} of {self.code or self.name}, line {self.line}>"

    @property
    def level(self) -> Level:
        """Fault if it made a root or gradient non-finite. A discarded origin is harmless."""
        if not self.reaches:
            return "info"
        return "note" if self.recovered else "fault"


def origins(trace: Trace) -> tuple[Origin, ...]:
    """Return where NaN and infinity start, in time order.

    An infinity that the program wrote itself, such as a mask's −inf, is not reported.
    """
    nan, infinite = nonfinite(trace)
    if not nan.any() and not infinite.any():
        return ()
    return trace.index.memoize(("origins",), lambda: _Origins(trace).found())


class _Origins:
    """The look-ups of one Trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        # Versions on the way to a root.
        self.rows = nonfinite_rows(trace, (row for call in trace.backwards for row in roots_read(trace, call)))

    def found(self) -> tuple[Origin, ...]:
        timed = sorted([*self._forward(), *self._backward()], key=lambda pair: pair[0])
        # If an input is unknown, the non-finite value may come from an earlier origin.
        starts = (origin for number, (_, origin) in enumerate(timed) if origin.sure or number == 0)
        return tuple(islice(starts, MOST))

    def _forward(self) -> Iterator[tuple[float, Origin]]:
        trace, rows = self.trace, relevant_rows(self.trace)
        for row, start in forward_starts(trace).items():
            reaches = row in self.rows
            if start.by == "operation":
                yield start.operation, self._of_row(start, "forward", reaches)
            elif start.by == "given" and row in rows and (reaches or name_of(run_of(trace), start.tensor)):
                if run_of(trace).tensor(start.tensor).changed_unseen is not False:
                    continue  # it was not passed in; rounds that were only counted may have created it
                yield -1, self._of_row(start, "given", reaches)

    def _backward(self) -> Iterator[tuple[float, Origin]]:
        trace = self.trace
        for number, call in enumerate(trace.backwards[:MOST_BACKWARDS]):
            roots = roots_read(trace, call)
            if not self.rows.isdisjoint(roots) and forward_origin(trace, roots) is not None:
                continue  # the forward already created it
            for node, edge in backward_origins(trace, number)[:MOST]:
                value = contributions(trace, number)[node, edge]
                yield call.operations - 0.5, self._of_node(node, value, "backward", -1, number)
            for node, value in islice(hooked_origins(trace, number), MOST):
                origin = self._of_node(node, value, "hook", self._tensor_of(node), number)
                yield call.operations - 0.5, replace(origin, hook=hook_of(trace, node, call))

    def _tensor_of(self, node: int) -> int:
        """Return a node's leaf, or the named tensor that it made, or -1."""
        variable, versions = self.trace.nodes.variable[node], self.trace.versions
        if variable >= 0:
            return variable
        made = (self.trace.index.tensor_of(row) for row, by in enumerate(versions.node) if by == node)
        return next((tensor for tensor in made if name_of(run_of(self.trace), tensor)), -1)

    def _of_node(self, node: int, value: int, phase: str, tensor: int, backward: int) -> Origin:
        trace = self.trace
        origin = self._placed(trace.value(value), phase, trace.nodes.operation[node], tensor, True, True)
        called = trace.strings[trace.nodes.name[node]]  # the node's name is all that is known outside of recorded calls
        divisor = self._divisor(node) if phase == "backward" else ""
        return replace(origin, node=called, code=origin.code or called, backward=backward + 1, divisor=divisor)

    def _divisor(self, node: int) -> str:
        """Return the code of the root or norm of 0 by which a node made in a backward divides, "" if none."""
        nodes, strings = self.trace.nodes, self.trace.strings
        below = list(nodes.edges[node])[1:] if strings[nodes.name[node]] == "DivBackward0" else []
        while below and below[0] >= 0 and nodes.made_by[below[0]] >= 0:
            below = [one for one in nodes.edges[below[0]] if one >= 0]  # of sqrt, it is twice the root
        call = run_of(self.trace).node(below[0]).call if below and below[0] >= 0 and nodes.made_by[node] >= 0 else None
        made = call.made if call is not None and call.name in _ROOTS else None
        return shorten(one_line(call.text), CODE) if call is not None and made is not None and (made == 0).any() else ""

    def _of_row(self, start: Start, phase: str, reaches: bool) -> Origin:
        value = self.trace.value_at(start.row)
        return self._placed(value, phase, start.operation, start.tensor, reaches, start.sure)

    def _placed(self, value: Value | None, phase, operation: int, tensor: int, reaches: bool, sure: bool) -> Origin:
        trace, operations = self.trace, self.trace.operations
        assert value is not None, "what is not finite was read"
        span, called, frames, module = -1, "", "", ""
        if operation >= 0:
            span, columns = operations.span[operation], (operations.name, operations.frames, operations.module)
            called, frames, module = (trace.string(column[operation]) or "" for column in columns)
        code = (shorten(one_line(trace.text(span)), CODE) if span >= 0 else "") or called
        name = name_of(run_of(trace), tensor) if tensor >= 0 else ""
        index, _ = first_nonfinite(value.shape, value.entries) or (None, 0.0)
        place = code, trace.line(span), span, frames, module, ""
        counts = value.nans or value.nonfinite, math.prod(value.shape)
        return Origin(phase, _kind(value), name, *place, index, *counts, None, operation, tensor, reaches, sure)


def _kind(value: Value) -> Literal["nan", "inf", "-inf", "±inf"]:
    if value.nans:
        return "nan"
    entries = np.array([entry for entry in value.entries if not isinstance(entry, complex)], dtype=np.float64)
    signs = {entry > 0 for entry in entries[np.isinf(entries)]}
    if len(signs) != 1:
        return "±inf"
    return "inf" if signs.pop() else "-inf"


def origin_text(lang: str, origin: Origin) -> str:
    """Describe where non-finite entries start."""
    name, code = visible(origin.name), visible(origin.code) or "?"
    word = {"given": name, "hook": name or code}.get(origin.phase, code)
    phase, module, hook = origin.phase if origin.sure else "unsure", visible(origin.module), visible(origin.hook)
    text = start_text(lang, phase, _KINDS[origin.kind], word, origin.line, module=module, hook=hook)
    text += entries_text(lang, origin)
    if origin.place:
        text += say(lang, "report-inside", place=visible(origin.place))
    text += say(lang, "report-divides", code=visible(origin.divisor)) if origin.divisor else ""
    return text if origin.reaches else text + say(lang, "report-unreached")


def short_text(lang: str, origin: Origin) -> str:
    """Name what starts where, in a few words."""
    word = visible(origin.name if origin.phase == "given" else origin.code or origin.name) or "?"
    return say(lang, "origin-short", phase=origin.phase, what=_KINDS[origin.kind], code=word, line=origin.line)


def entries_text(lang: str, origin: Origin) -> str:
    """Count non-finite entries, and give the position of the first."""
    index = f"[{', '.join(map(str, origin.index))}]" if origin.index else ""
    text = say(lang, "report-entries", count=origin.count, entries=origin.entries)
    return text + say(lang, "report-first-at", index=index) if index else text

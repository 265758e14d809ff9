"""Where NaN and infinity start: in an operation, in given data, or in a backward."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.analysis.autograd.cuts import row_before
from explorer.analysis.autograd.gradients import contributions, node_gradients
from explorer.analysis.autograd.nonfinite_entries import backward_origin, first_nonfinite, nonfinite, wrote_infinity
from explorer.analysis.autograd.titles import one_line, titles_of
from explorer.analysis.autograd.uninitialized_memory import UNFILLED, rows_read, told_rows
from explorer.analysis.faults import Level
from explorer.text.numbers import shorten
from explorer.trace import Trace, Value

MOST = 20  # origins that are reported; the first in time come first
MOST_BACKWARDS = 200  # examined; the first failure is what matters
CODE = 60  # cells of the text of an operation
_NO_MAKERS = {"grad", "grad=", *UNFILLED}  # operations that only read, or fill nothing in


@dataclass(frozen=True)
class Origin:
    """A place where a non-finite entry came from finite ones, or was there from the start.

    Attributes:
        phase: forward: an operation made it; backward: an operation's backward made it from a finite gradient; given:
            a tensor held it before any recorded write.
        kind: nan before infinities; "±inf" if the sign is unknown or both occur.
        name: of the tensor that holds it, "" without one.
        code, line, span: the operation's text, its line from 1 and its span; "", 0 and -1 if it has no place.
        place: the calls in libraries or other files, innermost first; "" in the program itself.
        module: path of the module whose forward ran, "" for none.
        node: torch's name of the backward node, "" in the forward.
        index, count, entries: the first such entry (None: unknown), how many there are, of how many.
        backward: number of the backward, from 1, None in the forward.
        operation: its id, -1 for none; tensor: the id of the tensor that holds it, -1 for a gradient.
        reaches: whether it made the root of a backward, or a gradient, NaN or infinite.
        sure: whether all inputs are known to be finite.
        recovered: whether the last backward is finite again.
    """

    phase: Literal["forward", "backward", "given"]
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

    @property
    def level(self) -> Level:
        """A fault if it made a root or a gradient NaN or infinite; a discarded one is harmless."""
        if not self.reaches:
            return "info"
        return "note" if self.recovered else "fault"


def origins(trace: Trace) -> tuple[Origin, ...]:
    """Where NaN and infinities start, in the order of time; () where everything is finite.

    An infinity that the program wrote itself, such as the −inf of a mask, is not reported.
    """
    return trace.index.memoize(("origins",), lambda: _Origins(trace).found())


class _Origins:
    """The look-ups of one Trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.nan, infinite = nonfinite(trace)
        self.bad = self.nan | infinite
        self.reached: set[int] = set()  # operations whose non-finite entries went into a root
        self.rows: set[int] = set()  # versions on the way to a root

    def found(self) -> tuple[Origin, ...]:
        if not self.bad.any():
            return ()
        self._walk()
        timed = [*self._forward(), *self._given(), *self._backward()]
        return tuple(origin for _, origin in sorted(timed, key=lambda pair: pair[0])[:MOST])

    def _held(self, row: int) -> bool:
        value = self.trace.versions.value[row]
        return value >= 0 and bool(self.bad[value])

    def _walk(self) -> None:
        trace = self.trace
        roots = [
            (root_tensor, call.operations)
            for call in trace.backwards
            for root_tensor in call.root_tensors
            if root_tensor >= 0
        ]
        todo = [row for tensor, at in roots if self._held(row := row_before(trace, tensor, -1, at))]
        while todo:
            row = todo.pop()
            if row in self.rows:
                continue
            self.rows.add(row)
            operation = trace.versions.operation[row]
            if operation >= 0 and operation not in self.reached:
                self.reached.add(operation)
                todo += filter(self._held, rows_read(trace, operation))

    def _forward(self) -> Iterator[tuple[float, Origin]]:
        trace, operations = self.trace, self.trace.operations
        written = trace.versions.operation
        for row in sorted(filter(self._held, range(len(written))), key=lambda row: written[row]):
            operation = written[row]
            if operation < 0 or trace.strings[operations.name[operation]] in _NO_MAKERS:
                continue
            read = rows_read(trace, operation)
            held = [row for row in read if self._held(row)]
            makes_nan = bool(self.nan[trace.versions.value[row]])
            if any(self.nan[trace.versions.value[row]] for row in held) or (held and not makes_nan):
                continue
            if not makes_nan and wrote_infinity(trace, operation):
                continue
            sure = all(trace.versions.value[row] >= 0 for row in read)
            yield operation, self._of_row(row, "forward", operation, operation in self.reached, sure)

    def _given(self) -> Iterator[tuple[float, Origin]]:
        trace, versions = self.trace, self.trace.versions
        gradients, told = self._gradients_read(), told_rows(trace)
        for tensor in range(len(trace.tensors)):
            row = trace.versions_of(tensor)[0]
            if versions.operation[row] >= 0 or not self._held(row) or tensor in gradients or row not in told:
                continue
            if titles_of(trace).name(tensor) or row in self.rows:
                yield -1, self._of_row(row, "given", -1, row in self.rows, True)

    def _gradients_read(self) -> set[int]:
        """Tensors that reading `.grad` returned: a backward made them."""
        operations, strings = self.trace.operations, self.trace.strings
        reads = (i for i in range(len(operations)) if strings[operations.name[i]] == "grad")
        return {tensor for i in reads for tensor in operations.outputs[i]}

    def _backward(self) -> Iterator[tuple[float, Origin]]:
        trace = self.trace
        for number, call in enumerate(trace.backwards[:MOST_BACKWARDS]):
            roots = [
                row_before(trace, root_tensor, -1, call.operations)
                for root_tensor in call.root_tensors
                if root_tensor >= 0
            ]
            if any(map(self._held, roots)):
                continue  # the forward made it
            passed = contributions(trace, number)
            node, edge = backward_origin(trace, number, node_gradients(trace, number), passed)
            if node < 0:
                continue
            value = trace.value(passed[node, edge])
            operation = trace.nodes.operation[node]
            found = self._placed(value, "backward", operation, -1, True, True)
            name = trace.strings[trace.nodes.name[node]]
            yield call.operations - 0.5, Origin(**{**vars(found), "node": name, "backward": number + 1})

    def _of_row(self, row: int, phase: str, operation: int, reaches: bool, sure: bool) -> Origin:
        trace = self.trace
        return self._placed(trace.value_at(row), phase, operation, trace.index.tensor_of(row), reaches, sure)

    def _placed(self, value: Value | None, phase, operation: int, tensor: int, reaches: bool, sure: bool) -> Origin:
        trace, operations = self.trace, self.trace.operations
        assert value is not None, "what is not finite was read"
        span = operations.span[operation] if operation >= 0 else -1
        code: str | None = shorten(one_line(trace.text(span)), CODE) if span >= 0 else ""
        code = code or (trace.string(operations.name[operation]) if operation >= 0 else "")
        first = first_nonfinite(value.shape, value.entries)
        return Origin(
            phase,
            _kind(value),
            titles_of(trace).name(tensor) if tensor >= 0 else "",
            code or "",
            trace.line(span),
            span,
            (trace.string(operations.frames[operation]) or "") if operation >= 0 else "",
            (trace.string(operations.module[operation]) or "") if operation >= 0 else "",
            "",
            None if first is None else first[0],
            value.nonfinite,
            math.prod(value.shape),
            None,
            operation,
            tensor,
            reaches,
            sure,
        )


def _kind(value: Value) -> Literal["nan", "inf", "-inf", "±inf"]:
    if value.nans:
        return "nan"
    found = np.array([entry for entry in value.entries if not isinstance(entry, complex)], dtype=np.float64)
    signs = {entry > 0 for entry in found[np.isinf(found)]}
    if len(signs) != 1:
        return "±inf"
    return "inf" if signs.pop() else "-inf"

"""The record of one run: the Trace, its look-ups and its encoding.

A Trace is plain and complete: ids, numbers and the program's own text, no sentences. Views, pictures and pages read
nothing else. An untrusted child writes it, so `decode` validates types and sizes, and `Trace.check` verifies once that
every id exists, edges are acyclic, spans lie in the source and lengths agree.

Its parts are in neighbouring files: outputs of cells (`outputs`), numbers (`values`), rows (`records`). Numbers of
tensors are raw little-endian bytes in one blob (`Values`). `Trace.value` reads one as a `Value`.

Belongs here: records, their check, bounds and look-ups. Does not belong here: recording (runtime), interpretation
(analysis).
"""

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar

import msgspec
import numpy as np

from explorer.trace import bounds as trace_bounds
from explorer.trace.arguments import Argument, Arguments, Dtype, InputTensor, Other, only_tensors, read_arguments
from explorer.trace.asked import (
    AT_END,
    FULL_BYTES,
    GRAD_AT_END,
    LISTED,
    MOST_ASKED,
    MOST_WHOLE,
    WHOLE_BYTES,
    AskedEntries,
    Entries,
    EntryAsked,
    FullTensors,
    at_begin,
)
from explorer.trace.check import check
from explorer.trace.columns import Lists
from explorer.trace.index import Index, memoized
from explorer.trace.loss_terms import LossTerms
from explorer.trace.name_patterns import fits, fitting_none
from explorer.trace.outputs import (
    Cell,
    Echo,
    Failure,
    Figure,
    Limit,
    LimitKind,
    LineNumber,
    Note,
    Output,
    Printed,
    Refusal,
    Result,
    Skipped,
    Span,
    StreamName,
    TableData,
    Text,
    Word,
    ends_cell,
)
from explorer.trace.records import (
    AUTOCAST,
    EVALUATES,
    MAX_BYTES,
    MAX_OPENED,
    MOST_DRAWS,
    MOST_MODELS,
    MOST_RESULTS,
    NAME,
    PACKED,
    PADDING,
    RECOMPUTED,
    SCHEMA,
    SUFFIX,
    TARGET,
    Array,
    Backward,
    Binding,
    Bound,
    Caller,
    Draw,
    InvalidTrace,
    ModuleResult,
    Move,
    Nodes,
    Operations,
    Options,
    Probe,
    ProbeReading,
    Records,
    Remark,
    Repeat,
    Saved,
    Strided,
    Tensors,
    TooLong,
    Values,
    Versions,
)
from explorer.trace.statements import Statements
from explorer.trace.steps import StepLeaf, Steps
from explorer.trace.tables import Table, TableColumn, TableTensor, TableWindow
from explorer.trace.training_log import OptimizerRow, ParameterGroup, TrainingCall, TrainingLog
from explorer.trace.values import (
    AXES,
    FULL,
    SIZES,
    STORED,
    STRIDED,
    WHOLE,
    Number,
    Value,
    index_at,
    real,
    sample_shape,
    sample_steps,
    statistics,
    thinned,
)

_AS_NUMBERS = {"f": np.float64, "i": np.int64, "u": np.int64, "c": np.complex128}
LONG = 10_000  # most characters of program text at one place


_Kind = TypeVar("_Kind")


class Trace(Records, frozen=True, weakref=True, dict=True):
    """The record of one run, and the look-ups that every view needs."""

    @cached_property
    def own_cells(self) -> list[Cell]:
        """The program's own cells without imported files. All cells of a recording of several files."""
        if not self.cells or self.cells[0].name:
            return self.cells
        return [cell for cell in self.cells if not cell.name]

    def shown(self, kind: type[_Kind]) -> list[tuple[int, int, _Kind]]:
        """Return the outputs of a kind in order: cell, index among its outputs, output."""
        return [
            (number, place, output)
            for number, cell in enumerate(self.cells)
            for place, output in enumerate(cell.outputs)
            if isinstance(output, kind)
        ]

    @cached_property
    def index(self) -> Index:
        """Look-ups of this Trace, built on first use."""
        return Index(self)

    @property
    def status(self) -> str:
        """Worst exit status of any cell; truncated output is limited."""
        return self._gravest(lambda _: True)

    @property
    def end(self) -> str:
        """How the run ended: ok, error, refused or limited. Truncated output is still ok."""
        return self._gravest(ends_cell)

    def _gravest(self, counts: Callable[[Output], bool]) -> str:
        outputs = [output for cell in self.cells for output in cell.outputs if counts(output)]
        for status, kind in (("limited", Limit), ("refused", Refusal), ("error", Failure)):
            if any(isinstance(output, kind) for output in outputs):
                return status
        return "ok"

    def value(self, i: int) -> Value | None:
        """Return a value, None for -1. Raises IndexError."""
        return None if i < 0 else self.index.value(i, self._value)

    def _value(self, i: int) -> Value:
        columns = self.values
        shape, dtype = tuple(self.shapes[columns.shape[i]]), self.strings[columns.dtype[i]]
        start, summary = columns.start[i], columns.summary[i]
        if start < 0 or len(shape) > AXES:
            return Value(shape, dtype, None, (), None, None, None, None, 0)
        if summary < 0 or i in self.index.asked_whole:
            data, start = (columns.data, start) if summary < 0 else (self.index.asked_whole[i], 0)
            flat = np.frombuffer(data, STORED[dtype], math.prod(shape), start)
            return Value(shape, dtype, tuple(flat.tolist()), (), *statistics(flat))
        count = math.prod(sample_shape(shape))
        sample = tuple(np.frombuffer(columns.data, STORED[dtype], count, start).tolist())
        *numbers, nonfinite, nans = columns.summaries[summary]
        minimum, maximum, mean, norm = (None if math.isnan(number) else number for number in numbers)
        sampled = columns.sampled[summary] if columns.sampled else 0
        asked = self.index.asked.get(i, ())
        return Value(shape, dtype, None, sample, minimum, maximum, mean, norm, nonfinite, nans, sampled, asked)

    def entries(self, i: int) -> np.ndarray | None:
        """Return a value's recorded entries, flat, or None.

        Fractions are float64, whole numbers int64. Raises IndexError for an unknown id.
        """
        columns = self.values
        shape = tuple(self.shapes[columns.shape[i]]) if i >= 0 else ()
        if i < 0 or columns.start[i] < 0 or len(shape) > AXES:
            return None
        count = math.prod(shape if columns.summary[i] < 0 else sample_shape(shape))
        flat = np.frombuffer(columns.data, STORED[self.strings[columns.dtype[i]]], count, columns.start[i])
        with np.errstate(invalid="ignore"):  # a signalling NaN
            return flat.astype(_AS_NUMBERS.get(flat.dtype.kind, flat.dtype)) if count else None

    def text(self, span: int) -> str:
        """Return the program's text at a span, cut if long."""
        return self.index.memoize(("text", span), lambda: self._text(span)) if span >= 0 else ""

    def _text(self, span: int) -> str:
        place = self.spans[span]
        lines = list(self.cells[place.cell].lines[place.line - 1 : min(place.end_line, place.line + LONG)])
        if len(lines) == place.end_line - place.line + 1:
            lines[-1] = lines[-1][: place.end_column]
        lines[0] = lines[0][place.column :]
        text = "\n".join(lines)[:LONG]
        return text if text.strip() else ""  # blank lines mark code with unknown text

    def line(self, span: int) -> int:
        """Return a span's first line, with its file or cell, 0 for -1."""
        return 0 if span < 0 else self.line_of(self.spans[span].cell, self.spans[span].line)

    def line_of(self, cell: int, line: int) -> int:
        """Prefix a line number with file or cell if several."""
        if not line or not (file := self.cells[cell].name):
            return LineNumber(line, cell=cell + 1) if line and len(self.own_cells) > 1 else line
        return LineNumber(line, file)

    def string(self, i: int) -> str | None:
        """Return the text with this index, None for -1."""
        return None if i < 0 else self.strings[i]

    def arguments(self, operation: int) -> Arguments:
        """Return a call's arguments, or its inputs in order if no text was kept."""
        text, inputs = self.operations.arguments[operation], len(self.operations.inputs[operation])
        given = read_arguments(self.strings[text]) if text >= 0 else None
        # A row of an older file may have lost inputs that its text counts.
        return given if given is not None and given.tensors <= inputs else only_tensors(inputs)

    def bound(self, name: str) -> int | None:
        """Return the last tensor bound to a name, or None. `out.loss` also finds `out["loss"]`."""
        bound, (head, _, last) = self.index.bound, name.rpartition(".")
        spellings = (name, name.replace("'", '"'), f'{head}["{last}"]')
        return next((bound[spelling] for spelling in spellings if spelling in bound), None)

    def full_name(self, name: str) -> str:
        """Return the program's name for a name in `state_dict()`: "net.0.weight" for "0.weight".

        Returns the name itself if the program has it, and if no model or several have it.
        """
        known = self.index.in_models.get(name, {}) if self.bound(name) is None else {}
        return next(iter(known.values())) if len(known) == 1 else name

    def path_in_model(self, tensor: int, name: str) -> str:
        """Return a tensor's name in `state_dict()`, or its name if another model has that one too."""
        paths = self.index.paths_in_models.get(tensor, ())
        return next((path for path in paths if len(self.index.in_models[path]) == 1), name)

    def value_at(self, row: int) -> Value | None:
        """Return the value in a row of `versions`."""
        return self.value(self.versions.value[row])

    def saved_value(self, row: int) -> Value | None:
        """Return the value of a `saved` row: its own entries or its tensor's."""
        saved = self.saved
        if saved.value[row] >= 0 or saved.tensor[row] < 0:
            return self.value(saved.value[row])
        return self.value_at(self.saved_version(row))

    def saved_version(self, row: int) -> int:
        """Return the version row of a saved tensor.

        torch's counter alone does not suffice: a write through `.data` does not raise it.
        """
        tensor, counter = self.saved.tensor[row], self.saved.version[row]
        operation = self.nodes.operation[self.saved.node[row]]
        seen = self.index.before(tensor, operation + 1, counter) if operation >= 0 and counter >= 0 else None
        if seen is not None:
            return seen
        rows = self.index.counted(tensor, counter)
        return rows[0] if rows else self.versions_of(tensor)[-1]

    def latest(self, tensor: int) -> Value | None:
        """Return the last value of a tensor."""
        return self.value_at(self.versions_of(tensor)[-1])

    def maker(self, tensor: int) -> int:
        """Return the operation that made a tensor, -1 if none was recorded."""
        return self.versions.operation[self.versions_of(tensor)[0]]

    def full_entries(self, tensor: int, backward: int = AT_END) -> Entries | None:
        """Return all kept entries of a tensor or gradient, or None.

        GRAD_AT_END means the final `.grad`. None unless `record(full=…)` kept them.
        """
        return self.full.find(tensor, backward)

    def picked(self, tensor: int) -> tuple[int, Value] | None:
        """Return a large tensor's strided sample, or None."""
        sample = next((strided for strided in self.strided if strided.tensor == tensor), None)
        value = None if sample is None else self.value(sample.value)
        return None if sample is None or value is None else (sample.step, value)

    def __getitem__(self, name: str) -> Value | None:
        """Return the last tensor `name`'s last value. Raises KeyError."""
        tensor = self.bound(name)
        if tensor is None:
            raise KeyError(name)
        return self.latest(tensor)

    def __repr__(self) -> str:
        parts = (self.operations, "operation"), (self.nodes, "node"), (self.backwards, "backward call")
        counts = ", ".join(f"{len(rows)} {noun}{'s' * (len(rows) != 1)}" for rows, noun in parts)
        return f"<Trace: {counts}>"

    def __iter__(self) -> Iterator:
        raise TypeError("a Trace is not a sequence: read trace.nodes, trace.operations or trace['name']")

    def check(self) -> "Trace":
        """Check what types cannot express and return self. Raises InvalidTrace with the first fault."""
        check(self)
        return self


def encode(trace: Trace) -> bytes:
    """Return the Trace as MessagePack."""
    return msgspec.msgpack.encode(trace)


MOST_SAVED = 100_000_000  # largest Trace in a file without full tensors, in bytes: half a million operations
MOST_FILE = MOST_SAVED + FULL_BYTES
MOST_PARTS = 5_000_000  # most lists and dictionaries in it

_decoder = msgspec.msgpack.Decoder(Trace)


def read(data: bytes) -> Trace:
    """Read and check a large or untrusted Trace file. Raises InvalidTrace.

    Time and memory are linear in the bytes. Only `decode` also limits the rows that views read.
    """
    if len(data) > MOST_FILE:
        raise InvalidTrace(f"it has {len(data)} bytes, and at most {MOST_FILE} are read")
    parts, entries = trace_bounds.measure(data, MOST_PARTS)
    if parts > MOST_PARTS:
        raise InvalidTrace("it is cut off, or has too many parts")
    if len(data) - entries > MOST_SAVED:
        raise InvalidTrace(f"it has {len(data)} bytes, and at most {MOST_SAVED} beside full tensors are read")
    try:
        return _decoder.decode(data).check()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise InvalidTrace(str(problem)) from None


def decode(data: bytes, most: int = MAX_BYTES) -> Trace:
    """Decode and check a Trace from at most `most` untrusted bytes.

    Raises InvalidTrace, and TooLong for too many rows.
    """
    if len(data) > most:
        raise InvalidTrace(f"a result of {len(data)} bytes, at most {most} are read")
    try:
        if trace_bounds.count(data) > trace_bounds.CONTAINERS:
            raise TooLong("a result of too many parts")
        trace = _decoder.decode(data)
        if too_much := trace_bounds.beyond(trace):
            raise TooLong(too_much)
        return trace.check()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise InvalidTrace(str(problem)) from None

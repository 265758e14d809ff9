"""What one run of a program leaves behind: the Trace, its parts, its wire form and its check.

A Trace is plain, complete and says no sentence: ids, numbers and the program's own text. Every view, picture and
page reads only this. It is written by a child that nobody trusts, so `decode` validates types and sizes and
`Trace.check` verifies once that every id exists, edges are acyclic, spans lie in the source and lengths agree.

Big things are columns: entry i of every list belongs to thing i, and -1 stands for "none". `Lists` is a column whose
entries are lists. Texts, spans and shapes are kept once and named by their index. Numbers of tensors lie as raw
little-endian bytes in one blob (`Values`); `Trace.value` turns one entry into a `Value`.
"""

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from explorer import trace_bounds
from explorer.trace_index import Index

SCHEMA = 1
MAX_BYTES = 8_000_000  # of a Trace between processes
FULL = 64  # entries up to which a value is kept in full
WHOLE = 65_536  # entries up to which a tensor that was asked for in full is kept so
STRIDED = 4_096  # entries at most that are kept beside the sample of a larger one
AXES = 64  # that NumPy has; of a tensor with more no entries are told
NAME = 10_000  # characters of what an operation, a module or a node is called
LONG = 10_000  # characters of the program's text at one place
GRID = 8  # rows and columns of the sample of a larger value

Text = Annotated[str, Meta(max_length=300_000)]
Word = Annotated[str, Meta(max_length=20_000)]
Column = Annotated[list[int], Meta(max_length=4_000_000)]
Flags = Annotated[list[bool], Meta(max_length=4_000_000)]
Number = int | float | complex | bool

# How a torch dtype lies in the blob: numpy's little-endian format. What numpy lacks is widened, keeping its name.
STORED = {
    "float64": "<f8",
    "float32": "<f4",
    "float16": "<f2",
    "bfloat16": "<f4",
    "int64": "<i8",
    "int32": "<i4",
    "int16": "<i2",
    "int8": "<i1",
    "uint8": "<u1",
    "bool": "|b1",
    "complex64": "<c8",
    "complex128": "<c16",
}


class InvalidTrace(ValueError):
    """A result that is no Trace: wrong types, sizes beyond the bounds, ids that do not exist, a cycle."""


class Span(Struct, frozen=True, array_like=True):
    """A place in a cell: lines from 1, columns from 0 in code points, the end exclusive."""

    cell: int
    line: int
    column: int
    end_line: int
    end_column: int


class Lists(Struct, frozen=True):
    """A column of lists.

    Attributes:
        starts: n + 1 numbers; entry i is items[starts[i]:starts[i + 1]].
        items: the entries of all lists, one after the other.
    """

    starts: Column
    items: Column

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, i: int) -> list[int]:
        return self.items[self.starts[i] : self.starts[i + 1]]


class Printed(Struct, frozen=True, tag_field="kind", tag="text"):
    """What the program wrote: `stream` is stdout, stderr or warning."""

    stream: Literal["stdout", "stderr", "warning"]
    text: Text


class TableData(Struct, frozen=True):
    """A table as data: column names, the shown rows as text, and how many rows there are in all."""

    columns: Annotated[list[Word], Meta(max_length=200)]
    rows: Annotated[list[Annotated[list[Word], Meta(max_length=200)]], Meta(max_length=200)]
    total: int


class Echo(Struct, frozen=True, tag_field="kind", tag="echo"):
    """The value of a cell's last expression as Jupyter shows it."""

    text: Text
    table: TableData | None = None


class Result(Struct, frozen=True, tag_field="kind", tag="result"):
    """The value of a bare expression that is not the last of its cell, or of a call of `display`."""

    span: int
    text: Text
    table: TableData | None = None


class Failure(Struct, frozen=True, tag_field="kind", tag="error"):
    """An exception that ended a cell. Attributes: type and text are Python's own; frames are spans, outermost first."""

    type: Word
    text: Text
    span: int
    frames: Annotated[list[int], Meta(max_length=100)]


class Figure(Struct, frozen=True, tag_field="kind", tag="figure"):
    """A plot as data, never as a picture or a plotting library's dictionary."""

    series: Annotated[list[dict[Word, Word | float | list[float]]], Meta(max_length=200)]
    axes: dict[Word, Word | float | list[float]]


class Refusal(Struct, frozen=True, tag_field="kind", tag="refusal"):
    """Something the policy did not allow: `what` names it, `reason` is the id of a sentence that says why, or ""."""

    what: Word
    span: int
    reason: Word = ""


class Skipped(Struct, frozen=True, tag_field="kind", tag="skipped"):
    """A line that was not run as it stands, and need not be: the cell went on.

    `what` is the line, `reason` the id of the sentence that says what came of it, `detail` a name for that sentence.
    """

    what: Word
    span: int
    reason: Word
    detail: Word = ""


class Limit(Struct, frozen=True, tag_field="kind", tag="limit"):
    """A limit of the run that struck; `bound` is its size in s, MB or KB. Files are what the program wrote.

    Attributes:
        detail: torch's or the system's own words.
        count: of output, the characters that are left out where this stands.
    """

    limit: Literal["time", "memory", "output", "result", "files", "crash"]
    bound: float
    span: int
    detail: Word = ""
    count: int = 0

    @property
    def folds(self) -> bool:
        """Whether it only left out the middle of what was printed; every other limit ends its cell."""
        return self.limit == "output"


Output = Printed | Echo | Result | Failure | Figure | Refusal | Skipped | Limit


class Cell(Struct, frozen=True, dict=True):
    """One cell. Attributes: source: its text, line ends normalised; first_line: the line of the file it starts on."""

    source: Text
    outputs: Annotated[list[Output], Meta(max_length=10_000)]
    first_line: int = 1

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of its text, without their ends."""
        return tuple(self.source.split("\n"))


class Note(Struct, frozen=True):
    """Markdown that stands before a cell."""

    before: int
    markdown: Text


class Options(Struct, frozen=True):
    """What a run was asked for.

    Attributes:
        seed: of torch, numpy and random before the program.
        detail: light (value, gradient, span, name) or complete (also versions, storage, saved tensors, contributions).
        time_limit: seconds of the processor for the program.
        memory_limit: MB by which it may grow beyond what PyTorch itself takes.
        output_limit: KB of text that it may print before the middle is left out.
        stop_on_error: whether a failing cell ends the run.
        of: the name whose gradient is taken in place of the program's own backward calls, or "".
        start: the starting gradient v of that name in row-major order; empty: ones.
        full: names of tensors whose entries are all kept as they stand at the end; "*" means every name.
    """

    seed: int = 0
    detail: Literal["light", "complete"] = "complete"
    time_limit: float = 10.0
    stop_on_error: bool = False
    of: str = ""
    start: Annotated[tuple[float, ...], Meta(max_length=10_000)] = ()
    full: Annotated[tuple[Word, ...], Meta(max_length=1_000)] = ()
    memory_limit: float = 200.0
    output_limit: float = 64.0

    @property
    def patience(self) -> float:
        """Seconds after which it ends however little of the processor it had: it waits, or others are busy."""
        return 6 * self.time_limit


class Values(Struct, frozen=True):
    """All numbers of a run.

    Attributes:
        dtype, shape: indices into Trace.strings and Trace.shapes.
        start: offset of the entries in `data`, -1 when they could not be read (opaque: sparse, functorch, meta).
        summary: index into `summaries` for a value above FULL entries, whose `data` holds its sample; otherwise -1.
    """

    dtype: Column
    shape: Column
    start: Column
    summary: Column
    summaries: Annotated[list[tuple[float, float, float, float, int, int]], Meta(max_length=1_000_000)]
    data: Annotated[bytes, Meta(max_length=MAX_BYTES * 100)]


class Value(Struct, frozen=True):
    """One value.

    Attributes:
        shape, dtype: as torch names them.
        data: all entries in row-major order, or None.
        sample: the entries of a strided grid (sample_shape) when there are more than FULL.
        minimum, maximum, mean, norm: over the finite entries, None when there are none or the dtype has no order.
        nonfinite: how many entries are NaN or infinite.
        nans: how many of those are NaN.
    """

    shape: tuple[int, ...]
    dtype: str
    data: tuple[Number, ...] | None
    sample: tuple[Number, ...]
    minimum: float | None
    maximum: float | None
    mean: float | None
    norm: float | None
    nonfinite: int
    nans: int = 0

    @property
    def entries(self) -> tuple[Number, ...]:
        """What is at hand: all entries, otherwise the sample."""
        return self.sample if self.data is None else self.data

    def array(self, dtype: type | None = None) -> np.ndarray | None:
        """All entries in their shape; None when only a sample is at hand or nothing could be read.

        Where there are no entries, sizes beside the 0 that NumPy has no room for become 0 as well.
        """
        if self.data is None:
            return None
        fits = math.prod(filter(None, self.shape)) < 1 << 56
        return np.array(self.data, dtype).reshape(self.shape if fits else (0,) * len(self.shape))


class Operations(Struct, frozen=True):
    """The torch calls in the order they began.

    Attributes:
        name, function: short and qualified name (strings).
        span: where the program called it (spans), -1 when it has no place there.
        iteration: counts of the enclosing loops from 0, innermost last.
        module: path of the nn.Module whose forward ran (strings) or -1.
        grad_enabled: whether gradients were recorded.
        in_backward: the backward during which it ran, or -1.
        inputs, input_versions, outputs: tensors in order, and the version each input had (-1: not known).
        error: type of the exception it raised (strings) or -1.
        frames: the calls in other files between the program and the operation (strings) or -1.
        arguments: what it was given, `[positional, by name]` as JSON (strings), or -1: only tensors, or not kept.
    """

    name: Column
    function: Column
    span: Column
    iteration: Lists
    module: Column
    grad_enabled: Flags
    in_backward: Column
    inputs: Lists
    input_versions: Lists
    outputs: Lists
    error: Column
    frames: Column
    arguments: Column

    def __len__(self) -> int:
        return len(self.name)


class Tensors(Struct, frozen=True):
    """The tensors the program touched.

    Attributes:
        shape, stride: indices into Trace.shapes; offset in entries; storage: equal numbers share memory (-1: unknown).
        version_start: tensor i has the versions version_start[i] to version_start[i + 1] of `versions`.
        grad: value of `.grad` at the end, or -1.
    """

    shape: Column
    dtype: Column
    device: Column
    requires_grad: Flags
    is_leaf: Flags
    is_parameter: Flags
    storage: Column
    offset: Column
    stride: Column
    grad: Column
    version_start: Column

    def __len__(self) -> int:
        return len(self.shape)


class Versions(Struct, frozen=True):
    """The states of tensors, ordered by tensor, then time.

    Attributes:
        version: torch's version counter (-1: not known).
        operation: what wrote it (-1: no recorded operation).
        value: the entries then.
        node, output: the autograd node it came from and which of its outputs, or -1.
    """

    version: Column
    operation: Column
    value: Column
    node: Column
    output: Column


class Binding(Struct, frozen=True, array_like=True):
    """A name for a tensor from operation `start` until `until` (-1: to the end); span is the target's expression."""

    name: Word
    tensor: int
    span: int
    start: int
    until: int


class Nodes(Struct, frozen=True):
    """The nodes of the autograd graph.

    Attributes:
        name: torch's own (strings), such as MulBackward0.
        operation: the call that made it, or -1.
        variable: for AccumulateGrad its leaf (tensor), otherwise -1.
        edges, edge_inputs: next_functions in argument order (node or -1), and which output of that node each one means.
        values: its outputs right after the operation (values or -1).
        made_by: the backward with create_graph that made it, or -1.
        user_code: whether Python code of the program runs in it (custom Function).
    """

    name: Column
    operation: Column
    variable: Column
    edges: Lists
    edge_inputs: Lists
    values: Lists
    made_by: Column
    user_code: Flags

    def __len__(self) -> int:
        return len(self.name)


class Saved(Struct, frozen=True):
    """Tensors and constants kept for backward, ordered by node.

    Attributes:
        node, name: whose, and torch's name for it without `_saved_`.
        tensor, version: which tensor at which version, or -1.
        value: its entries when it is no known tensor, or -1.
        constant: text of a constant (strings), or -1.
    """

    node: Column
    name: Column
    tensor: Column
    version: Column
    value: Column
    constant: Column


class Backward(Struct, frozen=True):
    """One call of the engine, or one that torch refused before the engine began.

    Attributes:
        kind: backward, grad, or implicit (the side pass of a program that calls none).
        roots, root_tensors: nodes (-1: none) and tensors, in the order of the call; seeds: starting gradients (values).
        inputs: tensors named by inputs= (empty: all leaves).
        order: nodes in the engine's order; arrived: per step one value for each output of the node (-1: nothing).
        contribution_*: what an edge added, where its target has several consumers: consumer, its edge, the value.
        accumulated, before, after: leaves, and `.grad` around the call (values or -1).
        freed: nodes whose saved tensors it released; failed_node: where it stopped, or -1; error: its text (strings).
        operations: how many operations had begun when it was called.
        inside: the backward during which it was called (a reentrant checkpoint), or -1.
    """

    kind: Literal["backward", "grad", "implicit"]
    span: int
    roots: Column
    root_tensors: Column
    seeds: Column
    inputs: Column
    retain_graph: bool
    create_graph: bool
    order: Column
    arrived: Lists
    contribution_from: Column
    contribution_edge: Column
    contribution_value: Column
    accumulated: Column
    before: Column
    after: Column
    freed: Column
    status: Literal["ok", "failed"]
    failed_node: int
    error: int
    operations: int
    inside: int = -1


class Diagnosis(Struct, frozen=True):
    """Something worth telling: a kind, its place, and the values for its sentence."""

    kind: Word
    span: int = -1
    node: int = -1
    tensor: int = -1
    values: dict[Word, Word | int | float] = {}


class Bound(Struct, frozen=True):
    """A recording limit that was reached: `kind` names it, `count` says how many things it concerns."""

    kind: Word
    count: int


class Strided(Struct, frozen=True):
    """A pick of a tensor too large to be kept: every `step`-th entry of it in row-major order at the end (values)."""

    tensor: int
    step: int
    value: int


class Array(Struct, frozen=True, array_like=True):
    """A name for a NumPy array that lies in the storage of tensors.

    Attributes:
        storage, offset: that of Tensors.storage, and where the array begins in it, in bytes.
        shape, stride: indices into Trace.shapes, strides in bytes.
        dtype: NumPy's name.
        start, until: it was seen after operation `start` (-1: before any) and stood until operation `until` (-1: to
            the end).
    """

    name: Word
    storage: int
    offset: int
    shape: int
    stride: int
    dtype: Word
    start: int
    until: int


class Trace(Struct, frozen=True, weakref=True, dict=True):
    """Everything one run left behind. Rows of the columns are named by their index, which is their id."""

    schema: int
    torch: str
    options: Options
    cells: Annotated[list[Cell], Meta(max_length=2_000)]
    notes: Annotated[list[Note], Meta(max_length=4_000)]
    strings: Annotated[list[Text], Meta(max_length=500_000)]
    spans: Annotated[list[Span], Meta(max_length=500_000)]
    shapes: Annotated[list[Annotated[list[int], Meta(max_length=1_000)]], Meta(max_length=500_000)]
    values: Values
    operations: Operations
    tensors: Tensors
    versions: Versions
    bindings: Annotated[list[Binding], Meta(max_length=1_000_000)]
    nodes: Nodes
    saved: Saved
    backwards: Annotated[list[Backward], Meta(max_length=100_000)]
    diagnoses: Annotated[list[Diagnosis], Meta(max_length=10_000)]
    limits: Annotated[list[Bound], Meta(max_length=100)]
    strided: Annotated[list[Strided], Meta(max_length=1_000)] = []
    arrays: Annotated[list[Array], Meta(max_length=10_000)] = []

    @cached_property
    def index(self) -> Index:
        """Look-ups in its columns."""
        return Index(self)

    @property
    def status(self) -> str:
        """ok, error, refused or limited: the gravest that any cell ended with."""
        outputs = [output for cell in self.cells for output in cell.outputs]
        for status, kind in (("limited", Limit), ("refused", Refusal), ("error", Failure)):
            if any(isinstance(output, kind) for output in outputs):
                return status
        return "ok"

    def value(self, i: int) -> Value | None:
        """The value with this id, None for -1. Raises IndexError for an id that does not exist."""
        if i < 0:
            return None
        columns = self.values
        shape, dtype = tuple(self.shapes[columns.shape[i]]), self.strings[columns.dtype[i]]
        start, summary = columns.start[i], columns.summary[i]
        if start < 0 or len(shape) > AXES:
            return Value(shape, dtype, None, (), None, None, None, None, 0)
        if summary < 0:
            flat = np.frombuffer(columns.data, STORED[dtype], math.prod(shape), start)
            return Value(shape, dtype, tuple(flat.tolist()), (), *_statistics(flat))
        count = math.prod(sample_shape(shape))
        sample = tuple(np.frombuffer(columns.data, STORED[dtype], count, start).tolist())
        minimum, maximum, mean, norm, nonfinite, nans = columns.summaries[summary]
        known = [None if math.isnan(number) else number for number in (minimum, maximum, mean, norm)]
        return Value(shape, dtype, None, sample, *known, nonfinite, nans)

    def text(self, span: int) -> str:
        """The program's text at a span, "" for -1; of a very long one the beginning."""
        return self.index.once(("text", span), lambda: self._text(span)) if span >= 0 else ""

    def _text(self, span: int) -> str:
        place = self.spans[span]
        lines = list(self.cells[place.cell].lines[place.line - 1 : min(place.end_line, place.line + LONG)])
        if len(lines) == place.end_line - place.line + 1:
            lines[-1] = lines[-1][: place.end_column]
        lines[0] = lines[0][place.column :]
        return "\n".join(lines)[:LONG]

    def string(self, i: int) -> str | None:
        """The text with this index, None for -1."""
        return None if i < 0 else self.strings[i]

    def versions_of(self, tensor: int) -> range:
        """The rows of `versions` that belong to a tensor, oldest first."""
        return range(self.tensors.version_start[tensor], self.tensors.version_start[tensor + 1])

    def bound(self, name: str) -> int | None:
        """The tensor that a name was bound to last, None if it never was."""
        return self.index.bound.get(name)

    def picked(self, tensor: int) -> tuple[int, Value] | None:
        """Of a tensor above WHOLE entries that was asked for in full: a step, and every step-th entry; else None."""
        return next(((one.step, self.value(one.value)) for one in self.strided if one.tensor == tensor), None)

    def __getitem__(self, name: str) -> Value | None:
        """The last value of the tensor that `name` was bound to last. Raises KeyError for an unknown name."""
        tensor = self.bound(name)
        if tensor is None:
            raise KeyError(name)
        return self.value(self.versions.value[self.versions_of(tensor)[-1]])

    def __iter__(self) -> Iterator:
        raise TypeError("a Trace is not a sequence: read trace.nodes, trace.operations or trace['name']")

    def check(self) -> "Trace":
        """Verify what types cannot say; returns itself. Raises InvalidTrace naming the first thing found wrong."""
        from explorer.trace_check import check

        check(self)
        return self


def sample_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The grid that stands for a large value: a strided pick of its last two axes, or of its only axis.

    >>> sample_shape((3, 100, 5))
    (8, 5)
    """
    if len(shape) < 2:
        return tuple(min(FULL, size) for size in shape)
    return tuple(min(GRID, size) for size in shape[-2:])


def index_at(place: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of the entry with this number in row-major order, of any number of axes.

    >>> index_at(5, (2, 3))
    (1, 2)
    """
    found = []
    for size in reversed(shape):
        place, index = divmod(place, size)
        found.append(index)
    return tuple(reversed(found))


def sample_steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of that grid along the same axes."""
    return tuple(max(1, size // kept) for size, kept in zip(shape[-2:], sample_shape(shape), strict=True))


def encode(trace: Trace) -> bytes:
    """The Trace as MessagePack."""
    return msgspec.msgpack.encode(trace)


_decoder = msgspec.msgpack.Decoder(Trace)


def decode(data: bytes) -> Trace:
    """A checked Trace from bytes nobody vouches for. Raises InvalidTrace."""
    if len(data) > MAX_BYTES:
        raise InvalidTrace(f"a result of {len(data)} bytes, at most {MAX_BYTES} are read")
    if trace_bounds.count(data) > trace_bounds.CONTAINERS:
        raise InvalidTrace("a result of too many parts")
    try:
        trace = _decoder.decode(data)
        if too_much := trace_bounds.beyond(trace):
            raise InvalidTrace(too_much)
        return trace.check()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise InvalidTrace(str(problem)) from None


def _statistics(flat: np.ndarray) -> tuple[float | None, float | None, float | None, float | None, int, int]:
    if flat.dtype.kind == "c":
        finite = np.isfinite(flat)
        norm = float(np.linalg.norm(flat[finite])) if finite.any() else None
        return None, None, None, norm, int((~finite).sum()), int(np.isnan(flat).sum())
    with np.errstate(invalid="ignore"):  # what torch.empty found may be a signalling NaN
        numbers = flat.astype(np.float64)
    finite = numbers[np.isfinite(numbers)] if flat.dtype.kind == "f" else numbers
    nonfinite = flat.size - finite.size
    nans = int(np.isnan(numbers).sum()) if nonfinite else 0
    if not finite.size:
        return None, None, None, None, nonfinite, nans
    with np.errstate(over="ignore"):  # of numbers near the largest the norm is inf
        norm = float(np.sqrt((finite**2).sum()))
        return float(finite.min()), float(finite.max()), float(finite.mean()), norm, nonfinite, nans

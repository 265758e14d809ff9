"""The rows of a Trace: operations, tensors and their versions, nodes of the graph, backward calls.

Big things are columns: entry i of every list belongs to thing i, and -1 stands for "none". `Lists` is a column whose
entries are lists. Texts, spans and shapes are kept once and named by their index.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from explorer.trace.asked import MOST_ASKED, MOST_WHOLE, AskedEntries, EntryAsked, FullTensors
from explorer.trace.columns import Along, Column, Columns, Flags, IdList, Ids, Lists
from explorer.trace.entry_maps import EntryMaps
from explorer.trace.loss_terms import LossTerms
from explorer.trace.outputs import Cell, Note, Span, Text, Word
from explorer.trace.slopes import Slopes
from explorer.trace.statements import Statements
from explorer.trace.steps import Steps
from explorer.trace.tables import MissingCells, Table, TableTensor, TableWindow
from explorer.trace.training_log import TrainingLog

SCHEMA = 1
SUFFIX = ".trace"  # of a saved Trace
MAX_BYTES = 8_000_000  # bytes of a Trace on the wire
MAX_OPENED = 40_000_000  # bytes of a saved Trace that the app opens, full tensors included
MOST_VALUES = 400  # of an entry for which calls are made again
NAME = 10_000  # characters in the name of an operation, a module or a node


class InvalidTrace(ValueError):
    """A result that is not a valid Trace: wrong types, too large, missing ids, a cycle."""


class TooLong(InvalidTrace):
    """A Trace with more rows than a view may have."""


class Move(Struct, frozen=True, array_like=True):
    """A leaf that a probe moves, just before an operation reads it. Attributes: operand, name: of that input."""

    operation: int
    operand: int
    name: Word


class Probe(Struct, frozen=True, array_like=True):
    """Leaves that are moved along a direction, to measure how the root of a backward changes.

    Attributes:
        moves: the leaves; the direction has an entry of +1 or -1 for each of theirs, the same in every probe.
        steps: how far, a run each.
        call: the backward, by its number among the program's calls; -1: the root is read when the program has ended.
        root: then the operation that made it, and which of its outputs it is; otherwise (-1, -1).
    """

    moves: Annotated[tuple[Move, ...], Meta(max_length=10_000)]
    steps: Annotated[tuple[float, ...], Meta(max_length=8)]
    call: int
    root: tuple[int, int] = (-1, -1)


class ProbeReading(Struct, frozen=True, array_like=True):
    """The result of a probe, in float64.

    Attributes:
        values: the root for each step: the sum of its entries, each times its starting gradient; None where the run
            did not reach the backward, or had no time left.
        slopes: for each step the product of autograd's gradient there with the direction.
        sizes: for each step the norm of the gradient's entries, each times the direction's.
    """

    values: Annotated[tuple[float | None, ...], Meta(max_length=MOST_VALUES)]
    slopes: Annotated[tuple[float, ...], Meta(max_length=8)] = ()
    sizes: Annotated[tuple[float, ...], Meta(max_length=8)] = ()


class Repeat(Struct, frozen=True, array_like=True):
    """Calls of a recording that torch makes again, for other values of an entry of a leaf; no program runs.

    Attributes:
        row, entry: the version of the leaf that the first of the calls read, and the index of the entry in row-major
            order.
        values: of the entry; the one reading has the root for each of them, and the gradient as its slope.
        operations: the calls, in order.
        root: the tensor with one entry that they make.
    """

    row: int
    entry: int
    values: Annotated[tuple[float, ...], Meta(max_length=MOST_VALUES)]
    operations: Annotated[tuple[int, ...], Meta(max_length=256)]
    root: int


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
        full: names of tensors whose entries are all kept as they stand at the end; "*" means every name. In `record()`
            patterns, of gradients too: Trace.full has them.
        probes: leaves to be moved: the program then runs once for each step, and nothing else is recorded.
        tables: windows of the program's DataFrames that are kept; if there is none, tables are not watched.
        statements: whether each statement's end and what the names hold then are written down.
        asked: entries of gradients that are explained: Trace.asked has their products.
        whole: ids of large values of which Trace.asked keeps all entries; those of an earlier run of the same program.
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
    probes: Annotated[tuple[Probe, ...], Meta(max_length=256)] = ()
    tables: Annotated[tuple[TableWindow, ...], Meta(max_length=4)] = ()
    statements: bool = False
    asked: Annotated[tuple[EntryAsked, ...], Meta(max_length=MOST_ASKED)] = ()
    whole: Annotated[tuple[int, ...], Meta(max_length=MOST_WHOLE)] = ()

    @property
    def patience(self) -> float:
        """Seconds after which the run ends even if it had little of the processor: it waits, or others are busy."""
        return 6 * self.time_limit


class Values(Columns, Struct, frozen=True):
    """All numbers of a run.

    Attributes:
        dtype, shape: indices into Trace.strings and Trace.shapes.
        start: offset of the entries in `data`, -1 when they could not be read (opaque: sparse, functorch, meta).
        summary: index into `summaries` for a value above FULL entries, whose `data` holds its sample; otherwise -1.
        summaries: minimum, maximum, mean, norm, nonfinite and nans, as in `Value`.
        sampled: of each summary what `Value.sampled` is; empty where all are 0.
    """

    dtype: Annotated[Column, Ids("strings", 0)]
    shape: Annotated[Column, Ids("shapes", 0)]
    start: Annotated[Column, Ids(1 << 62)]
    summary: Annotated[Column, Ids("values.summaries")]
    summaries: Annotated[
        list[tuple[float, float, float, float, int, int]], Meta(max_length=1_000_000), Along("summaries")
    ]
    data: Annotated[bytes, Meta(max_length=MAX_BYTES * 100)]
    sampled: Annotated[IdList, Along("summaries", True), Ids(1 << 62, 0)] = field(default_factory=list)


class Operations(Columns, Struct, frozen=True):
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
        arguments: what it was given, as JSON (strings), or -1: only tensors, or not kept. `Trace.arguments` reads it.
    """

    name: Annotated[Column, Ids("strings", 0)]
    function: Annotated[Column, Ids("strings", 0)]
    span: Annotated[Column, Ids("spans")]
    iteration: Annotated[Lists, Along("rows"), Ids(1 << 40, 0)]
    module: Annotated[Column, Ids("strings")]
    grad_enabled: Flags
    in_backward: Annotated[Column, Ids("backwards")]
    inputs: Annotated[Lists, Along("rows"), Ids("tensors", 0)]
    input_versions: Annotated[Lists, Along("rows"), Ids(1 << 40)]
    outputs: Annotated[Lists, Along("rows"), Ids("tensors", 0)]
    error: Annotated[Column, Ids("strings")]
    frames: Annotated[Column, Ids("strings")]
    arguments: Annotated[Column, Ids("strings")]

    def __len__(self) -> int:
        return len(self.name)


class Tensors(Columns, Struct, frozen=True):
    """The tensors the program touched.

    Attributes:
        shape, stride: indices into Trace.shapes; offset in entries; storage: equal numbers share memory (-1: unknown).
        version_start: tensor i has the versions version_start[i] to version_start[i + 1] of `versions`.
        grad: value of `.grad` at the end, or -1.
    """

    shape: Annotated[Column, Ids("shapes", 0)]
    dtype: Annotated[Column, Ids("strings", 0)]
    device: Annotated[Column, Ids("strings", 0)]
    requires_grad: Flags
    is_leaf: Flags
    is_parameter: Flags
    storage: Annotated[Column, Ids(1 << 62)]
    offset: Annotated[Column, Ids(1 << 62)]
    stride: Annotated[Column, Ids("shapes")]
    grad: Annotated[Column, Ids("values")]
    version_start: IdList

    def __len__(self) -> int:
        return len(self.shape)


class Versions(Columns, Struct, frozen=True):
    """The states of tensors, ordered by tensor, then time.

    Attributes:
        version: torch's version counter (-1: not known).
        operation: what wrote it (-1: no recorded operation).
        value: the entries then.
        node, output: the autograd node it came from and which of its outputs, or -1.
        seen: of a state that no recorded operation wrote, and that was found by comparing entries, how many operations
            had begun when it was found; otherwise -1.
    """

    version: Column
    operation: Annotated[Column, Ids("operations")]
    value: Annotated[Column, Ids("values")]
    node: Annotated[Column, Ids("nodes")]
    output: Column
    seen: Annotated[Column, Ids("operations", -1, 1)]


class Binding(Struct, frozen=True, array_like=True):
    """A name for a tensor from operation `start` until `until` (-1: to the end).

    Attributes:
        span: the assigned expression, -1 where it was found by reading.
        call: the number of the call of a function in which it stood for it last; 0 at module level, and in older files.
    """

    name: Word
    tensor: Annotated[int, Ids("tensors", 0)]
    span: Annotated[int, Ids("spans")]
    start: Annotated[int, Ids("operations")]
    until: Annotated[int, Ids("operations")]
    call: int = 0


class Nodes(Columns, Struct, frozen=True):
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

    name: Annotated[Column, Ids("strings", 0)]
    operation: Annotated[Column, Ids("operations")]
    variable: Annotated[Column, Ids("tensors")]
    edges: Annotated[Lists, Along("rows"), Ids("nodes")]
    edge_inputs: Annotated[Lists, Along("rows"), Ids(1 << 32)]
    values: Annotated[Lists, Along("rows"), Ids("values")]
    made_by: Annotated[Column, Ids("backwards")]
    user_code: Flags

    def __len__(self) -> int:
        return len(self.name)


PACKED, RECOMPUTED = "packed by a hook", "recomputed in backward"  # what is known of a tensor that a hook took


class Saved(Columns, Struct, frozen=True):
    """Tensors and constants kept for backward, ordered by node.

    Attributes:
        node, name: whose, and torch's name for it without `_saved_`.
        tensor, version: which tensor at which version, or -1.
        value: its entries when it is no known tensor, or -1.
        constant: text of a constant (strings), or -1; PACKED or RECOMPUTED for a tensor that a hook took.
        storage: the memory it lies in: shared with tensors of the same number; below -1 memory of no tensor of the
            program; -1 none.
        size: how many bytes that memory has: all of it stays while the node keeps a part. Both columns are empty in
            older files.
    """

    node: Annotated[Column, Ids("nodes", 0)]
    name: Annotated[Column, Ids("strings", 0)]
    tensor: Annotated[Column, Ids("tensors")]
    version: Column
    value: Annotated[Column, Ids("values")]
    constant: Annotated[Column, Ids("strings")]
    storage: Annotated[IdList, Along("rows", True), Ids(1 << 60, -1 << 60)] = []
    size: Annotated[IdList, Along("rows", True), Ids(1 << 60, 0)] = []


class Backward(Struct, frozen=True):
    """One call of the engine, or one that torch refused before the engine began.

    Attributes:
        kind: backward, grad, or implicit (the side pass of a program that calls none).
        roots, root_tensors: nodes (-1: none) and tensors, in the order of the call; seeds: starting gradients (values).
        inputs: tensors named by inputs= (empty: all leaves).
        order: nodes in the engine's order; arrived: per step one value for each output of the node (-1: nothing).
        contribution_*: what an edge added, where its target has several consumers or hooks: consumer, edge, value.
        accumulated, before, after: leaves, and `.grad` around the call (values or -1).
        freed: nodes whose saved tensors it released; failed_node: where it stopped, or -1; error: its text (strings).
        operations: how many operations had begun when it was called.
        inside: the backward during which it was called (a reentrant checkpoint), or -1.
        number: among all recorded calls, those included that were dropped since; from 1, 0 in older files.
    """

    kind: Literal["backward", "grad", "implicit"]
    span: Annotated[int, Ids("spans")]
    roots: Annotated[IdList, Ids("nodes")]
    root_tensors: Annotated[IdList, Ids("tensors")]
    seeds: Annotated[IdList, Ids("values")]
    inputs: Annotated[IdList, Ids("tensors")]
    retain_graph: bool
    create_graph: bool
    order: Annotated[IdList, Along("steps"), Ids("nodes", 0)]
    arrived: Annotated[Lists, Along("steps"), Ids("values")]
    contribution_from: Annotated[IdList, Along("contributions"), Ids("nodes", 0)]
    contribution_edge: Annotated[IdList, Along("contributions")]
    contribution_value: Annotated[IdList, Along("contributions"), Ids("values")]
    accumulated: Annotated[IdList, Along("leaves"), Ids("tensors")]
    before: Annotated[IdList, Along("leaves"), Ids("values")]
    after: Annotated[IdList, Along("leaves"), Ids("values")]
    freed: Annotated[IdList, Ids("nodes", 0)]
    status: Literal["ok", "failed"]
    failed_node: Annotated[int, Ids("nodes")]
    error: Annotated[int, Ids("strings")]
    operations: Annotated[int, Ids("operations", 0, 1)]
    inside: Annotated[int, Ids("backwards")] = -1
    number: int = 0

    def __repr__(self) -> str:
        return f"<Backward: {self.kind}, {self.status}, {len(self.order)} nodes>"


class Remark(Struct, frozen=True):
    """Something worth reporting: a kind, its place, and the values for its sentence."""

    kind: Word
    span: Annotated[int, Ids("spans")] = -1
    node: Annotated[int, Ids("nodes")] = -1
    tensor: Annotated[int, Ids("tensors")] = -1
    values: dict[Word, Word | int | float] = {}


class Bound(Struct, frozen=True):
    """A recording limit that was reached: `kind` names it, `count` says how many things were left out."""

    kind: Word
    count: int


class Strided(Struct, frozen=True):
    """A sample of a tensor too large to keep: every `step`-th entry in row-major order at the end (values)."""

    tensor: Annotated[int, Ids("tensors", 0)]
    step: int
    value: Annotated[int, Ids("values", 0)]


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
    storage: Annotated[int, Ids(1 << 62)]
    offset: Annotated[int, Ids(1 << 62)]
    shape: Annotated[int, Ids("shapes", 0)]
    stride: Annotated[int, Ids("shapes", 0)]
    dtype: Word
    start: Annotated[int, Ids("operations")]
    until: Annotated[int, Ids("operations")]


class Records(Struct, frozen=True, weakref=True, dict=True):
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
    diagnoses: Annotated[list[Remark], Meta(max_length=10_000)]
    limits: Annotated[list[Bound], Meta(max_length=100)]
    strided: Annotated[list[Strided], Meta(max_length=1_000)] = []
    arrays: Annotated[list[Array], Meta(max_length=10_000)] = []
    readings: Annotated[list[ProbeReading], Meta(max_length=256)] = []
    tables: Annotated[list[Table], Meta(max_length=4)] = []
    table_tensors: Annotated[list[TableTensor], Meta(max_length=20)] = []
    missing: Annotated[list[MissingCells], Meta(max_length=100)] = []
    steps: Steps = field(default_factory=Steps)
    log: TrainingLog = field(default_factory=TrainingLog)
    statements: Statements = field(default_factory=Statements)
    full: FullTensors = field(default_factory=FullTensors)
    asked: AskedEntries = field(default_factory=AskedEntries)
    losses: LossTerms = field(default_factory=LossTerms)
    slopes: Slopes = field(default_factory=Slopes)
    maps: EntryMaps = field(default_factory=EntryMaps)

    def versions_of(self, tensor: int) -> range:
        """The rows of `versions` that belong to a tensor, oldest first."""
        return range(self.tensors.version_start[tensor], self.tensors.version_start[tensor + 1])
